import type { KubeObject, ObjectMeta } from '../../api/objects/meta.ts'
import type { Fields } from '../../base/fields.ts'
import { lookupTable } from '../../base/lookup-table.ts'
import { Recent } from '../../base/recent.ts'

const map = (value: unknown): Fields => (value ?? {}) as Fields
const texts = (value: unknown): readonly string[] => (value ?? []) as readonly string[]

/** A single value and the list that replaced it: the single value wins if they differ, and both are kept. */
function agree<T>(
  single: string,
  list: readonly T[],
  textOf: (item: T) => string,
  make: (text: string) => T,
): readonly T[] {
  const first = list[0]
  if (single === '') return list
  return first === undefined || textOf(first) !== single ? [make(single)] : list
}

function nodeSpec(spec: Fields): Fields {
  const single = (spec['podCIDR'] as string | undefined) ?? ''
  const list = texts(spec['podCIDRs'])
  const agreed = agree(
    single,
    list,
    (cidr) => cidr,
    (cidr) => cidr,
  )
  if (agreed === list && (list[0] ?? '') === single) return spec
  return { ...spec, podCIDR: agreed[0], podCIDRs: agreed }
}

interface Address {
  readonly ip: string
}

function podStatus(status: Fields): Fields {
  const single = (status['podIP'] as string | undefined) ?? ''
  const list = (status['podIPs'] ?? []) as readonly Address[]
  if (single !== '' && list[0]?.ip === single) return status
  const agreed = agree(
    single,
    list,
    ({ ip }) => ip,
    (ip) => ({ ip }),
  )
  if (agreed === list && (list[0]?.ip ?? '') === single) return status
  return { ...status, podIP: agreed[0]?.ip, podIPs: agreed }
}

/** The old and the new field for the service account of a pod have the same value. */
function podSpec(spec: Fields): Fields {
  const name = (spec['serviceAccountName'] ?? spec['serviceAccount']) as string | undefined
  if (spec['serviceAccountName'] === name && spec['serviceAccount'] === name) return spec
  return { ...spec, serviceAccountName: name, serviceAccount: name }
}

// Pods of one template share their spec, even after this conversion.
const accounted = new Recent<Fields, Fields>()

/** Only for pods: the templates of workloads are not changed. */
function ofPod(spec: Fields): Fields {
  const known = accounted.get(spec)
  if (known !== undefined) return known
  const grace = spec['terminationGracePeriodSeconds']
  const result = podSpec(
    (typeof grace === 'number' || typeof grace === 'bigint') && grace < 0
      ? { ...spec, terminationGracePeriodSeconds: 1 }
      : spec,
  )
  if (result !== spec) accounted.set(spec, result)
  return result
}

const initAnnotations = ['init-containers', 'init-container-statuses'].flatMap((name) =>
  ['alpha', 'beta'].map((stage) => `pod.${stage}.kubernetes.io/${name}`),
)

/** Annotations from before init containers were fields. */
function withoutInitAnnotations(metadata: Fields): Fields {
  const annotations = metadata['annotations']
  if (annotations === undefined || annotations === null) return metadata
  if (!initAnnotations.some((key) => Object.hasOwn(annotations, key))) return metadata
  const kept = Object.entries(map(annotations)).filter(([key]) => !initAnnotations.includes(key))
  return { ...metadata, annotations: Object.fromEntries(kept) }
}

const typedClaims = (spec: Fields): Fields => {
  const claims = (spec['volumeClaimTemplates'] ?? []) as readonly Fields[]
  const isTyped = ({ kind, apiVersion }: Fields): boolean => kind === 'PersistentVolumeClaim' && apiVersion === 'v1'
  if (claims.every(isTyped)) return spec
  return {
    ...spec,
    volumeClaimTemplates: claims.map((claim) => ({ ...claim, apiVersion: 'v1', kind: 'PersistentVolumeClaim' })),
  }
}

function inner(object: Fields, field: string, change: (value: Fields) => Fields): Fields {
  const before = object[field]
  if (before === undefined || before === null) return object
  const after = change(map(before))
  return after === before ? object : { ...object, [field]: after }
}

/** The internal field templateGeneration is an annotation in v1 (pkg/apis/apps/v1 conversion). */
export const templateGeneration = 'deprecated.daemonset.template.generation'

const withTemplateGeneration = (annotations: Fields): Fields =>
  Object.hasOwn(annotations, templateGeneration) ? annotations : { ...annotations, [templateGeneration]: '0' }

const template = (spec: Fields): Fields =>
  inner(spec, 'template', (one) => inner(inner(one, 'metadata', withoutInitAnnotations), 'spec', podSpec))

/**
 * The changes of upstream's conversion to internal types, besides validation: duplicate fields get the same value
 * (v1.36, pkg/apis/core/v1/conversion.go).
 */
const conversions = lookupTable<(object: Fields) => Fields>({
  pods: (pod) => inner(inner(inner(pod, 'metadata', withoutInitAnnotations), 'spec', ofPod), 'status', podStatus),
  nodes: (node) => inner(node, 'spec', nodeSpec),
  podtemplates: template,
  replicationcontrollers: (object) => inner(object, 'spec', template),
  'deployments.apps': (object) => inner(object, 'spec', template),
  'replicasets.apps': (object) => inner(object, 'spec', template),
  'statefulsets.apps': (object) => inner(object, 'spec', (spec) => typedClaims(template(spec))),
  'daemonsets.apps': (object) =>
    inner(inner(object, 'spec', template), 'metadata', (metadata) =>
      inner({ annotations: {}, ...metadata }, 'annotations', withTemplateGeneration),
    ),
  'jobs.batch': (object) => inner(object, 'spec', template),
  'cronjobs.batch': (object) =>
    inner(object, 'spec', (spec) => inner(spec, 'jobTemplate', (job) => inner(job, 'spec', template))),
  secrets: (secret) => {
    const given = map(secret['stringData'])
    if (Object.keys(given).length === 0) return secret
    const { stringData: _, ...rest } = secret
    const encoded = Object.entries(given).map(([key, value]) => [key, Buffer.from(String(value)).toString('base64')])
    return { ...rest, data: { ...map(secret['data']), ...Object.fromEntries(encoded) } }
  },
})

/** The same for an update of the status only. */
export function convertStatus(resource: string, status: Fields): Fields {
  return resource === 'pods' ? podStatus(status) : status
}

/** Whether metadata needs no conversion. */
export function keepsMetadata(resource: string, metadata: ObjectMeta): boolean {
  return (
    resource !== 'pods' || withoutInitAnnotations(metadata as unknown as Fields) === (metadata as unknown as Fields)
  )
}

export function convert(resource: string, object: KubeObject): KubeObject {
  const conversion = conversions[resource]
  return conversion === undefined ? object : (conversion(object as unknown as Fields) as unknown as KubeObject)
}
