import { loadAll } from 'js-yaml'
import { type GoModule, kustomized } from '../../envtest/go-module.ts'
import type { OperatorPlace } from './operator.ts'

export interface Manifest {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: { readonly name: string; readonly namespace?: string }
  readonly [field: string]: unknown
}

/** The installation manifests of the project, without the workloads. */
export function manifestsOf(source: GoModule, from: string): readonly Manifest[] {
  const left = new Set(['Deployment', 'APIService'])
  return (loadAll(kustomized(source, from)) as Manifest[]).filter(({ kind }) => !left.has(kind))
}

export function apply(place: OperatorPlace, manifests: readonly object[]): void {
  const list = { apiVersion: 'v1', kind: 'List', items: manifests }
  place.kubectl(['apply', '--server-side', '-f', '-'], JSON.stringify(list))
}

/** Webhooks keep their service, which forwards to the program outside of the cluster. */
export function reachable(manifest: Manifest, service: string, place: OperatorPlace, caBundle?: string): Manifest {
  if (manifest.kind === 'Service' && manifest.metadata.name === service)
    return { ...manifest, spec: { type: 'ExternalName', externalName: 'localhost' } }
  const text = JSON.stringify(manifest)
  if (!text.includes(`"service":{"name":"${service}"`)) return manifest
  const more = caBundle === undefined ? '' : `"caBundle":"${caBundle}",`
  return JSON.parse(
    text.replaceAll(
      `"service":{"name":"${service}"`,
      `${more}"service":{"port":${place.ports.webhook},"name":"${service}"`,
    ),
  ) as Manifest
}
