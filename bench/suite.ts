// What a benchmark is given: timing, tables, the machine, and a place for its numbers.

/** A suite is a value; it measures with what it is given and prints what it found. */
export interface Suite {
  readonly name: string
  readonly summary: string
  readonly run: (context: BenchContext) => Promise<void>
}

/** A line of the table of suites: enough for the list, and the way to the rest. */
export interface SuiteEntry {
  readonly name: string
  readonly summary: string
  readonly load: () => Promise<{ readonly suite: Suite }>
}

export interface BenchContext {
  /** `--part`: runs one part of a suite that has several. */
  readonly part?: string
  /** Other arguments: `--workloads DIR`, `--filter x`. */
  readonly args: readonly string[]
  /** The sizes that take minutes; without it a suite stays within a minute or so. */
  readonly full: boolean
  readonly seed: string
  readonly machine: Machine
  readonly commit: string
  /** Says what is going on, on stderr. */
  readonly progress: (line: string) => void
  /**
   * Runs `work` until it has taken `minMs` (and at least `minRuns` times) and tells how long one run takes. `setup` makes
   * what a run consumes and is not timed.
   */
  readonly measure: <Input = void>(options: MeasureOptions<Input>) => Promise<Measurement>
  /** Times `work` once. */
  readonly time: <Value>(work: () => Value | Promise<Value>) => Promise<{ readonly value: Value; readonly ms: number }>
  /** Bytes of heap and of buffers that stay after `make`; the value is kept alive until both are read. */
  readonly memoryOf: <Value>(
    make: () => Value | Promise<Value>,
  ) => Promise<{ readonly value: Value; readonly bytes: number }>
  /** Keeps a number for the result file. */
  readonly record: (row: ResultRow) => void
  readonly table: (title: string, header: readonly string[], rows: readonly (readonly (string | number)[])[]) => void
}

export interface MeasureOptions<Input> {
  readonly name: string
  readonly work: (input: Input) => unknown
  readonly setup?: () => Input
  /** How many of the unit below one run does. */
  readonly amount?: number
  readonly unit?: string
  readonly minMs?: number
  readonly minRuns?: number
  /** What the machine can do at best in the same run, measured likewise, to judge the number by. */
  readonly limit?: Measurement
  readonly aimPerSecond?: number
}

export interface Measurement {
  readonly name: string
  readonly unit: string
  readonly runs: number
  /** Milliseconds for one run. */
  readonly medianMs: number
  readonly minMs: number
  readonly p99Ms: number
  /** By the median. */
  readonly perSecond: number
}

export interface ResultRow {
  readonly name: string
  readonly value: number
  readonly unit: string
  readonly aim?: number
  /** What the number is compared with, in the same unit: a peer, or the best this machine can do. */
  readonly beside?: { readonly what: string; readonly value: number }
  readonly note?: string
  /** One of many that a plot or the suite's own table shows better than the summary of all suites. */
  readonly detail?: boolean
}

/** What a suite leaves in bench/results/. */
export interface SuiteResult {
  readonly suite: string
  readonly commit: string
  readonly startedAt: string
  readonly seed: string
  readonly full: boolean
  readonly machine: Machine
  readonly rows: readonly ResultRow[]
}

export interface Machine {
  readonly cpu: string
  readonly cores: number
  readonly memoryGiB: number
  readonly node: string
  readonly platform: string
}

export function formatNumber(value: number): string {
  if (!Number.isFinite(value)) return String(value)
  if (Math.abs(value) >= 100) return String(Math.round(value)).replaceAll(/\B(?=(\d{3})+$)/g, ',')
  return value.toPrecision(3)
}
