import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { Device, DeviceRequest, ResourceClaim, ResourceSlice } from '../../src/api/objects/devices.ts'
import type { KubeObject } from '../../src/api/objects/meta.ts'
import type { Node } from '../../src/api/objects/node.ts'
import type { Pod } from '../../src/api/objects/pod.ts'
import { knownMinors, releaseOf } from '../../src/api/releases/release-of.ts'
import { createRandom } from '../../src/base/random.ts'
import { must } from '../../src/base/result.ts'
import { createReadModel } from '../../src/runtime/read-model.ts'
import { SchedulerCache } from '../../src/scheduler/cache/scheduler-cache.ts'
import type { AnyPlugin, CycleResult, ParsedPod, Scheduling } from '../../src/scheduler/contract/contract.ts'
import { createScheduling } from '../../src/scheduler/cycle.ts'
import { createDefaultProfile } from '../../src/scheduler/plugins/default-plugins.ts'
import { PodNominator } from '../../src/scheduler/queue/nominator.ts'

const runs = Number(process.env['BERTH_FUZZ'] ?? 20)
const driver = 'gpu.example.com'
const claimResource = 'resourceclaims.resource.k8s.io'

/** A cluster in which devices, claims and classes change, and two schedulers that watch it. */
class Story {
  private readonly cache = new SchedulerCache()
  private readonly view = createReadModel()
  private readonly plugin: AnyPlugin
  private readonly plain: Scheduling
  private readonly columnar: Scheduling
  private readonly random
  private readonly nodes: Node[] = []
  private readonly placed: { readonly pod: ParsedPod; readonly node: string }[] = []
  private named = 0

  constructor(seed: number) {
    this.random = createRandom(seed).stream('story')
    const release = must(releaseOf(this.pick(knownMinors)))
    const profile = createDefaultProfile({ release })
    this.plugin = profile.filter.find(({ name }) => name === 'DynamicResources') as AnyPlugin
    const options = { profile, cache: this.cache, nominator: new PodNominator() }
    this.plain = createScheduling({ ...options, evaluator: 'plain' })
    this.columnar = createScheduling(options)
    this.changeClass()
    for (let i = 0; i < 5; i++) this.addNode(`n${i}`)
    this.changeFabric()
  }

  step(): void {
    const roll = this.random.int(10)
    if (roll < 5) this.schedule()
    else if (roll === 5) this.remove()
    else if (roll === 6) this.changeSlice(this.pick(this.nodes).metadata.name)
    else if (roll === 7) this.changeNode()
    else if (roll === 8 && this.chance(30)) this.changeClass()
    else if (roll === 9 && this.chance(40)) this.changeFabric()
    else this.releaseClaim()
  }

  private schedule(): void {
    const pod = this.pendingPod()
    const input = { objects: this.view, random: createRandom('tie') }
    const want = this.plain.schedule(pod, input)
    const got = this.columnar.schedule(pod, { ...input, random: createRandom('tie') })
    expect(this.describe(got, pod)).toEqual(this.describe(want, pod))
    if (got.kind !== 'placed') return
    this.cache.assumePod(pod, got.node)
    const cluster = this.cache.cluster(this.view)
    const status = this.plugin.reserve?.(pod, got.node, got.states.get(this.plugin), cluster)
    expect(status).toEqual({ code: 'Success', reasons: [] })
    this.placed.push({ pod, node: got.node })
  }

  /** The binding of a pod fails, and its devices are free again. */
  private remove(): void {
    const index = this.random.int(this.placed.length + 1)
    const [gone] = this.placed.splice(index, 1)
    if (gone === undefined) return
    this.plugin.unreserve?.(gone.pod, gone.node, undefined)
    this.cache.forgetPod(gone.pod)
  }

  private pendingPod(): ParsedPod {
    const name = `p${this.named++}`
    const claims = Array.from({ length: 1 + this.random.int(2) }, (_, i) => this.claim(`${name}-${i}`))
    const pod: Pod = {
      metadata: { name, namespace: 'default', uid: name },
      spec: {
        containers: [{ name: 'c', image: 'i' }],
        resourceClaims: claims.map(({ metadata }) => ({ name: metadata.name, resourceClaimName: metadata.name })),
        priority: 0,
      },
    }
    return this.cache.parser.parse(pod)
  }

  private claim(name: string): ResourceClaim {
    const kind = this.random.int(5)
    const exactly = { deviceClassName: 'gpu', allocationMode: 'ExactCount', count: 1 + (kind === 1 ? 1 : 0) }
    const expression = `device.attributes["${driver}"].?model.orValue("") == "h100"`
    const request: DeviceRequest =
      kind === 2
        ? { name: 'r', exactly: { ...exactly, selectors: [{ cel: { expression } }] } }
        : kind === 3
          ? {
              name: 'r',
              firstAvailable: [
                { name: 'two', ...exactly, count: 2 },
                { name: 'one', ...exactly },
              ],
            }
          : { name: 'r', exactly }
    const claim: ResourceClaim = {
      metadata: { name, namespace: 'default', uid: `uid-${name}`, resourceVersion: '1' },
      spec: { devices: { requests: [request] } },
    }
    this.put(claimResource, undefined, claim)
    return claim
  }

