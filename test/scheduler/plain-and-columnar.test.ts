import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { deepEqual } from '../../src/api/equality.ts'
import type { Node } from '../../src/api/objects/node.ts'
import type { Pod, PodDisruptionBudget } from '../../src/api/objects/pod.ts'
import { knownMinors, releaseOf } from '../../src/api/releases/release-of.ts'
import { createRandom } from '../../src/base/random.ts'
import { must } from '../../src/base/result.ts'
import { SchedulerCache } from '../../src/scheduler/cache/scheduler-cache.ts'
import {
  type AnyPlugin,
  type CycleResult,
  definePlugin,
  failure,
  type ObjectReader,
  ok,
  type ParsedPod,
  type Profile,
  type Scheduling,
  skip,
  unschedulable,
} from '../../src/scheduler/contract/contract.ts'
import { createScheduling } from '../../src/scheduler/cycle.ts'
import { higherIsBetter } from '../../src/scheduler/framework/normalize.ts'
import { assembleProfile, defaultPlugins } from '../../src/scheduler/plugins/default-plugins.ts'
import { PodNominator } from '../../src/scheduler/queue/nominator.ts'
import { ClusterDice, type ClusterTraits, namespaces } from './random-cluster.ts'

// BERTH_FUZZ=10000 is the long run.
const runs = Number(process.env['BERTH_FUZZ'] ?? 150)
const stepCount = 22
const long = 3_600_000

/** A user plugin: it has no columns and reads any field. */
const whimsical = definePlugin({
  name: 'Whimsical',
  preFilter: ({ shape, key }) => (shape.labels?.['app'] === 'cache' ? skip : { state: key.length }),
  filter: (_pod, { pods, name }, length) =>
    (pods.length + name.length + length) % 4 === 0 ? unschedulable('not today') : ok,
  preFilterAddPod: () => undefined,
  preScore: ({ shape }) => (shape.labels?.['tier'] === 'back' ? skip : { state: 7 }),
  score: (_pod, { pods }, factor) => pods.length * factor,
  normalize: higherIsBetter,
})

/** Another plugin, which sometimes fails: one error on one node ends the cycle. */
const erratic = definePlugin({
  name: 'Erratic',
  preFilter: ({ uid }) => (uid.endsWith('7') ? failure('injected by the test') : { state: uid.length }),
  filter: ({ shape }, { pods, name }, length) => {
    const roll = pods.length + name.length + length + (shape.labels?.['app'] ?? '').length
    if (roll % 11 === 0) return failure(`no luck on ${name}`)
    return roll % 5 === 0 ? unschedulable('not here') : ok
  },
  preScore: ({ uid }) => (uid.endsWith('3') ? failure('no luck with scores') : { state: 0 }),
  score: () => 0,
})

/** The default profile without the user's plugin, or with the plugin last or before the filters that read more than one node. */
function profileOf(place: 'none' | 'last' | 'early', seed: number, plugin: AnyPlugin = whimsical): Profile {
  const release = must(releaseOf(knownMinors[seed % knownMinors.length] as string))
  const plugins = defaultPlugins(release).map(({ name, weight, create }) => ({
    name,
    weight,
    plugin: create(undefined, release),
  }))
  const user = { name: plugin.name, weight: 3, plugin }
  if (place === 'last') plugins.push(user)
  if (place === 'early')
    plugins.splice(
      plugins.findIndex(({ name }) => name === 'PodTopologySpread'),
      0,
      user,
    )
  return assembleProfile('default-scheduler', plugins)
}

/** A changing cluster, and two schedulers that watch it. */
class Story {
  readonly cache = new SchedulerCache()
  readonly nominator = new PodNominator()
  private readonly plain: Scheduling
  private readonly columnar: Scheduling
  private readonly dice: ClusterDice
  private readonly seed: number
  private readonly nodes = new Map<string, Node>()
  private readonly pods = new Map<string, Pod>()
  private readonly services: { metadata: { name: string; namespace: string }; spec: { selector: object } }[] = []
  private budgets: PodDisruptionBudget[] = []
  private named = 0
  private cycles = 0

