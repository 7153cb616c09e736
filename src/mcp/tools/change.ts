import { parseLabelSelector } from '../../api/label-selector.ts'
import type { Json, JsonObject, KubeObject } from '../../api/objects/meta.ts'
import { bodyLimits, YamlError } from '../../base/yaml.ts'
import { parseManifests } from '../../controlplane/manifests.ts'
import { counted } from '../../whatif/report/phrases.ts'
import { kindOfObject } from '../../whatif/scenario/kind-names.ts'
import { nameHint } from '../../whatif/scenario/near-names.ts'
import { ToolError, type ToolOutcome } from '../answer.ts'
import { oneLine } from '../cluster-text.ts'
import type { Fork } from '../fork.ts'
import { countsText, happeningsSince } from '../happenings.ts'
import { fields, openFields } from '../input-schema.ts'
import { mergePatchBetween } from '../merge-patch.ts'
import {
  type Arguments,
  forkOf,
  forkOutput,
  forkValue,
  inputs,
  kindNamed,
  namedObject,
  optionalText,
  type Tool,
  type ToolContext,
  text,
} from '../tool.ts'
import { nodeInputs, writtenNodes, writtenTarget } from './targets.ts'

export const changeOutput = openFields(
  {
    ...forkOutput,
    changed: { type: 'array', items: { type: 'string' }, description: 'The changes, as kubectl prints them.' },
  },
  ['fork', 'at', 'changed'],
)

const linesShown = 20

/** The changes, and their consequences at the same instant. `since` is the number of facts before. */
export function changedAnswer(fork: Fork, changed: readonly string[], since: number): ToolOutcome {
  const { counts, lines } = happeningsSince(fork, since)
  const shown = lines.slice(0, linesShown)
  return {
    says: [
      `Fork ${fork.id} at ${fork.at}: ${counted(changed.length, 'change')}. Time passes only with advance.`,
      ...(lines.length === 0 ? [] : [`At once: ${countsText(counts)}`]),
    ],
    data: [
      ...changed.map(oneLine),
      ...shown.map((line) => `  ${line}`),
      ...(lines.length > shown.length ? [`  … and ${lines.length - shown.length} more`] : []),
    ],
    value: { ...forkValue(fork), changed, counts },
  }
}

interface Change extends Pick<Tool, 'name' | 'title' | 'description' | 'input'> {
  /** Applies the change, and returns a description as kubectl prints it. */
  readonly perform: (fork: Fork, given: Arguments, context: ToolContext) => Promise<readonly string[]>
}

function changeTool({ perform, ...tool }: Change): Tool {
  return {
    ...tool,
    effect: 'changes',
    output: changeOutput,
    run: async (given, context) => {
      const fork = forkOf(given, context)
      const since = factsOf(fork)
      return changedAnswer(fork, await perform(fork, given, context), since)
    },
  }
}

export const factsOf = ({ run }: Fork): number => run.recorder.facts.length

const applyTool = changeTool({
  name: 'kubectl_apply',
  title: 'Apply manifests',
  description:
    'Creates objects, or updates them as kubectl apply --server-side --force-conflicts does: fields that the manifest does not ' +
    'contain are kept. Objects are applied in order; if one is rejected, the objects before it stay applied.',
  input: fields(
    {
      fork: inputs.fork,
      manifest: { type: 'string', description: 'Manifests in YAML or JSON.', minLength: 1 },
      namespace: { ...inputs.namespace, description: 'Namespace of objects without one. Default: default.' },
    },
    ['manifest'],
  ),
  perform: async (fork, given, context) => {
    const objects = manifestsIn(text(given, 'manifest'))
    const changed: string[] = []
    for (const object of objects) {
      try {
        changed.push(await applyOne(fork, object, optionalText(given, 'namespace'), context))
      } catch (error) {
        if (!(error instanceof ToolError) || changed.length === 0) throw error
        throw new ToolError(`${error.message}\n(applied before it: ${changed.join(', ')})`)
      }
    }
    return changed
  },
})

const mostObjects = 500

function manifestsIn(written: string): readonly KubeObject[] {
  try {
    const objects = parseManifests(written, bodyLimits)
    if (objects.length === 0) throw new ToolError('manifest: no objects found')
    if (objects.length > mostObjects) throw new ToolError(`manifest: at most ${mostObjects} objects in one call`)
    return objects
  } catch (error) {
    if (error instanceof YamlError) throw new ToolError(`manifest: line ${error.line + 1}: ${error.reason}`)
    if (error instanceof ToolError) throw error
    throw new ToolError(`manifest: ${error instanceof Error ? error.message : String(error)}`)
  }
}

