import { parseLabelSelector } from '../../api/label-selector.ts'
import type { KubernetesRelease } from '../../api/releases/kubernetes-release.ts'
import type { Kind } from '../../registry/kinds/kind.ts'
import type { Profile } from '../../scheduler/contract/contract.ts'
import { fitMore } from '../../whatif/capacity/fit.ts'
import { findRemovable } from '../../whatif/capacity/removable.ts'
import { podOfTemplate } from '../../whatif/capacity/template-pod.ts'
import { explainPod, type NodeVerdict, type PodExplanation } from '../../whatif/explain/explain-pod.ts'
import { profilesFor } from '../../whatif/explain/profiles-for.ts'
import { counted, listed, span } from '../../whatif/report/phrases.ts'
import { ToolError, type ToolOutcome } from '../answer.ts'
import { oneLine } from '../cluster-text.ts'
import type { Fork } from '../fork.ts'
import { fields, openFields } from '../input-schema.ts'
import { textTable } from '../text-table.ts'
import {
  type Arguments,
  forkOf,
  forkOutput,
  forkValue,
  inputs,
  namedObject,
  namedPod,
  objectsOf,
  optionalText,
  type Tool,
} from '../tool.ts'

const explainTool: Tool = {
  name: 'explain',
  title: 'Explain the placement of a pod',
  description:
    'Explains why a pod is pending or on its node: runs the scheduler on the current state of the fork and reports which plugin ' +
    'rejects it on how many nodes, the smallest changes that would place it, the events that requeue it, and when it is evicted.',
  effect: 'reads',
  input: fields(
    { fork: inputs.fork, pod: { ...inputs.name, description: 'Name of the pod.' }, namespace: inputs.namespace },
    ['pod'],
  ),
  output: openFields(
    {
      ...forkOutput,
      pod: { type: 'string' },
      state: { type: 'string' },
      message: { type: 'string' },
      rejections: { type: 'array', description: 'Plugin, reason, number of nodes, and some of the nodes.' },
      repairs: { type: 'array', description: 'The smallest changes that would place the pod.' },
    },
    ['fork', 'at', 'pod', 'state', 'message'],
  ),
  run: (given, context) => {
    const fork = forkOf(given, context)
    const pod = namedPod(fork, given)
    const objects = objectsOf(fork)
    const { profiles, release } = profilesFor(fork.how.settings, objects)
    const profile = profiles.find(({ schedulerName }) => schedulerName === pod.spec.schedulerName)
    if (profile === undefined && !pod.spec.nodeName)
      throw new ToolError(
        `the pod waits for scheduler ${JSON.stringify(pod.spec.schedulerName)}, which is not simulated`,
      )
    const explanation = explainPod({
      objects,
      pod,
      now: fork.run.cluster.clock.now(),
      release,
      ...(profile === undefined ? {} : { profile }),
    })
    return explainAnswer(fork, explanation)
  },
}

interface Rejection {
  readonly plugin: string
  readonly reason: string
  readonly nodes: number
  readonly examples: readonly string[]
}

/** Nodes that are rejected for the same reason, as one entry. */
function rejectionsIn(nodes: readonly NodeVerdict[]): readonly Rejection[] {
  const byReason = new Map<string, { plugin: string; reason: string; names: string[] }>()
  for (const { node, feasible, plugin = '', reasons = [] } of nodes) {
    if (feasible) continue
    const reason = reasons.join('; ')
    const key = `${plugin} ${reason}`
    const entry = byReason.get(key) ?? { plugin, reason, names: [] }
    entry.names.push(node)
    byReason.set(key, entry)
  }
  return [...byReason.values()]
    .sort((a, b) => b.names.length - a.names.length || (a.reason < b.reason ? -1 : 1))
    .map(({ plugin, reason, names }) => ({ plugin, reason, nodes: names.length, examples: names.slice(0, 3) }))
}

