import fc from 'fast-check'
import { expect, it } from 'vitest'
import { deepEqual } from '../../src/api/equality.ts'
import { keyOf } from '../../src/api/object-key.ts'
import type { KubeObject } from '../../src/api/objects/meta.ts'
import type { Node } from '../../src/api/objects/node.ts'
import type { Pod, Volume } from '../../src/api/objects/pod.ts'
import type { PersistentVolume, PersistentVolumeClaim } from '../../src/api/objects/storage.ts'
import { knownMinors, releaseOf } from '../../src/api/releases/release-of.ts'
import { createRandom } from '../../src/base/random.ts'
import { must } from '../../src/base/result.ts'
import { createReadModel } from '../../src/runtime/read-model.ts'
import { SchedulerCache } from '../../src/scheduler/cache/scheduler-cache.ts'
import type { CycleResult, ParsedPod, Profile, Scheduling } from '../../src/scheduler/contract/contract.ts'
import { createScheduling } from '../../src/scheduler/cycle.ts'
import { assembleProfile, defaultPlugins } from '../../src/scheduler/plugins/default-plugins.ts'
import { PodNominator } from '../../src/scheduler/queue/nominator.ts'

const runs = Number(process.env['BERTH_FUZZ'] ?? 120)
const long = 3_600_000
const zoneLabel = 'topology.kubernetes.io/zone'
const migrated = 'storage.alpha.kubernetes.io/migrated-plugins'
const claims = ['c0', 'c1', 'c2', 'c3', 'c4', 'c5']
const csiDrivers = ['csi.example.com', 'ebs.csi.aws.com', 'disk.csi.azure.com']
// Some are volumes without a CSI driver.
const ebsVolumes = ['vol-1', 'aws://zone-a/vol-2', 'aws://zone-a/disk']

/** A cluster in which volumes, claims and drivers change, and two schedulers that watch it. */
class Story {
  private readonly cache = new SchedulerCache()
  private readonly nominator = new PodNominator()
  private readonly view = createReadModel()
  private readonly plain: Scheduling
  private readonly columnar: Scheduling
  private readonly random
  private readonly pods = new Map<string, Pod>()
  private readonly nodes: Node[] = []
  private readonly hasInlineDisks: boolean
  private readonly hasEphemeral: boolean
  /** Claims of ephemeral volumes. */
  private readonly owned = new Set<string>()
  private named = 0

  constructor(seed: number) {
    this.random = createRandom(seed).stream('story')
    this.hasInlineDisks = this.chance(0.2)
    this.hasEphemeral = this.chance(0.4)
    // One profile, so that both use the same assumptions.
    const options = { profile: this.profile(), cache: this.cache, nominator: this.nominator }
    this.plain = createScheduling({ ...options, evaluator: 'plain' })
    this.columnar = createScheduling(options)
    for (let i = 0; i < 5; i++) this.addNode(`n${i}`)
    for (const name of ['fast', 'local']) this.addClass(name)
    for (const name of claims) this.changeClaim(name)
  }

  step(): void {
    const roll = this.random.int(13)
    if (roll < 4) this.schedule()
    else if (roll === 10) this.addRunningPod()
    else if (roll === 11) this.changeOwner()
    else if (roll === 12) this.changeNode()
    else if (roll === 4) this.changeClaim(this.pick(claims))
    else if (roll === 5) this.changeDrivers(this.pick(this.nodes).metadata.name)
    else if (roll === 6) this.changeAttachment()
    else if (roll === 7) this.changeVolume()
    else if (roll === 8) this.removePod()
    else if (this.chance(0.2)) this.changeClass()
    else this.nominate()
  }

