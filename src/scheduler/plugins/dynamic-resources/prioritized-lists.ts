import type { AllocationResult, ResourceClaim } from '../../../api/objects/devices.ts'

/** resource.k8s.io/v1, FirstAvailableDeviceRequestMaxSize. */
const maxAlternatives = 8

/** A claim has a request with alternatives. */
export function hasAlternatives(claims: readonly ResourceClaim[]): boolean {
  return claims.some(({ spec }) =>
    (spec.devices?.requests ?? []).some(({ firstAvailable = [] }) => firstAvailable.length > 0),
  )
}

/** The earlier an alternative is in its list, the higher is the score (v1.36, computeScore). */
export function scoreOf(claims: readonly ResourceClaim[], results: readonly AllocationResult[]): number {
  let score = 0
  let next = 0
  for (const claim of claims) {
    const allocation = claim.status?.allocation ?? results[next++]
    const chosen = new Set((allocation?.devices?.results ?? []).map(({ request }) => request))
    for (const { name, firstAvailable = [] } of claim.spec.devices?.requests ?? []) {
      firstAvailable.forEach((sub, i) => {
        if (chosen.has(`${name}/${sub.name}`)) score += maxAlternatives - i
      })
    }
  }
  return score
}
