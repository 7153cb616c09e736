import type { ResourceClaim, ResourceSlice } from '../../api/objects/devices.ts'
import type { Pod } from '../../api/objects/pod.ts'
import type { RequestDiagnosis } from '../../scheduler/plugins/dynamic-resources/device-diagnosis.ts'
import type { Repair } from './repair.ts'
import type { TrialCluster } from './trial-cluster.ts'

const maxTrials = 64
const maxRepairs = 3

interface DeviceChange {
  readonly sentence: string
  /** Runs work with the change, and undoes it. */
  readonly with: (work: () => boolean) => boolean
}

/** Single changes of devices and claims after which the pod fits on a node. Each is tried. */
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
  return repairs
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
