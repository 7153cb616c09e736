import type { DirectClient } from './contract.ts'

/** Creates the namespace `default` with its service account. */
export function createDefaultNamespace(client: DirectClient): void {
  client.callNow({ verb: 'create', resource: 'namespaces', object: { metadata: { name: 'default' } } })
  client.callNow({
    verb: 'create',
    resource: 'serviceaccounts',
    namespace: 'default',
    object: { metadata: { name: 'default', namespace: 'default' } },
  })
}
