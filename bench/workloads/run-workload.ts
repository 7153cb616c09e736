import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises'
import type { Call, Outcome } from '../../src/api/call.ts'
import { parseGoDurationMs } from '../../src/api/go-duration.ts'
import type { KubeObject } from '../../src/api/objects/meta.ts'
import { failedWith } from '../../src/api/status.ts'
import { extended } from '../../src/base/extended.ts'
import { must } from '../../src/base/result.ts'
import { prepareNode } from './nodes.ts'
import { fromTemplate } from './template.ts'
import type { PodWatch, Throughput } from './throughput.ts'
import { createPodWithVolume } from './volumes.ts'
import { countOf, type Operation, templateParamsOf, type Workload } from './workload-file.ts'

/** The control plane that a workload runs on. */
export interface Bench {
  readonly pods: PodWatch
  call(call: Call): Promise<Outcome>
  progress(line: string): void
}

const plurals: Readonly<Record<string, string>> = {
  Pod: 'pods',
  Node: 'nodes',
  Service: 'services',
  Namespace: 'namespaces',
  PersistentVolume: 'persistentvolumes',
  PersistentVolumeClaim: 'persistentvolumeclaims',
  StorageClass: 'storageclasses.storage.k8s.io',
  CSINode: 'csinodes.storage.k8s.io',
  DeviceClass: 'deviceclasses.resource.k8s.io',
  ResourceClaim: 'resourceclaims.resource.k8s.io',
  ResourceClaimTemplate: 'resourceclaimtemplates.resource.k8s.io',
  ResourceSlice: 'resourceslices.resource.k8s.io',
  PodGroup: 'podgroups.scheduling.k8s.io',
}
const clusterScoped = new Set([
  'nodes',
  'namespaces',
  'persistentvolumes',
  'storageclasses.storage.k8s.io',
  'csinodes.storage.k8s.io',
  'deviceclasses.resource.k8s.io',
  'resourceslices.resource.k8s.io',
])

const amounts = { cpu: '100m', memory: '500Mi' }
const basePod: KubeObject = {
  metadata: { name: '', generateName: 'pod-' },
  spec: {
    containers: [
      {
        name: 'pause',
        image: 'registry.k8s.io/pause:3.10.1',
        ports: [{ containerPort: 80 }],
        resources: { limits: amounts, requests: amounts },
      },
    ],
  },
} as KubeObject

const patienceMs = 10 * 60_000
// The driver runs this often while objects are created in bulk.
const createsPerTurn = 64
const workers = 30

/** Runs the operations of one workload, like upstream's executor. */
export class WorkloadRun {
  private readonly workload: Workload
  private readonly bench: Bench
  private readonly expected = new Map<string, number>()
  private readonly namespaces = new Set<string>()
  private readonly background: Promise<void>[] = []
  private readonly results: Throughput[] = []
  private nodes = 0
  private readonly nodeNames: string[] = []
  private ended = false

  constructor(workload: Workload, bench: Bench) {
    this.workload = workload
    this.bench = bench
  }

  async run(): Promise<readonly Throughput[]> {
    try {
      for (const [index, operation] of this.workload.operations.entries()) await this.operate(operation, index)
    } finally {
      this.ended = true
      await Promise.all(this.background)
    }
    return this.results
  }

  private async operate(operation: Operation, index: number): Promise<void> {
    switch (operation.opcode) {
      case 'createNodes':
        return this.createNodes(operation, index)
      case 'createNamespaces':
        return this.createNamespaces(operation)
      case 'createPods':
        return this.createPods(operation, index)
      case 'createPodSets':
        return this.createPodSets(operation, index)
      case 'deletePods':
        return this.deletePods(operation)
      case 'churn':
        return this.churn(operation, index)
      case 'barrier':
        return this.barrier(operation)
      case 'sleep':
        await sleep(this.durationOf(operation))
        return
      case 'startCollectingMetrics':
        this.bench.pods.start(operation.namespaces ?? [], operation.labelSelector)
        return
      case 'stopCollectingMetrics':
        return this.collect()
      case 'createPodGroups':
      case 'createAny':
        return this.createAny(operation)
      case 'createResourceDriver':
        return this.createResourceDriver(operation)
      case 'updateAny':
        return this.updateAny(operation)
      default:
        throw new Error(`the opcode ${operation.opcode} is not known`)
    }
  }

