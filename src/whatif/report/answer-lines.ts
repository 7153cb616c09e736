import type { DrainReport, WorkloadEntry } from '../../wire/forecast-entries.ts'
import { adviceFor, isScaledDown } from './advice.ts'
import { budgetsThatBlock } from './blocking-budgets.ts'
import { cutEnd, cutMiddle, fitList, usualWidth } from './fitted-text.ts'
import { counted, span } from './phrases.ts'
import { shortNames } from './short-names.ts'
import { upgradeLine } from './upgrade-entry.ts'
import { type ForecastFacts, nameOf } from './verdict.ts'
import { pendingPods } from './workload-entries.ts'

const mostLines = 5

/**
 * The answer in at most five lines of at most `width` characters: which nodes are drained and what blocks the others,
 * which workloads lose ready pods and for how long, which pods remain pending, which pods move, and a remedy.
 */
export function answerLines(facts: ForecastFacts, width = usualWidth): readonly string[] {
  const short = shortNames(facts.nodes.map(({ node }) => node))
  const advice = adviceFor(facts, short)
  const lines = [
    ...drainLines(facts, short, width),
    ...breakLine(facts, width),
    ...stuckLine(facts, short, width),
    ...pendingLine(facts, width),
    ...moveLine(facts, short, width),
    ...costLine(facts),
  ]
  if (lines.length === 0) return [quietLine(facts)]
  const shown = lines.slice(0, mostLines - (advice === undefined ? 0 : 1))
  return [...shown, ...(advice === undefined ? [] : [`To do: ${advice}.`])].map((line) => cutEnd(line, width))
}

// The minimum length of a name that is shortened because of the text after it.
const leastName = 32

type Shorten = (name: string) => string

function costLine({ cost }: ForecastFacts): readonly string[] {
  if (cost === undefined || cost.perHourBefore === cost.perHourAfter) return []
  const { perHourBefore, perHourAfter, nodesWithoutPrice } = cost
  const without = nodesWithoutPrice === 0 ? '' : `, without ${counted(nodesWithoutPrice, 'node')} of unknown price`
  return [`Nodes cost ${perHourAfter} per hour at the end and ${perHourBefore} at the start${without}.`]
}

const time = (seconds: number): string => span(seconds * 1000)

function quietLine({ answer: { deletedBefore } }: ForecastFacts): string {
  return `No pods are deleted${deletedBefore === 0 ? '' : ` (${deletedBefore} already terminating at the start)`}.`
}

function drainLines(facts: ForecastFacts, short: Shorten, width: number): readonly string[] {
  const { drains, pods } = facts
  const upgraded = upgradeLine(facts)
  if (upgraded !== undefined) {
    const isBlocked = drains !== undefined && drains.blocked.length > 0
    return isBlocked ? [upgraded, blockedLine(drains, pods, { short, width })] : [upgraded]
  }
  if (drains === undefined) return []
  const { drained, open, cut = [] } = drains
  const done = drained.map(({ node, until }) => `${short(node)} at ${time(until)}`)
  const all = open.length === 0 ? '' : ` ${drained.length} of ${drained.length + open.length} nodes`
  const before = `Drained${all}: `
  const left = cut.reduce((sum, each) => sum + each.pods.length, 0)
  const early = cut.map(({ node }) => short(node))
  const first = [
    ...(done.length === 0 ? [] : [fitList(done, { before, after: '.', width })]),
    ...(cut.length === 0
      ? []
      : [
          fitList(early, {
            before: `Removed before the drain was done, with ${counted(left, 'pod')}: `,
            after: '.',
            width,
          }),
        ]),
  ]
  return open.length === 0 ? first : [...first, blockedLine(drains, pods, { short, width })]
}

