import type { CreateCall, Failure } from './call.ts'
import type { DeleteOptions, KubeObject } from './objects/meta.ts'

interface PodName {
  readonly name: string
  readonly namespace?: string | undefined
}

/** The call that evicts a pod through the eviction API, as `kubectl drain` does. */
export function evictionCall({ name, namespace = 'default' }: PodName, deleteOptions?: DeleteOptions): CreateCall {
  const object = {
    apiVersion: 'policy/v1',
    kind: 'Eviction',
    metadata: { name, namespace },
    ...(deleteOptions === undefined ? {} : { deleteOptions }),
  } as KubeObject
  return { verb: 'create', resource: 'pods', namespace, name, subresource: 'eviction', object }
}

/** Why an eviction was rejected: the causes, such as the disruption budget, or the message. */
export function evictionRefusal({ status }: Failure): string {
  const causes = status.details?.causes?.map(({ message }) => message ?? '') ?? []
  return causes.join('; ') || (status.message ?? 'refused')
}
