import type { Node } from '../../src/api/objects/node.ts'
import type { Pod, PodSpec } from '../../src/api/objects/pod.ts'
import { createRandom } from '../../src/base/random.ts'
import { SchedulerCache } from '../../src/scheduler/cache/scheduler-cache.ts'
import type { CycleInput, ObjectReader, Scheduling } from '../../src/scheduler/contract/contract.ts'
import { createScheduling } from '../../src/scheduler/cycle.ts'
import { createDefaultProfile } from '../../src/scheduler/plugins/default-plugins.ts'
import { PodNominator } from '../../src/scheduler/queue/nominator.ts'
import type { BenchContext, Suite } from '../suite.ts'

// The scheduling cycle alone: parse the pod, run the cycle, assume the pod on its node. The suite `scheduler` measures the
// scheduler with queue, store and binding.

interface Workload {
  readonly name: string
  /** kube-scheduler v1.36.4 on a similar machine, pods per second at 5,000 nodes, with all of its work. */
  readonly peerPerSecond: number
  readonly placed: (i: number) => PodSpec
  readonly placedLabels?: Readonly<Record<string, string>>
  /** The number of pods on each node before the measurement. */
  readonly placedPerNode: number
  readonly pod: (i: number) => PodSpec
  readonly labels?: Readonly<Record<string, string>>
  /** Whether every pod has a different shape. */
  readonly distinct?: boolean
}

const container = (requests: Readonly<Record<string, string>>): PodSpec['containers'] => [
  { name: 'pause', image: 'registry.k8s.io/pause:3.10.1', resources: { requests } },
]
const small = (): PodSpec => ({ containers: container({ cpu: '100m', memory: '500Mi' }), priority: 0 })
const zone = 'topology.kubernetes.io/zone'
const hostname = 'kubernetes.io/hostname'
const term = (topologyKey: string, labels: Readonly<Record<string, string>>) => ({
  topologyKey,
  labelSelector: { matchLabels: labels },
})

const workloads: readonly Workload[] = [
  { name: 'Basic', peerPerSecond: 218, placed: small, placedPerNode: 1, pod: small },
  {
    name: 'Basic, every pod different',
    peerPerSecond: 218,
    placed: small,
    placedPerNode: 1,
    pod: small,
    distinct: true,
  },
  {
    name: 'TopologySpreading',
    peerPerSecond: 87,
    placed: small,
    placedPerNode: 1,
    labels: { color: 'blue' },
    pod: () => ({
      ...small(),
      topologySpreadConstraints: [
        {
          maxSkew: 5,
          topologyKey: zone,
          whenUnsatisfiable: 'DoNotSchedule',
          labelSelector: { matchLabels: { color: 'blue' } },
        },
      ],
    }),
  },
  {
    name: 'PreferredTopologySpreading',
    peerPerSecond: 87,
    placed: small,
    placedPerNode: 1,
    labels: { color: 'blue' },
    pod: () => ({
      ...small(),
      topologySpreadConstraints: [zone, hostname].map((topologyKey) => ({
        maxSkew: 5,
        topologyKey,
        whenUnsatisfiable: 'ScheduleAnyway' as const,
        labelSelector: { matchLabels: { color: 'blue' } },
      })),
    }),
  },
  {
    name: 'SchedulingPodAffinity',
    peerPerSecond: 36,
    placed: small,
    placedLabels: { color: 'blue' },
    placedPerNode: 1,
    labels: { color: 'blue' },
    pod: () => ({
      ...small(),
      affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term(zone, { color: 'blue' })] } },
    }),
  },
  {
    name: 'SchedulingPodAntiAffinity',
    peerPerSecond: 72,
    placed: small,
    placedPerNode: 1,
    labels: { color: 'green' },
    pod: () => ({
      ...small(),
      affinity: {
        podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term(hostname, { color: 'green' })] },
      },
    }),
  },
  {
    name: 'SchedulingPreferredPodAntiAffinity',
    peerPerSecond: 72,
    placed: small,
    placedPerNode: 1,
    labels: { color: 'red' },
    pod: () => ({
      ...small(),
      affinity: {
        podAntiAffinity: {
          preferredDuringSchedulingIgnoredDuringExecution: [
            { weight: 1, podAffinityTerm: term(hostname, { color: 'red' }) },
          ],
        },
      },
    }),
  },
  {
    name: 'Unschedulable',
    peerPerSecond: 199,
    placed: small,
    placedPerNode: 1,
    pod: (i) => (i % 2 === 0 ? small() : { containers: container({ cpu: '9' }), priority: 0 }),
  },
  {
    name: 'Preemption',
    peerPerSecond: 149,
    placed: () => ({ containers: container({ cpu: '900m', memory: '500Mi' }), priority: 0 }),
    placedPerNode: 4,
    pod: () => ({ containers: container({ cpu: '3', memory: '500Mi' }), priority: 10 }),
  },
]

