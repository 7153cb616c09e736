import { claimCreates } from '../../api/claim-creates.ts'
import type { ResourceClaim } from '../../api/objects/devices.ts'
import { extendedClaimAnnotation, podClaimAnnotation } from '../../api/pod-claims.ts'
import { atLeast } from '../../api/releases/at-least.ts'
import type { KubernetesRelease } from '../../api/releases/kubernetes-release.ts'
import type { Counter, MetricRegistry, MetricSample } from '../../base/metrics.ts'
import { wantsAdminAccess } from './generated-claim.ts'

const countHelp = 'Number of ResourceClaims, categorized by allocation status'
const sourceHelp =
  "Source can be 'resource_claim_template' (created from a template), 'extended_resource' (extended resources), or empty (manually created by a user)."

/** The metrics of claims. Their names and labels differ between releases (resourceclaim/metrics). */
export class ClaimMetrics {
  private readonly creates: Counter
  private readonly hasOwner: boolean

  constructor(registry: MetricRegistry, release: KubernetesRelease, claims: () => readonly ResourceClaim[]) {
    // Since v1.37 kube-scheduler counts the claims that it creates in the same metric.
    this.hasOwner = atLeast(release, '1.37')
    const prefix = this.hasOwner ? 'dynamic_resource_allocation' : 'resourceclaim_controller'
    this.creates = registry.counter(
      this.hasOwner
        ? claimCreates
        : {
            name: 'resourceclaim_controller_creates_total',
            help: 'Number of ResourceClaims creation requests, categorized by creation status and admin access',
            labels: ['status', 'admin_access'],
          },
    )
    const hasSource = atLeast(release, '1.35')
    registry.gaugeFrom(
      {
        name: `${prefix}_resource_claims`,
        help: hasSource ? `${countHelp}, admin access, and source. ${sourceHelp}` : `${countHelp} and admin access`,
        labels: ['allocated', 'admin_access', ...(hasSource ? ['source'] : [])],
      },
      () => samplesOf(claims(), hasSource),
    )
  }

  created(claim: ResourceClaim, succeeded: boolean): void {
    const owner = this.hasOwner ? ownerOf(claim) : []
    this.creates.inc(1, succeeded ? 'success' : 'failure', String(wantsAdminAccess(claim)), ...owner)
  }
}

/** The API group and the kind of the owner. */
function ownerOf(claim: ResourceClaim): readonly [string, string] {
  const owner = claim.metadata.ownerReferences?.find(({ controller }) => controller === true)
  if (owner === undefined) return ['', '']
  const slash = owner.apiVersion.indexOf('/')
  return [slash < 0 ? '' : owner.apiVersion.slice(0, slash), owner.kind]
}

function samplesOf(claims: readonly ResourceClaim[], hasSource: boolean): readonly MetricSample[] {
  const counts = new Map<string, { labelValues: readonly string[]; value: number }>()
  for (const claim of claims) {
    const labelValues = [
      String(claim.status?.allocation !== undefined),
      String(wantsAdminAccess(claim)),
      ...(hasSource ? [sourceOf(claim)] : []),
    ]
    const key = labelValues.join()
    const sample = counts.get(key)
    if (sample === undefined) counts.set(key, { labelValues, value: 1 })
    else sample.value++
  }
  return [...counts.values()]
}

function sourceOf({ metadata: { annotations } }: ResourceClaim): string {
  if (annotations?.[extendedClaimAnnotation] === 'true') return 'extended_resource'
  return (annotations?.[podClaimAnnotation] ?? '') === '' ? '' : 'resource_claim_template'
}
