import type { KubeObject } from '../../api/objects/meta.ts'
import { resolveService } from '../../registry/dynamic/webhook-target.ts'
import type { Store } from '../../store/contract.ts'

export const apiServices = 'apiservices.apiregistration.k8s.io'

export interface ApiService extends KubeObject {
  readonly spec: {
    readonly group?: string
    readonly version?: string
    readonly groupPriorityMinimum?: number
    readonly versionPriority?: number
    readonly service?: { readonly namespace?: string; readonly name?: string; readonly port?: number }
    readonly caBundle?: string
    readonly insecureSkipTLSVerify?: boolean
  }
  readonly status?: { readonly conditions?: readonly ApiServiceCondition[] }
}

export interface ApiServiceCondition {
  readonly type: string
  readonly status: string
  readonly reason?: string
  readonly message?: string
  readonly lastTransitionTime?: string | null
}

/** The address of the server of an API. */
export interface RemoteTarget {
  readonly host: string
  readonly port: number
  /** The name in its certificate. */
  readonly serverName: string
  /** PEM in base64. */
  readonly caBundle?: string
  readonly isUnverified: boolean
}

/** The APIs that other servers serve, the most important ones first. */
export function remoteApis(store: Store): readonly ApiService[] {
  return (store.list(apiServices) as readonly ApiService[])
    .filter(({ spec }) => spec.service !== undefined)
    .sort(
      (a, b) =>
        (b.spec.groupPriorityMinimum ?? 0) - (a.spec.groupPriorityMinimum ?? 0) ||
        (b.spec.versionPriority ?? 0) - (a.spec.versionPriority ?? 0),
    )
}

export function remoteApi(store: Store, group: string, version: string): ApiService | undefined {
  const found = store.get(apiServices, `${version}.${group}`) as ApiService | undefined
  return found?.spec.service === undefined ? undefined : found
}

export const pathOf = ({ spec: { group = '', version = '' } }: ApiService): string =>
  group === '' ? `/api/${version}` : `/apis/${group}/${version}`

export const isAvailable = ({ status }: ApiService): boolean =>
  status?.conditions?.some(({ type, status: is }) => type === 'Available' && is === 'True') === true

/**
 * The target of an API, or why it has none. `addresses`: the addresses of services outside of the cluster, as for
 * webhooks.
 */
export function targetOfApi(
  { spec }: ApiService,
  services: { readonly store: Store; readonly addresses: ReadonlyMap<string, string> },
): RemoteTarget | string {
  const { namespace = '', name = '', port = 443 } = spec.service ?? {}
  const found = resolveService(services, namespace, name, port)
  if (typeof found === 'string') return found
  return {
    ...found,
    serverName: `${name}.${namespace}.svc`,
    ...(spec.caBundle === undefined || spec.caBundle === '' ? {} : { caBundle: spec.caBundle }),
    isUnverified: spec.insecureSkipTLSVerify === true,
  }
}
