import type { KubeObject } from '../../../src/api/objects/meta.ts'
import type { RandomStream } from '../../../src/base/random.ts'
import type { AutoscalerQuestion } from '../../conformance/cluster-autoscaler.ts'
import { chance } from './random-pods.ts'
import { randomQuestion } from './random-question.ts'

const driver = 'gpu.example.com'
const gpuClass = {
  apiVersion: 'resource.k8s.io/v1',
  kind: 'DeviceClass',
  metadata: { name: 'gpu', uid: 'class-gpu' },
  spec: { selectors: [{ cel: { expression: `device.driver == "${driver}"` } }] },
} as never as KubeObject

interface Slice extends KubeObject {
  readonly spec: { readonly pool: { readonly name: string }; readonly devices: readonly { readonly name: string }[] }
}

/** A random cluster in which groups have devices and pods claim them. */
export function randomDeviceQuestion(random: RandomStream): AutoscalerQuestion {
  const question = randomQuestion(random)
  const groups = question.groups.map((group) =>
    chance(random, 0.75) ? { ...group, devices: devicesOf(random, group.name) as never } : group,
  )
  const devices = new Map(
    groups.map(({ name, ...group }) => [name, 'devices' in group ? (group.devices as never as readonly Slice[]) : []]),
  )
  const slices = question.objects.flatMap((node): readonly Slice[] => {
    const like = node.kind === 'Node' ? devices.get(node.metadata.labels?.['kwok-nodegroup'] ?? '') : undefined
    if (like === undefined || chance(random, 0.05)) return []
    return like.map((slice) => published(slice, node.metadata.name)).filter(() => chance(random, 0.97))
  })
  const claimed = new Claims(random, slices)
  const objects = question.objects.flatMap((object) => (object.kind === 'Pod' ? claimed.given(object) : [object]))
  return { ...question, groups, objects: [gpuClass, ...slices, ...objects] }
}

/** The slices of a node of a group: one pool or two, or devices that are parts of one. */
function devicesOf(random: RandomStream, group: string): readonly Slice[] {
  const names = (count: number) => Array.from({ length: count }, (_, i) => ({ name: `gpu-${i}` }))
  const slice = (name: string, pool: object, spec: object): Slice =>
    ({
      apiVersion: 'resource.k8s.io/v1',
      kind: 'ResourceSlice',
      metadata: { name: `${group}-${name}`, uid: `${group}-${name}` },
      spec: { driver, nodeName: group, pool: { name: group, generation: 1, resourceSliceCount: 1, ...pool }, ...spec },
    }) as never
  const count = random.pick([1, 2, 4])
  if (chance(random, 0.2)) {
    const half = { consumesCounters: [{ counterSet: 'card', counters: { memory: { value: '20Gi' } } }] }
    const whole = { consumesCounters: [{ counterSet: 'card', counters: { memory: { value: '40Gi' } } }] }
    const devices = [
      { name: 'gpu-0', ...half },
      { name: 'gpu-1', ...half },
      { name: 'gpu-2', ...whole },
    ]
    const sharedCounters = [{ name: 'card', counters: { memory: { value: '40Gi' } } }]
    return [
      slice('counters', { resourceSliceCount: 2 }, { sharedCounters }),
      slice('gpus', { resourceSliceCount: 2 }, { devices }),
    ]
  }
  if (chance(random, 0.1)) {
    const other = slice('other', { name: `${group}-other` }, { devices: names(1) })
    return [slice('gpus', {}, { devices: names(count) }), other]
  }
  return [slice('gpus', {}, { devices: names(count) })]
}

function published(slice: Slice, node: string): Slice {
  const { name, namespace: _, ...metadata } = slice.metadata
  const group = (slice.spec as never as { nodeName: string }).nodeName
  return {
    ...slice,
    metadata: { ...metadata, name: name.replace(group, node), uid: name.replace(group, node) },
    spec: {
      ...slice.spec,
      nodeName: node,
      pool: { ...slice.spec.pool, name: slice.spec.pool.name.replace(group, node) },
    },
  } as never
}

/** Claims of pods. A pod on a node has devices of that node, if some are left. */
class Claims {
  private readonly random: RandomStream
  private readonly free = new Map<string, { readonly pool: string; readonly device: string }[]>()
  /** The claims of the pods of a shape. */
  private readonly shapes = new Map<string, { readonly count: number; readonly isShared: boolean } | undefined>()
  private readonly shared = new Set<string>()

