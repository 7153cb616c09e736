import { describe, it } from 'vitest'
import { clusterRelease, missing } from '../real-parts.ts'
import { is136, playGroupStory } from './play-group-story.ts'
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
import type { Told } from './two-sides.ts'

const reason = /^1\.3[45]$/.test(clusterRelease.minor) ? 'this release has no pod groups of this kind' : missing()
const gates = is136 ? ['GenericWorkload', 'GangScheduling', 'WorkloadAwarePreemption'] : ['GenericWorkload']

const patient = { priorityClassName: 'patient' }
const patientClass: Told = {
  kind: 'create',
  resource: 'priorityclasses.scheduling.k8s.io',
  object: {
    apiVersion: 'scheduling.k8s.io/v1',
    kind: 'PriorityClass',
    metadata: { name: 'patient' },
    value: 10,
    preemptionPolicy: 'Never',
  },
}
const patientClaim = {
  devices: {
    requests: [
      {
        name: 'gpu',
        exactly: {
          deviceClassName: 'gpu',
          tolerations: [{ key: 'example.com/hot', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 15 }],
        },
      },
    ],
  },
}
const taintGpu = (taints: readonly object[]): Told => ({
  kind: 'patch',
  resource: 'resourceslices.resource.k8s.io',
  name: 'n0-gpus',
  patch: { spec: slice(taints) },
})
/** A driver reports a condition of the only device of a claim. */
const attached = (claim: string, type: string): Told => ({
  kind: 'patch',
  resource: 'resourceclaims.resource.k8s.io',
  name: claim,
  patch: {
    status: {
      devices: [
        {
          driver: 'gpu.example.com',
          pool: 'n0',
          device: 'gpu-0',
          conditions: [
            { type, status: 'True', reason: 'Attached', message: '', lastTransitionTime: '2026-01-01T00:00:00Z' },
          ],
        },
      ],
    },
  },
  status: true,
})
const done = (name: string): Told => ({
  kind: 'patch',
  resource: 'pods',
  name,
  patch: { status: { phase: 'Succeeded' } },
  status: true,
})

