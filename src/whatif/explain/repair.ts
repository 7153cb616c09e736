import type { Node, NodeSelectorRequirement } from '../../api/objects/node.ts'
import type { Pod, Toleration } from '../../api/objects/pod.ts'
import { formatTaint } from '../../api/taints.ts'
import { tolerates } from '../../api/tolerations.ts'
import { isRejected, type NodeState, type Status } from '../../scheduler/contract/contract.ts'
import type { BenchCluster } from './bench-cluster.ts'
import { describeShortage, shortagesOn, withSmallerRequests } from './shortage.ts'

/** One thing to change, in words and as what it would be. */
export interface Change {
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
  readonly sentence: string
}

/** All that has to change for the pod to fit on that node. */
export interface Repair {
  readonly node: string
  readonly changes: readonly Change[]
}

interface State {
  readonly pod: Pod
  readonly node: Node
}

interface Step extends State {
  readonly change: Change
}

// A node that needs more than this is no way out.
const maxChanges = 4
const maxCandidates = 24

/**
 * The smallest sets of changes that would place the pod, best first. A repair is found by doing it: on one node after
 * the other, whatever the first filter objects to is mended on paper and the filters are asked again, until they agree.
 */
export function findRepairs(bench: BenchCluster, pod: Pod, rejected: ReadonlyMap<string, Status>): readonly Repair[] {
  const repairs: (Repair & { readonly cost: number })[] = []
  for (const name of candidates(bench, pod, rejected)) {
    const node = bench.node(name)?.node
    if (node === undefined) continue
    const steps = repairOn(bench, { pod, node })
    if (steps === undefined) continue
    repairs.push({ node: name, changes: steps.map(({ change }) => change), cost: costOf(bench, pod, name, steps) })
  }
  repairs.sort((a, b) => a.cost - b.cost || (a.node < b.node ? -1 : 1))
  const seen = new Set<string>()
  // Many nodes want the same: it is said once, with the first of them.
  const distinct = repairs.filter(({ changes, node }) => {
    const text = changes.map(({ sentence }) => sentence.replaceAll(node, '*')).join('; ')
    if (seen.has(text)) return false
    seen.add(text)
    return true
  })
  return distinct.slice(0, 5).map(({ node, changes }) => ({ node, changes }))
}

