import type { Registry } from '../registry/contract.ts'
import { clusterCidrDefinition } from '../registry/custom/cluster-cidr-definition.ts'
import { definitionsResource } from '../registry/custom/definition-strategy.ts'
import type { Settings } from './settings.ts'

/** Defines the custom resources that the chosen controllers are configured by. One that is defined already stays as it is. */
export function defineOwnResources(registry: Registry, { nodeIpam }: Settings): void {
  if (nodeIpam.allocatorType !== 'MultiCIDRRangeAllocator') return
  const { name } = clusterCidrDefinition.metadata
  if (registry.store.get(definitionsResource, name) !== undefined) return
  const outcome = registry.call({ verb: 'create', resource: definitionsResource, object: clusterCidrDefinition })
  if (!outcome.ok) throw new Error(`cannot define ${name}: ${outcome.status.message}`)
}
