import type { Failure } from '../../../api/call.ts'
import type { Service } from '../../../api/objects/cluster.ts'
import { type FieldError, invalidObject } from '../../errors/field-error.ts'
import type { WriteContext } from '../kind.ts'

export type ServiceSpec = NonNullable<Service['spec']>

export const texts = (spec: ServiceSpec | undefined, field: 'clusterIPs' | 'ipFamilies'): readonly string[] =>
  (spec?.[field] as readonly string[] | undefined) ?? []

export const isHeadless = (spec: ServiceSpec): boolean =>
  spec.clusterIP === 'None' || texts(spec, 'clusterIPs')[0] === 'None'

export const refuse = (service: Service, errors: readonly FieldError[]): Failure =>
  invalidObject('Service', 'services', service.metadata.name, errors)

/** The specs of all services but this one. */
export function otherSpecs(context: WriteContext, service: Service | undefined): readonly ServiceSpec[] {
  const uid = service?.metadata.uid
  const all = context.store.list('services') as readonly Service[]
  return all.filter((one) => uid === undefined || one.metadata.uid !== uid).map(({ spec }) => spec ?? {})
}