  constructor(seed: number, traits: ClusterTraits, profile: Profile) {
    this.seed = seed
    this.dice = new ClusterDice(createRandom(seed).stream('cluster'), traits)
    // Half of the clusters share plans among workloads, which otherwise only large clusters do.
    const sharePlansFromNodes = seed % 2 === 0 ? 0 : Number.POSITIVE_INFINITY
    const options = { profile, cache: this.cache, nominator: this.nominator, sharePlansFromNodes }
    this.plain = createScheduling({ ...options, evaluator: 'plain' })
    this.columnar = createScheduling(options)
    for (let i = 0; i < traits.nodes; i++) this.addNode()
    if (this.dice.chance(0.3)) this.budgets = [this.dice.budget(0), this.dice.budget(1)]
    for (let i = 0; i < traits.nodes * 2; i++) this.addRunningPod()
  }

  step(): void {
    const { dice } = this
    const roll = dice.pick([0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8])
    if (roll === 0) this.schedule()
    else if (roll === 1) this.addNode()
    else if (roll === 2) this.changeNode()
    else if (roll === 3) this.removeNode()
    else if (roll === 4) this.addRunningPod()
    else if (roll === 5) this.removePod()
    else if (roll === 6) this.changePod()
    else if (roll === 7) this.nominate()
    else this.changeOthers()
  }

  private addNode(): void {
    const node = this.dice.node(`n${this.named++}`)
    this.nodes.set(node.metadata.name, node)
    this.cache.addNode(node)
  }

  private changeNode(): void {
    const before = this.anyNode()
    if (before === undefined) return
    const { labels, ...metadata } = before.metadata
    const other = this.dice.node(before.metadata.name)
    const after = this.dice.chance(0.5)
      ? { ...other, metadata: { ...metadata, labels: other.metadata.labels ?? {} } }
      : { ...before, spec: other.spec ?? {} }
    this.nodes.set(after.metadata.name, after)
    this.cache.updateNode(before, after)
  }

  private removeNode(): void {
    const node = this.anyNode()
    if (node === undefined || !this.dice.chance(0.5)) return
    this.nodes.delete(node.metadata.name)
    this.cache.removeNode(node)
  }

  private addRunningPod(): void {
    // Sometimes on an unknown or removed node.
    const node = this.dice.chance(0.05) ? { metadata: { name: 'n999' } } : this.anyNode()
    if (node === undefined) return
    const pod = this.dice.placed(this.dice.pod(), node.metadata.name)
    this.pods.set(pod.metadata.name, pod)
    this.cache.addPod(pod)
  }

  private removePod(): void {
    const pod = this.anyPod()
    if (pod === undefined) return
    this.pods.delete(pod.metadata.name)
    this.cache.removePod(pod)
  }

  private changePod(): void {
    const before = this.anyPod()
    if (before === undefined) return
    const labels = this.dice.pod().metadata.labels ?? {}
    const after: Pod = this.dice.chance(0.5)
      ? { ...before, metadata: { ...before.metadata, labels } }
      : this.dice.placed(before, before.spec.nodeName as string)
    this.pods.set(after.metadata.name, after)
    this.cache.updatePod(before, after)
  }

  private nominate(): void {
    const node = this.anyNode()
    if (node === undefined || !this.dice.chance(0.6)) return
    const pod = this.cache.parser.parse(this.dice.pod())
    this.nominator.add(pod, { kind: 'set', node: node.metadata.name })
  }

  private changeOthers(): void {
    if (this.dice.chance(0.5)) {
      this.addService(this.dice.pick(['web', 'db', 'cache']))
    } else {
      this.budgets = [this.dice.budget(0), this.dice.budget(1)]
      this.cache.noteChange('poddisruptionbudgets.policy', undefined, undefined)
    }
  }

  private withOtherImages(containers: Pod['spec']['containers']): Pod['spec']['containers'] {
    const images = this.dice.pod().spec.containers.map(({ image }) => image)
    return containers.map((container) => ({ ...container, image: this.dice.pick(images) ?? 'app:1' }))
  }

  private addService(app: string): void {
    const metadata = { name: `s${this.services.length}`, namespace: 'default' }
    this.services.push({ metadata, spec: { selector: { app } } })
    this.cache.noteChange('services', undefined, undefined)
  }