function blockedLine(
  { open, blocked }: DrainReport,
  pods: ForecastFacts['pods'],
  { short, width }: { readonly short: Shorten; readonly width: number },
): string {
  const [first] = blocked
  if (first === undefined) return fitList(open.map(short), { before: 'Not drained: ', after: '.', width })
  const others = open.length > 1 && open.includes(first.node) ? ` and ${counted(open.length - 1, 'more node')}` : ''
  const where = `Blocked: ${cutMiddle(short(first.node), 40)}${others} since ${time(first.since)}`
  const budgets = budgetsThatBlock(blocked)
  if (budgets.length > 1) {
    const counts = budgets.map(({ budget, pods: count }) => `${budget} (${counted(count, 'pod')})`)
    const before = `${where} by the disruption budgets `
    const line = fitList(counts, { before, after: '.', width })
    // Complete names are more useful than counts.
    return line.includes('…')
      ? fitList(
          budgets.map(({ budget }) => budget),
          { before, after: '.', width },
        )
      : line
  }
  const why = first.why.replace(/^The d/, 'the d').replace(/ currently$/, '')
  // A pod of the forecast has a generated name, which the reader does not know.
  const entry = pods.find(({ pod }) => pod === first.pod)
  const namespace = first.pod.slice(0, first.pod.indexOf('/'))
  const who =
    entry?.isNew === true && entry.workload !== undefined
      ? `a pod of ${namespace}/${entry.workload.slice(entry.workload.indexOf('/') + 1)}`
      : first.pod
  const room = width - where.length - why.length - ' by : .'.length
  const line = cutEnd(`${where} by ${cutMiddle(who, Math.max(24, room))}: ${why}.`, width)
  const [budget] = budgets
  // The complete name of the budget is more useful than a part of its message.
  return budget !== undefined && line.includes('…')
    ? cutEnd(`${where} by the disruption budget ${budget.budget}.`, width)
    : line
}

/** Workloads with fewer ready pods than before: those below their budget, or all of them. */
function breakLine({ workloads, seconds }: ForecastFacts, width: number): readonly string[] {
  const short = workloads.filter(({ kind, timeUnavailable }) => kind !== 'DaemonSet' && timeUnavailable > 0)
  const below = short.filter(({ timeBelowBudget }) => timeBelowBudget > 0)
  const listed = below.length > 0 ? below : short
  const [worst] = listed
  if (worst === undefined) return []
  const lossOf = (entry: WorkloadEntry) =>
    lossText(below.length > 0 ? { ...entry, timeUnavailable: entry.timeBelowBudget } : entry, seconds)
  const texts = listed.map((entry) => `${nameOf(entry)} (${lossOf(entry)})`)
  const before = below.length > 0 ? 'Below the disruption budget: ' : 'Fewer ready pods: '
  const line = `${before}${texts.join(', ')}.`
  if (listed.length < 3 || line.length <= width) return [fitList(texts, { before, after: '.', width })]
  const many = `${listed.length} workloads are ${below.length > 0 ? 'below their budgets' : 'short of ready pods'}`
  const [start, end] = [`${many}; the worst: `, ` (${lossOf(worst)}).`]
  // Numbers are never shortened; in a long name, the middle is omitted.
  return [`${start}${cutMiddle(nameOf(worst), Math.max(12, width - start.length - end.length))}${end}`]
}

/** `4 of 6 ready from 50s, for 3m0s` */
function lossText(entry: WorkloadEntry, seconds: number): string {
  const { lowestReady, ready, replicas, timeDown, timeUnavailable, recovered } = entry
  const isOver = recovered !== undefined
  if (lowestReady.count === 0 && timeDown > 0) {
    if (ready.after === 0) return `none ready from ${time(seconds - timeDown)} to the end`
    return `none ready for ${time(timeDown)}${isOver ? '' : ', not recovered'}`
  }
  const all = Math.max(ready.before, replicas)
  const until = isOver ? `for ${time(timeUnavailable)}` : 'not recovered'
  return `${lowestReady.count} of ${all} ready at ${time(lowestReady.at)}, ${until}`
}

