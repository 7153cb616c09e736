import type { Failure } from '../../api/call.ts'
import type { Namespace } from '../../api/objects/cluster.ts'
import type { KubeObject } from '../../api/objects/meta.ts'
import { failure, notFound } from '../../api/status.ts'
import type { Kind, WriteContext } from '../kinds/kind.ts'

/** Refuses objects in a namespace that does not exist or is terminating (admission plugin NamespaceLifecycle). */
export function namespaceRefusal(kind: Kind, object: KubeObject, context: WriteContext): Failure | undefined {
  if (!kind.namespaced) return undefined
  const name = object.metadata.namespace ?? ''
  if (name === '' || kind.resource === 'localsubjectaccessreviews.authorization.k8s.io') return undefined
  const namespace = context.store.get('namespaces', name) as Namespace | undefined
  if (namespace === undefined) return notFound('namespaces', name)
  if (namespace.metadata.deletionTimestamp === undefined && namespace.status?.phase !== 'Terminating') return undefined
  const why = `unable to create new content in namespace ${name} because it is being terminated`
  return failure('Forbidden', `${kind.resource} ${JSON.stringify(object.metadata.name)} is forbidden: ${why}`, {
    name: object.metadata.name,
    ...(kind.group === '' ? {} : { group: kind.group }),
    kind: kind.plural,
    causes: [
      { reason: 'NamespaceTerminating', message: `namespace ${name} is being terminated`, field: 'metadata.namespace' },
    ],
  })
}
