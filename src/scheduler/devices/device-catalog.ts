import type { DeviceClass, ResourceSlice } from '../../api/objects/devices.ts'
import type { SliceSource } from './device-pools.ts'
import { poolIdOf } from './pool-device.ts'

// resource.k8s.io/v1, ResourceDeviceClassPrefix.
const implicitPrefix = 'deviceclass.resource.kubernetes.io/'

const none: readonly ResourceSlice[] = []

/** The slices and classes of the cluster. */
export class DeviceCatalog implements SliceSource {
  /** Increases with every change of a class. */
  classesVersion = 0
  /** Increases with every change of a slice that names no node. */
  sharedVersion = 0
  private readonly classes = new Map<string, DeviceClass>()
  private readonly classOfResource = new Map<string, DeviceClass>()
  private readonly slices = new Map<string, ResourceSlice>()
  private readonly byNode = new Map<string, ResourceSlice[]>()
  private readonly byPool = new Map<string, ResourceSlice[]>()
  private readonly nodeVersions = new Map<string, number>()
  private sharedSlices: readonly ResourceSlice[] = none
  private readonly onChange: (node: string | undefined) => void

  /** @param onChange Called for a node whose slices changed; without a name for slices that name no node. */
  constructor(onChange: (node: string | undefined) => void) {
    this.onChange = onChange
  }

  get isEmpty(): boolean {
    return this.slices.size === 0
  }

  class(name: string): DeviceClass | undefined {
    return this.classes.get(name)
  }

  /** The class that provides an extended resource; undefined for other resources (ExtendedResourceCache). */
  classFor(resource: string): DeviceClass | undefined {
    return this.classOfResource.get(resource)
  }

  get hasExtendedResources(): boolean {
    return this.classOfResource.size > 0
  }

  ofNode(name: string): readonly ResourceSlice[] {
    return this.byNode.get(name) ?? none
  }

  get shared(): readonly ResourceSlice[] {
    return this.sharedSlices
  }

  ofPool(poolId: string): readonly ResourceSlice[] {
    return this.byPool.get(poolId) ?? none
  }

  allSlices(): IterableIterator<ResourceSlice> {
    return this.slices.values()
  }

  /** Changes with the slices that concern a node. */
  versionFor(node: string): string {
    return `${this.nodeVersions.get(node) ?? 0}:${this.sharedVersion}`
  }

  noteClass(before: DeviceClass | undefined, after: DeviceClass | undefined): void {
    this.classesVersion++
    if (after === undefined) {
      if (before === undefined) return
      this.classes.delete(before.metadata.name)
      this.classOfResource.delete(implicitPrefix + before.metadata.name)
      const explicit = before.spec.extendedResourceName
      if (explicit !== undefined) this.classOfResource.delete(explicit)
      return
    }
    this.classes.set(after.metadata.name, after)
    this.mapResources(before, after)
  }

  noteSlice(before: ResourceSlice | undefined, after: ResourceSlice | undefined): void {
    if (before !== undefined) this.drop(before)
    if (after !== undefined) this.add(after)
  }

  /** If several classes have the same resource name, the newest class counts (v1.36, updateResourceName2class). */
  private mapResources(before: DeviceClass | undefined, after: DeviceClass): void {
    const explicit = after.spec.extendedResourceName
    const rival = explicit === undefined ? undefined : this.classOfResource.get(explicit)
    if (rival !== undefined && !isPreferred(after, rival)) return
    if (before !== undefined) {
      this.classOfResource.delete(implicitPrefix + before.metadata.name)
      if (before.spec.extendedResourceName !== undefined) this.classOfResource.delete(before.spec.extendedResourceName)
    }
    if (explicit !== undefined) this.classOfResource.set(explicit, after)
    this.classOfResource.set(implicitPrefix + after.metadata.name, after)
  }

  private add(slice: ResourceSlice): void {
    this.drop(slice)
    this.slices.set(slice.metadata.name, slice)
    append(this.byPool, poolIdOf(slice.spec), slice)
    const node = slice.spec.nodeName ?? ''
    if (node !== '' && (slice.spec.sharedCounters?.length ?? 0) === 0) append(this.byNode, node, slice)
    else this.sharedSlices = [...this.sharedSlices, slice]
    this.changed(slice)
  }

  private drop(slice: ResourceSlice): void {
    const { name } = slice.metadata
    const known = this.slices.get(name)
    if (known === undefined) return
    this.slices.delete(name)
    remove(this.byPool, poolIdOf(known.spec), known)
    if (known.spec.nodeName !== undefined) remove(this.byNode, known.spec.nodeName, known)
    this.sharedSlices = this.sharedSlices.filter((one) => one !== known)
    this.changed(known)
  }

  private changed({ spec }: ResourceSlice): void {
    const { nodeName = '' } = spec
    const isLocal = nodeName !== '' && (spec.sharedCounters?.length ?? 0) === 0
    // Nodes of a pool that spans several slices depend on all of them.
    const spans =
      spec.pool.resourceSliceCount > 1 ||
      this.ofPool(poolIdOf(spec)).some(
        (other) => other.spec.nodeName !== nodeName || other.spec.pool.resourceSliceCount > 1,
      )
    if (isLocal && !spans) {
      this.nodeVersions.set(nodeName, (this.nodeVersions.get(nodeName) ?? 0) + 1)
      this.onChange(nodeName)
      return
    }
    this.sharedVersion++
    this.onChange(undefined)
  }
}

function isPreferred(a: DeviceClass, b: DeviceClass): boolean {
  const [x, y] = [a, b].map(({ metadata }) => Date.parse(metadata.creationTimestamp ?? '') || 0) as [number, number]
  if (x !== y) return x > y
  return a.metadata.name < b.metadata.name
}

function append(map: Map<string, ResourceSlice[]>, key: string, slice: ResourceSlice): void {
  const known = map.get(key)
  if (known === undefined) map.set(key, [slice])
  else known.push(slice)
}

function remove(map: Map<string, ResourceSlice[]>, key: string, slice: ResourceSlice): void {
  const left = (map.get(key) ?? []).filter((one) => one !== slice)
  if (left.length === 0) map.delete(key)
  else map.set(key, left)
}
