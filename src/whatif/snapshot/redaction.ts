import { createHmac } from 'node:crypto'
import type { KubeObject } from '../../api/objects/meta.ts'
import type { StatefulSet } from '../../api/objects/workloads.ts'
import { annotations, defaultSchedulerName, labels, priorityClasses } from '../../api/well-known.ts'
import {
  capacityTypeLabel,
  hashAnnotation,
  hashVersionAnnotation,
  initializedLabel,
  registeredLabel,
} from '../../autoscalers/karpenter/names.ts'
import { isKeptAnnotation } from './trimming.ts'

const system: ReadonlySet<string> = new Set([
  'default',
  'kube-system',
  'kube-public',
  'kube-node-lease',
  priorityClasses.systemClusterCritical.name,
  priorityClasses.systemNodeCritical.name,
  defaultSchedulerName,
])

/** Labels whose values are not confidential. Zones and racks are kept, because a forecast is unreadable without them. */
const plainLabels: ReadonlySet<string> = new Set([
  labels.os,
  labels.arch,
  labels.zone,
  labels.region,
  labels.betaZone,
  labels.betaRegion,
  labels.betaOs,
  labels.betaArch,
  labels.instanceType,
  labels.betaInstanceType,
  labels.podTemplateHash,
  'topology.kubernetes.io/rack',
  capacityTypeLabel,
  initializedLabel,
  registeredLabel,
])

// Properties of instance types, which requirements of NodePools compare as numbers.
const plainPrefixes = [
  'karpenter.k8s.aws/instance-',
  'karpenter.kwok.sh/instance-',
  'karpenter.azure.com/sku-',
] as const

function isPlain(label: string): boolean {
  return plainLabels.has(label) || plainPrefixes.some((prefix) => label.startsWith(prefix))
}

/** Fields whose value is a name. */
const nameFields: ReadonlySet<string> = new Set([
  'namespace',
  'nodeName',
  'nominatedNodeName',
  'claimName',
  'volumeName',
  'storageClassName',
  'priorityClassName',
  'serviceAccountName',
  'serviceAccount',
  'serviceName',
  'schedulerName',
  'runtimeClassName',
  'persistentVolumeName',
  'holderIdentity',
  'image',
  'hostname',
  'subdomain',
  'volumeHandle',
  'topologySegment',
  'currentRevision',
  'updateRevision',
  // Karpenter uses it to find the node of a NodeClaim.
  'providerID',
  'imageID',
])

const dropped: ReadonlySet<string> = new Set([
  'message',
  'podIP',
  'podIPs',
  'hostIP',
  'hostIPs',
  'addresses',
  'images',
  'nodeInfo',
  'volumesAttached',
  'volumesInUse',
  'clusterIP',
  'clusterIPs',
  'externalIPs',
  'loadBalancer',
])

const namedParents: ReadonlySet<string> = new Set([
  'metadata',
  'ownerReferences',
  'claimRef',
  'source',
  'scaleTargetRef',
  'describedObject',
  'metric',
  'nodeClassRef',
  'volumes',
])
const labelMaps: ReadonlySet<string> = new Set(['labels', 'matchLabels', 'nodeSelector'])

/**
 * Replaces names by hashes. Equal names get equal hashes, so selectors, owners and placements still match. Messages and
 * addresses are removed. Without the salt, names cannot be guessed by hashing candidates. StatefulSets must precede
 * their pods and claims, as they do in a snapshot.
 */
export function createRedactor(salt: string): (object: KubeObject) => KubeObject {
  const hashes = new Map<string, string>()
  // Pods and claims of a StatefulSet belong to it by name, so `db-0` and `data-db-0` keep the hashed name of the set and the ordinal.
  const stems = new Map<string, string>()
  const learn = ({ metadata, spec }: StatefulSet): void => {
    stems.set(`${metadata.name}-`, `${hash(metadata.name)}-`)
    for (const claim of spec?.volumeClaimTemplates ?? []) {
      const { name } = claim.metadata
      stems.set(`${name}-${metadata.name}-`, `${hash(name)}-${hash(metadata.name)}-`)
    }
  }
  const hash = (text: string): string => {
    if (text === '' || system.has(text)) return text
    const [, stem, ordinal] = /^(.*-)(\d+)$/.exec(text) ?? []
    const numbered = stem === undefined ? undefined : stems.get(stem)
    if (numbered !== undefined) return `${numbered}${ordinal}`
    let known = hashes.get(text)
    if (known === undefined) {
      known = `r${createHmac('sha256', salt).update(text).digest('hex').slice(0, 11)}`
      hashes.set(text, known)
    }
    return known
  }
  const walk = (value: unknown, parent: string): unknown => {
    if (Array.isArray(value)) return value.map((item) => walk(item, parent))
    if (typeof value !== 'object' || value === null) return value
    const fields = value as Readonly<Record<string, unknown>>
    if (
      labelMaps.has(parent) ||
      (parent === 'selector' && !('matchLabels' in fields || 'matchExpressions' in fields))
    ) {
      return redactLabels(fields, hash)
    }
    if (parent === 'annotations') return redactAnnotations(fields, hash)
    if (typeof fields['key'] === 'string' && Array.isArray(fields['values'])) return redactRequirement(fields, hash)
    const redacted: Record<string, unknown> = {}
    for (const [name, member] of Object.entries(fields)) {
      if (dropped.has(name)) continue
      if (name === 'hostPath') {
        redacted[name] = { path: '/redacted' }
        continue
      }
      const isName = nameFields.has(name) || ((name === 'name' || name === 'generateName') && namedParents.has(parent))
      redacted[name] = isName && typeof member === 'string' ? hash(member) : walk(member, name)
    }
    return redacted
  }
  return (object) => {
    if (object.kind === 'StatefulSet') learn(object as StatefulSet)
    // The text of the status of Cluster Autoscaler contains the names of node groups.
    const { data: _, ...withoutData } = object as KubeObject & { readonly data?: unknown }
    return walk(object.kind === 'ConfigMap' ? withoutData : object, '') as KubeObject
  }
}

function redactLabels(fields: Readonly<Record<string, unknown>>, hash: (text: string) => string): unknown {
  return Object.fromEntries(
    Object.entries(fields).map(([key, value]) => {
      return [key, typeof value === 'string' && !isPlain(key) ? hash(value) : value]
    }),
  )
}

/**
 * Keeps only annotations of Kubernetes and Karpenter, also in the template of a NodePool. One of them contains a node
 * name. The hash of the template is removed: it differs from the hash of the redacted template, so all nodes would have
 * drifted.
 */
function redactAnnotations(fields: Readonly<Record<string, unknown>>, hash: (text: string) => string): unknown {
  const kept = Object.entries(fields).filter(
    ([name]) =>
      isKeptAnnotation(name) &&
      name !== hashAnnotation &&
      name !== hashVersionAnnotation &&
      !name.startsWith('cluster.x-k8s.io/'),
  )
  return Object.fromEntries(
    kept.map(([name, value]) => [
      name,
      name === annotations.selectedNode && typeof value === 'string' ? hash(value) : value,
    ]),
  )
}

const comparisons: ReadonlySet<string> = new Set(['Gt', 'Lt', 'Gte', 'Lte'])

/** An expression of a label or node selector. */
function redactRequirement(fields: Readonly<Record<string, unknown>>, hash: (text: string) => string): unknown {
  const { key, values, operator } = fields
  if (isPlain(String(key)) || comparisons.has(String(operator))) return fields
  return { ...fields, values: (values as readonly string[]).map(hash) }
}
