import type { Call } from '../../../src/api/call.ts'
import type { JsonObject } from '../../../src/api/objects/meta.ts'
import { type Calling, list } from './sides.ts'
import { specOf } from './story.ts'

export const conditionTypes = ['Ready', 'MemoryPressure', 'DiskPressure', 'PIDPressure', 'NetworkUnavailable'] as const
export type ConditionType = (typeof conditionTypes)[number]

/** The actions of the kubelets of a story: the same on both sides, once a second. */
export class Kubelets {
  /** By node: what its kubelet reports. A kubelet that is silent does nothing at all. */
  readonly reports = new Map<string, { silent: boolean; readonly status: Record<ConditionType, string> }>()

  add(name: string): void {
    const [ready, ...others] = conditionTypes
    const status = Object.fromEntries([[ready, 'True'], ...others.map((type) => [type, 'False'])])
    this.reports.set(name, { silent: false, status })
  }

  async pulse(call: Calling, nowMs: number): Promise<void> {
    const now = new Date(nowMs).toISOString()
    for (const [name, { silent, status }] of this.reports) {
      if (silent) continue
      await renew(call, name, now.replace('Z', '000Z'))
      await report(call, name, now.replace(/\.\d+/, ''), status)
    }
    for (const pod of await list(call, 'pods')) {
      const { name, namespace, deletionTimestamp } = pod.metadata
      const kubelet = this.reports.get(String(specOf(pod)['nodeName']))
      if (kubelet === undefined || kubelet.silent) continue
      const target = { resource: 'pods', name, namespace } as const
      if (deletionTimestamp !== undefined) {
        await call({ verb: 'delete', ...target, options: { gracePeriodSeconds: 0 } } as Call)
        continue
      }
      const { status: seen } = pod as unknown as { status?: { conditions?: readonly JsonObject[] } }
      if (seen?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True')) continue
      const conditions = [{ type: 'Ready', status: 'True' }]
      const patch = { kind: 'strategic', patch: { status: { phase: 'Running', conditions } } }
      await call({ verb: 'patch', ...target, subresource: 'status', patch } as unknown as Call)
    }
  }
}

async function renew(call: Calling, name: string, renewTime: string): Promise<void> {
  const target = { resource: 'leases.coordination.k8s.io', namespace: 'kube-node-lease' } as const
  const patched = await call({
    verb: 'patch',
    ...target,
    name,
    patch: { kind: 'merge', patch: { spec: { renewTime } } },
  })
  if (patched.ok) return
  const object = {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { name, namespace: 'kube-node-lease' },
    spec: { holderIdentity: name, leaseDurationSeconds: 40, renewTime },
  }
  await call({ verb: 'create', ...target, object } as Call)
}

async function report(call: Calling, name: string, now: string, status: Record<ConditionType, string>): Promise<void> {
  const conditions = conditionTypes.map((type) => ({
    type,
    status: status[type],
    reason: `Kubelet${type}`,
    message: `the kubelet says ${status[type]}`,
    lastHeartbeatTime: now,
  }))
  const patch = { kind: 'strategic', patch: { status: { conditions } } }
  await call({ verb: 'patch', resource: 'nodes', subresource: 'status', name, patch } as unknown as Call)
}
