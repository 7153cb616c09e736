import type { JsonObject } from '../../api/objects/meta.ts'
import type { DaemonSet, Deployment, ReplicaSet, StatefulSet } from '../../api/objects/workloads.ts'
import { controllerOf } from '../../api/owner-references.ts'
import { formatTime } from '../../api/time.ts'
import { lookupTable } from '../../base/lookup-table.ts'
import type { Kind } from '../../registry/kinds/kind.ts'
import { ToolError } from '../answer.ts'
import { oneLine } from '../cluster-text.ts'
import type { Fork } from '../fork.ts'
import { fields, openFields } from '../input-schema.ts'
import { mergePatchBetween } from '../merge-patch.ts'
import { forkOf, forkOutput, forkValue, inputs, namedObject, type Tool } from '../tool.ts'
import { changedAnswer, factsOf } from './change.ts'
import { writtenTarget } from './targets.ts'

const revisionAnnotation = 'deployment.kubernetes.io/revision'

export const rolloutTool: Tool = {
  name: 'kubectl_rollout',
  title: 'Status, restart or undo of a rollout',
  description:
    'Works like kubectl rollout: status shows the progress of a Deployment, StatefulSet or DaemonSet, restart replaces its pods, ' +
    'undo returns a Deployment to an earlier revision. Call advance to let a rollout proceed.',
  effect: 'changes',
  input: fields(
    {
      fork: inputs.fork,
      action: { type: 'string', enum: ['status', 'restart', 'undo'] },
      resource: { ...inputs.resource, description: 'deployment, statefulset or daemonset.' },
      name: inputs.name,
      namespace: inputs.namespace,
      toRevision: { type: 'integer', description: 'For undo. Default: the previous revision.', minimum: 1 },
    },
    ['action', 'resource', 'name'],
  ),
  output: openFields(
    { ...forkOutput, changed: { type: 'array', items: { type: 'string' } }, done: { type: 'boolean' } },
    ['fork', 'at'],
  ),
  run: async (given, context) => {
    const fork = forkOf(given, context)
    const { kind, name, namespace, object } = namedObject(fork, given, statusReaderOf)
    if (given['action'] === 'status') {
      const { message, done } = statusReaderOf(kind)(object as never)
      return {
        says: [`Fork ${fork.id} at ${fork.at}: the rollout is ${done ? 'complete' : 'not complete'}.`],
        data: [oneLine(message)],
        value: { ...forkValue(fork), done, message },
      }
    }
    const target = writtenTarget(kind, name, namespace)
    const since = factsOf(fork)
    const patch =
      given['action'] === 'restart' ? restartPatch(fork) : undoPatch(fork, kind, object as Deployment, given)
    await context.workspace.perform(fork, { patch: { target, patch, type: 'merge' } })
    return changedAnswer(
      fork,
      [`${kind.singular}.${kind.group}/${name} ${given['action'] === 'restart' ? 'restarted' : 'rolled back'}`],
      since,
    )
  },
}

function restartPatch(fork: Fork): JsonObject {
  const restartedAt = formatTime(fork.run.cluster.clock.now())
  const annotations = { 'kubectl.kubernetes.io/restartedAt': restartedAt }
  return { spec: { template: { metadata: { annotations } } } }
}

/** v1.36, kubectl DeploymentRollbacker: the template of the ReplicaSet of the revision, without the hash. */
function undoPatch(
  fork: Fork,
  kind: Kind,
  deployment: Deployment,
  given: Readonly<Record<string, unknown>>,
): JsonObject {
  if (kind.resource !== 'deployments.apps') throw new ToolError(`undo of a ${kind.kind} is not supported`)
  const revisions = (
    fork.run.cluster.store.list('replicasets.apps', {
      namespace: deployment.metadata.namespace ?? 'default',
    }) as readonly ReplicaSet[]
  )
    .filter((set) => controllerOf(set)?.uid === deployment.metadata.uid)
    .map((set) => ({ set, revision: Number(set.metadata.annotations?.[revisionAnnotation] ?? 0) }))
    .sort((a, b) => a.revision - b.revision)
  const wanted = given['toRevision'] as number | undefined
  const found = wanted === undefined ? revisions.at(-2) : revisions.find(({ revision }) => revision === wanted)
  if (found === undefined)
    throw new ToolError(
      wanted === undefined
        ? 'no rollout history found: there is no revision before the current one'
        : `unable to find specified revision ${wanted} in history; known are ${revisions.map(({ revision }) => revision).join(', ')}`,
    )
  const template = templateWithoutHash(found.set.spec?.template as unknown as JsonObject)
  const current = deployment.spec?.template as unknown as JsonObject
  return { spec: { template: mergePatchBetween(current, template) } }
}