/** A few nodes of each kind of rejection, those with the most room first. */
function candidates(bench: BenchCluster, pod: Pod, rejected: ReadonlyMap<string, Status>): readonly string[] {
  const groups = new Map<string, string[]>()
  for (const [name, { plugin, reasons }] of rejected) {
    const key = `${plugin} ${[...reasons].sort().join(', ')}`
    groups.set(key, [...(groups.get(key) ?? []), name])
  }
  const lack = (name: string) => {
    const node = bench.node(name)
    return node === undefined
      ? 0
      : Math.max(
          0,
          ...shortagesOn(node, bench.parse(pod)).map(({ missing, request }) => missing / Math.max(1, request)),
        )
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

/** Toleration or label: one line in a file. Room has to be made, so it costs by how much of it. */
function costOf(bench: BenchCluster, pod: Pod, name: string, steps: readonly Step[]): number {
  const node = bench.node(name)
  const room = node === undefined ? [] : shortagesOn(node, bench.parse(pod))
  const made = room.reduce((sum, { missing, request }) => sum + missing / Math.max(1, request), 0)
  const frees = steps.some(({ change }) => change.what === 'free')
  return steps.length * 10 + (frees ? made : 0)
}

function repairOn(bench: BenchCluster, start: State): readonly Step[] | undefined {
  const steps: Step[] = []
  let state = start
  while (steps.length <= maxChanges) {
    const { pod, node } = state
    const status = bench.withNode(start.node, node, () => bench.statusOn(pod, node.metadata.name))
    if (status.code === 'Error') return undefined
    if (!isRejected(status)) return steps.length === 0 ? undefined : steps
    const step = bench.withNode(start.node, node, () => mend(bench, state, status))
    if (step === undefined || steps.length === maxChanges) return undefined
    steps.push(step)
    state = step
  }
  return undefined
}

/** What would silence the plugin that objects, or undefined where nobody can. */
function mend(bench: BenchCluster, state: State, status: Status): Step | undefined {
  const node = bench.node(state.node.metadata.name)
  if (node === undefined) return undefined
  switch (status.plugin) {
    case 'NodeUnschedulable':
      return uncordon(state)
    case 'TaintToleration':
      return tolerate(state)
    case 'NodeAffinity':
      return label(state)
    case 'NodeResourcesFit':
      return makeRoom(bench, state, node)
    case 'NodePorts':
      return freePort(bench, state, node)
    case 'PodTopologySpread':
      return relaxSpread(bench, state)
    case 'InterPodAffinity':
      return relaxAffinity(state, status)
    case 'VolumeRestrictions':
    case 'VolumeBinding':
    case 'VolumeZone':
    case 'NodeVolumeLimits':
      return mendVolumes(state, status)
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

function uncordon(state: State): Step {
  const name = state.node.metadata.name
  const { unschedulable: _, ...spec } = state.node.spec ?? {}
  const taints = (spec.taints ?? []).filter(({ key }) => key !== 'node.kubernetes.io/unschedulable')
  return {
    ...state,
    node: { ...state.node, spec: { ...spec, taints } },
    change: { what: 'uncordon', sentence: `kubectl uncordon ${name}` },
  }
}

function tolerate(state: State): Step | undefined {
  const tolerations = state.pod.spec.tolerations ?? []
  const taint = state.node.spec?.taints?.find(
    ({ effect, ...rest }) =>
      effect !== 'PreferNoSchedule' && !tolerations.some((each) => tolerates(each, { effect, ...rest })),
  )
  if (taint === undefined) return undefined
  const added: Toleration = taint.value
    ? { key: taint.key, operator: 'Equal', value: taint.value, effect: taint.effect }
    : { key: taint.key, operator: 'Exists', effect: taint.effect }
  const spec = { ...state.pod.spec, tolerations: [...tolerations, added] }
  return {
    ...state,
    pod: { ...state.pod, spec },
    change: { what: 'toleration', sentence: `add to the pod a toleration of ${formatTaint(taint)}` },
  }
}

/** The labels that the pod's node selector, or the first term of its node affinity, would want to see. */
function label(state: State): Step | undefined {
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
      // A label that has to go is somebody's: nothing is proposed.
      return current === undefined || (operator === 'NotIn' && !values.includes(current)) ? undefined : 'impossible'
  }
}

function makeRoom(bench: BenchCluster, state: State, node: NodeState): Step | undefined {
  const shortages = shortagesOn(node, bench.parse(state.pod))
  // What no emptying of the node could give is not there to be freed.
  if (shortages.length === 0 || shortages.some(({ request, allocatable }) => request > allocatable)) return undefined
  const pod = withSmallerRequests(state.pod, shortages)
  const sentence = `free ${shortages.map(describeShortage).join(' and ')} on ${node.name}`
  return { ...state, pod, change: { what: 'free', sentence } }
}

function freePort(bench: BenchCluster, state: State, node: NodeState): Step | undefined {
  const ports = bench.parse(state.pod).shape.hostPorts
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

/** The first constraint whose absence helps; dropping it stands for letting it be a wish. */
function relaxSpread(bench: BenchCluster, state: State): Step | undefined {
  const constraints = state.pod.spec.topologySpreadConstraints ?? []
  for (const [index, constraint] of constraints.entries()) {
    if (constraint.whenUnsatisfiable !== 'DoNotSchedule') continue
    const rest = constraints.map((each, at) =>
      at === index ? { ...each, whenUnsatisfiable: 'ScheduleAnyway' as const } : each,
    )
    const pod = { ...state.pod, spec: { ...state.pod.spec, topologySpreadConstraints: rest } }
    if (bench.statusOn(pod, state.node.metadata.name).plugin === 'PodTopologySpread') continue
    const sentence = `let the spread over ${constraint.topologyKey} be a wish (whenUnsatisfiable: ScheduleAnyway), or allow a skew above ${constraint.maxSkew}`
    return { ...state, pod, change: { what: 'constraint', sentence } }
  }
  return undefined
}

const MISSING_CLAIM = /persistentvolumeclaim "([^"]+)" not found/
const MISSING_VOLUME = /persistentvolume "([^"]+)" not found/

/** What is missing is made, on paper by doing without: where it will be is not known yet. */
function mendVolumes(state: State, { reasons }: Status): Step | undefined {
  const { metadata, spec } = state.pod
  const reason = reasons.join(', ')
  const claims = (spec.volumes ?? []).flatMap(({ persistentVolumeClaim: claim }) => claim?.claimName ?? [])
  const without = (names: readonly string[], what: 'claim' | 'volume', sentence: string): Step => {
    const volumes = spec.volumes?.filter((one) => !names.includes(one.persistentVolumeClaim?.claimName ?? ''))
    return { ...state, pod: { ...state.pod, spec: { ...spec, volumes: volumes ?? [] } }, change: { what, sentence } }
  }
  const claim = MISSING_CLAIM.exec(reason)?.[1]
  if (claim !== undefined && claims.includes(claim)) {
    return without([claim], 'claim', `create the PersistentVolumeClaim ${metadata.namespace ?? ''}/${claim}`)
  }
  if (claims.length === 0) return undefined
  const volume = MISSING_VOLUME.exec(reason)?.[1]
  if (volume !== undefined) return without(claims, 'volume', `bring back the PersistentVolume ${volume}`)
  if (reason.includes('unbound immediate')) {
    const names = claims.map((name) => `${metadata.namespace ?? ''}/${name}`).join(', ')
    return without(claims, 'claim', `have the PersistentVolumeClaims bound that are not yet, of ${names}`)
  }
  if (!reason.includes('exceed max volume count')) return undefined
  return without(claims, 'volume', `free room for volumes on ${state.node.metadata.name}: its driver attaches no more`)
}

function relaxAffinity(state: State, status: Status): Step | undefined {
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
      ? `run a pod that the required pod affinity (${keys}) matches, or make the affinity preferred`
      : `make the pod anti-affinity (${keys}) preferred, or move the pods it keeps away from`
  return { ...state, pod, change: { what: 'affinity', sentence } }
}
