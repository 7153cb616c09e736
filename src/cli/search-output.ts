// Prints the result of a search: a violation, or a certificate.
import type { JsonObject, KubeObject } from '../api/objects/meta.ts'
import type { Finding, Hunt, NoFix } from '../search/hunt.ts'
import type { ReducedCluster } from '../search/reduce-cluster.ts'
import { ignoredBy } from '../search/search-base.ts'
import type { Forecast } from '../whatif/report/forecast.ts'
import { counted, listed } from '../whatif/report/phrases.ts'
import { toYaml } from './output.ts'

/** The scenarios of a finding. */
export interface FoundScenarios {
  /** Refers to the file of --from, or contains the reduced cluster. */
  readonly scenario: JsonObject
  /** Contains the reduced cluster. */
  readonly standalone?: JsonObject
}

export function scenariosOf(
  { base }: Hunt,
  { steps, story, reduced }: Finding,
  source: string | undefined,
): FoundScenarios {
  const { document, objects } = base.input
  const { metadata: _, until, expect, ...rest } = document
  const made = (cluster: readonly unknown[]): JsonObject => {
    const { apiVersion, kind, ...settings } = rest
    return {
      apiVersion,
      kind,
      metadata: { name: story },
      ...settings,
      cluster,
      steps,
      until,
      expect,
    } as unknown as JsonObject
  }
  const inline = made(reduced?.objects ?? objects)
  return {
    scenario: source === undefined ? inline : made([source]),
    ...(reduced === undefined ? {} : { standalone: inline }),
  }
}

/** The value that `-o json` prints. */
export function searchReport(
  hunt: Hunt,
  scenarios: FoundScenarios | undefined,
  forecast: Forecast | undefined,
): object {
  const { finding, explored, end, margin, coverage, progress, certificate, base } = hunt
  return {
    apiVersion: 'berth.dev/v1alpha1',
    kind: 'Search',
    found: finding !== undefined,
    ...(finding === undefined ? {} : { violation: violationOf(finding) }),
    ...scenarios,
    explored,
    end,
    seed: base.input.seed,
    margin: Math.round(margin * 1000) / 1000,
    coverage,
    phases: progress,
    ...(finding?.reduced === undefined ? {} : { reduced: countsOf(finding.reduced.objects) }),
    ...(finding?.fix === undefined ? {} : { fix: finding.fix }),
    ...(finding?.noFix === undefined ? {} : { noFix: finding.noFix }),
    ...(certificate === undefined ? {} : { certificate }),
    ...(forecast === undefined
      ? {}
      : { forecast: { verdict: forecast.verdict, reason: forecast.reason, lines: forecast.answer.lines } }),
    ignored: ignoredBy(base),
  }
}

function violationOf({ story, faults, violation }: Finding): object {
  const { expectation, subject, text, atMs } = violation
  return { text: story, faults, expectation, subject, detail: text, seconds: atMs / 1000 }
}

function countsOf(objects: readonly KubeObject[]): {
  readonly nodes: number
  readonly pods: number
  readonly objects: number
} {
  const count = (wanted: string) => objects.filter(({ kind }) => kind === wanted).length
  return { nodes: count('Node'), pods: count('Pod'), objects: objects.length }
}

export function searchText(hunt: Hunt, scenarios: FoundScenarios | undefined, forecast: Forecast | undefined): string {
  const { finding } = hunt
  const parts =
    finding === undefined || scenarios === undefined
      ? notFoundText(hunt)
      : foundText(hunt, finding, scenarios, forecast)
  return `${parts.join('\n')}\n`
}

