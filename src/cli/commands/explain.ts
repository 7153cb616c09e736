import { resolve } from 'node:path'
import { keyOf } from '../../api/object-key.ts'
import type { KubeObject } from '../../api/objects/meta.ts'
import type { Pod } from '../../api/objects/pod.ts'
import type { KnownResource } from '../../api/objects/resources.ts'
import { defaultRelease } from '../../api/releases/release-of.ts'
import type { PendingEviction } from '../../controllers/taint-eviction/pending-eviction.ts'
import type { SchedulerInspection } from '../../scheduler/observe/inspection.ts'
import { watchedResourcesOf } from '../../scheduler/watched-resources.ts'
import { explainPod, type PodExplanation } from '../../whatif/explain/explain-pod.ts'
import { ObjectSet } from '../../whatif/explain/object-set.ts'
import { profilesFor } from '../../whatif/explain/profiles-for.ts'
import { kindOfObject } from '../../whatif/scenario/kind-names.ts'
import { notFoundText } from '../../whatif/scenario/near-names.ts'
import { type FoundVersion, findCluster, foundVersion } from '../../whatif/snapshot/found-cluster.ts'
import { dumpCommand } from '../../whatif/snapshot/snapshot-resources.ts'
import { knownKinds, NoClusterError, readManifests } from '../../whatif/snapshot/sorted-objects.ts'
import { explainNodeCommand } from '../autoscaler-answers.ts'
import { type ClusterAccess, type ClusterChoice, cannotReach, clusterOptions, openCluster } from '../cluster-access.ts'
import { runningCluster } from '../cluster-files.ts'
import { readScenarioObjects } from '../cluster-input.ts'
import {
  defineCommand,
  defineCommandGroup,
  exitCodes,
  integer,
  type Ports,
  repeated,
  text,
  wrongQuestion,
} from '../command.ts'
import { type SchedulerValues, schedulerOptions } from '../control-plane-options.ts'
import { explainGroupCommand } from '../explain-group-command.ts'
import { explainDeploymentCommand, explainStatefulSetCommand } from '../explain-workload-command.ts'
import { explanationText } from '../explanation-text.ts'
import { namespacedName } from '../namespaced-name.ts'
import { choosePalette, outputOption, printValue } from '../output.ts'
import type { ReleaseValues } from '../release-options.ts'
import { readConfig } from '../whatif-command.ts'
import { readObjects } from '../yaml.ts'

const explainPodCommand = defineCommand({
  name: 'pod',
  summary: 'Explain why a pod is pending or where it runs, what would place it, and when it is evicted',
  description:
    'Runs the scheduler on the current state of the cluster and prints its result: for every node the plugin that rejects the pod, ' +
    'or the scores; the smallest change that would place the pod; and the events that requeue it. Nothing is written. With ' +
    'berth up, the command uses the configuration of its scheduler; for other clusters, pass --scheduler-config and --plugin.',
  args: [{ name: 'NAME', summary: 'Name of the pod, or NAMESPACE/NAME', takes: 'one' }],
  options: {
    ...clusterOptions,
    namespace: text({ summary: 'Namespace of the pod', short: 'n', value: 'NAMESPACE', default: 'default' }),
    from: repeated({
      summary:
        'Snapshots, files or directories to read the cluster from, for example the output of kubectl get … -o json',
      value: 'FILE',
    }),
    ...schedulerOptions,
    nodes: integer({ summary: 'Maximum number of nodes to list', value: 'N', default: 20, min: 0 }),
    output: outputOption(),
  },
  examples: [
    {
      command: 'berth explain pod web-0',
      summary: 'Explain a pod of the cluster of berth up, or of the current context',
    },
    {
      command: 'berth explain pod shop/web-0 --from dump.json',
      summary: `Explain a pod of a dump (${dumpCommand})`,
    },
    { command: 'berth explain pod web-0 -o json', summary: 'Print every node, plugin, reason and score' },
    {
      command: 'berth explain pod web-0 --scheduler-config scheduler.yaml --plugin team-nodes.ts',
      summary: 'Use your scheduler configuration and plugin',
    },
  ],
  run: async ({ args, options, stdout, env, ...ports }) => {
    const [given = ''] = args
    const [namespace, name] = namespacedName(given, options.namespace)
    const found =
      options.from.length > 0
        ? await fromFiles(options.from, ports)
        : await fromCluster(await openCluster(options, { ...ports, env }))
    const pod = found.objects.get('pods', `${namespace}/${name}`)
    if (pod === undefined) throw wrongQuestion(missingPod(found.objects, namespace, name))
    const { objects, queue, evictions } = found
    const now = found.atMs ?? ports.now()
    const { profiles, release } = await schedulerFor(found, options, ports)
    const { schedulerName = 'default-scheduler' } = pod.spec
    const profile = profiles.find((each) => each.schedulerName === schedulerName)
    const explanation =
      profile === undefined && !pod.spec.nodeName
        ? otherScheduler(pod)
        : explainPod({
            objects,
            pod,
            now,
            release,
            ...(profile === undefined ? {} : { profile }),
            ...(queue === undefined ? {} : { queue }),
            ...(evictions === undefined ? {} : { evictions }),
          })
    const palette = choosePalette(stdout, env)
    printValue(stdout, options.output, explanation, () => {
      const limit = options.output === 'wide' ? Number.POSITIVE_INFINITY : options.nodes
      return explanationText(explanation, { now, palette, limit })
    })
    return exitCodes.done
  },
})

