import type { Registry } from '../registry/contract.ts'
import { clusterCidrDefinition } from '../registry/custom/cluster-cidr-definition.ts'
import { definitionsResource } from '../registry/custom/definition-strategy.ts'
import type { Settings } from './settings.ts'

/** Creates the CustomResourceDefinitions that configure the chosen controllers. Existing ones are not changed. */
export function defineOwnResources(registry: Registry, { nodeIpam }: Settings): void {
  if (nodeIpam.allocatorType !== 'MultiCIDRRangeAllocator') return
  const { name } = clusterCidrDefinition.metadata
  if (registry.store.get(definitionsResource, name) !== undefined) return
  const outcome = registry.call({ verb: 'create', resource: definitionsResource, object: clusterCidrDefinition })
  if (!outcome.ok) throw new Error(`cannot define ${name}: ${outcome.status.message}`)
}