function templateWithoutHash(template: JsonObject): JsonObject {
  const metadata = (template['metadata'] ?? {}) as JsonObject
  const labels = Object.entries((metadata['labels'] ?? {}) as JsonObject).filter(
    ([name]) => name !== 'pod-template-hash',
  )
  return { ...template, metadata: { ...metadata, labels: Object.fromEntries(labels) } }
}

interface RolloutStatus {
  readonly message: string
  readonly done: boolean
}

type StatusReader = (object: never) => RolloutStatus

/** v1.36, kubectl StatusViewer: the same conditions in the same order. */
const statusOf = lookupTable<StatusReader>({
  'deployments.apps': deploymentStatus as StatusReader,
  'statefulsets.apps': statefulSetStatus as StatusReader,
  'daemonsets.apps': daemonSetStatus as StatusReader,
})

function statusReaderOf({ resource, kind }: Kind): StatusReader {
  const found = statusOf[resource]
  if (found !== undefined) return found
  throw new ToolError(`a ${kind} has no rollout; expected a deployment, statefulset or daemonset`)
}

const waiting = (message: string): RolloutStatus => ({ message, done: false })

function deploymentStatus({ metadata, spec, status = {} }: Deployment): RolloutStatus {
  const { name } = metadata
  if ((metadata.generation ?? 0) > (status.observedGeneration ?? 0))
    return waiting('Waiting for deployment spec update to be observed...')
  const progressing = status.conditions?.find(({ type }) => type === 'Progressing')
  if (progressing?.reason === 'ProgressDeadlineExceeded')
    return waiting(`deployment "${name}" exceeded its progress deadline`)
  const { updatedReplicas = 0, replicas = 0, availableReplicas = 0 } = status
  const wanted = spec?.replicas ?? 1
  const wait = `Waiting for deployment "${name}" rollout to finish`
  if (updatedReplicas < wanted)
    return waiting(`${wait}: ${updatedReplicas} out of ${wanted} new replicas have been updated...`)
  if (replicas > updatedReplicas)
    return waiting(`${wait}: ${replicas - updatedReplicas} old replicas are pending termination...`)
  if (availableReplicas < updatedReplicas)
    return waiting(`${wait}: ${availableReplicas} of ${updatedReplicas} updated replicas are available...`)
  return { message: `deployment "${name}" successfully rolled out`, done: true }
}

function statefulSetStatus({ metadata, spec, status }: StatefulSet): RolloutStatus {
  if (spec?.updateStrategy?.type === 'OnDelete')
    throw new ToolError('rollout status is only available for RollingUpdate strategy type')
  if ((status?.observedGeneration ?? 0) < (metadata.generation ?? 0))
    return waiting('Waiting for statefulset spec update to be observed...')
  const wanted = spec?.replicas ?? 1
  if ((status?.readyReplicas ?? 0) < wanted)
    return waiting(`Waiting for ${wanted - (status?.readyReplicas ?? 0)} pods to be ready...`)
  if (status?.updateRevision !== status?.currentRevision)
    return waiting(
      `waiting for statefulset rolling update to complete ${status?.updatedReplicas ?? 0} pods at revision ${status?.updateRevision}...`,
    )
  return {
    message: `statefulset rolling update complete ${status?.currentReplicas ?? 0} pods at revision ${status?.currentRevision}...`,
    done: true,
  }
}

function daemonSetStatus({ metadata, status }: DaemonSet): RolloutStatus {
  if ((metadata.generation ?? 0) > (status?.observedGeneration ?? 0))
    return waiting('Waiting for daemon set spec update to be observed...')
  const { updatedNumberScheduled = 0, desiredNumberScheduled = 0, numberAvailable = 0 } = status ?? {}
  const wait = `Waiting for daemon set "${metadata.name}" rollout to finish`
  if (updatedNumberScheduled < desiredNumberScheduled)
    return waiting(`${wait}: ${updatedNumberScheduled} out of ${desiredNumberScheduled} new pods have been updated...`)
  if (numberAvailable < desiredNumberScheduled)
    return waiting(`${wait}: ${numberAvailable} of ${desiredNumberScheduled} updated pods are available...`)
  return { message: `daemon set "${metadata.name}" successfully rolled out`, done: true }
}
