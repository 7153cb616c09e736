import type { KubernetesRelease } from '../../src/api/releases/kubernetes-release.ts'
import { findGoldenFiles, type GoldenCase, GoldenError, readGoldenFile } from './golden-file.ts'
import type { AreaRunner, Verdict } from './verdict.ts'

export interface FailedCase {
  readonly case: GoldenCase
  /** The answer of berth, or the reason why it has none. */
  readonly got: unknown
}

export interface AreaReport {
  readonly total: number
  readonly failed: readonly FailedCase[]
}

export function runArea(runner: AreaRunner, cases: readonly GoldenCase[], release: KubernetesRelease): AreaReport {
  const failed: FailedCase[] = []
  for (const one of cases) {
    const verdict = judge(runner, one, release)
    if (!verdict.ok) failed.push({ case: one, got: verdict.got })
  }
  return { total: cases.length, failed }
}

function judge(runner: AreaRunner, { given, want }: GoldenCase, release: KubernetesRelease): Verdict {
  try {
    return runner(given as never, want as never, release)
  } catch (error) {
    return { ok: false, got: { thrown: error instanceof Error ? (error.stack ?? error.message) : String(error) } }
  }
}

export interface ConformanceOptions {
  readonly folder: string
  readonly areas: Readonly<Record<string, AreaRunner>>
  readonly verbose: boolean
  readonly print: (line: string) => void
}

const shownFailures = 3
const shownDifferences = 8

/** Exit code: 0 every built area agrees, 1 some case differs, 2 the vectors cannot be read. */
export function runConformance({ folder, areas, verbose, print }: ConformanceOptions): 0 | 1 | 2 {
  try {
    let exit: 0 | 1 = 0
    for (const { area, path, name, release } of findGoldenFiles(folder)) {
      const cases = readGoldenFile(path)
      const runner = areas[area]
      if (runner === undefined) {
        print(`${name} not built`)
        continue
      }
      const report = runArea(runner, cases, release)
      print(`${name} ${report.total - report.failed.length}/${report.total}`)
      if (report.failed.length > 0) exit = 1
      printFailures(report, verbose, print)
    }
    return exit
  } catch (error) {
    if (!(error instanceof GoldenError)) throw error
    print(`conformance: ${error.message}`)
    return 2
  }
}

function printFailures(report: AreaReport, verbose: boolean, print: (line: string) => void): void {
  const shown = verbose ? report.failed : report.failed.slice(0, shownFailures)
  for (const { case: one, got } of shown) {
    print(`  ${one.id}`)
    const lines = describeDifferences(one.want, got)
    const kept = verbose ? lines : lines.slice(0, shownDifferences)
    for (const line of kept) print(`    ${line}`)
    if (kept.length < lines.length) print(`    and ${lines.length - kept.length} more differences`)
  }
  if (shown.length < report.failed.length) {
    print(`  and ${report.failed.length - shown.length} more: --verbose shows them all`)
  }
}

/** One line for each difference of the two JSON values. */
export function describeDifferences(want: unknown, got: unknown, path = ''): string[] {
  if (Object.is(want, got)) return []
  const keys = sharedKeys(want, got)
  if (keys === undefined) return [`${path === '' ? '.' : path}: want ${show(want)}, got ${show(got)}`]
  return keys.flatMap((key) =>
    describeDifferences(
      (want as Record<string, unknown>)[key],
      (got as Record<string, unknown>)[key],
      `${path}.${key}`,
    ),
  )
}

function sharedKeys(a: unknown, b: unknown): string[] | undefined {
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return undefined
  if (Array.isArray(a) !== Array.isArray(b)) return undefined
  return [...new Set([...Object.keys(a), ...Object.keys(b)])]
}

function show(value: unknown): string {
  return value === undefined ? 'nothing' : JSON.stringify(value)
}
