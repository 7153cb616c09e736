import type { KubeObject } from '../../api/objects/meta.ts'
import { annotations as known } from '../../api/well-known.ts'
import { isAutoscalerImage, readFlagTexts } from '../../autoscalers/cluster-autoscaler/options.ts'
import type { Fields } from '../../base/fields.ts'
import { isKarpenter, withoutOtherFlags } from '../scenario/karpenter-flags.ts'
import { keptWords } from './found-control-plane.ts'

// These fields do not affect scheduling or eviction, and may contain confidential data.
const containerSecrets: ReadonlySet<string> = new Set([
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

// Defaulted fields are kept, or reset to their default. If they were removed, the first write to a Deployment would
// restore them there but not in its ReplicaSet, which would start a rollout.
const podSecrets: ReadonlySet<string> = new Set(['imagePullSecrets', 'hostAliases', 'dnsConfig'])

// Volume sources that do not bind a pod to a node. Cluster Autoscaler does not remove a node with a hostPath pod.
const plainVolumes: ReadonlySet<string> = new Set(['secret', 'configMap', 'downwardAPI', 'projected'])

const keptAnnotations: ReadonlySet<string> = new Set(Object.values(known).filter((name) => name !== known.lastApplied))

/**
 * Removes what a forecast does not need: managed fields, the last applied configuration, and fields of containers that
 * may contain secrets (environment, commands, probes). The flags of the control plane and of Cluster Autoscaler that a
 * forecast reads are kept.
 */
export function trimObject(object: KubeObject): KubeObject {
  const { managedFields: _, ...metadata } = object.metadata
  const trimmed: Record<string, unknown> = { ...object, metadata: withKnownAnnotations(metadata as Fields) }
  const spec = (object as unknown as Fields)['spec'] as Fields | undefined
  switch (object.kind) {
    case 'Pod':
      trimmed['spec'] = trimPodSpec(spec ?? {})
      trimmed['status'] = trimPodStatus(((object as unknown as Fields)['status'] ?? {}) as Fields)
      break
    case 'CronJob':
      if (spec !== undefined)
        trimmed['spec'] = { ...spec, jobTemplate: trimTemplateOwner(spec['jobTemplate'] as Fields) }
      break
    // A template of nodes. Karpenter compares a hash of the whole template, so no part may be removed.
    case 'NodePool':
      break
    case 'ControllerRevision':
      trimmed['data'] = trimTemplateOwner((object as unknown as Fields)['data'] as Fields | undefined)
      break
    default:
      if (spec !== undefined && spec['template'] !== undefined)
        trimmed['spec'] = { ...spec, template: trimTemplate(spec['template'] as Fields) }
  }
  return trimmed as unknown as KubeObject
}

function trimTemplateOwner(owner: Fields | undefined): Fields | undefined {
  const spec = owner?.['spec'] as Fields | undefined
  if (owner === undefined || spec?.['template'] === undefined) return owner
  return { ...owner, spec: { ...spec, template: trimTemplate(spec['template'] as Fields) } }
}

function trimTemplate(template: Fields): Fields {
  const metadata = withKnownAnnotations((template['metadata'] ?? {}) as Fields)
  return { ...template, metadata, spec: trimPodSpec((template['spec'] ?? {}) as Fields) }
}

// Annotations of autoscalers: the nodes that may be removed, and the machines of nodes.
const keptPrefixes = ['karpenter.sh/', 'cluster-autoscaler.kubernetes.io/', 'cluster.x-k8s.io/', 'berth.dev/']

/** Annotations that affect a forecast. */
export function isKeptAnnotation(name: string): boolean {
  return keptAnnotations.has(name) || keptPrefixes.some((prefix) => name.startsWith(prefix))
}

function withKnownAnnotations(metadata: Fields): Fields {
  const { annotations, ...rest } = metadata
  const kept = Object.entries((annotations ?? {}) as Fields).filter(([name]) => isKeptAnnotation(name))
  return kept.length === 0 ? rest : { ...rest, annotations: Object.fromEntries(kept) }
}

function trimPodSpec(spec: Fields): Fields {
  const trimmed: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(spec)) {
    if (podSecrets.has(name)) continue
    if (name === 'containers' || name === 'initContainers')
      trimmed[name] = (value as readonly Fields[]).map(trimContainer)
    else if (name === 'volumes') {
      const volumes = (value as readonly Fields[]).filter(
        (volume) => !Object.keys(volume).some((key) => plainVolumes.has(key)),
      )
      if (volumes.length > 0) trimmed[name] = volumes
    } else if (name === 'securityContext') trimmed[name] = {}
    else if (name !== 'ephemeralContainers') trimmed[name] = value
  }
  return trimmed
}

function trimContainer(container: Fields): Fields {
  const kept = Object.fromEntries(Object.entries(container).filter(([name]) => !containerSecrets.has(name)))
  // A forecast runs autoscalers with their own flags.
  if (isKarpenter(container)) return { ...kept, ...withoutOtherFlags(container) }
  const words = keptWords(container)
  if (words !== undefined) return { ...kept, command: words }
  const { image, command = [], args = [] } = container
  if (typeof image !== 'string' || !isAutoscalerImage(image)) return kept
  const flags = readFlagTexts([...(command as readonly string[]), ...(args as readonly string[])])
  return { ...kept, args: Object.entries(flags).map(([name, value]) => `--${name}=${value}`) }
}

function trimPodStatus(status: Fields): Fields {
  const { containerStatuses, initContainerStatuses: _, ephemeralContainerStatuses: __, ...kept } = status
  if (!Array.isArray(containerStatuses)) return kept
  return {
    ...kept,
    containerStatuses: (containerStatuses as readonly Fields[]).map((one) => ({
      name: one['name'],
      image: one['image'],
      imageID: '',
      ready: one['ready'],
      started: one['started'],
      restartCount: one['restartCount'],
      state: stateWithoutMessages(one['state'] as Fields | undefined),
    })),
  }
}

/** Messages of containers may contain their output, so they are removed. */
function stateWithoutMessages(state: Fields | undefined): Fields | undefined {
  if (state === undefined) return undefined
  return Object.fromEntries(
    Object.entries(state).map(([name, value]) => {
      const { message: _, containerID: __, ...rest } = (value ?? {}) as Fields
      return [name, rest]
    }),
  )
}
