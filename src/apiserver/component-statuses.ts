import type { Call, Outcome } from '../api/call.ts'
import type { KubeObject } from '../api/objects/meta.ts'
import { notFound } from '../api/status.ts'

/**
 * The scheduler, the controllers and the storage run in this process or are not checked. They are healthy if the server
 * responds.
 */
const statuses: readonly KubeObject[] = ['scheduler', 'controller-manager', 'etcd-0'].map(
  (name) =>
    ({
      apiVersion: 'v1',
      kind: 'ComponentStatus',
      metadata: { name },
      conditions: [{ type: 'Healthy', status: 'True', message: 'ok' }],
    }) as KubeObject,
)

/** The answer to a read of ComponentStatus, which is not stored. */
export function componentStatuses(call: Call): Outcome | undefined {
  if (call.resource !== 'componentstatuses') return undefined
  if (call.verb === 'list') return { ok: true, kind: 'list', items: statuses, resourceVersion: '' }
  if (call.verb !== 'get') return undefined
  const found = statuses.find(({ metadata }) => metadata.name === call.name)
  return found === undefined ? notFound('componentstatuses', call.name) : { ok: true, kind: 'object', object: found }
}
