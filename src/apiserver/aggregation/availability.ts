import type { KubeObject } from '../../api/objects/meta.ts'
import type { Store } from '../../store/contract.ts'
import type { ApiService, ApiServiceCondition } from './api-services.ts'

interface Service extends KubeObject {
  readonly spec?: {
    readonly type?: string
    readonly ports?: readonly { readonly name?: string; readonly port: number }[]
  }
}

interface Slice extends KubeObject {
  readonly endpoints?: readonly { readonly conditions?: { readonly ready?: boolean } }[]
  readonly ports?: readonly { readonly name?: string; readonly port?: number }[]
}

export type ApiAvailability = Pick<ApiServiceCondition, 'status' | 'reason' | 'message'>

/**
 * Why an API cannot be reached, according to the Service and its EndpointSlices (v1.36, kube-aggregator,
 * AvailableConditionController).
 */
export function missingService({ spec }: ApiService, store: Store): ApiAvailability | undefined {
  const { namespace = '', name = '', port = 443 } = spec.service ?? {}
  const no = (reason: string, message: string): ApiAvailability => ({ status: 'False', reason, message })
  const what = `service/${name} in ${JSON.stringify(namespace)}`
  const service = store.get('services', `${namespace}/${name}`) as Service | undefined
  if (service === undefined) return no('ServiceNotFound', `${what} is not present`)
  if ((service.spec?.type ?? 'ClusterIP') !== 'ClusterIP') return undefined
  const served = service.spec?.ports?.find((one) => one.port === port)
  if (served === undefined) return no('ServicePortError', `${what} is not listening on port ${port}`)
  const slices = (store.list('endpointslices.discovery.k8s.io', { namespace }) as readonly Slice[]).filter(
    ({ metadata }) => metadata.labels?.['kubernetes.io/service-name'] === name,
  )
  if (slices.length === 0) return no('EndpointsNotFound', `cannot find endpointslices for ${what}`)
  const portName = served.name ?? ''
  const hasEndpoint = slices.some(
    ({ endpoints = [], ports = [] }) =>
      endpoints.some(({ conditions }) => conditions?.ready !== false) &&
      ports.some((one) => (one.name ?? '') === portName && one.port !== undefined),
  )
  if (hasEndpoint) return undefined
  const message = `endpointslices for ${what} have no addresses with port name ${JSON.stringify(portName)}`
  return no('MissingEndpoints', message)
}

export const passed: ApiAvailability = { status: 'True', reason: 'Passed', message: 'all checks passed' }

/** The conditions with the new availability, or undefined if nothing changes. */
export function withAvailability(
  { status }: ApiService,
  availability: ApiAvailability,
  now: string,
): readonly ApiServiceCondition[] | undefined {
  const before = status?.conditions ?? []
  const old = before.find(({ type }) => type === 'Available')
  const isSame =
    old?.status === availability.status &&
    old.reason === availability.reason &&
    (old.message ?? '') === availability.message
  if (isSame) return undefined
  const lastTransitionTime = old?.status === availability.status ? (old.lastTransitionTime ?? now) : now
  return [
    ...before.filter(({ type }) => type !== 'Available'),
    { type: 'Available', ...availability, lastTransitionTime },
  ]
}
