import { describe, it } from 'vitest'
import type { CompositePodGroup } from '../../../src/api/objects/groups.ts'
import { clusterRelease, missing } from '../real-parts.ts'
import { playGroupStory } from './play-group-story.ts'
import { seen } from './seen.ts'
import {
  claimSpec,
  device,
  gang,
  high,
  member,
  node,
  pod,
  priorityClass,
  remove,
  slice,
  untaint,
} from './told-objects.ts'
import type { Told, ToldSide } from './two-sides.ts'

const reason = clusterRelease.minor === '1.37' ? missing() : 'only v1.37 has composite pod groups'
const gates = ['GenericWorkload', 'TopologyAwareWorkloadScheduling', 'CompositePodGroup']

const workloadRef = { workloadName: 'work', templateName: 'all' }
const composites = 'compositepodgroups.scheduling.k8s.io'
const composite = (name: string, minGroupCount?: number, more: object = {}): Told => ({
  kind: 'create',
  resource: composites,
  object: {
    apiVersion: 'scheduling.k8s.io/v1alpha3',
    kind: 'CompositePodGroup',
    metadata: { name, namespace: 'default' },
    spec: {
      workloadRef,
      schedulingPolicy: minGroupCount === undefined ? { basic: {} } : { gang: { minGroupCount } },
      ...more,
    },
  },
})
const child = (name: string, minCount: number, parent: string, more: object = {}): Told =>
  gang(name, minCount, { workloadRef, parentCompositePodGroupName: parent, ...more })
const under = (parent: string) => ({ parentCompositePodGroupName: parent })
const within = (key: string) => ({ schedulingConstraints: { topology: [{ key }] } })
const wait = (ms: number): Told => ({ kind: 'wait', ms })
const withClaim = { resourceClaims: [{ name: 'gpu', resourceClaimName: 'shared' }] }
const gated = { schedulingGates: [{ name: 'quota' }] }
const nodes = (names: readonly string[], cpu: string, labels: (name: string) => object = () => ({})): readonly Told[] =>
  names.flatMap((name) => [node(name, cpu, labels(name)), untaint(name)])

