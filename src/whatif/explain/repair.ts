import type { Node, NodeSelectorRequirement } from '../../api/objects/node.ts'
import type { Pod, Toleration } from '../../api/objects/pod.ts'
import { formatTaint } from '../../api/taints.ts'
import { tolerates } from '../../api/tolerations.ts'
import { isRejected, type NodeState, type PluginStatus } from '../../scheduler/contract/contract.ts'
import { movablePod } from './resource-repair.ts'
import { describeShortage, shortagesOn, withSmallerRequests } from './shortage.ts'
import type { TrialCluster } from './trial-cluster.ts'

/** One change, as a sentence. */
export interface RepairChange {
  readonly what:
    | 'toleration'
    | 'free'
    | 'label'
    | 'uncordon'
    | 'gate'
    | 'port'
    | 'constraint'
    | 'affinity'
    | 'claim'
    | 'volume'
    | 'node-name'
    | 'node'
    | 'request'
  readonly sentence: string
}

/** All changes that are needed for the pod to fit on the node. */
export interface Repair {
  readonly node: string
  readonly changes: readonly RepairChange[]
}

interface TrialState {
  readonly pod: Pod
  readonly node: Node
}

interface RepairStep extends TrialState {
  readonly change: RepairChange
}

// A node that needs more changes is not suggested.
const maxChanges = 4
const maxCandidates = 24

/**
 * The smallest sets of changes that would place the pod, best first. For each candidate node, the cause of the first rejection is
 * removed in a trial copy and the filters run again, until they accept the node.
 */
export function findRepairs(
  trial: TrialCluster,
  pod: Pod,
  rejected: ReadonlyMap<string, PluginStatus>,
): readonly Repair[] {
  const repairs: (Repair & { readonly cost: number })[] = []
  for (const name of candidates(trial, pod, rejected)) {
    const node = trial.node(name)?.node
    if (node === undefined) continue
    const steps = repairOn(trial, { pod, node })
    if (steps === undefined) continue
    repairs.push({ node: name, changes: steps.map(({ change }) => change), cost: costOf(trial, pod, name, steps) })
  }
  repairs.sort((a, b) => a.cost - b.cost || (a.node < b.node ? -1 : 1))
  const seen = new Set<string>()
  // Nodes that need the same changes are reported once.
  const distinct = repairs.filter(({ changes, node }) => {
    const text = changes.map(({ sentence }) => sentence.replaceAll(node, '*')).join('; ')
    if (seen.has(text)) return false
    seen.add(text)
    return true
  })
  return distinct.slice(0, 5).map(({ node, changes }) => ({ node, changes }))
}

/** Selects a few nodes for each reason of rejection, nodes with the most free resources first. */
function candidates(trial: TrialCluster, pod: Pod, rejected: ReadonlyMap<string, PluginStatus>): readonly string[] {
  const groups = new Map<string, string[]>()
  for (const [name, { plugin, reasons }] of rejected) {
    const key = `${plugin} ${[...reasons].sort().join(', ')}`
    groups.set(key, [...(groups.get(key) ?? []), name])
  }
  const lack = (name: string) => {
    const node = trial.node(name)
    if (node === undefined) return 0
    const shortages = shortagesOn(node, trial.parse(pod))
    // Nothing can be freed on a node that is too small even if it is empty.
    if (shortages.some(({ request, allocatable }) => request > allocatable)) return Number.MAX_VALUE
    return Math.max(0, ...shortages.map(({ missing, request }) => missing / Math.max(1, request)))
  }
  const perGroup = Math.max(1, Math.floor(maxCandidates / Math.max(1, groups.size)))
  return [...groups.values()].slice(0, maxCandidates).flatMap((names) =>
    names
      .map((name) => ({ name, lack: lack(name) }))
      .sort((a, b) => a.lack - b.lack || (a.name < b.name ? -1 : 1))
      .slice(0, perGroup)
      .map(({ name }) => name),
  )
}

/** Each change has a fixed cost. Freeing resources costs more, in proportion to the amount. */
function costOf(trial: TrialCluster, pod: Pod, name: string, steps: readonly RepairStep[]): number {
  const node = trial.node(name)
  const room = node === undefined ? [] : shortagesOn(node, trial.parse(pod))
  const made = room.reduce((sum, { missing, request }) => sum + missing / Math.max(1, request), 0)
  const frees = steps.some(({ change }) => change.what === 'free')
  return steps.length * 10 + (frees ? made : 0)
}

function repairOn(trial: TrialCluster, start: TrialState): readonly RepairStep[] | undefined {
  const steps: RepairStep[] = []
  let state = start
  while (steps.length <= maxChanges) {
    const { pod, node } = state
    const status = trial.withNode(start.node, node, () => trial.statusOn(pod, node.metadata.name))
    if (status.code === 'Error') return undefined
    if (!isRejected(status)) return steps.length === 0 ? undefined : steps
    const step = trial.withNode(start.node, node, () => repairStep(trial, state, status))
    if (step === undefined || steps.length === maxChanges) return undefined
    steps.push(step)
    state = step
  }
  return undefined
}