  /** Half of the clusters have another order of plugins, because the first plugin that rejects a node determines its status. */
  private profile(): Profile {
    const release = must(releaseOf(this.pick(knownMinors)))
    const plugins = defaultPlugins(release).map(({ weight, create }) => ({
      weight,
      plugin: create(undefined, release),
    }))
    if (this.chance(0.5)) {
      for (let i = plugins.length - 1; i > 0; i--) {
        const other = this.random.int(i + 1)
        const [a, b] = [plugins[i], plugins[other]] as [(typeof plugins)[0], (typeof plugins)[0]]
        plugins[i] = b
        plugins[other] = a
      }
    }
    return assembleProfile('default-scheduler', plugins)
  }

  private put(resource: string, after: KubeObject | undefined, key: string): void {
    const before = this.view.get(resource as never, key) as KubeObject | undefined
    if (before === undefined && after === undefined) return
    this.view.apply([{ resource, key, ...(before && { before }), ...(after && { after }) } as never])
    this.cache.noteChange(resource, before, after)
  }

  private addNode(name: string): void {
    const zone = this.pick(['a', 'b', undefined])
    const labels = { 'kubernetes.io/hostname': name, ...(zone === undefined ? {} : { [zoneLabel]: zone }) }
    const node: Node = { metadata: { name, labels }, status: { allocatable: { cpu: '4', memory: '8Gi', pods: '9' } } }
    this.nodes.push(node)
    this.cache.addNode(node)
    this.changeDrivers(name)
  }

  private changeNode(): void {
    const at = this.random.int(this.nodes.length)
    const before = this.nodes[at] as Node
    const taints = this.chance(0.4) ? [{ key: 'a', effect: 'NoSchedule' as const }] : []
    const after: Node = { ...before, spec: { taints } }
    this.nodes[at] = after
    this.cache.updateNode(before, after)
  }

  private changeDrivers(name: string): void {
    if (this.chance(0.3)) {
      this.put('csinodes.storage.k8s.io', undefined, name)
      return
    }
    const drivers = csiDrivers.flatMap((driver) =>
      this.chance(0.3)
        ? []
        : [{ name: driver, nodeID: name, ...(this.chance(0.7) ? { allocatable: { count: this.random.int(4) } } : {}) }],
    )
    const annotations = this.chance(0.2) ? { [migrated]: 'kubernetes.io/aws-ebs' } : {}
    this.put('csinodes.storage.k8s.io', { metadata: { name, annotations }, spec: { drivers } } as KubeObject, name)
  }

  private addClass(name: string): void {
    const provisioner = name === 'local' ? 'kubernetes.io/no-provisioner' : 'csi.example.com'
    const object = { metadata: { name }, provisioner, volumeBindingMode: 'WaitForFirstConsumer' }
    this.put('storageclasses.storage.k8s.io', object as KubeObject, name)
  }

  private changeClass(): void {
    for (const name of csiDrivers) {
      const spec = { preventPodSchedulingIfMissing: this.chance(0.3) }
      const driver = this.chance(0.5) ? ({ metadata: { name }, spec } as KubeObject) : undefined
      this.put('csidrivers.storage.k8s.io', driver, name)
    }
    if (this.view.get('storageclasses.storage.k8s.io', 'fast') === undefined) this.addClass('fast')
    else this.put('storageclasses.storage.k8s.io', undefined, 'fast')
  }

  /** Bound, waiting for its pod, waiting for other objects, or missing. */
  private changeClaim(name: string, owner?: string): void {
    const kind = this.pick(['bound', 'bound', 'bound', 'bound', 'delayed', 'immediate', 'gone'])
    const key = `default/${name}`
    if (kind === 'gone') {
      this.put('persistentvolumeclaims', undefined, key)
      return
    }
    const isBound = kind === 'bound'
    const claim: PersistentVolumeClaim = {
      metadata: {
        name,
        namespace: 'default',
        uid: `uid-${name}`,
        resourceVersion: String(++this.named),
        ...(owner === undefined ? {} : { ownerReferences: [ownedBy(owner)] }),
        annotations: isBound ? { 'pv.kubernetes.io/bind-completed': 'yes' } : {},
      },
      spec: {
        accessModes: [this.chance(0.15) ? 'ReadWriteOncePod' : 'ReadWriteOnce'],
        storageClassName: kind === 'immediate' ? '' : this.pick(['fast', 'local']),
        resources: { requests: { storage: '1Gi' } },
        ...(isBound ? { volumeName: `v-${name}` } : {}),
      },
    }
    this.put('persistentvolumeclaims', claim, key)
    if (isBound && this.chance(0.9)) this.putVolume(`v-${name}`, name)
  }