const stories: readonly (readonly [string, readonly (readonly Told[])[]])[] = [
  [
    'a gang that fits after a deletion, and another that competes with it',
    [
      [node('n0'), node('n1'), untaint('n0'), untaint('n1'), pod('old')],
      [gang('train', 2), member('train', 0)],
      [member('train', 1)],
      [remove('pods', 'old'), { kind: 'wait', ms: 12_000 }],
      [gang('other', 2), member('other', 0), member('other', 1)],
      [remove('pods', 'train-0')],
      [remove('pods', 'train-1'), { kind: 'wait', ms: 12_000 }],
      [remove('podgroups.scheduling.k8s.io', 'train')],
    ],
  ],
  [
    'a gang that fits after an eviction, and one that is too large for that',
    [
      // One node: of two, the group would be nominated to both, and the first to be free is random.
      [node('n0', '4'), untaint('n0'), priorityClass, pod('old-0'), pod('old-1')],
      [gang('train', 2, high), member('train', 0, high), member('train', 1, high)],
      [remove('pods', 'old-0'), remove('pods', 'old-1'), { kind: 'wait', ms: 12_000 }],
      [gang('huge', 3, high), member('huge', 0, high), member('huge', 1, high), member('huge', 2, high)],
    ],
  ],
  [
    'claims from templates, a shared claim, its deallocation, and a tainted device',
    [
      [node('n0'), untaint('n0'), device('DeviceClass', 'deviceclasses', 'gpu', {})],
      [pod('early', { resourceClaims: [{ name: 'gpu', resourceClaimTemplateName: 'one' }] }, '100m')],
      [
        device('ResourceSlice', 'resourceslices', 'n0-gpus', slice()),
        device('ResourceClaimTemplate', 'resourceclaimtemplates', 'one', { spec: claimSpec }),
        { kind: 'wait', ms: 3_000 },
      ],
      [done('early')],
      [
        device('ResourceClaim', 'resourceclaims', 'shared', claimSpec),
        pod('a', { resourceClaims: [{ name: 'gpu', resourceClaimName: 'shared' }] }, '100m'),
        pod('b', { resourceClaims: [{ name: 'gpu', resourceClaimName: 'shared' }] }, '100m'),
      ],
      [remove('pods', 'a')],
      [
        {
          kind: 'patch',
          resource: 'resourceslices.resource.k8s.io',
          name: 'n0-gpus',
          patch: { spec: slice([{ key: 'example.com/broken', effect: 'NoExecute' }]) },
        },
      ],
      [remove('pods', 'b')],
    ],
  ],
  [
    'a tainted device with a countdown, which is canceled once and then ends',
    [
      [node('n0'), untaint('n0'), device('DeviceClass', 'deviceclasses', 'gpu', {})],
      [
        device('ResourceSlice', 'resourceslices', 'n0-gpus', slice()),
        device('ResourceClaim', 'resourceclaims', 'patient', patientClaim),
        pod('a', { resourceClaims: [{ name: 'gpu', resourceClaimName: 'patient' }] }, '100m'),
      ],
      [taintGpu([{ key: 'example.com/hot', effect: 'NoExecute' }])],
      [taintGpu([])],
      [taintGpu([{ key: 'example.com/hot', effect: 'NoExecute' }])],
      [{ kind: 'wait', ms: 20_000 }],
    ],
  ],
  [
    'a device with binding conditions: the pod waits until they are true',
    [
      [node('n0'), untaint('n0'), device('DeviceClass', 'deviceclasses', 'gpu', {})],
      [
        device('ResourceSlice', 'resourceslices', 'n0-gpus', {
          ...slice(),
          devices: [
            { name: 'gpu-0', bindsToNode: true, bindingConditions: ['attached'], bindingFailureConditions: ['broken'] },
          ],
        }),
        device('ResourceClaim', 'resourceclaims', 'slow', claimSpec),
        pod('a', { resourceClaims: [{ name: 'gpu', resourceClaimName: 'slow' }] }, '100m'),
      ],
      [attached('slow', 'attached'), { kind: 'wait', ms: 6_000 }],
    ],
  ],
  [
    'a gang whose pods share a claim, and one for whose claims there are too few devices',
    [
      [node('n0', '4'), untaint('n0'), device('DeviceClass', 'deviceclasses', 'gpu', {})],
      [
        device('ResourceSlice', 'resourceslices', 'n0-gpus', slice()),
        device('ResourceClaim', 'resourceclaims', 'shared', claimSpec),
        gang('train', 2),
        ...[0, 1].map((i) => member('train', i, { resourceClaims: [{ name: 'gpu', resourceClaimName: 'shared' }] })),
        { kind: 'wait', ms: 12_000 },
      ],
      [remove('pods', 'train-0'), remove('pods', 'train-1'), { kind: 'wait', ms: 3_000 }],
      [
        gang('other', 2),
        ...['one', 'two'].map((name) => device('ResourceClaim', 'resourceclaims', name, claimSpec)),
        ...['one', 'two'].map((name, i) =>
          member('other', i, { resourceClaims: [{ name: 'gpu', resourceClaimName: name }] }),
        ),
      ],
    ],
  ],
  [
    'a gang whose claim is allocated where its pod cannot run',
    [
      [node('n0'), untaint('n0'), device('DeviceClass', 'deviceclasses', 'gpu', {})],
      [
        device('ResourceSlice', 'resourceslices', 'n0-gpus', slice()),
        device('ResourceClaim', 'resourceclaims', 'shared', claimSpec),
        pod('a', { resourceClaims: [{ name: 'gpu', resourceClaimName: 'shared' }] }, '100m'),
      ],
      [remove('pods', 'a')],
      [
        node('n1'),
        untaint('n1'),
        device('ResourceSlice', 'resourceslices', 'n1-gpus', slice(undefined, 'n1')),
        gang('train', 1),
        member('train', 0, {
          resourceClaims: [{ name: 'gpu', resourceClaimName: 'shared' }],
          nodeSelector: { 'kubernetes.io/hostname': 'n1' },
        }),
        { kind: 'wait', ms: 12_000 },
      ],
    ],
  ],
  [
    'a gang that may not preempt and does not fit, and the claim of its pod that fits',
    [
      [node('n0'), untaint('n0'), device('DeviceClass', 'deviceclasses', 'gpu', {}), patientClass],
      [
        device('ResourceSlice', 'resourceslices', 'n0-gpus', slice()),
        device('ResourceClaim', 'resourceclaims', 'first', claimSpec),
        pod('a', { resourceClaims: [{ name: 'gpu', resourceClaimName: 'first' }] }, '100m'),
      ],
      [remove('pods', 'a')],
      [
        node('n1'),
        untaint('n1'),
        gang('train', 3, patient),
        member('train', 0, { ...patient, resourceClaims: [{ name: 'gpu', resourceClaimName: 'first' }] }),
        member('train', 1, patient),
        member('train', 2, patient),
        { kind: 'wait', ms: 12_000 },
      ],
    ],
  ],
  [
    'a claim that is allocated where its pod cannot run is deallocated',
    [
      [node('n0'), untaint('n0'), device('DeviceClass', 'deviceclasses', 'gpu', {})],
      [
        device('ResourceSlice', 'resourceslices', 'n0-gpus', slice()),
        device('ResourceClaim', 'resourceclaims', 'shared', claimSpec),
        pod('a', { resourceClaims: [{ name: 'gpu', resourceClaimName: 'shared' }] }, '100m'),
      ],
      [remove('pods', 'a')],
      [
        node('n1'),
        untaint('n1'),
        device('ResourceSlice', 'resourceslices', 'n1-gpus', slice(undefined, 'n1')),
        pod(
          'b',
          {
            resourceClaims: [{ name: 'gpu', resourceClaimName: 'shared' }],
            nodeSelector: { 'kubernetes.io/hostname': 'n1' },
          },
          '100m',
        ),
        { kind: 'wait', ms: 3_000 },
      ],
    ],
  ],
]

describe.skipIf(reason !== undefined)(
  `gangs and claims in Kubernetes v${clusterRelease.version} and in berth${reason === undefined ? '' : ` (skipped: ${reason})`}`,
  () => {
    it.each(stories)('%s: the same objects and events at every step', (_, steps) =>
      playGroupStory({
        steps,
        controllers: 'resourceclaim-controller,podgroup-protection-controller,device-taint-eviction-controller',
        gates,
        seen,
      }),
    )
  },
)
