// The text of an explanation of `berth explain pod`.
import { describeDiagnosis, summarizeDiagnosis } from '../scheduler/plugins/dynamic-resources/device-diagnosis.ts'
import type { NodeVerdict, PodExplanation } from '../whatif/explain/explain-pod.ts'
import { usualWidth, wrapped } from '../whatif/report/fitted-text.ts'
import { shortNames } from '../whatif/report/short-names.ts'
import { ageText, untilText } from './durations.ts'
import { anyWidth, renderTable, type TextPalette, wrapLines } from './output.ts'

export interface ExplanationFormat {
  readonly now: number
  readonly palette: TextPalette
  readonly limit: number
}

/** Prints the result, then the changes that would help, then the nodes. */
export function explanationText(answer: PodExplanation, { now, palette, limit }: ExplanationFormat): string {
  const { paint } = palette
  const isWide = limit === Number.POSITIVE_INFINITY
  const names = answer.nodes.map(({ node }) => node)
  const short = isWide ? (text: string) => text : shortNames(names)
  const lines: string[] = [`${paint('bold', answer.pod)} ${headline(answer, palette)}`]
  if (answer.state === 'pending') lines.push(`  ${answer.message}`)
  if (answer.eviction !== undefined) {
    const { at, cause, estimated } = answer.eviction
    lines.push(
      `  ${paint('yellow', `will be evicted ${at <= now ? 'now' : `in ${untilText(at - now)}`}`)}${estimated ? ' (estimated)' : ''}: ${cause}`,
    )
  }
  if (answer.preemption !== undefined)
    lines.push(
      `  preemption would make room on ${answer.preemption.node} by deleting ${answer.preemption.victims.join(', ')}`,
    )
  if (answer.queue !== undefined) {
    const { place, since, estimated, attempts, retriedAt } = answer.queue
    const tried = attempts === undefined ? '' : `, ${attempts} attempt${attempts === 1 ? '' : 's'}`
    const retried = retriedAt === undefined ? '' : `, next retry in ${untilText(retriedAt - now)}`
    lines.push(
      `  in the queue: ${place} for ${ageText(now - since)}${tried}${retried}${estimated ? ' (estimated from its conditions)' : ''}`,
    )
  }
  if (answer.autoscaler !== undefined) lines.push(`  ${answer.autoscaler}`)
  if (answer.never !== undefined) lines.push('', paint('red', answer.never))
  if (answer.repairs.length > 0) {
    lines.push('', 'Smallest change that would place it:')
    for (const [index, { node, changes }] of answer.repairs.entries()) {
      const what = changes.map(({ sentence }) => sentence).join(paint('dim', ' and '))
      const where = node === '' || what.includes(node) ? '' : paint('dim', ` (fits on ${node})`)
      lines.push(`  ${index === 0 ? '' : 'or '}${what}${where}`)
    }
  }
  const woken = Object.entries(answer.wakesOn)
  if (woken.length > 0) {
    lines.push('', 'Events that requeue it:')
    for (const [plugin, events] of woken) lines.push(`  ${plugin}: ${events.join(', ')}`)
  }
  // Omits nodes on which the pod can never run, unless there are no others.
  const large = answer.nodes.filter(({ isTooSmall }) => isTooSmall !== true)
  const nodes = isWide || large.length === 0 ? answer.nodes : large
  const format = isWide ? anyWidth(palette) : palette
  const table =
    limit > 0 && nodes.length > 0 ? `\n${nodeTable(nodes.slice(0, limit), { short, isWide, palette: format })}` : ''
  const rest: string[] = []
  if (nodes.length > limit) rest.push(paint('dim', `… and ${nodes.length - limit} more nodes (-o wide, or --nodes N)`))
  const small = answer.nodes.length - nodes.length
  if (small > 0)
    rest.push(paint('dim', `… and ${small} nodes that are too small for the pod even if they are empty (-o wide)`))
  if (!isWide && limit > 0) rest.push(...deviceLines(nodes, palette.width ?? usualWidth))
  // A command that a user copies needs whole names.
  const shown = (line: string) => (line.includes('kubectl ') ? line : short(line))
  const text = (all: readonly string[]) => wrapLines(all.map((line) => `${shown(line)}\n`).join(''), format)
  return `${text(lines)}${table}${text(rest)}`
}

// The rows of other nodes have their causes; -o wide prints them in full.
const detailedNodes = 2

/** The devices that the first nodes lack, by name. */
function deviceLines(nodes: readonly NodeVerdict[], width: number): readonly string[] {
  const lacking = nodes.filter(({ devices = [] }) => devices.length > 0).slice(0, detailedNodes)
  if (lacking.length === 0) return []
  return ['', ...lacking.flatMap(({ node, devices = [] }) => wrapped(`${node}: ${describeAll(devices)}`, width))]
}

const describeAll = (devices: NonNullable<NodeVerdict['devices']>): string => devices.map(describeDiagnosis).join('; ')

function headline({ state, node, message }: PodExplanation, { paint }: TextPalette): string {
  switch (state) {
    case 'bound':
      return `is ${message}`
    case 'placeable':
      return paint('green', `would be placed on ${node} now`)
    case 'gated':
      return paint('yellow', `is not scheduled: ${message}`)
    case 'pending':
      return paint('yellow', 'is pending')
    case 'finished':
      return message
  }
}

/** The reasons, and for a lack of devices the cause of each request. */
function rejectionText({ reasons = [], devices = [] }: NodeVerdict, isWide: boolean): string {
  if (isWide) return [...reasons, ...devices.map(describeDiagnosis)].join('; ')
  return devices.length === 0 ? reasons.join('; ') : devices.map(summarizeDiagnosis).join('; ')
}

function nodeTable(
  nodes: readonly NodeVerdict[],
  {
    short,
    isWide,
    palette,
  }: { readonly short: (name: string) => string; readonly isWide: boolean; readonly palette: TextPalette },
): string {
  return renderTable(
    [
      { header: 'NODE', cell: (row) => short(row.node) },
      {
        header: 'FITS',
        cell: (row) => (row.feasible ? 'yes' : 'no'),
        style: (row) => (row.feasible ? 'green' : 'red'),
      },
      { header: 'SCORE', cell: (row) => row.total, align: 'right' },
      { header: 'PLUGIN', cell: (row) => row.plugin },
      {
        header: 'REASON',
        cell: (row) => (row.feasible ? scoresText(row) : rejectionText(row, isWide)),
        cut: 'end',
      },
    ],
    nodes,
    palette,
  )
}

const scoresText = ({ scores }: NodeVerdict) =>
  Object.entries(scores ?? {})
    .filter(([, score]) => score !== 0)
    .map(([plugin, score]) => `${plugin} ${score}`)
    .join(', ')