  private async createNodes(operation: Operation, index: number): Promise<void> {
    const count = countOf(operation, this.workload.params)
    this.bench.progress(`${count} nodes`)
    await inParallel(count, async (i) => {
      const made = prepareNode(operation, this.workload.folder, { opIndex: index, Index: i, Count: count })
      const created = await this.must({ verb: 'create', resource: 'nodes', object: made.node })
      if (created.ok && created.kind === 'object') this.nodeNames.push(created.object.metadata.name)
      if (made.csiNode !== undefined) {
        await this.must({ verb: 'create', resource: 'csinodes.storage.k8s.io', object: made.csiNode })
      }
    })
    this.nodes += count
  }

  private async createNamespaces(operation: Operation): Promise<void> {
    const count = countOf(operation, this.workload.params)
    for (let i = 0; i < count; i++) {
      const template =
        operation.namespaceTemplatePath === undefined
          ? { metadata: { name: '' } }
          : fromTemplate(this.workload.folder, operation.namespaceTemplatePath, { Index: i, Count: count })
      await this.namespace(`${operation.prefix}-${i}`, template)
    }
  }

  private async createPods(operation: Operation, index: number, into?: string): Promise<void> {
    const count = countOf(operation, this.workload.params)
    const namespace = into ?? operation.namespace ?? `namespace-${index}`
    await this.namespace(namespace)
    if (operation.collectMetrics === true) this.bench.pods.start([namespace])
    this.bench.progress(`${count} pods in ${namespace}`)
    const before = this.bench.pods.scheduledIn(namespace)
    if (operation.steadyState === true) await this.createSteadily(operation, namespace, count)
    else {
      await this.createPodsIn(operation, namespace, count)
      if (operation.skipWaitToCompletion === true) {
        this.expected.set(namespace, (this.expected.get(namespace) ?? 0) + count)
      } else {
        await this.until(
          () => this.bench.pods.scheduledIn(namespace) >= Math.max(before, count),
          () => `pods in ${namespace}: ${JSON.stringify(this.bench.pods.stages(namespace))} of ${count}`,
        )
      }
    }
    if (operation.collectMetrics === true) this.collect()
  }

  private async createPodsIn(operation: Operation, namespace: string, count: number): Promise<void> {
    const path = operation.podTemplatePath ?? this.workload.defaultPodTemplatePath
    const params = templateParamsOf(operation, this.workload.params)
    await inParallel(count, async (i) => {
      const values = { ...params, Index: i, Count: count }
      const pod = path === undefined ? basePod : fromTemplate(this.workload.folder, path, values)
      if (operation.persistentVolumeClaimTemplatePath === undefined) {
        await this.must({ verb: 'create', resource: 'pods', namespace, object: placed(pod, namespace) })
        return
      }
      await createPodWithVolume((call) => this.must(call), {
        pod: placed(pod, namespace),
        namespace,
        index: i,
        claim: fromTemplate(this.workload.folder, operation.persistentVolumeClaimTemplatePath, values),
        volume: fromTemplate(this.workload.folder, operation.persistentVolumeTemplatePath ?? '', values),
      })
    })
  }

  /** Creates batches of pods for a given time; each is deleted when all its pods are scheduled. */
  private async createSteadily(operation: Operation, namespace: string, count: number): Promise<void> {
    const end = Date.now() + this.durationOf(operation)
    while (Date.now() < end) {
      await this.createPodsIn(operation, namespace, count)
      await this.until(
        () => this.bench.pods.scheduledIn(namespace) >= count,
        () => `pods in ${namespace}`,
      )
      await this.must({ verb: 'deletecollection', resource: 'pods', namespace, options: { gracePeriodSeconds: 0 } })
      await this.until(
        () => this.bench.pods.list(namespace).length === 0,
        () => `deletions in ${namespace}`,
      )
    }
  }

  private async createPodSets(operation: Operation, index: number): Promise<void> {
    const count = countOf(operation, this.workload.params)
    const { createPodsOp, namespacePrefix } = operation
    if (createPodsOp === undefined) throw new Error('createPodSets: no createPodsOp')
    for (let i = 0; i < count; i++) await this.createPods(createPodsOp, index, `${namespacePrefix}-${i}`)
  }

