import { semanticEqual } from '../../../api/equality.ts'
import type { KubeObject } from '../../../api/objects/meta.ts'
import { atLeast } from '../../../api/releases/at-least.ts'
import { incremented } from '../../../base/exact-json.ts'
import { lookupTable } from '../../../base/lookup-table.ts'
import { deviceKey } from '../../validation/device-claim-status.ts'
import { list, type Obj, part } from '../../validation/reader.ts'
import { gatedFieldsOf } from '../disabled-fields.ts'
import type { Strategy, WriteContext } from '../kind.ts'
import { claimErrors, templateErrors } from './admin-access.ts'
import { statusErrors } from './status-rights.ts'

const asObj = (object: KubeObject): Obj => object as unknown as Obj

/** The strategies of the kinds of resource.k8s.io (v1.36, pkg/registry/resource). */
export const deviceStrategies = lookupTable<Strategy>({
  'deviceclasses.resource.k8s.io': { generation: 'spec', returnsDeleted: true },
  'resourceclaimtemplates.resource.k8s.io': { returnsDeleted: true, authorize: templateErrors },
  'resourceclaims.resource.k8s.io': {
    returnsDeleted: true,
    statusMetadata: 'keeps-all',
    prepareSubresource: { status: withoutDeallocated },
    authorize: (object, old, context) =>
      context.subresource === 'status' ? statusErrors(object, old, context) : claimErrors(object, old, context),
  },
  'devicetaintrules.resource.k8s.io': {
    generation: 'spec',
    statusMetadata: 'keeps-all',
    prepareCreate: (object, { now }) => withRuleTime(object, now),
    prepareUpdate: (object, old, { now }) => withRuleTime(object, now, old),
  },
  'resourceslices.resource.k8s.io': {
    generation: 'once',
    returnsDeleted: true,
    prepareCreate: withTaintTimes,
    // Upstream counts a change of a sent field even if it drops the field afterwards.
    prepareUpdate: (object, old, context) => withGeneration(withTaintTimes(object, context), old),
  },
})

/**
 * v1 of the rules rejects a PUT without a resourceVersion; older versions return the deleted object (v1.37,
 * devicetaintrule).
 */
export const ruleStrategy = (version: string): Strategy =>
  version === 'v1' ? { needsVersion: true } : { returnsDeleted: true }

/** The status of devices is removed with their allocation (dropDeallocatedStatusDevices). */
function withoutDeallocated(sent: KubeObject, old: KubeObject, { release }: WriteContext): KubeObject {
  // v1.34 compares the devices before it drops the fields of gates that are off, such as the id of a share.
  const dropsFirst = atLeast(release, '1.35')
  const object = dropsFirst ? gatedFieldsOf('resourceclaims.resource.k8s.io').remove(sent, old, release) : sent
  const status = part(asObj(object), 'status')
  const devices = list(status, 'devices')
  if (devices.length === 0) return object
  const gone = new Set(allocatedDevices(old))
  for (const key of allocatedDevices(object)) gone.delete(key)
  const kept = devices.filter((device) => !gone.has(deviceKey(device)))
  if (kept.length === devices.length) return object
  const { devices: _, ...rest } = status
  return { ...object, status: kept.length === 0 ? rest : { ...status, devices: kept } } as KubeObject
}

const allocatedDevices = (object: KubeObject): readonly string[] =>
  list(part(part(part(asObj(object), 'status'), 'allocation'), 'devices'), 'results').map(deviceKey)

type Devices = readonly Obj[]

const devicesOf = (slice: KubeObject): Devices => list(part(asObj(slice), 'spec'), 'devices')

function withDevices(slice: KubeObject, change: (device: Obj) => Obj): KubeObject {
  const devices = devicesOf(slice)
  const changed = devices.map(change)
  if (changed.every((device, i) => device === devices[i])) return slice
  return { ...slice, spec: { ...part(asObj(slice), 'spec'), devices: changed } } as KubeObject
}

/** Taints without a time get the current time (SetDefaults_DeviceTaint). */
function withTaintTimes(slice: KubeObject, { now }: WriteContext): KubeObject {
  return withDevices(slice, (device) => {
    const taints = list(device, 'taints')
    if (taints.every(({ timeAdded }) => timeAdded !== undefined && timeAdded !== null)) return device
    return { ...device, taints: taints.map((taint) => ({ ...taint, timeAdded: taint['timeAdded'] ?? now })) }
  })
}

/** Sets the time of the taint of a rule to now if it has none, or if the effect changes. */
function withRuleTime(rule: KubeObject, now: string, old?: KubeObject): KubeObject {
  const spec = part(asObj(rule), 'spec')
  const taint = part(spec, 'taint')
  const before = old === undefined ? undefined : part(part(asObj(old), 'spec'), 'taint')
  const isRestarted =
    before !== undefined &&
    before['effect'] !== taint['effect'] &&
    (taint['timeAdded'] ?? before['timeAdded']) === before['timeAdded']
  const timeAdded = isRestarted ? now : (taint['timeAdded'] ?? now)
  if (timeAdded === taint['timeAdded']) return rule
  return { ...rule, spec: { ...spec, taint: { ...taint, timeAdded } } } as KubeObject
}

function withGeneration(slice: KubeObject, old: KubeObject): KubeObject {
  if (semanticEqual(asObj(slice)['spec'], asObj(old)['spec'])) return slice
  return { ...slice, metadata: { ...slice.metadata, generation: incremented(old.metadata.generation ?? 0) } }
}
