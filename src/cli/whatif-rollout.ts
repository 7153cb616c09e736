import { resolve } from 'node:path'
import { keyOf } from '../api/object-key.ts'
import type { KubeObject } from '../api/objects/meta.ts'
import type { ForecastNote } from '../whatif/report/forecast.ts'
import { listed, span } from '../whatif/report/phrases.ts'
import { notFoundText } from '../whatif/scenario/near-names.ts'
import { plannedStep, type Question } from '../whatif/scenario/question.ts'
import type { ObjectTarget } from '../whatif/scenario/step.ts'
import { objectTarget } from '../whatif/scenario/step-reader.ts'
import type { ClusterInput } from '../whatif/snapshot/found-cluster.ts'
import { parsed, repeated, text, wrongQuestion } from './command.ts'
import { defineQuestion, duration } from './whatif-command.ts'
import { readObjects } from './yaml.ts'

const workloads = new Map([
  ['Deployment', 'deployments.apps'],
  ['StatefulSet', 'statefulsets.apps'],
  ['DaemonSet', 'daemonsets.apps'],
])

export const rolloutQuestion = defineQuestion({
  name: 'rollout',
  summary: 'Forecast a rollout of a new version, or a restart of a workload',
  description:
    'Applies the manifests, or restarts the workload as kubectl rollout restart does. New pods take as long to become ready as ' +
    'the running pods of the workload did, or --startup-time. The forecast reports the smallest number of ready pods, the duration, ' +
    'and what stops the rollout.',
  args: [
    { name: 'KIND/NAME', summary: 'Workload to restart, for example deployment/web; or use -f', takes: 'at-most-one' },
  ],
  options: {
    filename: repeated({ short: 'f', summary: 'File with the new version in YAML or JSON', value: 'FILE' }),
    namespace: text({ short: 'n', summary: 'Namespace of the workload', value: 'NAMESPACE', default: 'default' }),
    startupTime: parsed({ summary: 'Time until a new pod is ready', value: 'DURATION', parse: duration }),
  },
  examples: [
    { command: 'berth whatif rollout -f web-v2.yaml --from dump.json', summary: 'Roll out a new version' },
    {
      command: 'berth whatif rollout deployment/web -n shop --startup-time 90s',
      summary: 'Restart a Deployment whose new pods take 90 seconds',
    },
  ],
  ask: async (context, found) => {
    const { options, args } = context
    const [given] = args
    if ((given === undefined) === (options.filename.length === 0))
      throw wrongQuestion('name a workload, for example deployment/web, or pass manifests with -f')
    const question =
      given === undefined ? await applied(options.filename, context, found) : restarted(given, options.namespace, found)
    const { startupTime } = options
    if (startupTime === undefined) return question.asked
    const startups = new Map(question.names.map((name) => [name, startupTime]))
    const note: ForecastNote = {
      kind: 'assumed',
      text: `new pods of ${listed(question.names, 4)} become ready after ${span(startupTime)}`,
    }
    return { ...question.asked, startups, notes: [...(question.asked.notes ?? []), note] }
  },
})

interface Rollout {
  readonly asked: Question
  /** `namespace/name` of the workloads. */
  readonly names: readonly string[]
}

async function applied(
  files: readonly string[],
  ports: Parameters<typeof readObjects>[1] & { readonly cwd: string },
  { cluster }: ClusterInput,
): Promise<Rollout> {
  const read = await readObjects(
    files.map((file) => (file === '-' ? file : resolve(ports.cwd, file))),
    ports,
  )
  const objects = read.map(({ object }) => withNamespace(object as unknown as KubeObject))
  const rolled = objects.filter(({ kind }) => workloads.has(kind ?? ''))
  if (rolled.length === 0)
    throw wrongQuestion(
      `${files.join(', ')}: no Deployment, StatefulSet or DaemonSet found; use whatif apply for other objects`,
    )
  const fresh = rolled.filter(
    (object) => cluster.store.get(workloads.get(object.kind ?? '') ?? '', keyOf(object)) === undefined,
  )
  const notes: readonly ForecastNote[] =
    fresh.length === 0
      ? []
      : [{ kind: 'assumed', text: `${listed(fresh.map(keyOf), 4)} is new, so there is no old version to replace` }]
  return {
    names: rolled.map(keyOf),
    asked: {
      title: `roll out ${rolled.map(({ kind, metadata }) => `${kind}/${metadata.name}`).join(', ')}`,
      steps: [plannedStep({ kind: 'apply', objects })],
      notes,
    },
  }
}

function withNamespace(object: KubeObject): KubeObject {
  if (object.metadata.namespace !== undefined || !workloads.has(object.kind ?? '')) return object
  return { ...object, metadata: { ...object.metadata, namespace: 'default' } }
}

function restarted(given: string, namespace: string, { cluster }: ClusterInput): Rollout {
  const target = targetOf(given, namespace)
  const kind = [...workloads.keys()].find((each) => aliases(each).includes(target.kind.toLowerCase()))
  if (kind === undefined) throw wrongQuestion(`${given}: must be a deployment, statefulset or daemonset`)
  const resource = workloads.get(kind) ?? ''
  const place = target.namespace ?? namespace
  const key = `${place}/${target.name}`
  if (cluster.store.get(resource, key) === undefined) {
    const names = cluster.store
      .list(resource)
      .filter(({ metadata }) => metadata.namespace === place)
      .map(({ metadata }) => metadata.name)
    throw wrongQuestion(notFoundText(resource, target.name, names, `namespace ${place}`))
  }
  // kubectl rollout restart sets this annotation, to the current time.
  const annotations = { 'kubectl.kubernetes.io/restartedAt': new Date(cluster.takenAtMs).toISOString() }
  const patch = { spec: { template: { metadata: { annotations } } } }
  const step = plannedStep({
    kind: 'patch',
    target: { kind: kind.toLowerCase(), namespace: place, name: target.name },
    patch,
    type: 'strategic',
  })
  return { names: [key], asked: { title: `restart ${kind.toLowerCase()}/${target.name}`, steps: [step] } }
}

function targetOf(given: string, namespace: string): ObjectTarget {
  if (!/^[^/]+\/[^/]+$/.test(given)) throw wrongQuestion(`${given}: must be KIND/NAME, for example deployment/web`)
  return { namespace, ...objectTarget(given, '') }
}

function aliases(kind: string): readonly string[] {
  const lower = kind.toLowerCase()
  const short = { deployment: 'deploy', statefulset: 'sts', daemonset: 'ds' }[lower] ?? lower
  return [lower, `${lower}s`, short]
}