  private async deletePods(operation: Operation): Promise<void> {
    const { namespace = 'default', labelSelector, deletePodsPerSecond } = operation
    const pods = this.bench.pods.list(namespace, labelSelector)
    const work = async (): Promise<void> => {
      await paced(
        pods.length,
        deletePodsPerSecond,
        () => this.ended,
        async (i) => {
          const name = pods[i]?.metadata.name ?? ''
          await this.bench.call({ verb: 'delete', resource: 'pods', namespace, name })
        },
      )
    }
    if (operation.skipWaitToCompletion === true) this.background.push(work())
    else await work()
  }

  private async churn(operation: Operation, index: number): Promise<void> {
    const namespace = operation.namespace ?? `namespace-${index}`
    await this.namespace(namespace)
    const { templatePaths = [], mode, number = 0, intervalMilliseconds = 500 } = operation
    const names = new Map<string, string>()
    const work = async (): Promise<void> => {
      for (let i = 0; !this.ended && (mode === 'recreate' || number === 0 || i < number); i++) {
        await this.pause(intervalMilliseconds)
        if (this.ended) return
        for (const path of templatePaths)
          await this.churnOne(path, namespace, names, `${path}#${number > 0 ? i % number : i}`, mode)
      }
    }
    this.background.push(work())
  }

  private async churnOne(
    path: string,
    namespace: string,
    names: Map<string, string>,
    slot: string,
    mode: Operation['mode'],
  ): Promise<void> {
    const object = fromTemplate(this.workload.folder, path, { Index: 0, Count: 1 })
    const resource = resourceOf(object)
    const at = clusterScoped.has(resource) ? {} : { namespace }
    const known = names.get(slot)
    if (mode === 'recreate' && known !== undefined) {
      names.delete(slot)
      await this.bench.call({ verb: 'delete', resource, ...at, name: known })
      return
    }
    const outcome = await this.bench.call({ verb: 'create', resource, ...at, object: placed(object, at.namespace) })
    if (outcome.ok && outcome.kind === 'object') names.set(slot, outcome.object.metadata.name)
  }

  private async barrier({ namespaces, labelSelector, stageRequirement }: Operation): Promise<void> {
    const waited = namespaces ?? [...this.expected.keys()]
    for (const namespace of waited) {
      const wanted = this.expected.get(namespace) ?? 0
      const reached = (): boolean => {
        const { scheduled, attempted } = this.bench.pods.stages(namespace, labelSelector)
        return (stageRequirement === 'Attempted' ? scheduled + attempted : scheduled) >= wanted
      }
      await this.until(reached, () => {
        const at = this.bench.pods.stages(namespace, labelSelector)
        return `the barrier in ${namespace}: ${JSON.stringify(at)} of ${wanted}`
      })
      if (stageRequirement !== 'Attempted') this.expected.delete(namespace)
    }
  }

  private async createAny(operation: Operation): Promise<void> {
    const count = countOf(operation, this.workload.params)
    if (operation.namespace !== undefined) await this.namespace(operation.namespace)
    for (let i = 0; i < count; i++) {
      const values = { ...templateParamsOf(operation, this.workload.params), Index: i, Count: count }
      const object = fromTemplate(this.workload.folder, operation.templatePath ?? '', values)
      const at = operation.namespace === undefined ? {} : { namespace: operation.namespace }
      await this.must({
        verb: 'create',
        resource: resourceOf(object),
        ...at,
        object: placed(object, operation.namespace),
      })
    }
  }

  /** Publishes a slice for each node of a driver, and waits until the scheduler has seen them. */
  private async createResourceDriver(operation: Operation): Promise<void> {
    const { driverName = '', nodes = '', maxClaimsPerNodeParam = '' } = operation
    const prefix = nodes.replace(/\*$/, '')
    const devices = Number(this.workload.params[maxClaimsPerNodeParam.replace(/^\$/, '')])
    const names = this.nodeNames.filter((name) => name.startsWith(prefix))
    this.bench.progress(`${names.length} nodes with ${devices} devices`)
    await inParallel(names.length, async (i) => {
      const name = names[i] as string
      const object = sliceOf(driverName, name, devices)
      await this.must({ verb: 'create', resource: 'resourceslices.resource.k8s.io', object })
    })
  }

