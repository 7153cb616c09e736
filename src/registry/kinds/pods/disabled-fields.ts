import type { KubeObject } from '../../../api/objects/meta.ts'
import type { KubernetesRelease } from '../../../api/releases/kubernetes-release.ts'
import type { Fields } from '../../../base/fields.ts'

const listOf = (from: Fields | undefined, field: string): readonly Fields[] =>
  (from?.[field] as readonly Fields[] | null | undefined) ?? []

/**
 * A pod's spec without the fields that wait behind feature gates which are off by default (v1.36, api/pod
 * DropDisabledFields): schedulingGroup, two projections, and stop signals. What the old spec uses may stay.
 */
function withoutDisabledFields(spec: Fields, old: Fields | undefined, gates: ReadonlySet<string>): Fields {
  let out = spec
  const isGroupKept = gates.has('GenericWorkload') || old?.['schedulingGroup'] !== undefined
  if (spec['schedulingGroup'] !== undefined && !isGroupKept) {
    const { schedulingGroup: _, ...rest } = out
    out = rest
  }
  for (const projection of ['clusterTrustBundle', 'podCertificate']) {
    if (!isProjected(spec, projection) || isProjected(old, projection)) continue
    out = { ...out, volumes: listOf(out, 'volumes').map((volume) => withoutProjection(volume, projection)) }
  }
  if (hasStopSignals(spec) && !hasStopSignals(old)) out = withoutStopSignals(out)
  return out
}

function isProjected(spec: Fields | undefined, projection: string): boolean {
  for (const volume of listOf(spec, 'volumes')) {
    const projected = volume['projected'] as Fields | undefined
    if (projected === undefined) continue
    if (listOf(projected, 'sources').some((source) => source[projection] !== undefined)) return true
  }
  return false
}

function withoutProjection(volume: Fields, projection: string): Fields {
  const projected = volume['projected'] as Fields | undefined
  if (projected === undefined) return volume
  const sources = listOf(projected, 'sources').map(({ [projection]: _, ...source }) => source)
  return { ...volume, projected: { ...projected, sources } }
}

const containerLists = ['containers', 'initContainers', 'ephemeralContainers'] as const

const stopSignalOf = (container: Fields): unknown => (container['lifecycle'] as Fields | undefined)?.['stopSignal']

function hasStopSignals(spec: Fields | undefined): boolean {
  for (const field of containerLists) {
    for (const container of listOf(spec, field)) if (stopSignalOf(container) !== undefined) return true
  }
  return false
}

function withoutStopSignals(spec: Fields): Fields {
  const out: Record<string, unknown> = { ...spec }
  for (const field of containerLists) {
    if (out[field] === undefined) continue
    out[field] = listOf(spec, field).map((container) => {
      if (stopSignalOf(container) === undefined) return container
      const { lifecycle, ...rest } = container
      const { stopSignal: _, ...hooks } = lifecycle as Fields
      return Object.keys(hooks).length === 0 ? rest : { ...rest, lifecycle: hooks }
    })
  }
  return out
}

/** The same for an object that has a pod template, or a pod's spec, at this path. */
export function withoutDisabledAt<T extends KubeObject>(
  object: T,
  path: readonly string[],
  { release }: { readonly release: KubernetesRelease },
  old?: KubeObject,
): T {
  const spec = valueAt(object as unknown as Fields, path)
  if (spec === undefined) return object
  const cleaned = withoutDisabledFields(spec, valueAt(old as Fields | undefined, path), release.gates)
  return cleaned === spec ? object : (withValueAt(object as unknown as Fields, path, cleaned) as unknown as T)
}

function valueAt(from: Fields | undefined, path: readonly string[]): Fields | undefined {
  let value = from
  for (const field of path) value = (value?.[field] as Fields | null | undefined) ?? undefined
  return value
}

function withValueAt(from: Fields, [field = '', ...rest]: readonly string[], value: Fields): Fields {
  return { ...from, [field]: rest.length === 0 ? value : withValueAt(from[field] as Fields, rest, value) }
}
