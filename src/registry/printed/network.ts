import type { Service } from '../../api/objects/cluster.ts'
import type { KubeObject } from '../../api/objects/meta.ts'
import { labelsText, someOf } from './text.ts'

export function serviceCells({ metadata, spec, status }: Service, _now: number, age: string): readonly unknown[] {
  const ports = (spec?.ports ?? []).map(({ port, nodePort, protocol }) =>
    nodePort ? `${port}:${nodePort}/${protocol}` : `${port}/${protocol}`,
  )
  return [
    metadata.name,
    spec?.type ?? '',
    spec?.clusterIPs?.[0] ?? '<none>',
    externalAddress(spec, status),
    ports.join(',') || '<none>',
    age,
    labelsText(spec?.selector),
  ]
}

interface Ingress {
  readonly ip?: string
  readonly hostname?: string
}

export function externalAddress(spec: Service['spec'], status: unknown): string {
  const external = (spec?.['externalIPs'] as readonly string[] | undefined) ?? []
  if (spec?.type === 'ExternalName') return String(spec['externalName'] ?? '')
  if (spec?.type === 'LoadBalancer') return [...balancers(status), ...external].join(',') || '<pending>'
  return spec?.type === undefined ? '<unknown>' : external.join(',') || '<none>'
}

export function balancers(status: unknown): readonly string[] {
  const ingress =
    (status as { loadBalancer?: { ingress?: readonly Ingress[] } } | undefined)?.loadBalancer?.ingress ?? []
  const joined = [...new Set(ingress.map(({ ip, hostname }) => ip || hostname || '').filter((each) => each !== ''))]
    .sort()
    .join(',')
  if (joined === '') return []
  return [joined.length > 16 ? `${joined.slice(0, 13)}...` : joined]
}

export function endpointsText(object: {
  readonly subsets?: readonly {
    readonly addresses?: readonly { readonly ip: string }[]
    readonly ports?: readonly { readonly port: number }[]
  }[]
}): string {
  if ((object.subsets ?? []).length === 0) return '<none>'
  const all = (object.subsets ?? []).flatMap(({ addresses = [], ports = [] }) =>
    ports.length === 0
      ? addresses.map(({ ip }) => ip)
      : ports.flatMap(({ port }) =>
          addresses.map(({ ip }) => (ip.includes(':') ? `[${ip}]:${port}` : `${ip}:${port}`)),
        ),
  )
  return someOf(all)
}

interface IngressObject extends KubeObject {
  readonly spec?: {
    readonly ingressClassName?: string
    readonly rules?: readonly { readonly host?: string }[]
    readonly tls?: readonly unknown[]
  }
  readonly status?: unknown
}

export function ingressCells({ metadata, spec, status }: IngressObject, _now: number, age: string): readonly unknown[] {
  const hosts = (spec?.rules ?? []).map(({ host }) => host ?? '').filter((host) => host !== '')
  const shown =
    hosts.length > 3 ? `${hosts.slice(0, 3).join(',')} + ${(spec?.rules?.length ?? 0) - 3} more...` : hosts.join(',')
  return [
    metadata.name,
    spec?.ingressClassName ?? '<none>',
    shown || '*',
    balancers(status).join(','),
    (spec?.tls ?? []).length > 0 ? '80, 443' : '80',
    age,
  ]
}