  private async updateAny(operation: Operation): Promise<void> {
    const count = countOf(operation, this.workload.params)
    const { namespace, subresources = [], updatePerSecond, templatePath = '' } = operation
    const at = namespace === undefined ? {} : { namespace }
    await paced(
      count,
      updatePerSecond,
      () => this.ended,
      async (i) => {
        const object = placed(fromTemplate(this.workload.folder, templatePath, { Index: i, Count: count }), namespace)
        const target = {
          verb: 'update' as const,
          resource: resourceOf(object),
          ...at,
          name: object.metadata.name,
          object,
        }
        await this.must({ ...target, ...(subresources[0] === undefined ? {} : { subresource: subresources[0] }) })
        await this.must({ ...target, subresource: 'status' })
      },
    )
  }

  private collect(): void {
    const measured = this.bench.pods.stop()
    if (measured !== undefined) this.results.push(measured)
  }

  private async namespace(name: string, template: KubeObject = { metadata: { name } }): Promise<void> {
    if (this.namespaces.has(name)) return
    this.namespaces.add(name)
    const { generateName: _, ...metadata } = template.metadata
    const object = { ...template, metadata: { ...metadata, name } }
    await this.must({ verb: 'create', resource: 'namespaces', object })
  }

  private durationOf({ duration, durationParam }: Operation): number {
    const text = durationParam === undefined ? duration : this.workload.params[durationParam.replace(/^\$/, '')]
    return must(parseGoDurationMs(String(text ?? '0s')))
  }

  private async until(reached: () => boolean, what: () => string): Promise<void> {
    const end = Date.now() + patienceMs
    for (let polls = 0; !reached(); polls++) {
      if (Date.now() > end) throw new Error(`gave up waiting for ${what()}`)
      await sleep(polls < 20 ? 1 : 10)
    }
  }

  private async pause(ms: number): Promise<void> {
    for (let left = ms; left > 0 && !this.ended; left -= 20) await sleep(Math.min(left, 20))
  }

  private async must(call: Call): Promise<Outcome> {
    let outcome = await this.bench.call(call)
    // A generated name may exist already; a retry generates another.
    for (let tries = 0; tries < 7 && failedWith(outcome, 'AlreadyExists'); tries++)
      outcome = await this.bench.call(call)
    if (!outcome.ok) throw new Error(`${call.verb} ${call.resource}: ${outcome.status.message}`)
    return outcome
  }
}

/** Like upstream's 30 workers: the next starts when one has finished, and the driver runs in between. */
async function inParallel(count: number, work: (i: number) => Promise<void>): Promise<void> {
  let next = 0
  const worker = async (): Promise<void> => {
    for (let i = next++; i < count; i = next++) {
      await work(i)
      if (i % createsPerTurn === 0) await turn()
    }
  }
  await Promise.all(Array.from({ length: Math.min(count, workers) }, worker))
}

/** Runs `one` `count` times, at most `perSecond` times per second. */
async function paced(
  count: number,
  perSecond: number | undefined,
  ended: () => boolean,
  work: (i: number) => Promise<void>,
): Promise<void> {
  const from = Date.now()
  for (let i = 0; i < count && !ended(); i++) {
    if (perSecond !== undefined && perSecond > 0) {
      const wait = from + ((i + 1) * 1000) / perSecond - Date.now()
      if (wait > 0) await sleep(wait)
    }
    await work(i)
    if (i % createsPerTurn === 0) await turn()
  }
}

function placed(object: KubeObject, namespace: string | undefined): KubeObject {
  return namespace === undefined ? object : { ...object, metadata: extended(object.metadata, { namespace }) }
}

/** The slice of a node, as upstream's test driver publishes it (scheduler_perf, resourceSlice). */
function sliceOf(driver: string, node: string, count: number): KubeObject {
  const devices = Array.from({ length: count }, (_, i) => ({
    name: `instance-${i}`,
    attributes: {
      model: { string: 'A100' },
      family: { string: 'GPU' },
      driverVersion: { version: '1.2.3' },
      'dra.example.com/numa': { int: i },
    },
    capacity: { memory: { value: '1Gi' } },
  }))
  return {
    apiVersion: 'resource.k8s.io/v1',
    kind: 'ResourceSlice',
    metadata: { name: node },
    spec: { driver, nodeName: node, pool: { name: node, generation: 1, resourceSliceCount: 1 }, devices },
  } as KubeObject
}

function resourceOf(object: KubeObject): string {
  const resource = plurals[object.kind ?? '']
  if (resource === undefined) throw new Error(`what is the plural of ${object.kind}?`)
  return resource
}
