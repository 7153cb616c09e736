import type { Pod } from '../../../api/objects/pod.ts'
import type { KubernetesRelease } from '../../../api/releases/kubernetes-release.ts'
import type { DirtyRows } from '../../columns/dirty-rows.ts'
import {
  type ColumnarPlugin,
  type ColumnSources,
  defineColumnarPlugin,
  type PluginColumn,
} from '../../columns/plugin-columns.ts'
import type { NodeTable } from '../../columns/table/node-table.ts'
import type { ClusterState, ParsedPod } from '../../contract/contract.ts'
import { scaledQuotient } from '../../framework/quotient.ts'

const mebibyte = 1024 * 1024
const minImageBytes = 23 * mebibyte
const maxImageBytesPerContainer = 1000 * mebibyte

/** The images of volumes: ignored up to v1.35, scored in v1.36, and counted as images of containers from v1.37 on. */
type VolumeImages = 'ignored' | 'scored' | 'counted'

/** The images of a pod, named as nodes report them. */
export function imagesOf({ spec }: Pod, volumes: VolumeImages): readonly string[] {
  const images: string[] = []
  for (const { image } of spec.initContainers ?? []) images.push(fullName(image ?? ''))
  for (const { image } of spec.containers) images.push(fullName(image ?? ''))
  if (volumes === 'ignored') return images
  for (const { image } of spec.volumes ?? []) {
    const reference = (image as { readonly reference?: string } | undefined)?.reference
    if (image !== undefined) images.push(fullName(reference ?? ''))
  }
  return images
}

function fullName(image: string): string {
  return image.lastIndexOf(':') <= image.lastIndexOf('/') ? `${image}:latest` : image
}

/** The number of images by which the threshold of the best score is multiplied. */
export function imageCount({ spec }: Pod, volumes: VolumeImages): number {
  const containers = spec.containers.length + (spec.initContainers?.length ?? 0)
  if (volumes !== 'counted') return containers
  return containers + (spec.volumes ?? []).filter(({ image }) => image !== undefined).length
}

/**
 * The score of an image is its size, scaled by the share of nodes that have it. Otherwise the first node with an image
 * would attract all pods.
 */
export function imageWeight(sizeBytes: number, nodesWithIt: number, allNodes: number): number {
  return Math.trunc(sizeBytes * (nodesWithIt / allNodes))
}

export function imageScore(sum: number, containers: number): number {
  const most = maxImageBytesPerContainer * containers
  const counted = Math.min(Math.max(sum, minImageBytes), most)
  return scaledQuotient(counted - minImageBytes, 100, most - minImageBytes)
}

interface ImageState {
  readonly cluster: ClusterState
  readonly images: readonly string[]
  readonly containers: number
}

/** Prefers nodes that have the pod's images. */
export function createImageLocality({ changes }: KubernetesRelease): ColumnarPlugin<undefined, ImageState> {
  const scored = changes.has('ImageVolumesScored') ? 'scored' : 'ignored'
  const volumes: VolumeImages = changes.has('ImageVolumesCounted') ? 'counted' : scored
  return defineColumnarPlugin<undefined, ImageState>({
    name: 'ImageLocality',
    preScore: ({ pod }, _nodes, cluster) => ({
      state: { cluster, images: imagesOf(pod, volumes), containers: imageCount(pod, volumes) },
    }),
    score(_pod, { name }, { cluster, images, containers }) {
      let sum = 0
      for (const image of images) {
        const sizes = cluster.image(image)
        const sizeBytes = sizes?.get(name)
        if (sizes !== undefined && sizeBytes !== undefined)
          sum += imageWeight(sizeBytes, sizes.size, cluster.nodes.length)
      }
      return imageScore(sum, containers)
    },
    columns: {
      open: (pod, { table }) => openImages(pod, table, volumes),
      keyOf: (pod, sources) => (sharesScores(pod, sources, volumes) ? '' : String(pod.shape.imagesId)),
    },
  })
}

function imageVersion({ images, nodeCount }: NodeTable): string {
  return `${images.version}/${nodeCount}`
}

/** Pods with images on few nodes have the same score on all other nodes. */
function sharesScores({ pod }: ParsedPod, { table, sharesPlan }: ColumnSources, volumes: VolumeImages): boolean {
  if (table.images.isEmpty) return true
  let nodes = 0
  for (const image of imagesOf(pod, volumes)) nodes += table.images.get(image)?.size ?? 0
  return nodes === 0 || sharesPlan(nodes)
}

function openImages({ pod, shape }: ParsedPod, table: NodeTable, volumes: VolumeImages): PluginColumn {
  let images = imagesOf(pod, volumes)
  let imagesId = shape.imagesId
  const containers = imageCount(pod, volumes)
  // The score of a row depends on the number of nodes and the number of nodes with the images.
  let seen = imageVersion(table)
  const anywhere = (): boolean => images.some((image) => table.images.get(image) !== undefined)
  let known = anywhere()
  const scoreRow = (row: number): number => {
    if (!known) return imageScore(0, containers)
    const name = table.rows[row]?.name ?? ''
    let sum = 0
    for (const image of images) {
      const sizes = table.images.get(image)
      const sizeBytes = sizes?.get(name)
      if (sizes !== undefined && sizeBytes !== undefined) sum += imageWeight(sizeBytes, sizes.size, table.nodeCount)
    }
    return imageScore(sum, containers)
  }
  const mark = (dirty: DirtyRows): void => {
    for (const image of images) {
      for (const name of table.images.get(image)?.keys() ?? []) {
        const row = table.node(name)
        if (row !== undefined) dirty.mark(row.row)
      }
    }
  }
  const retarget = (to: ParsedPod, dirty: DirtyRows): void => {
    if (to.shape.imagesId === imagesId) return
    imagesId = to.shape.imagesId
    mark(dirty)
    images = imagesOf(to.pod, volumes)
    known = anywhere()
    mark(dirty)
  }
  const isStale = (): boolean => {
    const version = imageVersion(table)
    if (version === seen) return false
    seen = version
    const before = known
    known = anywhere()
    return before || known
  }
  return { scoreRow, isStale, retarget }
}