function nodeOf(i: number): Node {
  const name = `node-${i}`
  return {
    metadata: { name, uid: name, labels: { [hostname]: name, [zone]: `zone-${i % 3}` } },
    spec: {},
    status: { allocatable: { cpu: '4', memory: '32Gi', pods: '110' } },
  }
}

function podOf(name: string, spec: PodSpec, labels: Readonly<Record<string, string>>, nodeName?: string): Pod {
  return {
    metadata: { name, namespace: 'default', uid: name, labels },
    spec: nodeName === undefined ? spec : { ...spec, nodeName },
    status: nodeName === undefined ? {} : { phase: 'Running', startTime: '2026-01-01T00:00:00Z' },
  }
}

const noObjects: ObjectReader = { get: () => undefined, list: () => [] }

class Cluster {
  readonly cache = new SchedulerCache()
  readonly nominator = new PodNominator()
  readonly scheduling: Scheduling
  private readonly input: CycleInput

  constructor(workload: Workload, nodes: number, seed: string) {
    this.input = { objects: noObjects, random: createRandom(seed) }
    for (let i = 0; i < nodes; i++) this.cache.addNode(nodeOf(i))
    for (let i = 0; i < nodes * workload.placedPerNode; i++) {
      this.cache.addPod(podOf(`placed-${i}`, workload.placed(i), workload.placedLabels ?? {}, `node-${i % nodes}`))
    }
    this.scheduling = createScheduling({
      profile: createDefaultProfile(),
      cache: this.cache,
      nominator: this.nominator,
    })
  }

  /** True if the pod was placed, or preempted others. */
  schedule(pod: Pod): boolean {
    const parsed = this.cache.parser.parse(pod)
    const result = this.scheduling.schedule(parsed, this.input)
    if (result.kind === 'placed') {
      this.cache.assumePod(parsed, result.node)
      this.nominator.delete(parsed.uid)
      return true
    }
    if (result.kind !== 'unschedulable' || result.preemption === undefined) return false
    this.nominator.add(parsed, result.nominating)
    for (const { pod: victim } of result.preemption.victims.pods) this.cache.removePod(victim)
    return this.schedule({ ...pod, status: { nominatedNodeName: result.preemption.victims.node } })
  }
}

async function measure(workload: Workload, nodes: number, context: BenchContext): Promise<number> {
  const cluster = new Cluster(workload, nodes, context.seed)
  const count = workload.distinct === true ? 300 : Math.min(nodes, 5000)
  const pods = Array.from({ length: count }, (_, i) =>
    podOf(`pod-${i}`, workload.pod(i), workload.distinct === true ? { id: String(i) } : (workload.labels ?? {})),
  )
  const { ms } = await context.time(() => {
    for (const pod of pods) cluster.schedule(pod)
  })
  return (count * 1000) / ms
}

export const suite: Suite = {
  name: 'scheduler-core',
  summary: 'the scheduling cycle alone, in pods per second',
  async run(context) {
    const sizes = context.full ? [500, 5000, 15000] : [500, 5000]
    const only = context.part
    const rows: (string | number)[][] = []
    for (const workload of workloads) {
      if (only !== undefined && !workload.name.includes(only)) continue
      const rates: number[] = []
      for (const nodes of sizes) {
        const perSecond = await measure(workload, nodes, context)
        const beside = { what: 'kube-scheduler', value: workload.peerPerSecond }
        const name = `${workload.name}/${nodes}Nodes`
        context.record({ name, value: perSecond, unit: 'pods/s', ...(nodes === 5000 ? { beside } : {}) })
        rates.push(Math.round(perSecond))
      }
      const at5000 = rates[1] as number
      rows.push([workload.name, ...rates, `${Math.round(at5000 / workload.peerPerSecond)}×`])
    }
    context.table(
      'scheduling cycles a second',
      ['workload', ...sizes.map((nodes) => `${nodes} nodes`), 'of upstream'],
      rows,
    )
  },
}