/** The change that satisfies the rejecting plugin; undefined if no change does. */
function repairStep(trial: TrialCluster, state: TrialState, status: PluginStatus): RepairStep | undefined {
  const node = trial.node(state.node.metadata.name)
  if (node === undefined) return undefined
  switch (status.plugin) {
    case 'NodeUnschedulable':
      return uncordon(state)
    case 'TaintToleration':
      return tolerate(state)
    case 'NodeAffinity':
      return label(state)
    case 'NodeResourcesFit':
      return makeRoom(trial, state, node)
    case 'NodePorts':
      return freePort(trial, state, node)
    case 'PodTopologySpread':
      return relaxSpread(trial, state)
    case 'InterPodAffinity':
      return relaxAffinity(state, status)
    case 'VolumeRestrictions':
    case 'VolumeBinding':
    case 'VolumeZone':
    case 'NodeVolumeLimits':
      return repairVolumes(state, status)
    case 'NodeName': {
      const { nodeName: _, ...spec } = state.pod.spec
      return {
        ...state,
        pod: { ...state.pod, spec },
        change: { what: 'node-name', sentence: `remove spec.nodeName from the pod` },
      }
    }
    default:
      return undefined
  }
}

function uncordon(state: TrialState): RepairStep {
  const name = state.node.metadata.name
  const { unschedulable: _, ...spec } = state.node.spec ?? {}
  const taints = (spec.taints ?? []).filter(({ key }) => key !== 'node.kubernetes.io/unschedulable')
  return {
    ...state,
    node: { ...state.node, spec: { ...spec, taints } },
    change: { what: 'uncordon', sentence: `kubectl uncordon ${name}` },
  }
}

function tolerate(state: TrialState): RepairStep | undefined {
  const tolerations = state.pod.spec.tolerations ?? []
  const taint = state.node.spec?.taints?.find(
    ({ effect, ...rest }) =>
      effect !== 'PreferNoSchedule' && !tolerations.some((each) => tolerates(each, { effect, ...rest })),
  )
  // A taint of the node's health means that the node does not work, so a pod must not tolerate it.
  if (taint === undefined || taint.key.startsWith('node.kubernetes.io/')) return undefined
  const added: Toleration = taint.value
    ? { key: taint.key, operator: 'Equal', value: taint.value, effect: taint.effect }
    : { key: taint.key, operator: 'Exists', effect: taint.effect }
  const spec = { ...state.pod.spec, tolerations: [...tolerations, added] }
  return {
    ...state,
    pod: { ...state.pod, spec },
    change: { what: 'toleration', sentence: `add a toleration for ${formatTaint(taint)} to the pod` },
  }
}

/** Adds the labels that the node selector, or the first term of the node affinity, requires. */
function label(state: TrialState): RepairStep | undefined {
  const { nodeSelector, affinity } = state.pod.spec
  const labels = { ...state.node.metadata.labels }
  const wanted: [string, string][] = Object.entries(nodeSelector ?? {}).filter(([key, value]) => labels[key] !== value)
  const term = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms[0]
  for (const requirement of wanted.length === 0 ? (term?.matchExpressions ?? []) : []) {
    const value = satisfying(requirement, labels[requirement.key])
    if (value === 'impossible') return undefined
    if (value !== undefined) wanted.push([requirement.key, value])
  }
  if (wanted.length === 0) return undefined
  const node = {
    ...state.node,
    metadata: { ...state.node.metadata, labels: { ...labels, ...Object.fromEntries(wanted) } },
  }
  const sentence = `kubectl label node ${state.node.metadata.name} ${wanted.map(([key, value]) => `${key}=${value}`).join(' ')} --overwrite`
  return { ...state, node, change: { what: 'label', sentence } }
}

function satisfying(
  { operator, values = [] }: NodeSelectorRequirement,
  current: string | undefined,
): string | undefined | 'impossible' {
  switch (operator) {
    case 'In':
      return current !== undefined && values.includes(current) ? undefined : (values[0] ?? 'impossible')
    case 'Exists':
      return current === undefined ? 'true' : undefined
    case 'Gt':
      return Number(current) > Number(values[0]) ? undefined : String(Number(values[0]) + 1)
    case 'Lt':
      return Number(current) < Number(values[0]) ? undefined : String(Number(values[0]) - 1)
    default:
      // Removing a label may break other pods, so it is not suggested.
      return current === undefined || (operator === 'NotIn' && !values.includes(current)) ? undefined : 'impossible'
  }
}

function makeRoom(trial: TrialCluster, state: TrialState, node: NodeState): RepairStep | undefined {
  const shortages = shortagesOn(node, trial.parse(state.pod))
  // A request that exceeds the empty node cannot be met by freeing resources.
  if (shortages.length === 0 || shortages.some(({ request, allocatable }) => request > allocatable)) return undefined
  const pod = withSmallerRequests(state.pod, shortages)
  const moved = movablePod(trial, node, shortages)
  const by = moved === undefined ? '' : ` by moving ${moved}`
  const sentence = `free ${shortages.map(describeShortage).join(' and ')} on ${node.name}${by}`
  return { ...state, pod, change: { what: 'free', sentence } }
}

