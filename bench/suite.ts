// The interface between a suite and the benchmark runner: timing, tables, the machine, and the recording of numbers.

/** A suite measures with the functions of the context and prints tables. */
export interface Suite {
  readonly name: string
  readonly summary: string
  readonly run: (context: BenchContext) => Promise<void>
}

/** An entry in the table of suites, with the data for the list. The suite itself is loaded when it runs. */
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
  /** Full sizes, which take minutes; without it a suite takes about a minute. */
  readonly full: boolean
  readonly seed: string
  readonly machine: Machine
  readonly commit: string
  /** Prints progress on stderr. */
  readonly progress: (line: string) => void
  /**
   * Runs `work` for at least `minMs` and `minRuns` times, and returns the duration of one run. `setup` creates the input of
   * a run and is not timed.
   */
  readonly measure: <Input = void>(options: MeasureOptions<Input>) => Promise<Measurement>
  /** Times `work` once. */
  readonly time: <Value>(work: () => Value | Promise<Value>) => Promise<{ readonly value: Value; readonly ms: number }>
  /** Bytes of heap and buffers that the result of `make` retains. */
  readonly memoryOf: <Value>(
    make: () => Value | Promise<Value>,
  ) => Promise<{ readonly value: Value; readonly bytes: number }>
  /** Records a number for the result file. */
  readonly record: (row: ResultRow) => void
  readonly table: (title: string, header: readonly string[], rows: readonly (readonly (string | number)[])[]) => void
}

export interface MeasureOptions<Input> {
  readonly name: string
  readonly work: (input: Input) => unknown
  readonly setup?: () => Input
  /** The number of units that one run processes. */
  readonly amount?: number
  readonly unit?: string
  readonly minMs?: number
  readonly minRuns?: number
  /** The best possible value of the machine, measured in the same way in the same run, for comparison. */
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
  /** The value to compare with, in the same unit: a peer, or the best that this machine can do. */
  readonly beside?: { readonly what: string; readonly value: number }
  readonly note?: string
  /** Shown in a plot or the table of the suite only, not in the summary of all suites. */
  readonly detail?: boolean
}

/** The file that a suite writes to bench/results/. */
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
