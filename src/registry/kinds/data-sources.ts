import type { KubeObject } from '../../api/objects/meta.ts'
import type { Fields } from '../../base/fields.ts'

const specOf = (object: KubeObject | undefined): Fields => (object as { spec?: Fields } | undefined)?.spec ?? {}

const fieldOf = (from: Fields, field: string): Fields | undefined =>
  (from[field] as Fields | null | undefined) ?? undefined

/**
 * The data source of a claim can be set in two fields; both get the same value. The older field keeps only claims and
 * snapshots (v1.36, api/persistentvolumeclaim).
 */
export function withDataSources(claim: KubeObject, old?: KubeObject): KubeObject {
  const given = specOf(claim)
  const before = specOf(old)
  let source = fieldOf(given, 'dataSource')
  let reference = fieldOf(given, 'dataSourceRef')
  if (source === undefined && reference === undefined) return claim
  const hadReference = fieldOf(before, 'dataSourceRef') !== undefined
  // Sources in other namespaces need a feature gate.
  if (isElsewhere(reference) && !hadReference) reference = undefined
  const wasFilled = hadReference || fieldOf(before, 'dataSource') !== undefined
  if (!wasFilled && reference === undefined && !isClaimOrSnapshot(source)) source = undefined
  if (source !== undefined) reference ??= source
  else if (reference !== undefined && !isElsewhere(reference)) {
    const { namespace: _, ...local } = reference
    source = local
  }
  const { dataSource: _, dataSourceRef: __, ...rest } = given
  const spec = {
    ...rest,
    ...(source === undefined ? {} : { dataSource: source }),
    ...(reference === undefined ? {} : { dataSourceRef: reference }),
  }
  return { ...claim, spec } as KubeObject
}

const isElsewhere = (reference: Fields | undefined): boolean => ((reference?.['namespace'] ?? '') as string) !== ''

function isClaimOrSnapshot(source: Fields | undefined): boolean {
  const group = source?.['apiGroup'] ?? ''
  if (source?.['kind'] === 'PersistentVolumeClaim') return group === ''
  return source?.['kind'] === 'VolumeSnapshot' && group === 'snapshot.storage.k8s.io'
}