function foundText(
  hunt: Hunt,
  finding: Finding,
  { scenario }: FoundScenarios,
  forecast: Forecast | undefined,
): readonly string[] {
  const { story, shrunkWith, reduced } = finding
  return [
    `FOUND: ${story}.`,
    notMetText(finding),
    `${effortText(hunt)}${shrunkWith === 0 ? '' : `; ${counted(shrunkWith, 'more case')} to shrink it`}.`,
    ...baselineLines(hunt),
    '',
    '# Save as found.yaml; berth simulate found.yaml replays it.',
    toYaml(scenario, 'given').trimEnd(),
    ...(forecast === undefined ? [] : ['', `Forecast: ${judgmentText(forecast)}.`, ...forecast.answer.lines]),
    ...(reduced === undefined ? [] : ['', reducedText(hunt, finding, reduced)]),
    ...paragraph(fixLines(finding)),
  ]
}

/** Omits SAFE, because the verdict ignores the expectation that is not met. */
const judgmentText = ({ verdict, reason }: Forecast): string => (verdict === 'SAFE' ? reason : `${verdict}: ${reason}`)

export const notMetText = ({ violation }: Finding): string =>
  `Not met: ${violation.expectation}: ${violation.text.replace(/\.$/, '')}.`

const paragraph = (lines: readonly string[]): readonly string[] => (lines.length === 0 ? [] : ['', ...lines])

function reducedText({ base }: Hunt, { violation }: Finding, { objects, result }: ReducedCluster): string {
  const [few, all] = [countsOf(objects), countsOf(base.input.objects)]
  const cluster = `${few.nodes} of ${all.nodes} nodes and ${few.objects} of ${all.objects} objects`
  const left = result.violation?.effect ?? violation.effect
  const text = left === violation.effect ? `The same happens with ${cluster}` : `With ${cluster}, it leaves ${left}`
  return `${text}: -o scenario --standalone prints that cluster.`
}

/** Empty if the search for a fix was off. */
export function fixLines({ fix, noFix }: Finding): readonly string[] {
  if (fix === undefined) return noFix === undefined ? [] : noFixLines(noFix)
  const proof =
    fix.end === 'complete'
      ? `all ${counted(fix.explored, 'case')} of single faults and pairs`
      : `${counted(fix.explored, 'case')}, before the search ended`
  return [
    `Fix: ${fix.text}.`,
    `With it, the same search finds no violation in ${proof}.`,
    ...notEnoughLines(fix.rejected),
  ]
}

function noFixLines({ end, rejected }: NoFix): readonly string[] {
  if (end === 'budget') return ['Fix: no change was verified before the search ended.', ...notEnoughLines(rejected)]
  if (rejected.length === 0) return ['Fix: no known change applies to this violation.']
  return ['Fix: none of the known changes is enough.', ...notEnoughLines(rejected)]
}

const notEnoughLines = (rejected: readonly string[]): readonly string[] =>
  rejected.length === 0 ? [] : [`Not enough: ${listed(rejected, 3)}.`]

function notFoundText(hunt: Hunt): readonly string[] {
  const { certificate, end } = hunt
  return [
    end === 'complete'
      ? 'NOT FOUND: no case violates an expectation; every case was run.'
      : 'NOT FOUND: no case that was run violates an expectation; the search ended before all were run.',
    ...effortLines(hunt),
    ...(certificate === undefined
      ? []
      : [
          '',
          ...certificate.proven.map((line) => `Proven: ${line}.`),
          ...certificate.notCovered.map((line) => `Not covered: ${line}.`),
        ]),
  ]
}

export const effortLines = (hunt: Hunt): readonly string[] => [`${effortText(hunt)}.`, ...baselineLines(hunt)]

function effortText({ explored, base, margin, coverage }: Hunt): string {
  const left = margin <= 0 ? '' : `, at least ${Math.round(margin * 100)}% of the margin left`
  const [each, them] = explored === 1 ? ['', 'it'] : [' each', 'them']
  return `${counted(explored, 'case')} of ${base.input.document['until']}${each} (--seed ${base.input.seed} --cases ${explored} repeats ${them})${left}, with ${counted(coverage, 'different effect')}`
}

function baselineLines({ base }: Hunt): readonly string[] {
  const ignored = ignoredBy(base)
  return ignored.length === 0 ? [] : [`Ignored, because it happens without a fault: ${ignored.join(', ')}.`]
}