  constructor(random: RandomStream, slices: readonly Slice[]) {
    this.random = random
    for (const { spec } of slices) {
      const { nodeName } = spec as never as { nodeName: string }
      const left = this.free.get(nodeName) ?? []
      // Of the parts of a card, the halves.
      const parts = (spec.devices ?? []).filter((device) => !('consumesCounters' in device) || device.name !== 'gpu-2')
      left.push(...parts.map(({ name }) => ({ pool: spec.pool.name, device: name })))
      this.free.set(nodeName, left)
    }
  }

  given(pod: KubeObject): readonly KubeObject[] {
    const { nodeName } = (pod as never as { spec: { nodeName?: string } }).spec
    return nodeName === undefined ? this.pending(pod) : this.running(pod, nodeName)
  }

  private running(pod: KubeObject, node: string): readonly KubeObject[] {
    const left = this.free.get(node) ?? []
    const device = chance(this.random, 0.45) ? left.shift() : undefined
    if (device === undefined || pod.metadata.name.startsWith('mirror')) return [pod]
    const result = { request: 'gpu', driver, ...device }
    const matchFields = [{ key: 'metadata.name', operator: 'In', values: [node] }]
    const allocation = { devices: { results: [result] }, nodeSelector: { nodeSelectorTerms: [{ matchFields }] } }
    const { name, uid } = pod.metadata
    const status = { allocation, reservedFor: [{ resource: 'pods', name, uid }] }
    // Groups with a daemon pod whose claim is not its own do not grow: their templates are refused.
    const isOwn = chance(this.random, 0.85) || name.startsWith('agent')
    return [withClaim(pod, `${name}-gpu`, isOwn), claimOf(pod, `${name}-gpu`, { count: 1, isOwn, status })]
  }

  private pending(pod: KubeObject): readonly KubeObject[] {
    const shape = pod.metadata.name.replace(/-\d+$/, '')
    if (!this.shapes.has(shape)) {
      const claims = { count: this.random.pick([1, 1, 2]), isShared: chance(this.random, 0.15) }
      this.shapes.set(shape, chance(this.random, 0.7) ? claims : undefined)
    }
    const claims = this.shapes.get(shape)
    if (claims === undefined) return [pod]
    const { count, isShared } = claims
    const name = isShared ? `${shape}-gpu` : `${pod.metadata.name}-gpu`
    const claiming = withClaim(pod, name, !isShared)
    // Without the claim of a nominated pod, Cluster Autoscaler takes no action.
    const isNominated = 'nominatedNodeName' in (pod as never as { status: object }).status
    const isThere = isShared ? this.shared.has(name) : chance(this.random, 0.03) && !isNominated
    if (isShared) this.shared.add(name)
    return isThere ? [claiming] : [claiming, claimOf(pod, name, { count, isOwn: !isShared, status: {} })]
  }
}

function withClaim(pod: KubeObject, claim: string, isOwn: boolean): KubeObject {
  const { spec, status } = pod as never as { spec: object; status: object }
  const resourceClaims = [
    { name: 'gpu', ...(isOwn ? { resourceClaimTemplateName: 'gpu' } : { resourceClaimName: claim }) },
  ]
  const statuses = isOwn ? { resourceClaimStatuses: [{ name: 'gpu', resourceClaimName: claim }] } : {}
  return { ...pod, spec: { ...spec, resourceClaims }, status: { ...status, ...statuses } } as never
}

function claimOf(
  pod: KubeObject,
  name: string,
  { count, isOwn, status }: { readonly count: number; readonly isOwn: boolean; readonly status: object },
): KubeObject {
  const { namespace } = pod.metadata
  const owner = { apiVersion: 'v1', kind: 'Pod', name: pod.metadata.name, uid: pod.metadata.uid, controller: true }
  const exactly = { deviceClassName: 'gpu', allocationMode: 'ExactCount', count }
  return {
    apiVersion: 'resource.k8s.io/v1',
    kind: 'ResourceClaim',
    metadata: { name, namespace, uid: `claim-${namespace}-${name}`, ...(isOwn ? { ownerReferences: [owner] } : {}) },
    spec: { devices: { requests: [{ name: 'gpu', exactly }] } },
    status,
  } as never
}