function explainAnswer(fork: Fork, given: PodExplanation): ToolOutcome {
  const { pod, state, node, message, nodes, repairs, wakesOn, never, preemption, eviction } = given
  const rejections = rejectionsIn(nodes)
  const feasible = nodes.filter((one) => one.feasible).toSorted((a, b) => (b.total ?? 0) - (a.total ?? 0))
  const now = fork.run.cluster.clock.now()
  return {
    says: [
      `Fork ${fork.id} at ${fork.at}: the pod is ${state}; ${feasible.length} of ${counted(nodes.length, 'node')} fit.`,
    ],
    data: [
      oneLine(`${pod}: ${message}`),
      ...(eviction === undefined
        ? []
        : [
            oneLine(
              `will be evicted ${eviction.at <= now ? 'now' : `in ${span(eviction.at - now)}`}: ${eviction.cause}`,
            ),
          ]),
      ...(preemption === undefined
        ? []
        : [oneLine(`preemption would make room on ${preemption.node} by deleting ${listed(preemption.victims, 10)}`)]),
      ...(never === undefined ? [] : [oneLine(never)]),
      ...(repairs.length === 0 ? [] : ['Smallest changes that would place it:']),
      ...repairs.map(
        ({ node: where, changes }) =>
          `  ${oneLine(`${changes.map(({ sentence }) => sentence).join(' and ')}${where === '' ? '' : ` (fits on ${where})`}`)}`,
      ),
      ...(feasible.length === 0
        ? []
        : [
            `Best nodes: ${feasible
              .slice(0, 5)
              .map((one) => oneLine(`${one.node} (score ${one.total ?? 0})`))
              .join(', ')}`,
          ]),
      ...(rejections.length === 0
        ? []
        : textTable(
            ['NODES', 'PLUGIN', 'REASON', 'FOR EXAMPLE'],
            rejections.map((one) => [
              String(one.nodes),
              oneLine(one.plugin),
              oneLine(one.reason),
              one.examples.map(oneLine).join(', '),
            ]),
          )),
      ...Object.entries(wakesOn).map(([plugin, events]) => oneLine(`Requeued by ${plugin}: ${events.join(', ')}`)),
    ],
    value: {
      ...forkValue(fork),
      pod,
      state,
      message,
      ...(node === undefined ? {} : { node }),
      feasible: feasible.length,
      rejections,
      repairs: repairs.map((repair) => ({
        node: repair.node,
        changes: repair.changes.map(({ sentence }) => sentence),
      })),
      ...(never === undefined ? {} : { never }),
      ...(preemption === undefined ? {} : { preemption }),
      ...(eviction === undefined
        ? {}
        : { evictionInSeconds: Math.max(0, (eviction.at - now) / 1000), cause: eviction.cause }),
    },
  }
}

const capacityTool: Tool = {
  name: 'capacity',
  title: 'Check capacity',
  description:
    'fit: how many more pods of a workload fit, where, and what prevents the next one. removable: which nodes can be removed, in ' +
    'order, and why the others cannot. Both use the scheduler itself, change nothing, and ignore disruption budgets.',
  effect: 'reads',
  input: fields(
    {
      fork: inputs.fork,
      question: { type: 'string', enum: ['fit', 'removable'] },
      resource: { ...inputs.resource, description: 'For fit: deployment, replicaset, statefulset or job.' },
      name: { ...inputs.name, description: 'For fit: name of the workload.' },
      namespace: inputs.namespace,
      selector: { type: 'string', description: 'For removable: consider only these nodes.', maxLength: 1_000 },
    },
    ['question'],
  ),
  output: openFields(
    {
      ...forkOutput,
      more: { type: 'integer' },
      nodes: { type: 'array' },
      limits: { type: 'array' },
      kept: { type: 'array' },
    },
    ['fork', 'at', 'nodes'],
  ),
  run: (given, context) => {
    const fork = forkOf(given, context)
    const { profiles, release } = profilesFor(fork.how.settings, objectsOf(fork))
    const [profile] = profiles
    if (profile === undefined) throw new ToolError('the scheduler has no profile')
    return given['question'] === 'fit'
      ? fitAnswer(fork, { profile, release }, given)
      : removableAnswer(fork, profile, given)
  },
}

const mostPods = 10_000
const nodesShown = 20

