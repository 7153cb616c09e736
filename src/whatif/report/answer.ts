import { findCondition } from '../../api/conditions.ts'
import type { Pod } from '../../api/objects/pod.ts'
import { podStateOf } from '../../api/pod-state.ts'
import { notTried, type Replacements, seconds } from '../facts/pod-entries.ts'
import type { PodStory } from '../facts/pod-story.ts'
import type { BudgetBreach } from '../facts/run-recorder.ts'
import { tallied } from '../facts/timeline.ts'
import type { ForecastRun } from '../run/forecast-run.ts'
import type { ForecastSummary, Loop } from './forecast.ts'
import type { Impact } from './impact.ts'
import { causeOf, counted, listed, span } from './phrases.ts'
import { upgradeLine } from './upgrade-entry.ts'

export interface AnswerInput {
  readonly stories: readonly PodStory[]
  readonly replacements: Replacements
  readonly loops: readonly Loop[]
  readonly impact: Impact
  /** The part of the impact that the steps cause: the lines speak of it alone. */
  readonly caused: Impact
}

/** The summary of a forecast: deletions, placements, pending pods, violated disruption budgets and the time of recovery. */
export function answerOf(
  forecastRun: ForecastRun,
  { stories, replacements, loops, impact, caused }: AnswerInput,
): ForecastSummary {
  const { recorder } = forecastRun
  const byTime = (a: PodStory, b: PodStory) => (a.deletedMs ?? 0) - (b.deletedMs ?? 0)
  const deleted = impact.deleted.toSorted(byTime)
  const going = stories.filter(({ wasGoing }) => wasGoing).length
  const pending = pendingAtEnd(forecastRun)
  const { breaches } = impact
  const broken = [...new Set(breaches.map(({ budget }) => budget))]
  const landed = landings(stories)
  const ours = caused.deleted.toSorted(byTime)
  const replaced = ours.filter(({ uid }) => replacements.has(uid)).length
  const isOurs = new Set(caused.pending.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`))
  const brokenByUs = [...new Set(caused.breaches.map(({ budget }) => budget))]
  const first = deleted[0]?.deletedMs
  const last = deleted.at(-1)?.deletedMs
  const wellAgain = recorder.wellAgainMs
  return {
    lines: answerLines(
      upgradeLine(forecastRun) ?? drainLine(forecastRun),
      deletionLine(ours, going),
      landingLine(ours, replaced, caused.lost.length, landed),
      pendingLine({ ...pending, fresh: pending.fresh.filter(({ key }) => isOurs.has(key)) }),
      budgetLine(brokenByUs, caused.breaches),
      endLine(forecastRun, loops, caused.lost.length),
    ),
    deleted: deleted.length,
    deletedBefore: going,
    causes: causesOf(deleted),
    ...(first === undefined ? {} : { firstDeletion: seconds(first) }),
    ...(last === undefined ? {} : { lastDeletion: seconds(last) }),
    replaced: replacements.size,
    lost: impact.lost.length,
    landed,
    pending: pending.fresh.length,
    pendingBefore: pending.old.length,
    budgetsBroken: broken,
    ...(wellAgain === undefined ? {} : { wellAgain: seconds(wellAgain) }),
  }
}

/** Always five lines. With a drain, the last two are joined. */
function answerLines(drain: string | undefined, ...lines: readonly string[]): readonly string[] {
  if (drain === undefined) return lines
  return [drain, ...lines.slice(0, 3), lines.slice(3).join(' ')]
}

function drainLine({ drains, startMs }: ForecastRun): string | undefined {
  const { drained, open, blocked, cut = [] } = drains
  if (drained.length === 0 && open.length === 0 && cut.length === 0) return undefined
  const done = drained.map(({ node, untilMs }) => `${node} at ${span(untilMs - startMs)}`)
  const empty = drained.length === 0 ? [] : [`${counted(drained.length, 'node')} drained: ${listed(done, 6)}`]
  const stuck = open.map((node) => {
    const [first] = blocked.filter((one) => one.node === node)
    return first === undefined
      ? `drain of ${node} is not started`
      : `drain of ${node} is blocked: ${first.pod}: ${first.why}`
  })
  const pods = cut.flatMap((each) => each.pods)
  const lost = `${counted(cut.length, 'node is', 'nodes are')} removed before the end of the drain (${listed(
    cut.map(({ node }) => node),
    3,
  )}), with ${counted(pods.length, 'pod')}`
  return `${[...empty, ...(cut.length === 0 ? [] : [lost]), ...stuck.slice(0, 2)].join('; ')}.`
}

interface PendingPod {
  readonly key: string
  readonly message: string
}

interface PendingPods {
  readonly fresh: readonly PendingPod[]
  readonly old: readonly PendingPod[]
}

function pendingAtEnd({ cluster, recorder }: ForecastRun): PendingPods {
  const fresh: PendingPod[] = []
  const old: PendingPod[] = []
  if (recorder.tally.states.pending === 0) return { fresh, old }
  for (const pod of cluster.store.list('pods') as readonly Pod[]) {
    if (podStateOf(pod) !== 'pending') continue
    const message = findCondition(pod.status?.conditions, 'PodScheduled')?.message ?? notTried
    const key = `${pod.metadata.namespace}/${pod.metadata.name}`
    // A pod without a story has not changed since the start.
    const isOld = recorder.stories.get(pod.metadata.uid ?? '')?.isOld ?? true
    const list = isOld ? old : fresh
    list.push({ key, message })
  }
  return { fresh, old }
}

function landings(stories: readonly PodStory[]): ForecastSummary['landed'] {
  const counts = new Map<string, number>()
  for (const { boundMs, node } of stories) {
    if (boundMs !== undefined && node !== undefined) counts.set(node, (counts.get(node) ?? 0) + 1)
  }
  return [...counts]
    .map(([node, pods]) => ({ node, pods }))
    .sort((a, b) => b.pods - a.pods || (a.node < b.node ? -1 : 1))
}

function causesOf(deleted: readonly PodStory[]): Readonly<Record<string, number>> {
  const causes: Record<string, number> = {}
  for (const story of deleted) {
    const cause = causeOf(story)
    causes[cause] = (causes[cause] ?? 0) + 1
  }
  return causes
}

function deletionLine(deleted: readonly PodStory[], going: number): string {
  const before = going === 0 ? '' : ` (${going} already terminating at the start)`
  const [first] = deleted
  const last = deleted.at(-1)
  if (first === undefined || last === undefined) return `No pods are deleted${before}.`
  const from = first.deletedMs ?? 0
  const until = last.deletedMs ?? 0
  const when = from === until ? `at ${span(from)}` : `from ${span(from)} to ${span(until)}`
  const causes = Object.entries(causesOf(deleted))
  const texts = causes.map(([cause, count]) => (causes.length === 1 ? cause : `${count} ${cause}`))
  // No parentheses inside parentheses.
  const why = texts.join(', ').replaceAll(/ \(([^)]*)\)/g, ': $1')
  return `${counted(deleted.length, 'pod is', 'pods are')} deleted ${when} (${why})${before}: ${whoOf(deleted)}.`
}

/** Up to three pods by name, more by workload. */
function whoOf(stories: readonly PodStory[]): string {
  if (stories.length <= 3) return stories.map(({ key }) => key).join(', ')
  const groups = stories.map(({ key, group }) =>
    group === undefined ? key : `${key.slice(0, key.indexOf('/'))}/${group}`,
  )
  return listed(tallied(groups), 5)
}

function landingLine(
  deleted: readonly PodStory[],
  replaced: number,
  lost: number,
  landed: ForecastSummary['landed'],
): string {
  const places = landed.map(({ node, pods }) => `${node} (${pods})`)
  const total = landed.reduce((sum, { pods }) => sum + pods, 0)
  const where =
    total === 0 ? 'No pods are placed' : `${counted(total, 'pod is', 'pods are')} placed: ${listed(places, 6)}`
  if (deleted.length === 0) return `${where}.`
  const fate = [
    ...(replaced > 0 ? [`${replaced} of the deleted pods ${replaced === 1 ? 'is' : 'are'} replaced`] : []),
    ...(lost > 0 ? [`${lost} ${lost === 1 ? 'is' : 'are'} not replaced`] : []),
  ]
  return `${[where, ...fate].join('; ')}.`
}

function pendingLine({ fresh, old }: PendingPods): string {
  const before = old.length === 0 ? '' : ` (${old.length} ${old.length === 1 ? 'was' : 'were'} pending before)`
  const [first] = fresh
  if (first === undefined) return `No pods remain pending${before}.`
  const which = fresh.length === 1 ? first.key : `${first.key} and ${fresh.length - 1} more`
  return `${counted(fresh.length, 'pod remains', 'pods remain')} pending${before}: ${which}: ${first.message}`
}

function budgetLine(broken: readonly string[], breaches: readonly BudgetBreach[]): string {
  if (broken.length === 0) return 'No disruption budget is violated.'
  const texts = broken.map((budget) => {
    const worst = breaches
      .filter((breach) => breach.budget === budget)
      .reduce((a, b) => (b.healthy < a.healthy ? b : a))
    const until = worst.untilMs === undefined ? 'until the end' : `to ${span(worst.untilMs)}`
    return `${budget} (${worst.healthy} healthy, ${worst.desired} desired, from ${span(worst.fromMs)} ${until})`
  })
  return `${counted(broken.length, 'disruption budget is', 'disruption budgets are')} violated: ${listed(texts, 3)}.`
}

function endLine({ recorder, elapsedMs }: ForecastRun, loops: readonly Loop[], lost: number): string {
  const { wellAgainMs } = recorder
  if (wellAgainMs !== undefined) {
    if (loops.length > 0) return `Not recovered after ${span(elapsedMs)}; ${loopsText(loops)}.`
    if (lost > 0) return `${counted(lost, 'pod is', 'pods are')} lost; all others recovered at ${span(wellAgainMs)}.`
    return wellAgainMs === 0 ? 'All workloads stay ready.' : `Recovered at ${span(wellAgainMs)}.`
  }
  const { pods } = recorder.samples.at(-1) as { pods: Readonly<Record<string, number>> }
  const parts = [
    [pods['pending'], 'pending'],
    [pods['starting'], 'starting'],
    [pods['notReady'], 'not ready'],
  ].filter(([count]) => (count as number) > 0)
  const missing = parts.map(([count, what]) => `${count} ${what}`).join(', ')
  return `Not recovered after ${span(elapsedMs)}: ${missing}${loops.length === 0 ? '' : `; ${loopsText(loops)}`}.`
}

const loopNames: Readonly<Record<Loop['kind'], string>> = {
  'place-evict': 'eviction loop',
  preemption: 'preemption loop',
  unsettled: 'deletion loop',
}

function loopsText(loops: readonly Loop[]): string {
  const names = [...new Set(loops.map(({ kind }) => loopNames[kind]))]
  return `${names.join(', ')} detected`
}
