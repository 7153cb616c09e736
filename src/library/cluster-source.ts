import type { KubeObject } from '../api/objects/meta.ts'
import { parseTime } from '../api/time.ts'
import { type ClusterInput, findCluster } from '../whatif/snapshot/found-cluster.ts'
import type { ReadSnapshot } from '../whatif/snapshot/snapshot-lines.ts'

/** Objects as `kubectl get -o json` prints them. */
export interface ObjectList {
  readonly items: readonly KubeObject[]
}

/**
 * The initial objects of a cluster: the path of a snapshot of `berth snapshot`, of a dump of `kubectl get -o json|yaml` or
 * of a directory of manifests; or the objects. Objects of a running cluster keep their state; manifests are created.
 */
export type ClusterSource = string | URL | ObjectList | readonly KubeObject[]

/** `more`: objects that are created besides those of the source. */
export async function readSource(from: ClusterSource, more: readonly KubeObject[]): Promise<ClusterInput> {
  const read = await contentOf(from)
  if (!('objects' in read)) return findCluster({ objects: read, more, keeps: 'everything' })
  const { header, end, objects } = read
  const takenAtMs = parseTime(header.takenAt)
  return findCluster({
    objects,
    more,
    isServed: true,
    missing: end.missing,
    keeps: 'everything',
    ...(takenAtMs === undefined ? {} : { takenAtMs }),
    ...(header.kubernetes === undefined ? {} : { kubernetes: header.kubernetes }),
  })
}

async function contentOf(from: ClusterSource): Promise<ReadSnapshot | readonly KubeObject[]> {
  if (typeof from === 'string' || from instanceof URL) {
    const { readClusterFile } = await import('./ports-cluster-files.ts')
    return readClusterFile(from)
  }
  const objects = 'items' in from ? from.items : from
  if (!Array.isArray(objects)) throw new Error('from: must be a path, a list of objects, or an object with items')
  return objects
}