const fittable: ReadonlySet<string> = new Set([
  'deployments.apps',
  'replicasets.apps',
  'statefulsets.apps',
  'jobs.batch',
])

function checkFittable({ kind, resource }: Kind): void {
  if (fittable.has(resource)) return
  throw new ToolError(`a ${kind} has no pod template here; expected deployment, replicaset, statefulset or job`)
}

function fitAnswer(
  fork: Fork,
  { profile, release }: { readonly profile: Profile; readonly release: KubernetesRelease },
  given: Arguments,
): ToolOutcome {
  const name = optionalText(given, 'name')
  const resource = optionalText(given, 'resource')
  if (name === undefined || resource === undefined) throw new ToolError('resource and name are required for fit')
  const { object: workload } = namedObject(fork, given, checkFittable)
  const example = podOfTemplate(workload, release)
  const { more, isCapped, nodes, limits, message } = fitMore(objectsOf(fork), profile, example, mostPods)
  const shown = nodes.slice(0, nodesShown)
  return {
    says: [
      `Fork ${fork.id} at ${fork.at}: ${isCapped ? 'at least ' : ''}${counted(more, 'more pod')} fit on ${counted(nodes.length, 'node')}.`,
    ],
    data: [
      ...(shown.length === 0
        ? []
        : [`Where: ${shown.map(({ node, pods }) => oneLine(`${node} (${pods})`)).join(', ')}`]),
      ...limits
        .slice(0, 10)
        .map((limit) => oneLine(`The next pod does not fit on ${counted(limit.nodes, 'node')}: ${limit.reason}`)),
      ...(limits.length === 0 && message !== undefined ? [oneLine(message)] : []),
    ],
    value: { ...forkValue(fork), more, isCapped, nodes: shown, limits: limits.slice(0, 10) },
    truncated: nodes.length > shown.length,
  }
}

function removableAnswer(fork: Fork, profile: Profile, given: Arguments): ToolOutcome {
  const selector = parseLabelSelector(optionalText(given, 'selector') ?? '')
  if (!selector.ok) throw new ToolError(`selector: ${selector.message}`)
  const { nodes, kept } = findRemovable(objectsOf(fork), profile, ({ metadata }) =>
    selector.value.matches(metadata.labels),
  )
  const shown = nodes.slice(0, nodesShown)
  return {
    says: [
      `Fork ${fork.id} at ${fork.at}: ${nodes.length} of ${counted(nodes.length + kept.length, 'node')} can be removed, in this order.`,
    ],
    data: [
      ...shown.map(({ node, pods }) => oneLine(`${node}: ${counted(pods, 'pod')} to move`)),
      ...(nodes.length > shown.length ? [`… and ${nodes.length - shown.length} more`] : []),
      ...kept.slice(0, 10).map(({ node, pod, reason }) => oneLine(`${node} stays: ${pod ?? ''} ${reason}`)),
    ],
    value: { ...forkValue(fork), removable: nodes.length, nodes: shown, kept: kept.slice(0, 10) },
    truncated: nodes.length > shown.length || kept.length > 10,
  }
}

const logsTool: Tool = {
  name: 'kubectl_logs',
  title: 'Logs of a pod',
  description:
    'Always returns a note instead of logs: the pods of a fork are hollow. Their containers never run, so there are no logs.',
  effect: 'reads',
  input: fields(
    { fork: inputs.fork, pod: { ...inputs.name, description: 'Name of the pod.' }, namespace: inputs.namespace },
    ['pod'],
  ),
  output: openFields({ ...forkOutput, hollow: { type: 'boolean' } }, ['fork', 'at', 'hollow']),
  run: (given, context) => {
    const fork = forkOf(given, context)
    namedPod(fork, given)
    return {
      says: [
        `Fork ${fork.id}: the pod is hollow: its containers do not run, so there are no logs. Use kubectl_describe for its events, or ask the real cluster.`,
      ],
      value: { ...forkValue(fork), hollow: true },
    }
  },
}

export const questionTools: readonly Tool[] = [explainTool, capacityTool, logsTool]
