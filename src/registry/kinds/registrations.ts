import type { KubeObject } from '../../api/objects/meta.ts'
import { lookupTable } from '../../base/lookup-table.ts'
import type { Caller } from '../contract.ts'
import { child, list, type Obj, part } from '../validation/reader.ts'
import { text } from '../validation/scalars.ts'
import type { Strategy, WriteContext } from './kind.ts'

const asObj = (object: KubeObject): Obj => object as unknown as Obj

const webhooks: Strategy = { generation: 'everything', needsVersion: true }
const policy: Strategy = { generation: 'spec', needsVersion: true }
const flow: Strategy = { generation: 'spec', statusMetadata: 'keeps-all' }

/** The strategies of kinds that register something with the API server (v1.36, pkg/registry/<group>). */
export const registrationStrategies = lookupTable<Strategy>({
  'mutatingwebhookconfigurations.admissionregistration.k8s.io': webhooks,
  'validatingwebhookconfigurations.admissionregistration.k8s.io': webhooks,
  'mutatingadmissionpolicies.admissionregistration.k8s.io': policy,
  'mutatingadmissionpolicybindings.admissionregistration.k8s.io': policy,
  'validatingadmissionpolicies.admissionregistration.k8s.io': { ...policy, statusMetadata: 'keeps-all' },
  'validatingadmissionpolicybindings.admissionregistration.k8s.io': policy,
  'flowschemas.flowcontrol.apiserver.k8s.io': flow,
  'prioritylevelconfigurations.flowcontrol.apiserver.k8s.io': flow,
  'apiservices.apiregistration.k8s.io': {
    needsVersion: true,
    statusMetadata: 'keeps-all',
    nameRule: 'path-segment',
    prepareCreate: availableIfLocal,
  },
  'certificatesigningrequests.certificates.k8s.io': {
    resetFields: ['spec', 'status'],
    nameRule: 'path-segment',
    prepareCreate: (object, { caller }) => withRequester(object, caller),
    prepareUpdate: (object, old) => ({ ...object, spec: asObj(old)['spec'] }) as KubeObject,
    prepareSubresource: { status: requestStatus, approval: requestApproval },
  },
})

/** An API that this server serves is available from the start. */
function availableIfLocal(object: KubeObject, { now }: WriteContext): KubeObject {
  if (child(part(asObj(object), 'spec'), 'service') !== undefined) return object
  const condition = {
    type: 'Available',
    status: 'True',
    lastTransitionTime: now,
    reason: 'Local',
    message: 'Local APIServices are always available',
  }
  return { ...object, status: { conditions: [condition] } } as KubeObject
}

/** The requester of a certificate cannot set who requests it. */
function withRequester(object: KubeObject, caller: Caller): KubeObject {
  const { username: _u, uid: _i, groups: _g, extra: _e, ...asked } = part(asObj(object), 'spec')
  const spec: Record<string, unknown> = { ...asked, username: caller.name }
  if (caller.uid !== undefined && caller.uid !== '') spec['uid'] = caller.uid
  if (caller.groups.length > 0) spec['groups'] = caller.groups
  if (caller.extra !== undefined && Object.keys(caller.extra).length > 0) spec['extra'] = caller.extra
  return { ...object, spec } as KubeObject
}

/** A signer writes the certificate and its conditions, never the approval or denial. */
function requestStatus(object: KubeObject, old: KubeObject, { now }: WriteContext): KubeObject {
  const status = part(asObj(object), 'status')
  const before = list(part(asObj(old), 'status'), 'conditions')
  let conditions = list(status, 'conditions')
  for (const type of ['Approved', 'Denied']) conditions = withKept(conditions, before, type)
  return withConditions({ ...object, spec: asObj(old)['spec'] } as KubeObject, status, conditions, before, now)
}

function requestApproval(object: KubeObject, old: KubeObject, { now }: WriteContext): KubeObject {
  const before = part(asObj(old), 'status')
  const conditions = list(part(asObj(object), 'status'), 'conditions')
  const kept = { ...object, spec: asObj(old)['spec'] } as KubeObject
  return withConditions(kept, before, conditions, list(before, 'conditions'), now)
}

/** If the number of conditions of the type is unchanged, the old ones are kept (preserveConditionInstances). */
function withKept(conditions: readonly Obj[], before: readonly Obj[], type: string): readonly Obj[] {
  const old = before.filter((one) => text(one, 'type') === type)
  if (conditions.filter((one) => text(one, 'type') === type).length !== old.length) return conditions
  let next = 0
  return conditions.map((one) => (text(one, 'type') === type ? (old[next++] as Obj) : one))
}

function withConditions(
  object: KubeObject,
  status: Obj,
  conditions: readonly Obj[],
  before: readonly Obj[],
  now: string,
): KubeObject {
  const timed = conditions.map((condition) => {
    const same = before.find(
      (one) =>
        text(one, 'type') === text(condition, 'type') &&
        text(one, 'status') === text(condition, 'status') &&
        text(one, 'lastTransitionTime') !== '',
    )
    return {
      ...condition,
      lastUpdateTime: text(condition, 'lastUpdateTime') || now,
      lastTransitionTime: text(condition, 'lastTransitionTime') || text(same, 'lastTransitionTime') || now,
    }
  })
  const { conditions: _, ...rest } = status
  return { ...object, status: timed.length === 0 ? rest : { ...rest, conditions: timed } } as KubeObject
}
