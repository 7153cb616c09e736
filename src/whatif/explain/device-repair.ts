import type { ResourceClaim, ResourceSlice } from '../../api/objects/devices.ts'
import type { KubeObject } from '../../api/objects/meta.ts'
import type { Node } from '../../api/objects/node.ts'
import type { Pod } from '../../api/objects/pod.ts'
import type { DeviceClaim, RequestDiagnosis } from '../../scheduler/plugins/dynamic-resources/device-diagnosis.ts'
import { freshDevices, freshNode } from '../scenario/fresh-node.ts'
import type { Repair } from './repair.ts'
import { newNodeLike } from './resource-repair.ts'
import type { TrialCluster } from './trial-cluster.ts'

const maxTrials = 64
const maxShapes = 16
const maxRepairs = 3

interface DeviceChange {
  readonly sentence: string
  /** Runs work with the change, and undoes it. */
  readonly with: (work: () => boolean) => boolean
}

/**
 * Changes of devices and claims after which the pod fits on a node. Each change is tried: single changes first, then
 * claims that are released together.
 */
export function findDeviceRepairs(
  trial: TrialCluster,
  pod: Pod,
  byNode: ReadonlyMap<string, readonly RequestDiagnosis[]>,
): readonly Repair[] {
  const repairs: Repair[] = []
  let trials = 0
  for (const [node, diagnoses] of byNode) {
    for (const change of changesFor(trial, diagnoses)) {
      if (repairs.length >= maxRepairs || trials++ >= maxTrials) return repairs
      if (!change.with(() => trial.statusOn(pod, node).code === 'Success')) continue
      repairs.push({ node, changes: [{ what: 'claim', sentence: change.sentence }] })
      break
    }
  }
  return [...(repairs.length > 0 ? repairs : jointRepairs(trial, pod, byNode)), ...newNode(trial, pod, byNode)]
}

/** Adds one more node with devices like those of a node. */
function newNode(
  trial: TrialCluster,
  pod: Pod,
  byNode: ReadonlyMap<string, readonly RequestDiagnosis[]>,
): readonly Repair[] {
  for (const name of [...byNode.keys()].slice(0, maxShapes)) {
    const model = trial.node(name)?.node
    if (model === undefined) continue
    const fresh = `${name}-new`
    const slices = freshDevices(trial.objects, name, fresh)
    if (slices.length === 0) continue
    const node = freshNode(model, fresh) as KubeObject as Node
    if (trial.withNewNode(node, slices, () => trial.statusOn(pod, fresh).code === 'Success'))
      return [newNodeLike(model)]
  }
  return []
}

const maxReleased = 16
const maxJointTrials = 128

/** The node on which the fewest claims must be released, in the order in which the search meets their devices. */
function jointRepairs(
  trial: TrialCluster,
  pod: Pod,
  byNode: ReadonlyMap<string, readonly RequestDiagnosis[]>,
): readonly Repair[] {
  const holders = new Map([...byNode].map(([node, diagnoses]) => [node, holdersIn(diagnoses)]))
  let trials = 0
  for (let count = 2; count <= maxReleased; count++) {
    for (const [node, claims] of holders) {
      if (claims.length < count) continue
      if (trials++ >= maxJointTrials) return []
      const released = claims.slice(0, count)
      const fits = () => trial.statusOn(pod, node).code === 'Success'
      if (!withoutClaims(trial, released, fits)) continue
      const names = released.map(({ claim }) => claim).join(', ')
      const pods = released.flatMap((one) => one.pods).join(', ')
      const of = pods === '' ? '' : ` by deleting pods ${pods}`
      return [{ node, changes: [{ what: 'claim', sentence: `release the devices of claims ${names}${of}` }] }]
    }
  }
  return []
}

function holdersIn(diagnoses: readonly RequestDiagnosis[]): readonly DeviceClaim[] {
  const found = new Map<string, DeviceClaim>()
  for (const { cause } of diagnoses.flatMap(({ devices }) => devices)) {
    for (const holder of cause.kind === 'inUse' ? cause.holders : []) found.set(holder.claim, holder)
  }
  return [...found.values()]
}

function withoutClaims(trial: TrialCluster, claims: readonly DeviceClaim[], work: () => boolean): boolean {
  const [first, ...others] = claims
  if (first === undefined) return work()
  return withoutClaim(trial, first.claim, () => withoutClaims(trial, others, work))
}

/**
 * The reason why no node can ever have devices for the pod: the selectors of a request are false for every device of
 * every node. Undefined: some device matches, but is allocated, tainted or too small.
 */
export function noMatchingDevice(byNode: ReadonlyMap<string, readonly RequestDiagnosis[]>): string | undefined {
  const requests = new Map<string, { readonly seen: RequestDiagnosis[]; readonly expressions: Set<string> }>()
  for (const diagnosis of [...byNode.values()].flat()) {
    const key = `request ${diagnosis.request} of claim ${diagnosis.claim}`
    const entry = requests.get(key) ?? { seen: [], expressions: new Set<string>() }
    requests.set(key, entry)
    entry.seen.push(diagnosis)
    for (const { cause } of diagnosis.devices) if (cause.kind === 'selector') entry.expressions.add(cause.expression)
  }
  for (const [request, { seen, expressions }] of requests) {
    const isMismatch = seen.every(({ devices }) => devices.every(({ cause }) => cause.kind === 'selector'))
    if (isMismatch && seen.length === byNode.size && expressions.size > 0)
      return `never: no device matches the selector ${[...expressions].join(' and ')} (${request})`
  }
  return undefined
}

function* changesFor(trial: TrialCluster, diagnoses: readonly RequestDiagnosis[]): IterableIterator<DeviceChange> {
  const seen = new Set<string>()
  for (const { device, cause } of diagnoses.flatMap(({ devices }) => devices)) {
    if (cause.kind === 'tainted' && !seen.has(device)) {
      seen.add(device)
      const { key, effect } = cause.taint
      const sentence = `remove the taint ${key}:${effect} from device ${device}, or tolerate it in the claim`
      yield { sentence, with: (work) => withoutTaints(trial, device, work) }
    }
    for (const { claim, pods } of cause.kind === 'inUse' ? cause.holders : []) {
      if (seen.has(claim)) continue
      seen.add(claim)
      const of = pods.length === 0 ? '' : ` by deleting pod ${pods.join(', ')}`
      yield { sentence: `release the devices of claim ${claim}${of}`, with: (work) => withoutClaim(trial, claim, work) }
    }
  }
}

function withoutClaim(trial: TrialCluster, key: string, work: () => boolean): boolean {
  const claim = trial.objects.get('resourceclaims.resource.k8s.io', key)
  if (claim === undefined) return false
  const free: ResourceClaim = { ...claim, status: {} }
  return trial.withObject('resourceclaims.resource.k8s.io', claim, free, work)
}

function withoutTaints(trial: TrialCluster, device: string, work: () => boolean): boolean {
  for (const slice of trial.objects.list('resourceslices.resource.k8s.io')) {
    const { spec } = slice
    const prefix = `${spec.driver}/${spec.pool.name}/`
    if (!spec.devices?.some(({ name }) => `${prefix}${name}` === device)) continue
    const devices = spec.devices.map((one) => (`${prefix}${one.name}` === device ? { ...one, taints: [] } : one))
    const free: ResourceSlice = { ...slice, spec: { ...spec, devices } }
    return trial.withObject('resourceslices.resource.k8s.io', slice, free, work)
  }
  return false
}