function freePort(trial: TrialCluster, state: TrialState, node: NodeState): RepairStep | undefined {
  const ports = trial.parse(state.pod).shape.hostPorts
  const taken = ports.filter((port) => !node.portsFree([port]))
  if (taken.length === 0) return undefined
  const holders = node.pods.filter(({ shape }) =>
    shape.hostPorts.some(({ port, protocol }) =>
      taken.some((each) => each.port === port && each.protocol === protocol),
    ),
  )
  const strip = (containers: Pod['spec']['containers'] | undefined) =>
    containers?.map(({ ports: _, ...container }) => container)
  const spec = { ...state.pod.spec, containers: strip(state.pod.spec.containers) ?? [] }
  const text = taken.map(({ port, protocol }) => `${port}/${protocol}`).join(', ')
  const by = holders.length === 0 ? '' : `, held by ${holders.map(({ key }) => key).join(', ')}`
  return {
    ...state,
    pod: { ...state.pod, spec },
    change: { what: 'port', sentence: `free host port ${text} on ${node.name}${by}` },
  }
}

/** Relaxes the first constraint whose relaxation places the pod. */
function relaxSpread(trial: TrialCluster, state: TrialState): RepairStep | undefined {
  const constraints = state.pod.spec.topologySpreadConstraints ?? []
  for (const [index, constraint] of constraints.entries()) {
    if (constraint.whenUnsatisfiable !== 'DoNotSchedule') continue
    const rest = constraints.map((each, at) =>
      at === index ? { ...each, whenUnsatisfiable: 'ScheduleAnyway' as const } : each,
    )
    const pod = { ...state.pod, spec: { ...state.pod.spec, topologySpreadConstraints: rest } }
    if (trial.statusOn(pod, state.node.metadata.name).plugin === 'PodTopologySpread') continue
    const sentence = `set whenUnsatisfiable: ScheduleAnyway on the spread constraint over ${constraint.topologyKey}, or raise its maxSkew above ${constraint.maxSkew}`
    return { ...state, pod, change: { what: 'constraint', sentence } }
  }
  return undefined
}

const missingClaim = /persistentvolumeclaim "([^"]+)" not found/
const missingVolume = /persistentvolume "([^"]+)" not found/

/** Suggests creating missing objects. The trial omits the volume, because its topology is not known yet. */
function repairVolumes(state: TrialState, { reasons }: PluginStatus): RepairStep | undefined {
  const { metadata, spec } = state.pod
  const reason = reasons.join(', ')
  const claims = (spec.volumes ?? []).flatMap(({ persistentVolumeClaim: claim }) => claim?.claimName ?? [])
  const without = (names: readonly string[], what: 'claim' | 'volume', sentence: string): RepairStep => {
    const volumes = spec.volumes?.filter((one) => !names.includes(one.persistentVolumeClaim?.claimName ?? ''))
    return { ...state, pod: { ...state.pod, spec: { ...spec, volumes: volumes ?? [] } }, change: { what, sentence } }
  }
  const claim = missingClaim.exec(reason)?.[1]
  if (claim !== undefined && claims.includes(claim)) {
    return without([claim], 'claim', `create the PersistentVolumeClaim ${metadata.namespace ?? ''}/${claim}`)
  }
  if (claims.length === 0) return undefined
  const volume = missingVolume.exec(reason)?.[1]
  if (volume !== undefined) return without(claims, 'volume', `create the PersistentVolume ${volume}`)
  if (reason.includes('unbound immediate')) {
    const names = claims.map((name) => `${metadata.namespace ?? ''}/${name}`).join(', ')
    return without(claims, 'claim', `bind the unbound PersistentVolumeClaims among ${names}`)
  }
  if (!reason.includes('exceed max volume count')) return undefined
  return without(
    claims,
    'volume',
    `detach a volume from ${state.node.metadata.name}: the limit of its CSI driver is reached`,
  )
}

function relaxAffinity(state: TrialState, status: PluginStatus): RepairStep | undefined {
  const { affinity } = state.pod.spec
  const reason = status.reasons.join(', ')
  if (reason.includes("existing pods' anti-affinity") || affinity === undefined) return undefined
  const side = reason.includes('anti-affinity') ? 'podAntiAffinity' : 'podAffinity'
  const terms = affinity[side]?.requiredDuringSchedulingIgnoredDuringExecution
  if (terms === undefined || terms.length === 0) return undefined
  const { requiredDuringSchedulingIgnoredDuringExecution: _, ...rest } = affinity[side] ?? {}
  const pod = { ...state.pod, spec: { ...state.pod.spec, affinity: { ...affinity, [side]: rest } } }
  const keys = terms.map(({ topologyKey }) => topologyKey).join(', ')
  const sentence =
    side === 'podAffinity'
      ? `run a pod that matches the required pod affinity (${keys}), or make the affinity preferred`
      : `make the pod anti-affinity (${keys}) preferred, or move the pods that it excludes`
  return { ...state, pod, change: { what: 'affinity', sentence } }
}