async function applyOne(
  fork: Fork,
  given: KubeObject,
  namespace: string | undefined,
  { workspace }: ToolContext,
): Promise<string> {
  const { registry, store } = fork.run.cluster
  const kind = kindOfObject(registry.kinds, given)
  if (kind === undefined)
    throw new ToolError(
      `resource mapping not found: no matches for kind ${JSON.stringify(given.kind)} in version ${JSON.stringify(given.apiVersion)}`,
    )
  if (typeof given.metadata !== 'object' || given.metadata === null) throw new ToolError('metadata: required')
  const place = kind.namespaced ? (given.metadata.namespace ?? namespace ?? 'default') : undefined
  if (place !== undefined && store.get('namespaces', place) === undefined) {
    const known = store.list('namespaces').map(({ metadata }) => metadata.name)
    throw new ToolError(
      `Error from server (NotFound): namespaces "${place}" not found; ${nameHint(String(place), known)}`,
    )
  }
  const object = place === undefined ? given : { ...given, metadata: { ...given.metadata, namespace: place } }
  const key = place === undefined ? object.metadata.name : `${place}/${object.metadata.name}`
  const before = store.get(kind.storage, key)
  await workspace.perform(fork, { apply: [object as unknown as Json] })
  const after = store.get(kind.storage, key)
  const how =
    before === undefined
      ? 'created'
      : before.metadata.resourceVersion === after?.metadata.resourceVersion
        ? 'unchanged'
        : 'serverside-applied'
  return `${typeText(kind)}/${object.metadata.name ?? object.metadata.generateName} ${how}`
}

const typeText = ({ singular, group }: { readonly singular: string; readonly group: string }): string =>
  group === '' ? singular : `${singular}.${group}`

const patchTool = changeTool({
  name: 'kubectl_patch',
  title: 'Patch an object',
  description:
    'Patches one object as kubectl patch does. The value null removes a field. The type json takes a list of operations.',
  input: fields(
    {
      fork: inputs.fork,
      resource: inputs.resource,
      name: inputs.name,
      namespace: inputs.namespace,
      patch: { description: 'The patch: an object, or for the type json a list of operations.' },
      type: { type: 'string', enum: ['strategic', 'merge', 'json'], default: 'strategic' },
    },
    ['resource', 'name', 'patch'],
  ),
  perform: async (fork, given, context) => {
    const { kind, name, namespace, object: before } = namedObject(fork, given)
    const { patch } = given
    const isJson = given['type'] === 'json'
    if (isJson !== Array.isArray(patch) || typeof patch !== 'object' || patch === null)
      throw new ToolError(`patch: must be ${isJson ? 'a list of operations' : 'an object'}`)
    const target = writtenTarget(kind, name, namespace)
    const written = isJson
      ? { target, patch: asMergePatch(fork, kind.resource, before, patch as never), type: 'merge' }
      : { target, patch: patch as JsonObject, type: text(given, 'type') ?? 'strategic' }
    await context.workspace.perform(fork, { patch: written })
    const after = fork.run.cluster.store.get(kind.storage, kind.namespaced ? `${namespace ?? 'default'}/${name}` : name)
    const isSame = before.metadata.resourceVersion === after?.metadata.resourceVersion
    return [`${typeText(kind)}/${name} patched${isSame ? ' (no change)' : ''}`]
  },
})

/** A scenario has no JSON patches, so the difference that the patch makes is written as a merge patch. */
function asMergePatch(fork: Fork, resource: string, before: KubeObject, operations: never): JsonObject {
  const { namespace, name } = before.metadata
  const outcome = fork.copy().client.callNow({
    verb: 'patch',
    resource,
    name,
    ...(namespace === undefined ? {} : { namespace }),
    patch: { kind: 'json', operations },
  })
  if (!outcome.ok) throw new ToolError(`Error from server (${outcome.status.reason}): ${outcome.status.message}`)
  if (outcome.kind !== 'object') return {}
  return mergePatchBetween(withoutServerFields(before), withoutServerFields(outcome.object))
}

function withoutServerFields(object: KubeObject): JsonObject {
  const { resourceVersion: _, generation: __, managedFields: ___, ...metadata } = object.metadata as never as JsonObject
  return { ...(object as unknown as JsonObject), metadata }
}

const deleteTool = changeTool({
  name: 'kubectl_delete',
  title: 'Delete objects',
  description:
    'Deletes one object, or all objects of a namespace that a label selector selects, as kubectl delete does: dependents are ' +
    'garbage-collected, pods get their grace period, finalizers are respected.',
  input: fields(
    {
      fork: inputs.fork,
      resource: inputs.resource,
      name: inputs.name,
      namespace: inputs.namespace,
      selector: { type: 'string', description: 'Label selector instead of a name.', minLength: 1, maxLength: 1_000 },
      gracePeriodSeconds: { type: 'integer', minimum: 0, maximum: 1_000_000 },
    },
    ['resource'],
  ),
  perform: async (fork, given, context) => {
    const kind = kindNamed(fork, text(given, 'resource'))
    const namespace = optionalText(given, 'namespace')
    const names = namesToDelete(fork, given)
    const grace = given['gracePeriodSeconds'] as number | undefined
    await context.workspace.perform(fork, {
      delete: {
        targets: names.map((name) => writtenTarget(kind, name, namespace)),
        ...(grace === undefined ? {} : { gracePeriodSeconds: grace }),
      },
    })
    return names.map((name) => `${typeText(kind)} "${name}" deleted`)
  },
})

