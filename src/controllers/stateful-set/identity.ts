import type { Pod } from '../../api/objects/pod.ts'
import type { PersistentVolumeClaim } from '../../api/objects/storage.ts'
import type { StatefulSet } from '../../api/objects/workloads.ts'
import { controllerReference } from '../../api/owner-references.ts'
import { labels } from '../../api/well-known.ts'
import { extended } from '../../base/extended.ts'
import { podFromTemplate } from '../pod-template.ts'

export const statefulSetKind = { apiVersion: 'apps/v1', kind: 'StatefulSet' } as const

type StatefulSetSpec = NonNullable<StatefulSet['spec']>

const podNamePattern = /^(.*)-([0-9]+)$/s
const maxInt32 = 2 ** 31 - 1

/** The name of the set and the ordinal in the name of a pod; undefined if the name has no ordinal. */
export function parentAndOrdinal(podName: string): { readonly parent: string; readonly ordinal: number } | undefined {
  const match = podNamePattern.exec(podName)
  if (match === null) return undefined
  const ordinal = Number(match[2])
  return ordinal > maxInt32 ? undefined : { parent: match[1] as string, ordinal }
}

export function isMemberOf(set: StatefulSet, podName: string): boolean {
  return parentAndOrdinal(podName)?.parent === set.metadata.name
}

export const replicasOf = (set: StatefulSet): number => set.spec?.replicas ?? 1
export const startOrdinal = (set: StatefulSet): number => set.spec?.ordinals?.start ?? 0

export function isInRange(set: StatefulSet, ordinal: number): boolean {
  const start = startOrdinal(set)
  return ordinal >= start && ordinal < start + replicasOf(set)
}

export function claimName(set: StatefulSet, template: PersistentVolumeClaim, ordinal: number): string {
  return `${template.metadata.name}-${set.metadata.name}-${ordinal}`
}

/** The claims of one ordinal, by volume name. */
export function claimsFor(set: StatefulSet, ordinal: number): ReadonlyMap<string, PersistentVolumeClaim> {
  const { namespace } = set.metadata
  const selected = set.spec?.selector.matchLabels
  return new Map(
    (set.spec?.volumeClaimTemplates ?? []).map((template) => {
      const { metadata } = template
      const claim: PersistentVolumeClaim = {
        ...template,
        apiVersion: 'v1',
        kind: 'PersistentVolumeClaim',
        metadata: {
          ...metadata,
          name: claimName(set, template, ordinal),
          ...(namespace === undefined ? {} : { namespace }),
          labels: { ...metadata.labels, ...selected },
        },
      }
      const { status: _, ...unbound } = claim
      return [metadata.name, unbound]
    }),
  )
}

/** A new pod of a revision, with the identity and storage of the ordinal. */
export function podOf(set: StatefulSet, template: StatefulSetSpec['template'], revision: string, ordinal: number): Pod {
  const pod = podFromTemplate(template, set, controllerReference(set, statefulSetKind))
  const { generateName: _, ...metadata } = pod.metadata
  const name = `${set.metadata.name}-${ordinal}`
  const serviceName = set.spec?.serviceName ?? ''
  return {
    ...pod,
    metadata: {
      ...metadata,
      name,
      labels: extended(metadata.labels ?? {}, {
        ...identityLabels(name, ordinal),
        [labels.controllerRevisionHash]: revision,
      }),
    },
    spec: extended(pod.spec, {
      hostname: name,
      ...(serviceName === '' ? {} : { subdomain: serviceName }),
      ...volumesOf(set, pod, ordinal),
    }),
  }
}

function identityLabels(name: string, ordinal: number) {
  return { [labels.statefulSetPodName]: name, [labels.podIndex]: String(ordinal) }
}

function volumesOf(set: StatefulSet, pod: Pod, ordinal: number): Pick<Pod['spec'], 'volumes'> {
  const claims = claimsFor(set, ordinal)
  if (claims.size === 0) return pod.spec.volumes === undefined ? {} : { volumes: pod.spec.volumes }
  const claimed = [...claims].map(([name, { metadata }]) => ({
    name,
    persistentVolumeClaim: { claimName: metadata.name },
  }))
  return { volumes: [...claimed, ...(pod.spec.volumes ?? []).filter(({ name }) => !claims.has(name))] }
}

/** The pod with its identity restored, if it was changed. Its volumes cannot be changed. */
export function identifiedPod(pod: Pod, ordinal: number): Pod | undefined {
  const { name } = pod.metadata
  if (pod.metadata.labels?.[labels.statefulSetPodName] === name) return undefined
  return { ...pod, metadata: { ...pod.metadata, labels: { ...pod.metadata.labels, ...identityLabels(name, ordinal) } } }
}

export const revisionNameOf = (pod: Pod): string => pod.metadata.labels?.[labels.controllerRevisionHash] ?? ''