  private changeVolume(): void {
    const name = this.pick(claims)
    const kind = this.pick(['changed', 'changed', 'free', 'gone'])
    if (kind === 'changed') this.putVolume(`v-${name}`, name)
    else if (kind === 'free') this.putVolume(`free-${this.random.int(3)}`, undefined)
    else this.put('persistentvolumes', undefined, `v-${name}`)
  }

  private putVolume(name: string, claim: string | undefined): void {
    const key = this.pick(['kubernetes.io/hostname', zoneLabel])
    const values = key === zoneLabel ? [this.pick(['a', 'b'])] : [`n${this.random.int(5)}`, `n${this.random.int(5)}`]
    const affinity = {
      nodeAffinity: {
        required: { nodeSelectorTerms: [{ matchExpressions: [{ key, operator: 'In' as const, values }] }] },
      },
    }
    const volume: PersistentVolume = {
      metadata: {
        name,
        resourceVersion: String(++this.named),
        labels: this.chance(0.2) ? { [zoneLabel]: this.pick(['a', 'b', 'a__b']) } : {},
      },
      spec: {
        capacity: { storage: '1Gi' },
        accessModes: ['ReadWriteOnce'],
        storageClassName: 'local',
        ...(this.chance(0.5)
          ? { csi: { driver: this.pick(csiDrivers), volumeHandle: this.pick([name, name, name, 'shared']) } }
          : { awsElasticBlockStore: { volumeID: this.pick([name, name, ...ebsVolumes]) } }),
        ...(this.chance(0.4) ? affinity : {}),
        ...(claim === undefined ? {} : { claimRef: { namespace: 'default', name: claim, uid: `uid-${claim}` } }),
      },
      status: { phase: 'Available' },
    }
    this.put('persistentvolumes', volume, name)
  }

  private changeAttachment(): void {
    const name = `va${this.random.int(4)}`
    const source = { persistentVolumeName: `v-${this.pick(claims)}` }
    const spec = { attacher: this.pick(csiDrivers), nodeName: this.pick(this.nodes).metadata.name, source }
    const object = this.chance(0.3) ? undefined : ({ metadata: { name }, spec } as KubeObject)
    this.put('volumeattachments.storage.k8s.io', object, name)
  }

  private pod(): Pod {
    const name = `p${this.named++}`
    const volumes = Array.from({ length: this.random.int(3) }, (_, i): Volume => {
      if (this.hasInlineDisks && this.chance(0.1)) return { name: `v${i}`, ...this.inlineDisk() }
      if (this.hasEphemeral && this.chance(0.3)) {
        this.putOwnClaim(name, `${name}-v${i}`)
        return { name: `v${i}`, ephemeral: {} }
      }
      // Claims of ephemeral volumes can be named by others.
      const names = this.owned.size > 0 && this.chance(0.1) ? [...this.owned] : claims
      return { name: `v${i}`, persistentVolumeClaim: { claimName: this.pick(names) } }
    })
    const requests = { cpu: this.pick(['100m', '1']) }
    return {
      metadata: { name, namespace: 'default', uid: `uid-${name}` },
      spec: {
        containers: [{ name: 'c', image: 'i', resources: { requests } }],
        priority: this.pick([0, 0, 10]),
        volumes,
      },
    }
  }