export const command = defineCommandGroup({
  name: 'explain',
  summary: 'Explain why a pod is pending, what would place it, and when it is retried or evicted',
  examples: [
    { command: 'berth explain pod web-0', summary: 'Explain a pod' },
    { command: 'berth explain deployment web', summary: 'Explain why pods of a Deployment are not ready' },
  ],
  commands: [
    explainPodCommand,
    explainDeploymentCommand,
    explainStatefulSetCommand,
    explainGroupCommand,
    explainNodeCommand,
  ],
})

type ExplainOptions = ClusterChoice & SchedulerRecordOptions & { readonly from: readonly string[] }

interface SchedulerRecordOptions extends SchedulerValues, ReleaseValues {
  readonly behavior: 'upstream' | 'improved'
  readonly fix: readonly string[]
}

/** The profiles of the options, or of the scheduler of `berth up`. */
async function schedulerFor(
  { kubernetes, objects }: ExplainSource,
  options: ExplainOptions,
  { files, cwd }: Pick<Ports, 'files' | 'cwd'>,
): Promise<ReturnType<typeof profilesFor>> {
  const { from, kubeconfig, context, dataDir, behavior, fix, schedulerConfig, plugin } = options
  const isGiven = schedulerConfig !== undefined || plugin.length > 0 || fix.length > 0 || behavior !== 'upstream'
  const isOwn = from.length === 0 && kubeconfig === undefined && context === undefined && !isGiven
  const running = isOwn ? await runningCluster(files, resolve(cwd, dataDir)) : undefined
  const { scheduler: { schedulerConfig: file, ...recorded } = options } = running ?? {}
  const how = { ...recorded, schedulerConfig: file }
  const { kubernetesVersion, featureGates } = options
  const given = { ...how, kubernetesVersion, featureGates, config: undefined }
  const settings = await readConfig(given, { files, cwd }, kubernetes)
  return profilesFor(settings, objects)
}

/** The explanation of a pod of another scheduler. */
function otherScheduler(pod: Pod): PodExplanation {
  const { schedulerName = 'default-scheduler' } = pod.spec
  return {
    pod: keyOf(pod),
    state: 'pending',
    message: `waiting for scheduler "${schedulerName}"`,
    nodes: [],
    wakesOn: {},
    repairs: [],
    never: `no profile is named "${schedulerName}"; pass its configuration with --scheduler-config`,
  }
}

interface ExplainSource {
  readonly kubernetes: FoundVersion
  readonly objects: ObjectSet
  /** The time at which the objects were read. Default: now. */
  readonly atMs?: number
  readonly queue?: SchedulerInspection['queue']
  readonly evictions?: readonly PendingEviction[]
}