function namesToDelete(fork: Fork, given: Arguments): readonly string[] {
  const kind = kindNamed(fork, text(given, 'resource'))
  const name = optionalText(given, 'name')
  const selector = optionalText(given, 'selector')
  if ((name === undefined) === (selector === undefined))
    throw new ToolError('exactly one of name and selector is required')
  const namespace = optionalText(given, 'namespace') ?? 'default'
  if (name !== undefined) return [namedObject(fork, given).object.metadata.name]
  const matcher = parseLabelSelector(selector ?? '')
  if (!matcher.ok) throw new ToolError(`selector: ${matcher.message}`)
  const names = fork.run.cluster.store
    .list(kind.storage, kind.namespaced ? { namespace } : {})
    .filter(({ metadata }) => matcher.value.matches(metadata.labels))
    .map(({ metadata }) => metadata.name)
  if (names.length === 0) throw new ToolError('No resources found')
  if (names.length > mostObjects)
    throw new ToolError(`${names.length} objects match; at most ${mostObjects} in one call`)
  return names
}

const scaleTool = changeTool({
  name: 'kubectl_scale',
  title: 'Scale a workload',
  description: 'Sets the number of replicas of a Deployment, ReplicaSet, StatefulSet or ReplicationController.',
  input: fields(
    {
      fork: inputs.fork,
      resource: inputs.resource,
      name: inputs.name,
      namespace: inputs.namespace,
      replicas: { type: 'integer', minimum: 0, maximum: 1_000_000 },
    },
    ['resource', 'name', 'replicas'],
  ),
  perform: async (fork, given, context) => {
    const { kind, name, namespace } = namedObject(fork, given)
    const scale = { target: writtenTarget(kind, name, namespace), replicas: given['replicas'] as number }
    await context.workspace.perform(fork, { scale })
    return [`${typeText(kind)}/${name} scaled`]
  },
})

const taintTool = changeTool({
  name: 'kubectl_taint',
  title: 'Taint or untaint nodes',
  description:
    'Adds a taint to nodes as kubectl taint does: KEY=VALUE:EFFECT or KEY:EFFECT. A trailing - removes it: KEY:EFFECT- or KEY-.',
  input: fields(
    {
      fork: inputs.fork,
      ...nodeInputs,
      taint: {
        type: 'string',
        description: 'maintenance=now:NoExecute, or maintenance-',
        minLength: 1,
        maxLength: 600,
      },
    },
    ['taint'],
  ),
  perform: async (fork, given, context) => {
    const taint = text(given, 'taint')
    const isRemoved = taint.endsWith('-')
    const written = { ...writtenNodes(given), taint: isRemoved ? taint.slice(0, -1) : taint }
    await context.workspace.perform(fork, isRemoved ? { untaint: written } : { taint: written })
    return [`${nodesText(given)} ${isRemoved ? 'untainted' : 'tainted'}`]
  },
})

const nodesText = ({ nodes, selector, zone }: Arguments): string => {
  if (Array.isArray(nodes)) return nodes.map((name) => `node/${name}`).join(', ')
  return selector === undefined ? `nodes of zone ${zone}` : `nodes with ${selector}`
}

function nodeTool(name: string, step: 'cordon' | 'uncordon', title: string, description: string): Tool {
  return changeTool({
    name,
    title,
    description,
    input: fields({ fork: inputs.fork, ...nodeInputs }),
    perform: async (fork, given, { workspace }) => {
      await workspace.perform(fork, { [step]: writtenNodes(given) })
      return [`${nodesText(given)} ${step}ed`]
    },
  })
}

const faultTool = changeTool({
  name: 'fault',
  title: 'Fail or recover nodes',
  description:
    'Simulates faults, which kubectl cannot do: fails machines (fail, recover), stops kubelets (silence, revive) or sets the pressure that kubelets ' +
    'report. Call advance afterwards: nodes become NotReady after their grace period, and pods are evicted later.',
  input: fields(
    {
      fork: inputs.fork,
      fault: { type: 'string', enum: ['fail', 'recover', 'silence', 'revive', 'pressure'] },
      ...nodeInputs,
      pressures: {
        type: 'array',
        description: 'For the fault pressure: the pressures that the nodes report. Empty: none.',
        items: { type: 'string', enum: ['memory', 'disk', 'pid'] },
        maxItems: 3,
      },
    },
    ['fault'],
  ),
  perform: async (fork, given, context) => {
    const fault = text(given, 'fault')
    const isPressure = fault === 'pressure'
    if (isPressure !== (given['pressures'] !== undefined))
      throw new ToolError('pressures is required for the fault pressure, and only there')
    const written = { ...writtenNodes(given), ...(isPressure ? { pressures: given['pressures'] as Json } : {}) }
    await context.workspace.perform(fork, { [fault]: written })
    return [`${nodesText(given)}: ${fault}`]
  },
})

export const changeTools: readonly Tool[] = [
  applyTool,
  patchTool,
  deleteTool,
  scaleTool,
  taintTool,
  nodeTool('kubectl_cordon', 'cordon', 'Cordon nodes', 'Makes nodes unschedulable. Pods on them stay.'),
  nodeTool('kubectl_uncordon', 'uncordon', 'Uncordon nodes', 'Makes nodes schedulable again.'),
  faultTool,
]