  private inlineDisk(): Partial<Volume> {
    if (this.chance(0.6)) return { awsElasticBlockStore: { volumeID: this.pick(['v-c0', ...ebsVolumes]) } }
    return { azureDisk: { diskName: 'd', diskURI: this.pick(['u', 'w']), kind: this.pick(['Managed', 'Shared']) } }
  }

  /** The claim of an ephemeral volume: owned by the pod, owned by another pod, or missing. */
  private putOwnClaim(pod: string, name: string): void {
    const owner = this.pick([pod, pod, pod, 'other-pod', undefined])
    if (owner === undefined) return
    this.changeClaim(name, owner)
    this.owned.add(name)
  }

  /** Claims of ephemeral volumes change their pods, and are created and deleted. */
  private changeOwner(): void {
    if (this.owned.size === 0) return
    const name = this.pick([...this.owned])
    this.changeClaim(name, this.pick(['other-pod', name.replace(/-.*/, '')]))
  }

  private addRunningPod(): void {
    const pod = this.pod()
    const placed: Pod = { ...pod, spec: { ...pod.spec, nodeName: this.pick(this.nodes).metadata.name } }
    this.pods.set(keyOf(pod), placed)
    this.cache.addPod(placed)
  }

  private nominate(): void {
    const pod = this.cache.parser.parse(this.pod())
    this.nominator.add(pod, { kind: 'set', node: this.pick(this.nodes).metadata.name })
  }

  private removePod(): void {
    const pod = this.pods.size === 0 ? undefined : this.pick([...this.pods.values()])
    if (pod === undefined) return
    this.pods.delete(keyOf(pod))
    this.cache.removePod(pod)
  }

  private schedule(): void {
    for (let times = 1 + this.random.int(3); times > 0; times--) {
      const pod = this.pod()
      const promised = this.chance(0.15) ? { nominatedNodeName: this.pick(this.nodes).metadata.name } : {}
      this.scheduleOne(this.cache.parser.parse({ ...pod, status: promised }))
    }
  }

  private scheduleOne(pod: ParsedPod): void {
    const want = this.plain.schedule(pod, this.input())
    const result = this.columnar.schedule(pod, this.input())
    const [wanted, got] = [this.describe(want, pod), this.describe(result, pod)]
    if (!deepEqual(got, wanted)) expect(got).toEqual(wanted)
    if (result.kind !== 'placed' || this.chance(0.2)) return
    const placed: Pod = { ...pod.pod, spec: { ...pod.pod.spec, nodeName: result.node } }
    this.pods.set(pod.key, placed)
    this.cache.addPod(placed)
  }

  private input() {
    return { objects: this.view, random: createRandom('same') }
  }

  private describe(result: CycleResult, pod: ParsedPod): unknown {
    if (result.kind === 'error') return { error: result.message }
    if (result.kind === 'placed') {
      const { scores, feasible } = this.plain.explain(pod, this.input())
      const total = scores.find(({ node }) => node === result.node)?.total
      return { feasible: result.feasible, total, known: feasible.includes(result.node) }
    }
    return {
      message: result.message,
      plugins: [...result.unschedulablePlugins].sort(),
      rejected: [...(result.diagnosis?.rejected() ?? [])].sort(([a], [b]) => (a < b ? -1 : 1)),
      victims: result.preemption?.victims.pods.map(({ key }) => key),
      nominating: result.nominating,
    }
  }

  private chance(odds: number): boolean {
    return this.random.int(1000) < odds * 1000
  }

  private pick<T>(from: readonly T[]): T {
    return this.random.pick(from)
  }
}

function ownedBy(pod: string) {
  return { apiVersion: 'v1', kind: 'Pod', name: pod, uid: `uid-${pod}`, controller: true }
}

it(
  'the columnar and the plain evaluator agree about volumes',
  () => {
    fc.assert(
      fc.property(fc.nat(), (seed) => {
        const story = new Story(seed)
        for (let i = 0; i < 40; i++) story.step()
      }),
      { numRuns: runs },
    )
  },
  long,
)
