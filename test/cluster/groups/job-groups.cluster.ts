import { describe, it } from 'vitest'
import type { Event } from '../../../src/api/objects/cluster.ts'
import type { KubeObject } from '../../../src/api/objects/meta.ts'
import type { Pod } from '../../../src/api/objects/pod.ts'
import { clusterRelease, missing } from '../real-parts.ts'
import { is136, playGroupStory } from './play-group-story.ts'
import type { Told, ToldSide } from './two-sides.ts'

const reason = /^1\.3[45]$/.test(clusterRelease.minor) ? 'this release has no groups of Jobs' : missing()
const gates = is136
  ? ['GenericWorkload', 'GangScheduling', 'WorkloadAwarePreemption', 'WorkloadWithJob']
  : ['GenericWorkload', 'WorkloadWithJob']

const size = { memory: '8Gi', pods: '10' }
const node = (name: string, cpu = '2'): readonly Told[] => [
  {
    kind: 'create',
    resource: 'nodes',
    object: {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name, labels: { 'kubernetes.io/hostname': name } },
      status: { allocatable: { cpu, ...size }, capacity: { cpu, ...size } },
    },
  },
  { kind: 'patch', resource: 'nodes', name, patch: { spec: { taints: null } } },
]

const job = (name: string, spec: object): Told => ({
  kind: 'create',
  resource: 'jobs.batch',
  object: {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name, namespace: 'default' },
    spec: {
      ...spec,
      template: {
        spec: {
          restartPolicy: 'Never',
          containers: [{ name: 'c', image: 'i', resources: { requests: { cpu: '2' } } }],
        },
      },
    },
  },
})
const indexed = (count: number) => ({ completionMode: 'Indexed', completions: count, parallelism: count })

type JobStory = readonly [string, readonly (readonly Told[])[]]

const resized: JobStory = [
  'a Job that is resized before it fits',
  [
    [...node('small', '1'), job('train', indexed(3))],
    [{ kind: 'patch', resource: 'jobs.batch', name: 'train', patch: { spec: { parallelism: 2, completions: 2 } } }],
    [...node('n0'), ...node('n1'), { kind: 'wait', ms: 12_000 }],
  ],
]

const stories: readonly JobStory[] = [
  [
    'an indexed Job starts as a gang when there is room for all of its pods',
    [
      [...node('small', '1'), job('train', indexed(2))],
      [...node('n0'), ...node('n1'), { kind: 'wait', ms: 12_000 }],
    ],
  ],
  [
    'a Job with fewer pods than completions, and one with a single pod',
    [
      [...node('n0'), ...node('n1'), job('some', { completions: 3, parallelism: 2 })],
      [job('one', { completions: 1, parallelism: 1 })],
    ],
  ],
  // The admission of v1.36 refuses another parallelism.
  ...(is136 ? [] : [resized]),
]

// Names end in hashes of uids, and those of pods in random letters.
const plain = (text: string): string =>
  text
    .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, 'UID')
    .replace(/\b(train|some|one)(-[a-z0-9-]+)/g, '$1-*')

const sorted = (value: unknown): unknown =>
  Array.isArray(value)
    ? value.map(sorted)
    : typeof value === 'object' && value !== null
      ? Object.fromEntries(
          Object.entries(value)
            .filter(([, one]) => one !== null)
            .sort(([a], [b]) => (a < b ? -1 : 1))
            .map(([key, one]) => [key, sorted(one)]),
        )
      : value

function objectSeen(object: KubeObject): string {
  const { apiVersion, kind, metadata } = object
  const { name, labels, annotations, finalizers, ownerReferences, generation } = metadata
  const status = (object as { status?: { conditions?: readonly object[] } }).status
  const conditions = (status?.conditions ?? []).map((each) => ({ ...each, lastTransitionTime: undefined }))
  const shown = { apiVersion, kind, name, labels, annotations, finalizers, ownerReferences, generation, conditions }
  return plain(JSON.stringify(sorted({ ...shown, spec: (object as { spec?: unknown }).spec })))
}

function podSeen({ metadata, spec, status }: Pod): string {
  const scheduled = status?.conditions?.find(({ type }) => type === 'PodScheduled')
  const where = spec.nodeName === undefined ? 'pending' : 'bound'
  return plain(
    [metadata.name, where, JSON.stringify(spec.schedulingGroup), scheduled?.status, scheduled?.message].join(' | '),
  )
}

function seen(side: ToldSide): Readonly<Record<string, unknown>> {
  const events = (side.list('events') as readonly Event[]).filter(({ involvedObject }) =>
    ['Job', 'Workload', 'PodGroup'].includes(involvedObject.kind ?? ''),
  )
  return {
    workloads: side.list('workloads.scheduling.k8s.io').map(objectSeen).sort(),
    groups: side.list('podgroups.scheduling.k8s.io').map(objectSeen).sort(),
    pods: (side.list('pods') as readonly Pod[]).map(podSeen).sort(),
    events: [
      ...new Set(events.map(({ type, reason: why, message }) => plain([type, why, message].join(' | ')))),
    ].sort(),
  }
}

describe.skipIf(reason !== undefined)(
  `groups of Jobs in Kubernetes v${clusterRelease.version} and in berth${reason === undefined ? '' : ` (skipped: ${reason})`}`,
  () => {
    it.each(stories)('%s: the same objects and events at every step', (_, steps) =>
      playGroupStory({
        steps,
        controllers: 'job-controller,podgroup-protection-controller,garbage-collector-controller',
        gates,
        seen,
      }),
    )
  },
)