const stories: readonly (readonly [string, readonly (readonly Told[])[]])[] = [
  [
    'a composite group that is complete step by step',
    [
      [...nodes(['n0'], '16'), child('left', 2, 'job'), member('left', 0)],
      [composite('job', 2)],
      [child('right', 1, 'job'), member('right', 0)],
      [member('left', 1)],
      [child('late', 1, 'job'), member('late', 0)],
    ],
  ],
  [
    'a composite group of which too few groups fit, and fit after a deletion',
    [
      [...nodes(['n0'], '4'), pod('old')],
      [composite('job', 2), child('a', 1, 'job'), child('b', 1, 'job'), member('a', 0), member('b', 0)],
      [remove('pods', 'old'), wait(12_000)],
      [child('c', 2, 'job'), member('c', 0), member('c', 1), wait(4_000)],
    ],
  ],
  [
    'a composite group without a minimum starts with the groups that fit',
    [
      // The composite group last: the hierarchy is complete in one moment.
      [...nodes(['n0'], '4'), child('a', 3, 'job'), child('b', 2, 'job'), member('a', 0), member('a', 1)],
      [member('a', 2), member('b', 0), member('b', 1)],
      [composite('job'), wait(4_000)],
      [...nodes(['n1'], '6'), wait(12_000)],
    ],
  ],
  [
    'a hierarchy of three levels, of which one composite group is missing at first and deleted later',
    [
      [
        ...nodes(['n0'], '16'),
        composite('top', 2),
        composite('left', 1, under('top')),
        child('a', 1, 'left'),
        child('b', 1, 'right'),
        member('a', 0),
        member('b', 0),
      ],
      [composite('right', 1, under('top')), wait(2_000)],
      [remove(composites, 'right'), member('b', 1), wait(2_000)],
      [composite('right', 1, under('top')), wait(12_000)],
    ],
  ],
  [
    'one gated pod keeps a whole hierarchy out of the queue',
    [
      [...nodes(['n0'], '16'), composite('job'), child('a', 1, 'job'), child('b', 1, 'job')],
      [member('a', 0, gated), member('b', 0)],
      [{ kind: 'patch', resource: 'pods', name: 'a-0', patch: { spec: { schedulingGates: null } } }],
    ],
  ],
  [
    'a group without parents waits for its gated pod, also after that is deleted',
    [
      [...nodes(['n0'], '16'), gang('train', 1), member('train', 0, gated), member('train', 1)],
      [remove('pods', 'train-0'), member('train', 2)],
    ],
  ],
  [
    'a claim that two groups of a hierarchy share',
    [
      [...nodes(['n0'], '16'), device('DeviceClass', 'deviceclasses', 'gpu', {})],
      [device('ResourceSlice', 'resourceslices', 'n0-gpus', slice())],
      [device('ResourceClaim', 'resourceclaims', 'shared', claimSpec), child('a', 1, 'job'), child('b', 1, 'job')],
      [member('a', 0, withClaim), member('b', 0, withClaim)],
      [composite('job', 2), wait(4_000)],
    ],
  ],
  [
    'the groups of a composite group in one zone, each in one rack',
    [
      nodes(['a00', 'a01', 'b00', 'b01', 'b10', 'b11'], '2', (name) => ({ zone: name[0], rack: name.slice(0, 2) })),
      [composite('job', 2, within('zone')), child('x', 2, 'job', within('rack')), child('y', 2, 'job', within('rack'))],
      [member('x', 0), member('x', 1), member('y', 0), member('y', 1)],
    ],
  ],
  [
    'more groups than racks',
    [
      nodes(['r00', 'r10'], '2', (name) => ({ zone: 'z', rack: name.slice(0, 2) })),
      [child('p', 1, 'large', within('rack')), child('q', 1, 'large', within('rack')), member('p', 0), member('q', 0)],
      [child('r', 1, 'large', within('rack')), member('r', 0)],
      [composite('large', 3, within('zone'))],
      [...nodes(['r20'], '2', () => ({ zone: 'z', rack: 'r2' })), wait(12_000)],
    ],
  ],
  [
    'no node has the topology of a composite group, or of a group of it',
    [
      [...nodes(['n0'], '16', () => ({ zone: 'z' })), composite('job', 1, within('row')), child('a', 1, 'job')],
      [member('a', 0)],
      [composite('other', 1, within('zone')), child('b', 1, 'other', within('row')), member('b', 0)],
    ],
  ],
  [
    'a composite group preempts for its groups together',
    [
      [...nodes(['n0'], '4'), priorityClass, pod('old-0'), pod('old-1')],
      [
        composite('job', 2, high),
        child('a', 1, 'job'),
        child('b', 1, 'job'),
        member('a', 0, high),
        member('b', 0, high),
      ],
      [remove('pods', 'old-0'), remove('pods', 'old-1'), wait(12_000)],
      [composite('huge', 2, high), child('c', 1, 'huge'), child('d', 2, 'huge')],
      [member('c', 0, high), member('d', 0, high), member('d', 1, high)],
    ],
  ],
  [
    'a composite group that is disrupted as a whole leaves as a whole',
    [
      [...nodes(['n0', 'n1'], '2'), priorityClass, composite('old', 2, { disruptionMode: { all: {} } })],
      [child('a', 1, 'old'), child('b', 1, 'old'), member('a', 0), member('b', 0)],
      [gang('new', 1, high), member('new', 0, high)],
    ],
  ],
  [
    'pods whose priority is not that of the root',
    [
      [...nodes(['n0'], '16'), priorityClass, composite('job', 1, high), child('a', 1, 'job', high)],
      [member('a', 0)],
      [member('a', 1, high)],
    ],
  ],
]

/** Composite groups too, which the scheduler does not write. */
function allSeen(side: ToldSide): unknown {
  const groups = side.list(composites) as readonly CompositePodGroup[]
  return {
    ...seen(side),
    composites: groups
      .map(({ metadata, status }) => `${metadata.name} ${JSON.stringify(status?.conditions ?? [])}`)
      .sort(),
  }
}

describe.skipIf(reason !== undefined)(
  `composite groups in Kubernetes v${clusterRelease.version} and in berth${reason === undefined ? '' : ` (skipped: ${reason})`}`,
  () => {
    it.each(stories)('%s: the same objects and events at every step', (_, steps) =>
      playGroupStory({
        steps,
        controllers: 'resourceclaim-controller,podgroup-protection-controller',
        gates,
        versions: ['scheduling.k8s.io/v1alpha3'],
        seen: allSeen,
      }),
    )
  },
)
