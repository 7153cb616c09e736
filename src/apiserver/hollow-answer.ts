import type { Failure } from '../api/call.ts'
import type { Pod } from '../api/objects/pod.ts'
import { failure, notFound } from '../api/status.ts'
import type { Registry } from '../registry/contract.ts'
import type { Kind } from '../registry/kinds/kind.ts'
import type { ResourceRoute } from './route.ts'

/** The message for requests that need a running container. */
export function hollowAnswer({ store }: Registry, kind: Kind, route: ResourceRoute): Failure | undefined {
  const { subresource, name = '', namespace } = route
  if (subresource === undefined) return undefined
  if (kind.resource === 'pods' && ['log', 'exec', 'attach', 'portforward', 'proxy'].includes(subresource)) {
    const pod = store.get('pods', `${namespace}/${name}`) as Pod | undefined
    if (pod === undefined) return notFound('pods', name)
    if ((pod.spec.nodeName ?? '') === '' && subresource !== 'log') {
      return failure('BadRequest', `pod ${name} does not have a host assigned`)
    }
    const what = { log: 'logs', exec: 'exec', attach: 'attach', portforward: 'port-forward', proxy: 'proxy' }[
      subresource as 'log'
    ]
    return failure(
      'BadRequest',
      `${what} unavailable: pod ${JSON.stringify(name)} is on a hollow node, which runs no containers`,
    )
  }
  if (subresource === 'proxy') {
    const why = 'not served here; nodes and services are hollow'
    return failure('BadRequest', `${kind.plural} ${JSON.stringify(name)} ${subresource}: ${why}`)
  }
  return undefined
}
