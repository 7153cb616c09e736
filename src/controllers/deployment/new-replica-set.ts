import type { StringMap } from '../../api/objects/meta.ts'
import type { Deployment, ReplicaSet } from '../../api/objects/workloads.ts'
import { controllerReference } from '../../api/owner-references.ts'
import type { KubernetesRelease } from '../../api/releases/kubernetes-release.ts'
import { defaultRelease } from '../../api/releases/release-of.ts'
import { templateHash } from '../../api/template-hash/template-hash.ts'
import { annotations, labels } from '../../api/well-known.ts'
import { newSetSize } from './decide-rolling.ts'
import { highestRevision, revisionOf, type SetsByTemplate, sumOf, wantedBy } from './replica-sets.ts'
import { sizeAnnotations } from './resizing.ts'

export const deploymentKind = { apiVersion: 'apps/v1', kind: 'Deployment' } as const

// v1.36, deployment maxRevHistoryLengthInChars.
const maxHistoryLength = 2000
const maxNameLength = 253
const revisionHistory = 'deployment.kubernetes.io/revision-history'

const notCopied: ReadonlySet<string> = new Set([
  annotations.lastApplied,
  annotations.deploymentRevision,
  revisionHistory,
  annotations.deploymentDesiredReplicas,
  annotations.deploymentMaxReplicas,
  'deprecated.deployment.rollback.to',
])

/**
 * The ReplicaSet for the Deployment's current template. The name is derived from the template, so it is never created
 * twice.
 */
export function newReplicaSet(
  deployment: Deployment,
  { old }: SetsByTemplate,
  release: KubernetesRelease = defaultRelease,
): ReplicaSet {
  const { metadata, spec } = deployment
  const template = spec?.template ?? { spec: { containers: [] } }
  const hash = templateHash(template, deployment.status?.collisionCount, release)
  const hashLabel = { [labels.podTemplateHash]: hash }
  const templateLabels = { ...template.metadata?.labels, ...hashLabel }
  const revision = String(highestRevision(old) + 1n)
  return {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: {
      name: replicaSetName(metadata.name, hash),
      ...(metadata.namespace === undefined ? {} : { namespace: metadata.namespace }),
      labels: templateLabels,
      annotations: {
        ...copiedAnnotations(deployment),
        [annotations.deploymentRevision]: revision,
        ...sizeAnnotations(deployment),
      },
      ownerReferences: [controllerReference(deployment, deploymentKind)],
    },
    spec: {
      replicas: newSetSize(deployment, sumOf(old, wantedBy), 0),
      ...(spec?.minReadySeconds === undefined ? {} : { minReadySeconds: spec.minReadySeconds }),
      selector: {
        ...spec?.selector,
        matchLabels: { ...spec?.selector.matchLabels, ...hashLabel },
      },
      template: { ...template, metadata: { ...template.metadata, labels: templateLabels } },
    },
  }
}

function replicaSetName(deploymentName: string, hash: string): string {
  return `${deploymentName.slice(0, maxNameLength - 1 - hash.length)}-${hash}`
}

/**
 * The current ReplicaSet updated from the Deployment: annotations, minReadySeconds, and the highest revision, also
 * after a rollback. Undefined: it is up to date.
 */
export function refreshedReplicaSet(
  deployment: Deployment,
  replicaSet: ReplicaSet,
  { old }: SetsByTemplate,
): ReplicaSet | undefined {
  const before = replicaSet.metadata.annotations ?? {}
  const after = {
    ...before,
    ...copiedAnnotations(deployment),
    ...revisedAnnotations(replicaSet, highestRevision(old) + 1n),
  }
  const minReadySeconds = deployment.spec?.minReadySeconds ?? 0
  const isRefreshed = Object.entries(after).every(([key, text]) => before[key] === text)
  if (isRefreshed && (replicaSet.spec?.minReadySeconds ?? 0) === minReadySeconds) return undefined
  return {
    ...replicaSet,
    metadata: { ...replicaSet.metadata, annotations: after },
    spec: { ...replicaSet.spec, minReadySeconds },
  } as ReplicaSet
}

function copiedAnnotations(deployment: Deployment): StringMap {
  const entries = Object.entries(deployment.metadata.annotations ?? {})
  return Object.fromEntries(entries.filter(([key]) => !notCopied.has(key)))
}

function revisedAnnotations(replicaSet: ReplicaSet, revision: bigint): StringMap {
  const before = revisionOf(replicaSet)
  if (before === undefined || before >= revision) return {}
  const former = replicaSet.metadata.annotations?.[annotations.deploymentRevision]
  const history =
    former === undefined ? undefined : grownHistory(replicaSet.metadata.annotations?.[revisionHistory], former)
  return {
    [annotations.deploymentRevision]: String(revision),
    ...(history === undefined ? {} : { [revisionHistory]: history }),
  }
}

/** The earlier revisions of a ReplicaSet. The oldest are dropped if they do not fit. */
function grownHistory(history: string | undefined, former: string): string {
  if (history === undefined || history === '') return former
  const kept = history.split(',')
  while (kept.length > 0 && [...kept, former].join(',').length > maxHistoryLength) kept.shift()
  return [...kept, former].join(',')
}
