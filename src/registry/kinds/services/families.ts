import { deepEqual } from '../../../api/equality.ts'
import { type FieldError, invalid } from '../../errors/field-error.ts'
import { noErrors } from '../../validation/reader.ts'
import { checkClusterIps } from '../../validation/services.ts'
import type { WriteContext } from '../kind.ts'
import { familyOfText, type ServiceFamily } from './address-ranges.ts'
import { isHeadless, type ServiceSpec, texts } from './service-spec.ts'

export type SettledFamilies =
  | { readonly kind: 'settled'; readonly spec: ServiceSpec }
  | { readonly kind: 'refused'; readonly errors: readonly FieldError[] }

const policyOf = (spec: ServiceSpec | undefined): string | undefined => spec?.['ipFamilyPolicy'] as string | undefined
const settled = (spec: ServiceSpec): SettledFamilies => ({ kind: 'settled', spec })
const at = 'spec.ipFamilyPolicy'

/** The policy and the families of a service, as the cluster allows them (v1.36, initIPFamilyFields). */
export function withFamilies(
  given: ServiceSpec,
  before: ServiceSpec | undefined,
  configured: readonly ServiceFamily[],
  { release }: WriteContext,
): SettledFamilies {
  if (given.type === 'ExternalName') return settled(withoutInternalPolicy(given))
  if (before !== undefined && keepsPreferredFamilies(given, before)) return settled(given)
  const isBare = isHeadless(given) && Object.keys(given.selector ?? {}).length === 0
  const policy = policyOf(given) ?? policyOf(before) ?? (isBare ? 'RequireDualStack' : 'SingleStack')
  const asked: ServiceSpec = { ...given, ipFamilyPolicy: policy }
  const errors = noErrors(release)
  checkClusterIps(errors, asked, texts(before, 'clusterIPs'))
  if (errors.length > 0) return { kind: 'refused', errors }
  const spec = before === undefined ? asked : released(asked, before, policy, errors)
  const families = inferred(spec, policy, configured, errors)
  if (errors.length > 0) return { kind: 'refused', errors }
  if (families.length === 0 && isBare) families.push(configured[0] ?? 'IPv4')
  if (!isBare) {
    checkConfigured(policy, families, configured, errors)
    if (errors.length > 0) return { kind: 'refused', errors }
    if (families.length === 0) families.push(configured[0] ?? 'IPv4')
  }
  // A headless service without a selector may have families that the cluster does not have.
  const isDual = policy !== 'SingleStack' && (isBare || configured.length === 2)
  if (isDual && families.length === 1) families.push(families[0] === 'IPv4' ? 'IPv6' : 'IPv4')
  return settled({ ...spec, ipFamilies: families })
}

/** Drops a policy that has no effect. An invalid policy is reported first. */
function withoutInternalPolicy(spec: ServiceSpec): ServiceSpec {
  const { internalTrafficPolicy, ...rest } = spec
  return internalTrafficPolicy === 'Cluster' || internalTrafficPolicy === 'Local' ? rest : spec
}

const withAddress = new Set(['ClusterIP', 'NodePort', 'LoadBalancer'])

/**
 * Whether an update leaves the families of a PreferDualStack service as they are. Such a service does not follow a
 * cluster that becomes dual-stack or single-stack (isMatchingPreferDualStackClusterIPFields).
 */
export function keepsPreferredFamilies(spec: ServiceSpec, before: ServiceSpec): boolean {
  const prefers = (policy: string | undefined): boolean => policy === 'PreferDualStack'
  return (
    before.type === spec.type &&
    withAddress.has(spec.type ?? '') &&
    prefers(policyOf(spec)) &&
    prefers(policyOf(before) ?? 'PreferDualStack') &&
    deepEqual(texts(spec, 'clusterIPs'), texts(before, 'clusterIPs')) &&
    deepEqual(texts(spec, 'ipFamilies'), texts(before, 'ipFamilies'))
  )
}

/** SingleStack releases the second address and family. Otherwise an update may not remove them. */
function released(spec: ServiceSpec, before: ServiceSpec, policy: string, errors: FieldError[]): ServiceSpec {
  const next: Record<string, unknown> = { ...spec }
  for (const [field, what] of [
    ['clusterIPs', 'cluster IP'],
    ['ipFamilies', 'IP family'],
  ] as const) {
    const [now, old] = [texts(spec, field), texts(before, field)]
    if (policy === 'SingleStack') {
      if (now.length > 1 && deepEqual(now, old)) next[field] = now.slice(0, 1)
    } else if (now.length > 0 && now.length < old.length) {
      errors.push(invalid(at, policy, `must be 'SingleStack' to release the secondary ${what}`))
    }
  }
  return next as ServiceSpec
}

/** The families that a service requests, and the families of its addresses. */
function inferred(
  spec: ServiceSpec,
  policy: string,
  configured: readonly ServiceFamily[],
  errors: FieldError[],
): string[] {
  const ips = texts(spec, 'clusterIPs')
  const families = [...texts(spec, 'ipFamilies')]
  if (policy === 'SingleStack') {
    const why = (what: string): string =>
      `must be 'RequireDualStack' or 'PreferDualStack' when multiple ${what} are specified`
    if (ips.length === 2) errors.push(invalid(at, policy, why('cluster IPs')))
    if (families.length === 2) errors.push(invalid(at, policy, why('IP families')))
  }
  for (const [i, ip] of ips.entries()) {
    if (ip === 'None') break
    if (i < families.length) continue
    const family = familyOfText(ip)
    if (configured.includes(family)) families.push(family)
    else errors.push(invalid(`spec.clusterIPs[${i}]`, ips, `${family} is not configured on this cluster`))
  }
  return families
}

function checkConfigured(
  policy: string,
  families: readonly string[],
  configured: readonly ServiceFamily[],
  errors: FieldError[],
): void {
  if (policy === 'RequireDualStack' && configured.length < 2) {
    errors.push(invalid(at, policy, 'this cluster is not configured for dual-stack services'))
  }
  families.forEach((family, i) => {
    if ((configured as readonly string[]).includes(family)) return
    errors.push(invalid(`spec.ipFamilies[${i}]`, family, 'not configured on this cluster'))
  })
}