  /** Another client allocates or deallocates devices. */
  private releaseClaim(): void {
    const node = this.pick(this.nodes).metadata.name
    const name = `other-${node}`
    const before = this.view.get(claimResource, `default/${name}`)
    const results = [{ request: 'r', driver, pool: node, device: `d${this.random.int(3)}` }]
    const claim: ResourceClaim = {
      metadata: { name, namespace: 'default', uid: name, resourceVersion: String(this.named++) },
      spec: {},
      ...(this.chance(60) ? { status: { allocation: { devices: { results } } } } : {}),
    }
    this.put(claimResource, before, claim)
  }

  private addNode(name: string): void {
    const node: Node = {
      metadata: { name, labels: { zone: this.pick(['a', 'b']) } },
      status: { allocatable: { cpu: '4', memory: '8Gi', pods: '20' } },
    }
    this.nodes.push(node)
    this.cache.addNode(node)
    this.changeSlice(name)
  }

  private changeNode(): void {
    const at = this.random.int(this.nodes.length)
    const before = this.nodes[at] as Node
    const after: Node = { ...before, metadata: { ...before.metadata, labels: { zone: this.pick(['a', 'b']) } } }
    this.nodes[at] = after
    this.cache.updateNode(before, after)
  }

  private changeSlice(node: string): void {
    const devices = Array.from({ length: 1 + this.random.int(4) }, (_, i) => this.device(`d${i}`))
    const pool = { name: node, generation: 1, resourceSliceCount: this.chance(90) ? 1 : 2 }
    this.putSlice({ metadata: { name: `slice-${node}` }, spec: { driver, nodeName: node, pool, devices } })
  }

  /** Devices that all nodes of a zone can use. */
  private changeFabric(): void {
    const nodeSelector = {
      nodeSelectorTerms: [{ matchExpressions: [{ key: 'zone', operator: 'In' as const, values: ['a'] }] }],
    }
    const pool = { name: 'fabric', generation: 1, resourceSliceCount: 1 }
    const devices = Array.from({ length: this.random.int(3) }, (_, i) => this.device(`f${i}`))
    this.putSlice({ metadata: { name: 'slice-fabric' }, spec: { driver, nodeSelector, pool, devices } })
  }

  private device(name: string): Device {
    return { name, attributes: { model: { string: this.pick(['h100', 'a100']) } } }
  }

  private changeClass(): void {
    const before = this.view.get('deviceclasses.resource.k8s.io', 'gpu')
    const expression = this.chance(70) ? `device.driver == "${driver}"` : 'device.driver != ""'
    const after = { metadata: { name: 'gpu' }, spec: { selectors: [{ cel: { expression } }] } }
    this.put('deviceclasses.resource.k8s.io', before, after)
  }

  private putSlice(slice: ResourceSlice): void {
    const resource = 'resourceslices.resource.k8s.io'
    this.put(resource, this.view.get(resource, slice.metadata.name), slice)
  }

  private put(resource: string, before: KubeObject | undefined, after: KubeObject): void {
    const { namespace, name } = after.metadata
    const key = namespace === undefined ? name : `${namespace}/${name}`
    this.view.apply([{ resource, key, ...(before && { before }), after } as never])
    this.cache.noteChange(resource, before, after)
  }

  /** The choice among several best nodes is random, so only the score is compared. */
  private describe(result: CycleResult, pod: ParsedPod): unknown {
    if (result.kind === 'error') return result
    if (result.kind === 'placed') {
      const { scores } = this.plain.explain(pod, { objects: this.view, random: createRandom('tie') })
      return { feasible: result.feasible, total: scores.find(({ node }) => node === result.node)?.total }
    }
    const rejected = [...(result.diagnosis?.rejected() ?? [])].map(([node, { reasons }]) => `${node}: ${reasons}`)
    return { message: result.message, rejected: rejected.toSorted() }
  }

  private chance(percent: number): boolean {
    return this.random.int(100) < percent
  }

  private pick<T>(list: readonly T[]): T {
    return list[this.random.int(list.length)] as T
  }
}

it('gives pods with claims the same answers in the plain and the columnar form, whatever changes', {
  timeout: 600_000,
}, () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 1_000_000_000 }), (seed) => {
      const story = new Story(seed)
      for (let i = 0; i < 60; i++) story.step()
    }),
    { numRuns: runs },
  )
})