function stuckLine({ workloads }: ForecastFacts, short: Shorten, width: number): readonly string[] {
  const stuck = workloads.flatMap(({ terminating }) => terminating)
  if (stuck.length === 0) return []
  const texts = stuck.map(({ pod, node }) => `${pod} on ${short(node)}`)
  return [fitList(texts, { before: 'Stays Terminating and is not replaced: ', after: '.', width })]
}

function pendingLine({ workloads }: ForecastFacts, width: number): readonly string[] {
  const waiting = workloads
    .filter(({ pending }) => pending.length > 0)
    .toSorted((a, b) => pendingPods(b) - pendingPods(a))
  const reason = waiting[0]?.pending[0]?.reason
  if (reason === undefined) return []
  const before = 'Pending at the end: '
  const texts = waiting.map((entry) => `${pendingPods(entry)} of ${nameOf(entry)}`)
  const whole = `${before}${texts.join(', ')}: ${reason}.`
  if (whole.length <= width) return [whole]
  const total = waiting.reduce((sum, entry) => sum + pendingPods(entry), 0)
  const start = texts.length === 1 ? before : `${before}${total} pods of ${texts.length} workloads; `
  const room = Math.max(leastName, width - start.length - reason.length - 3)
  return [cutEnd(`${start}${cutMiddle(texts[0] ?? '', room)}: ${reason}.`, width)]
}

function moveLine({ caused, answer }: ForecastFacts, short: Shorten, width: number): readonly string[] {
  const { firstDeletion = 0, lastDeletion = 0, landed, causes, unstarted = 0 } = answer
  const places = landed.map(({ node, pods }) => `${short(node)} (${pods})`)
  const total = landed.reduce((sum, { pods }) => sum + pods, 0)
  if (caused.podsDeleted === 0) {
    if (total === 0) return []
    return [fitList(places, { before: `${counted(total, 'pod is', 'pods are')} placed: `, after: '.', width })]
  }
  const [from, to] = [time(firstDeletion), time(lastDeletion)]
  const when = from === to ? `at ${from}` : `from ${from} to ${to}`
  const kinds = Object.entries(causes).sort(([, a], [, b]) => b - a)
  const why = kinds.map(([cause, count]) => (kinds.length === 1 ? cause : `${count} ${cause}`)).join(', ')
  const deleted = `${counted(caused.podsDeleted, 'pod is', 'pods are')} deleted ${when}`
  const where = unstarted === 0 ? '' : ` (${unstarted} to nodes that are not ready)`
  const moved = movedText(caused.podsMoved, total - caused.podsMoved, causes) + where
  const reasons = [why.replaceAll(detail, ': $1'), why.replaceAll(detail, '')]
  const starts = [...reasons.map((reason) => `${deleted} (${reason}); ${moved}`), `${deleted}; ${moved}`]
  const placed =
    moved === 'no pods move' ? [] : starts.map((start) => fitList(places, { before: `${start}: `, after: '.', width }))
  const whole = placed.slice(0, reasons.length).filter((line) => !line.includes('…'))
  const choices = [...whole, ...starts.map((start) => `${start}.`)]
  // Numbers are more important than nodes, and nodes are more important than details of the causes. A part of a name is
  // not useful.
  return [choices.find((line) => line.length <= width) ?? cutEnd(`${starts.at(-1)}.`, width)]
}

function movedText(moved: number, placed: number, causes: ForecastFacts['answer']['causes']): string {
  const others = placed <= 0 ? [] : [`${placed} ${placed === 1 ? 'is' : 'are'} new`]
  if (moved > 0) return [`${moved} ${moved === 1 ? 'moves' : 'move'}`, ...others].join(' and ')
  // The pods of a rollout do not move: new pods replace them.
  return others[0] !== undefined && isScaledDown(causes) ? others[0] : 'no pods move'
}

// The text in brackets after a cause.
const detail = / \(([^)]*)\)/g
