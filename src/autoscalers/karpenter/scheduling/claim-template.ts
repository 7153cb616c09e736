import type { NodeClaim, NodePool } from '../../../api/objects/karpenter.ts'
import type { StringMap } from '../../../api/objects/meta.ts'
import type { Taint } from '../../../api/objects/node.ts'
import type { Pod } from '../../../api/objects/pod.ts'
import { labels } from '../../../api/well-known.ts'
import { type InstanceType, offeringsFor, orderByPrice } from '../catalog/instance-type.ts'
import {
  capacityTypeLabel,
  hashAnnotation,
  hashVersionAnnotation,
  initializedLabel,
  minValuesRelaxedAnnotation,
  nodeClassLabel,
  nodePoolLabel,
  registeredLabel,
} from '../names.ts'
import { hashVersion, nodePoolHash } from '../node-pool-hash.ts'
import { type Amounts, toResourceList } from './amounts.ts'
import { Requirement } from './requirement.ts'
import { Requirements } from './requirements.ts'

/** The maximum number of instance types in a claim. */
export const maxInstanceTypes = 600

/** The requirements of the nodes that a pool creates (v1.14, scheduling.NodeClaimTemplate). */
export interface ClaimTemplate {
  readonly pool: NodePool
  readonly labels: StringMap
  readonly taints: readonly Taint[]
  readonly requirements: Requirements
}

// DaemonSets may select nodes by these labels; the claim does not have them.
const simulated = [registeredLabel, initializedLabel]

export function templateOf(pool: NodePool): ClaimTemplate {
  const { metadata, spec } = pool.spec.template
  const own = {
    ...metadata?.labels,
    [nodePoolLabel]: pool.metadata.name,
    [nodeClassLabel(spec.nodeClassRef)]: spec.nodeClassRef.name,
  }
  const requirements = Requirements.fromFields(spec.requirements)
    .and(Requirements.fromLabels(own))
    .with(simulated.map((key) => Requirement.in(key, ['true'])))
  return { pool, labels: own, taints: spec.taints ?? [], requirements }
}

/** A node to be created. */
export interface ClaimPlan {
  readonly template: ClaimTemplate
  readonly requirements: Requirements
  types: readonly InstanceType[]
  readonly requests: Amounts
  readonly pods: readonly Pod[]
  readonly isMinValuesRelaxed?: boolean
}

/**
 * The NodeClaim that requests a node from the cloud. It contains the instance types that fit, and the cheapest one is
 * launched.
 */
export function claimOf(planned: ClaimPlan, wellKnown: ReadonlySet<string>): Omit<NodeClaim, 'status'> {
  const { template, types, requests } = planned
  const { pool } = template
  const { metadata, spec } = pool.spec.template
  const isStatic = pool.spec.replicas !== undefined
  const requirements = isStatic ? planned.requirements : narrowed(planned.requirements, types, wellKnown)
  const { requirements: _, ...rest } = spec
  return {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodeClaim',
    metadata: {
      name: '',
      generateName: `${pool.metadata.name}-`,
      annotations: {
        ...metadata?.annotations,
        [hashAnnotation]: nodePoolHash(pool),
        [hashVersionAnnotation]: hashVersion,
        ...(isStatic ? {} : { [minValuesRelaxedAnnotation]: String(planned.isMinValuesRelaxed ?? false) }),
      },
      labels: { ...template.labels, ...customLabels(requirements, wellKnown) },
      ownerReferences: [
        {
          apiVersion: 'karpenter.sh/v1',
          kind: 'NodePool',
          name: pool.metadata.name,
          uid: pool.metadata.uid ?? '',
          blockOwnerDeletion: true,
        },
      ],
    },
    spec: {
      ...rest,
      requirements: simulated.reduce((all, key) => all.without(key), requirements).toFields(),
      ...(isStatic ? {} : { resources: { requests: toResourceList(requests) } }),
    },
  }
}

/** Adds the instance types by price, and the capacity types in which they are available. */
function narrowed(requirements: Requirements, types: readonly InstanceType[], wellKnown: ReadonlySet<string>) {
  const chosen = orderByPrice(types, requirements, wellKnown).slice(0, maxInstanceTypes)
  const { minValues } = requirements.get(labels.instanceType)
  const named = requirements.with([
    Requirement.in(
      labels.instanceType,
      chosen.map(({ name }) => name),
      minValues,
    ),
  ])
  const capacityTypes = chosen.flatMap((type) => offeringsFor(type, named, wellKnown).map((each) => each.capacityType))
  return capacityTypes.length === 0 ? named : named.with([Requirement.in(capacityTypeLabel, capacityTypes)])
}

/** Custom labels of the pool. Their values are selected now, because instance types do not define them. */
function customLabels(requirements: Requirements, wellKnown: ReadonlySet<string>): StringMap {
  const own: Record<string, string> = {}
  for (const requirement of requirements.all) {
    const { key, operator } = requirement
    if (wellKnown.has(key) || key === labels.hostname || simulated.includes(key)) continue
    const value = operator === 'DoesNotExist' ? undefined : anyOf(requirement)
    if (value !== undefined) own[key] = value
  }
  return own
}

/** Upstream selects any allowed value. */
function anyOf({ operator, values, bounds }: Requirement): string | undefined {
  return operator === 'In' ? [...values].sort()[0] : String(bounds.gte ?? 0)
}