function missingPod(objects: ObjectSet, namespace: string, name: string): string {
  const elsewhere = objects
    .list('pods')
    .filter(({ metadata }) => metadata.name === name)
    .map(({ metadata }) => metadata.namespace)
  if (elsewhere.length > 0)
    return `pods "${name}" not found in namespace ${namespace}, but in ${elsewhere.join(', ')}; set it with -n`
  const names = objects.list('pods', namespace).map(({ metadata }) => metadata.name)
  return notFoundText('pods', name, names, `namespace ${namespace}`)
}

async function fromFiles(
  paths: readonly string[],
  ports: Pick<Ports, 'files' | 'cwd' | 'readStdin'>,
): Promise<ExplainSource> {
  const all: KubeObject[] = []
  let takenAtMs: number | undefined
  for (const path of paths) {
    const read =
      path === '-'
        ? (await readObjects([path], ports)).map(({ object }) => object as unknown as KubeObject)
        : await readScenarioObjects(resolve(ports.cwd, path), path, ports, (ms) => {
            takenAtMs = ms
          })
    for (const object of read) all.push(object)
  }
  const { objects, atMs } = checkedObjects(all, takenAtMs, paths.join(', '))
  if (objects.list('nodes').length === 0)
    throw wrongQuestion(`${paths.join(', ')}: no nodes found; dump the cluster with ${dumpCommand}`)
  const kubernetes = foundVersion(undefined, objects.list('nodes'), objects.list('pods'))
  return { objects, kubernetes, atMs }
}

/** The objects as an API server would decode them, and the time at which they were read. */
function checkedObjects(
  given: readonly KubeObject[],
  takenAtMs: number | undefined,
  from: string,
): Required<Pick<ExplainSource, 'objects' | 'atMs'>> {
  const objects = new ObjectSet()
  const kinds = knownKinds()
  try {
    const { cluster, manifests } = findCluster({ objects: given, ...(takenAtMs === undefined ? {} : { takenAtMs }) })
    const { store } = cluster
    for (const resource of store.resources()) for (const object of store.list(resource)) objects.add(resource, object)
    for (const object of readManifests(manifests)) {
      const kind = kindOfObject(kinds, object)
      if (kind !== undefined) objects.add(kind.resource, object)
    }
    return { objects, atMs: cluster.takenAtMs }
  } catch (error) {
    if (error instanceof NoClusterError) throw wrongQuestion(`${from}: ${error.message}`)
    throw error
  }
}

async function fromCluster(cluster: ClusterAccess): Promise<ExplainSource> {
  const objects = new ObjectSet()
  try {
    await Promise.all(watchedResourcesOf(defaultRelease).map((resource) => listAll(cluster, resource, objects)))
    const queue = (await cluster.read('/debug/queue').catch(() => undefined)) as SchedulerInspection | undefined
    const evictions = (await cluster.read('/debug/evictions').catch(() => undefined)) as
      | readonly PendingEviction[]
      | undefined
    const version = (await cluster.read('/version').catch(() => undefined)) as { gitVersion?: string } | undefined
    return {
      objects,
      kubernetes: foundVersion(version?.gitVersion, objects.list('nodes'), objects.list('pods')),
      ...(queue === undefined ? {} : { queue: queue.queue }),
      ...(evictions === undefined ? {} : { evictions }),
    }
  } finally {
    cluster.close()
  }
}

async function listAll(cluster: ClusterAccess, resource: KnownResource, objects: ObjectSet): Promise<void> {
  let next: string | undefined
  do {
    const outcome = await cluster.client.call({
      verb: 'list',
      resource,
      limit: 500,
      ...(next === undefined ? {} : { continue: next }),
    })
    if (!outcome.ok) {
      // Nodes and pods are required; without other resources, the explanation is less accurate.
      if (resource !== 'nodes' && resource !== 'pods' && outcome.status.reason !== 'ServiceUnavailable') return
      throw cannotReach(cluster.server, outcome.status.message ?? `${resource} cannot be listed`)
    }
    if (outcome.kind !== 'list') return
    for (const object of outcome.items) objects.add(resource, object)
    next = outcome.continue
  } while (next !== undefined)
}
