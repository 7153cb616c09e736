import type { Pod } from '../../../api/objects/pod.ts'
import { checkMinValues, type InstanceType, type Offering } from '../catalog/instance-type.ts'
import { type Amounts, amountsText, fits, sum } from './amounts.ts'
import type { HostPorts } from './host-ports.ts'
import type { Requirements } from './requirements.ts'

/** Instance types with the same daemon pods, and the requests of these pods. */
export interface DaemonGroup {
  readonly types: ReadonlySet<InstanceType>
  readonly overhead: Amounts
  readonly ports: HostPorts
}

export interface FilterInput {
  readonly types: readonly InstanceType[]
  readonly requirements: Requirements
  readonly pod: Pod | undefined
  readonly podRequests: Amounts
  readonly groups: readonly DaemonGroup[]
  readonly total: Amounts
  readonly relaxesMinValues: boolean
  readonly wellKnown: ReadonlySet<string>
}

export type Filtered =
  | {
      readonly kind: 'some'
      readonly types: readonly InstanceType[]
      readonly unmet: ReadonlyMap<string, number>
    }
  | { readonly kind: 'none'; readonly reason: () => string }

/** The instance types that meet the requirements, are large enough and are available (v1.14, filterInstanceTypesByRequirements). */
export function filterInstanceTypes(input: FilterInput): Filtered {
  const { requirements, pod, groups, total, wellKnown } = input
  const met = {
    requirements: false,
    fits: false,
    offering: false,
    requirementsAndFits: false,
    requirementsAndOffering: false,
    fitsAndOffering: false,
  }
  const left: InstanceType[] = []
  const totals = groups.map((group) => (group.overhead.size === 0 ? total : sum([total, group.overhead])))
  const isBlocked = groups.map((group) => pod !== undefined && group.ports.conflicts(pod))
  for (const type of input.types) {
    const at = groups.findIndex((group) => group.types.has(type))
    if (at < 0 || isBlocked[at]) continue
    const isCompatible = type.requirements.conflict(requirements) === undefined
    const hasRoom = fits(totals[at] as Amounts, type.allocatable)
    const hasOffering = type.offerings.some((offering) => isUsable(offering, requirements, wellKnown))
    const isFitting = hasRoom && hasOffering
    met.requirements ||= isCompatible
    met.fits ||= isFitting
    met.offering ||= hasOffering
    met.requirementsAndFits ||= isCompatible && isFitting && !hasOffering
    met.requirementsAndOffering ||= isCompatible && hasOffering && !isFitting
    met.fitsAndOffering ||= isFitting && hasOffering && !isCompatible
    if (isCompatible && isFitting) left.push(type)
  }
  const { unmet } = checkMinValues(left, requirements)
  if (unmet.size > 0 && !input.relaxesMinValues) {
    const problem = `minValues requirement is not met for label(s) (label(s)=[${[...unmet.keys()].join(' ')}])`
    return { kind: 'none', reason: () => `${problem}, ${detailOf(input)}` }
  }
  if (left.length > 0) return { kind: 'some', types: left, unmet }
  return { kind: 'none', reason: () => `${whyNone(met)}, ${detailOf(input)}` }
}

function isUsable(
  { isAvailable, requirements: own }: Offering,
  requirements: Requirements,
  wellKnown: ReadonlySet<string>,
) {
  return isAvailable && requirements.isCompatible(own, wellKnown)
}

function detailOf({ requirements, podRequests, groups }: FilterInput): string {
  const [group] = groups
  const resources = group === undefined ? podRequests : sum([podRequests, group.overhead])
  return `requirements=${requirements}, resources=${amountsText(resources)}`
}

type Met = Readonly<
  Record<
    'requirements' | 'fits' | 'offering' | 'requirementsAndFits' | 'requirementsAndOffering' | 'fitsAndOffering',
    boolean
  >
>

function whyNone(met: Met): string {
  const missing = [
    met.requirements ? [] : ['met the scheduling requirements'],
    met.fits ? [] : ['had enough resources'],
    met.offering ? [] : ['had a required offering'],
  ].flat()
  if (missing.length > 1) return `no instance type ${missing.join(' or ')}`
  if (!met.requirements) return 'no instance type met all requirements'
  if (!met.fits) return 'no instance type has enough resources'
  if (!met.offering) return 'no instance type has the required offering'
  if (met.requirementsAndFits)
    return 'no instance type which met the scheduling requirements and had enough resources, had a required offering'
  if (met.fitsAndOffering)
    return 'no instance type which had enough resources and the required offering met the scheduling requirements'
  if (met.requirementsAndOffering)
    return 'no instance type which met the scheduling requirements and the required offering had the required resources'
  return 'no instance type met the requirements/resources/offering tuple'
}
