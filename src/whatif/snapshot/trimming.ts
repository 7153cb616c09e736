import type { KubeObject } from '../../api/objects/meta.ts'
import { annotations as known } from '../../api/well-known.ts'

type Tree = Readonly<Record<string, unknown>>

// These fields do not affect scheduling or eviction, and may contain confidential data.
const CONTAINER_SECRETS: ReadonlySet<string> = new Set([
  'env',
  'envFrom',
  'command',
  'args',
  'workingDir',
  'lifecycle',
  'livenessProbe',
  'readinessProbe',
  'startupProbe',
  'volumeMounts',
  'volumeDevices',
  'securityContext',
])

// Defaulted fields are kept, or reset to their default. If they were removed, the first write to a Deployment would restore
// them there but not in its ReplicaSet, and start a rollout.
const POD_SECRETS: ReadonlySet<string> = new Set(['imagePullSecrets', 'hostAliases', 'dnsConfig'])

// Volume sources that do not bind a pod to a node.
const PLAIN_VOLUMES: ReadonlySet<string> = new Set(['secret', 'configMap', 'downwardAPI', 'projected', 'hostPath'])

const KEPT_ANNOTATIONS: ReadonlySet<string> = new Set(Object.values(known).filter((name) => name !== known.lastApplied))

/**
 * Removes what a forecast does not need: managed fields, the last applied configuration, and fields of containers that may
 * contain secrets (environment, commands, probes).
 */
export function trimObject(object: KubeObject): KubeObject {
  const { managedFields: _, ...metadata } = object.metadata
  const trimmed: Record<string, unknown> = { ...object, metadata: withKnownAnnotations(metadata as Tree) }
  const spec = (object as unknown as Tree)['spec'] as Tree | undefined
  switch (object.kind) {
    case 'Pod':
      trimmed['spec'] = trimPodSpec(spec ?? {})
      trimmed['status'] = trimPodStatus(((object as unknown as Tree)['status'] ?? {}) as Tree)
      break
    case 'CronJob':
      if (spec !== undefined) trimmed['spec'] = { ...spec, jobTemplate: trimTemplateOwner(spec['jobTemplate'] as Tree) }
      break
    case 'ControllerRevision':
      trimmed['data'] = trimTemplateOwner((object as unknown as Tree)['data'] as Tree | undefined)
      break
    default:
      if (spec !== undefined && spec['template'] !== undefined)
        trimmed['spec'] = { ...spec, template: trimTemplate(spec['template'] as Tree) }
  }
  return trimmed as unknown as KubeObject
}

function trimTemplateOwner(owner: Tree | undefined): Tree | undefined {
  const spec = owner?.['spec'] as Tree | undefined
  if (owner === undefined || spec?.['template'] === undefined) return owner
  return { ...owner, spec: { ...spec, template: trimTemplate(spec['template'] as Tree) } }
}

function trimTemplate(template: Tree): Tree {
  const metadata = withKnownAnnotations((template['metadata'] ?? {}) as Tree)
  return { ...template, metadata, spec: trimPodSpec((template['spec'] ?? {}) as Tree) }
}

function withKnownAnnotations(metadata: Tree): Tree {
  const { annotations, ...rest } = metadata
  const kept = Object.entries((annotations ?? {}) as Tree).filter(
    ([name]) => KEPT_ANNOTATIONS.has(name) || name.startsWith('berth.dev/'),
  )
  return kept.length === 0 ? rest : { ...rest, annotations: Object.fromEntries(kept) }
}

function trimPodSpec(spec: Tree): Tree {
  const trimmed: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(spec)) {
    if (POD_SECRETS.has(name)) continue
    if (name === 'containers' || name === 'initContainers')
      trimmed[name] = (value as readonly Tree[]).map(trimContainer)
    else if (name === 'volumes') {
      const volumes = (value as readonly Tree[]).filter(
        (volume) => !Object.keys(volume).some((key) => PLAIN_VOLUMES.has(key)),
      )
      if (volumes.length > 0) trimmed[name] = volumes
    } else if (name === 'securityContext') trimmed[name] = {}
    else if (name !== 'ephemeralContainers') trimmed[name] = value
  }
  return trimmed
}

function trimContainer(container: Tree): Tree {
  return Object.fromEntries(Object.entries(container).filter(([name]) => !CONTAINER_SECRETS.has(name)))
}

function trimPodStatus(status: Tree): Tree {
  const { containerStatuses, initContainerStatuses: _, ephemeralContainerStatuses: __, ...kept } = status
  if (!Array.isArray(containerStatuses)) return kept
  return {
    ...kept,
    containerStatuses: (containerStatuses as readonly Tree[]).map((one) => ({
      name: one['name'],
      image: one['image'],
      imageID: '',
      ready: one['ready'],
      started: one['started'],
      restartCount: one['restartCount'],
      state: stateWithoutMessages(one['state'] as Tree | undefined),
    })),
  }
}

/** Messages of containers may contain their output, so they are removed. */
function stateWithoutMessages(state: Tree | undefined): Tree | undefined {
  if (state === undefined) return undefined
  return Object.fromEntries(
    Object.entries(state).map(([name, value]) => {
      const { message: _, containerID: __, ...rest } = (value ?? {}) as Tree
      return [name, rest]
    }),
  )
}
