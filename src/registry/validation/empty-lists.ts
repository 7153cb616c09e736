import type { KubeObject } from '../../api/objects/meta.ts'
import { atLeast } from '../../api/releases/at-least.ts'
import type { KubernetesRelease } from '../../api/releases/kubernetes-release.ts'
import { lookupTable } from '../../base/lookup-table.ts'
import { type FieldError, forbidden, invalid } from '../errors/field-error.ts'

type Found = readonly FieldError[]
const none: Found = []

/** The value at a path of an object as it was sent. */
function at(sent: unknown, ...path: readonly string[]): unknown {
  let value = sent
  for (const name of path) {
    if (typeof value !== 'object' || value === null) return undefined
    value = (value as Readonly<Record<string, unknown>>)[name]
  }
  return value
}

const isEmptyList = (value: unknown): boolean => Array.isArray(value) && value.length === 0

/** A pod spec at this path. */
const ofPods =
  (...path: readonly string[]) =>
  (sent: unknown): Found => {
    if (!isEmptyList(at(sent, ...path, 'resources', 'claims'))) return none
    if (at(sent, ...path, 'os', 'name') === 'windows') return none
    return [forbidden([...path, 'resources', 'claims'].join('.'), 'claims may not be set for Resources at pod-level')]
  }

function ofTemplate(sent: unknown, _release: KubernetesRelease, isNew: boolean): Found {
  const fields = isNew ? ['finalizers', 'managedFields', 'ownerReferences'] : []
  return fields
    .filter((field) => isEmptyList(at(sent, 'spec', 'metadata', field)))
    .map((field) => forbidden(`spec.metadata.${field}`, 'cannot be set'))
}

function ofSlice(sent: unknown, release: KubernetesRelease): Found {
  const [counters, devices] = [at(sent, 'spec', 'sharedCounters'), at(sent, 'spec', 'devices')]
  if (!Array.isArray(counters) || !Array.isArray(devices)) return none
  // Validation of the decoded object finds two lists with elements.
  if (counters.length > 0 && devices.length > 0) return none
  if (!atLeast(release, '1.35') || !release.gates.has('DRAPartitionableDevices')) return none
  return [invalid('spec', '', 'only one of `sharedCounters` or `devices` is allowed')]
}

const inTemplate = ofPods('spec', 'template', 'spec')
const checks = lookupTable<(sent: unknown, release: KubernetesRelease, isNew: boolean) => Found>({
  pods: ofPods('spec'),
  podtemplates: ofPods('template', 'spec'),
  replicationcontrollers: inTemplate,
  'deployments.apps': inTemplate,
  'replicasets.apps': inTemplate,
  'statefulsets.apps': inTemplate,
  'daemonsets.apps': inTemplate,
  'jobs.batch': inTemplate,
  'cronjobs.batch': ofPods('spec', 'jobTemplate', 'spec', 'template', 'spec'),
  'resourceclaimtemplates.resource.k8s.io': ofTemplate,
  'resourceslices.resource.k8s.io': ofSlice,
})

/**
 * Errors about lists that are sent empty, where upstream distinguishes them from absent ones. Decoding drops empty
 * lists, so this function checks the object as it was sent.
 */
export function emptyListErrors(resource: string, sent: KubeObject, release: KubernetesRelease, isNew: boolean): Found {
  return checks[resource]?.(sent, release, isNew) ?? none
}
