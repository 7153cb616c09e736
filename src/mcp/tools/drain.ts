import { parseLabelSelector } from '../../api/label-selector.ts'
import { labels } from '../../api/well-known.ts'
import { counted, listed, span } from '../../whatif/report/phrases.ts'
import { oneLine } from '../cluster-text.ts'
import type { Fork } from '../fork.ts'
import { countsText, happeningsSince } from '../happenings.ts'
import { fields, openFields } from '../input-schema.ts'
import {
  type Arguments,
  durationOf,
  forkOf,
  forkOutput,
  forkValue,
  inputs,
  type Tool,
  type ToolContext,
} from '../tool.ts'
import { nodeInputs, writtenNodes } from './targets.ts'

// kubectl drain retries after this time if a disruption budget rejects an eviction.
const askAgainMs = 5_000

export const drainTool: Tool = {
  name: 'kubectl_drain',
  title: 'Drain nodes',
  description:
    'Cordons nodes and evicts their pods through the eviction API, as kubectl drain --ignore-daemonsets --delete-emptydir-data ' +
    'does, and advances the time until the nodes are drained or `wait` is over. The answer names the pods and budgets that ' +
    'block it. The drain continues when time advances. To see the effect without draining, use forecast.',
  effect: 'changes',
  input: fields({
    fork: inputs.fork,
    ...nodeInputs,
    force: { type: 'boolean', description: 'Also evict pods without a controller, which are lost.' },
    oneByOne: { type: 'boolean', description: 'One node after the other. Default: all at once.' },
    wait: { ...inputs.duration, description: 'Virtual time to wait for the drain.', default: '5m' },
  }),
  output: openFields(
    {
      ...forkOutput,
      drained: { type: 'array', items: { type: 'string' } },
      open: { type: 'array', items: { type: 'string' }, description: 'Nodes that are not drained yet.' },
      blocked: { type: 'array', description: 'Pods that cannot be evicted: node, pod, why.' },
    },
    ['fork', 'at', 'drained', 'open', 'blocked'],
  ),
  run: async (given, context) => {
    const fork = forkOf(given, context)
    const waitMs = durationOf(given, 'wait', '5m')
    const facts = fork.run.recorder.facts.length
    const startMs = fork.elapsedMs
    const nodes = new Set(nodesOf(fork, given))
    await context.workspace.perform(fork, {
      drain: {
        ...writtenNodes(given),
        ...(given['force'] === true ? { force: true } : {}),
        ...(given['oneByOne'] === true ? { oneByOne: true } : {}),
      },
    })
    await waitForDrain(fork, nodes, waitMs, context)
    return drainAnswer(fork, nodes, facts, startMs)
  },
}

async function waitForDrain(
  fork: Fork,
  nodes: ReadonlySet<string>,
  waitMs: number,
  { workspace, work }: ToolContext,
): Promise<void> {
  const endMs = fork.elapsedMs + waitMs
  const isOpen = () => fork.run.drains.open.some((node) => nodes.has(node))
  while (isOpen() && fork.elapsedMs < endMs) {
    await workspace.advance(fork, Math.max(1, Math.min(askAgainMs, Math.ceil(endMs - fork.elapsedMs))), work)
  }
}

function drainAnswer(fork: Fork, nodes: ReadonlySet<string>, facts: number, startMs: number) {
  const { drains } = fork.run
  const open = drains.open.filter((node) => nodes.has(node))
  const drained = [...nodes].filter((node) => !open.includes(node)).sort()
  const blocked = drains.blocked.filter(({ node }) => nodes.has(node))
  const { counts, lines } = happeningsSince(fork, facts)
  const state =
    open.length === 0
      ? `drained in ${span(fork.elapsedMs - startMs)}`
      : `${counted(open.length, 'node is', 'nodes are')} not drained after ${span(fork.elapsedMs - startMs)}` +
        (blocked.length === 0 ? '' : `, blocked by ${counted(blocked.length, 'pod')}`)
  return {
    says: [`Fork ${fork.id} at ${fork.at}: ${state}.`, countsText(counts)],
    data: [
      ...(blocked.length === 0 ? [] : ['Blocked:']),
      ...blocked.map(({ node, pod, why }) => `  ${oneLine(`${pod} on ${node}: ${why}`)}`),
      ...(open.length === 0 ? [] : [`Not drained: ${oneLine(listed(open, 20))}`]),
      ...(lines.length === 0 ? [] : ['What happened:', ...lines.slice(0, 40).map((line) => `  ${line}`)]),
      ...(lines.length > 40 ? [`  … and ${lines.length - 40} more`] : []),
    ],
    value: {
      ...forkValue(fork),
      drained,
      open,
      blocked: blocked.map(({ node, pod, why }) => ({ node, pod, why })),
      counts,
    },
  }
}

function nodesOf(fork: Fork, given: Arguments): readonly string[] {
  const written = writtenNodes(given)
  const { nodes, zone, selector } = written as {
    readonly nodes?: readonly string[]
    readonly zone?: string
    readonly selector?: string
  }
  if (nodes !== undefined) return nodes
  const matcher = parseLabelSelector(selector ?? `${labels.zone}=${zone}`)
  // An invalid selector is reported when the step is read.
  if (!matcher.ok) return []
  return fork.run.cluster.store
    .list('nodes')
    .filter(({ metadata }) => matcher.value.matches(metadata.labels))
    .map(({ metadata }) => metadata.name)
}