  /** The same kind of pod several times, so that pods of one or of several workloads reuse plans. */
  private schedule(like = this.dice.pod(), times = this.dice.pick([1, 2, 4]), isMixed = this.dice.chance(0.5)): void {
    for (let i = 0; i < times; i++) {
      const name = `s${this.cycles++}`
      const node = this.dice.chance(0.1) ? this.anyNode() : undefined
      const pod: Pod = {
        ...like,
        metadata: {
          ...(isMixed ? { ...this.dice.pod().metadata, namespace: 'default' } : like.metadata),
          name,
          uid: `uid-${name}`,
        },
        spec: isMixed ? { ...like.spec, containers: this.withOtherImages(like.spec.containers) } : like.spec,
        status: node === undefined ? {} : { nominatedNodeName: node.metadata.name },
      }
      this.scheduleOne(this.cache.parser.parse(pod))
    }
  }

  private scheduleOne(pod: ParsedPod): void {
    const promised = pod.pod.status?.nominatedNodeName
    if (promised !== undefined) this.nominator.add(pod)
    const input = (): Parameters<Scheduling['schedule']>[1] => ({
      objects: this.reader(),
      random: createRandom(this.seed),
    })
    const plain = this.plain.schedule(pod, input())
    const columnar = this.columnar.schedule(pod, input())
    const want = this.describe(plain, pod)
    const got = this.describe(columnar, pod)
    // Comparing first is a hundred times cheaper than an expectation.
    if (!deepEqual(got, want)) expect(got).toEqual(want)
    if (columnar.kind === 'unschedulable') {
      const { preemption } = columnar
      if (preemption === undefined) return
      this.nominator.add(pod, columnar.nominating)
      if (this.dice.chance(0.7)) for (const victim of preemption.victims.pods) this.evict(victim)
    } else if (columnar.kind === 'placed') {
      this.nominator.delete(pod.uid)
      this.cache.assumePod(pod, columnar.node)
      if (this.dice.chance(0.1)) this.cache.forgetPod(pod)
      else if (this.dice.chance(0.5)) this.confirm(pod, columnar.node)
    }
  }

  /** Pods of three workloads in turn, while other objects change. */
  workloads(): void {
    const like = this.dice.pod()
    for (const app of ['web', 'db', 'cache']) this.addService(app)
    for (let i = 0; i < 6; i++) {
      this.schedule(like, 4, true)
      this.step()
    }
  }

  /** Schedules the same pod several times with sampling. */
  sample(): void {
    const like = this.dice.pod()
    for (let i = 0; i < 4; i++) {
      const name = `s${this.cycles++}`
      const pod = this.cache.parser.parse({ ...like, metadata: { ...like.metadata, name, uid: `uid-${name}` } })
      const input = { objects: this.reader(), random: createRandom(this.seed) }
      const halves = this.plain.begin(pod, input)
      const found = Array.isArray(halves.filtered) ? halves.filtered : []
      const scores = halves.score() ?? []
      const best = Math.max(...scores.map(({ total }) => total))
      const plain = halves.finish()
      const result = this.columnar.schedule(pod, input)
      expect(result.kind).toBe(plain.kind)
      if (result.kind === 'error') expect(result).toEqual(plain)
      if (result.kind !== 'placed') return
      expect(result.feasible).toBe(found.length)
      const right = scores.filter(({ total }) => total === best).map(({ node }) => node)
      expect(found.length === 1 ? found : right).toContain(result.node)
      this.cache.assumePod(pod, result.node)
    }
  }

  private confirm({ pod }: ParsedPod, node: string): void {
    const bound = this.dice.placed(pod, node)
    this.pods.set(bound.metadata.name, bound)
    this.cache.addPod(bound)
  }

  private evict({ pod }: ParsedPod): void {
    this.pods.delete(pod.metadata.name)
    this.cache.removePod(pod)
  }

  /** Equal answers have equal descriptions; nodes with the same score are the same answer. */
  private describe(result: CycleResult, pod: ParsedPod): unknown {
    switch (result.kind) {
      case 'error':
        return { error: result.message }
      case 'placed': {
        const { scores, feasible } = this.plain.explain(pod, { objects: this.reader(), random: createRandom(0) })
        const total = scores.find(({ node }) => node === result.node)?.total
        return {
          feasible: result.feasible,
          total,
          known: feasible.includes(result.node),
          found: result.feasible > 1 || result.node,
        }
      }
      case 'unschedulable': {
        const { message, nominating, preemption, postFilterMessage } = result
        return {
          message,
          nominating,
          postFilterMessage,
          plugins: [...result.unschedulablePlugins].sort(),
          rejected: [...(result.diagnosis?.rejected() ?? [])].sort(([a], [b]) => (a < b ? -1 : 1)),
          victims: preemption?.victims.pods.map(({ key }) => key),
          violations: preemption?.victims.budgetViolations,
          displaced: preemption?.displaced.map(({ key }) => key),
        }
      }
    }
  }

