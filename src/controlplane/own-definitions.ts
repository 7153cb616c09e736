import type { JsonObject, KubeObject } from '../api/objects/meta.ts'
import type { Autoscaling } from '../autoscalers/autoscaling.ts'
import { karpenterDefinitions } from '../autoscalers/karpenter/definitions.ts'
import type { Registry } from '../registry/contract.ts'
import { clusterCidrDefinition } from '../registry/custom/cluster-cidr-definition.ts'
import { definitionsResource } from '../registry/custom/definition-strategy.ts'
import type { Settings } from './settings.ts'

/** Creates the CustomResourceDefinitions that configure the chosen controllers. Existing ones are not changed. */
export function defineOwnResources(registry: Registry, { nodeIpam }: Settings, autoscaling: Autoscaling = {}): void {
  if (nodeIpam.allocatorType === 'MultiCIDRRangeAllocator') define(registry, clusterCidrDefinition)
  if (autoscaling.karpenter !== undefined) for (const each of karpenterDefinitions) define(registry, each)
}

function define(registry: Registry, definition: KubeObject & JsonObject): void {
  const { name } = definition.metadata
  if (registry.store.get(definitionsResource, name) !== undefined) return
  const outcome = registry.call({ verb: 'create', resource: definitionsResource, object: definition })
  if (!outcome.ok) throw new Error(`cannot define ${name}: ${outcome.status.message}`)
}