  private reader(): ObjectReader {
    const lists: Record<string, readonly { metadata: { name: string; namespace?: string } }[]> = {
      namespaces,
      services: this.services,
      'poddisruptionbudgets.policy': this.budgets,
    }
    return {
      get: (resource, key) => lists[resource]?.find(({ metadata }) => metadata.name === key) as never,
      list: (resource, namespace) =>
        (lists[resource] ?? []).filter(
          ({ metadata }) => namespace === undefined || metadata.namespace === namespace,
        ) as never,
    }
  }

  private anyNode(): Node | undefined {
    return this.nodes.size === 0 ? undefined : this.dice.pick([...this.nodes.values()])
  }

  private anyPod(): Pod | undefined {
    return this.pods.size === 0 ? undefined : this.dice.pick([...this.pods.values()])
  }
}

function sampling(seed: number, percentageOfNodesToScore: number): void {
  const story = new Story(
    seed,
    { nodes: 150, affinity: true, spread: true },
    { ...profileOf('none', seed), percentageOfNodesToScore },
  )
  for (let i = 0; i < 5; i++) story.sample()
}

function tell(seed: number, traits: ClusterTraits, steps: number, profile = profileOf('none', seed)): void {
  const story = new Story(seed, traits, profile)
  for (let i = 0; i < steps; i++) story.step()
}

describe('the columnar and the plain evaluator', () => {
  it(
    'both evaluators agree on small clusters with all features at once',
    () => {
      fc.assert(
        fc.property(
          fc.nat(),
          fc.integer({ min: 1, max: 9 }),
          fc.boolean(),
          fc.boolean(),
          (seed, nodes, affinity, spread) => {
            tell(seed, { nodes, affinity, spread }, stepCount)
          },
        ),
        { numRuns: runs },
      )
    },
    long,
  )

  it(
    "both evaluators agree with a user's plugin among the filters and scores",
    () => {
      const places = fc.constantFrom('last' as const, 'early' as const)
      fc.assert(
        fc.property(fc.nat(), fc.integer({ min: 1, max: 9 }), fc.boolean(), places, (seed, nodes, company, place) => {
          tell(seed, { nodes, affinity: company, spread: company }, stepCount, profileOf(place, seed))
        }),
        { numRuns: Math.ceil(runs / 2) },
      )
    },
    long,
  )

  it(
    'both evaluators agree when a plugin returns errors',
    () => {
      const places = fc.constantFrom('last' as const, 'early' as const)
      fc.assert(
        fc.property(fc.nat(), fc.integer({ min: 1, max: 9 }), fc.boolean(), places, (seed, nodes, company, place) => {
          tell(seed, { nodes, affinity: company, spread: company }, stepCount, profileOf(place, seed, erratic))
        }),
        { numRuns: Math.ceil(runs / 4) },
      )
    },
    long,
  )

  it(
    'both evaluators agree on clusters with too many hosts and racks for one class each',
    () => {
      fc.assert(
        fc.property(fc.nat(), (seed) => {
          tell(seed, { nodes: 150, affinity: true, spread: true }, 8)
        }),
        { numRuns: Math.ceil(runs / 20) },
      )
    },
    long,
  )

  it(
    'both evaluators agree for workloads that share a plan, because they differ only in labels and images',
    () => {
      const run = fc.property(fc.nat(), fc.integer({ min: 1, max: 9 }), (half, nodes) => {
        new Story(2 * half, { nodes, affinity: false, spread: false }, profileOf('none', half)).workloads()
      })
      fc.assert(run, { numRuns: runs })
    },
    long,
  )

  it(
    'both evaluators agree when only a sample of the nodes is scored',
    () => {
      const run = fc.property(fc.nat(), fc.constantFrom(1, 70, 90, 100), sampling)
      fc.assert(run, { numRuns: Math.ceil(runs / 10) })
    },
    long,
  )
})
