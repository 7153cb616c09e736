import type { Json } from '../../api/objects/meta.ts'
import { hollowAnnotations } from './hollow-names.ts'
import { addresses, crashed, ended, neverStarted, running, runningSince } from './packs.ts'
import type { Stage, StageRequirement, StageSelector } from './stage.ts'

const afterMs = 1_000
// v1.36, kubelet: MaxContainerBackOff and backOffPeriod.
const backoff = { initialMs: 10_000, maxMs: 300_000 }
const stopping = { annotation: hollowAnnotations.stopAfter, grace: 'at-most' } as const
const backOff = { type: 'Warning', reason: 'BackOff', message: 'Back-off restarting failed container' } as const

/** Selects pods by their restart policies. Annotations that define how a pod ends take precedence over its commands. */
function selected(
  exits: NonNullable<StageSelector['exits']>,
  policies: readonly string[],
  more: readonly StageRequirement[],
  life: 'living' | 'terminating' = 'living',
): StageSelector {
  const { exitCode, runFor, crashAfter } = hollowAnnotations
  return {
    annotations: {
      matchExpressions: [exitCode, runFor, crashAfter].map((key) => ({ key, operator: 'DoesNotExist' })),
    },
    fields: [
      { field: 'metadata.deletionTimestamp', operator: life === 'living' ? 'DoesNotExist' : 'Exists' },
      { field: 'spec.restartPolicy', operator: 'In', values: policies },
      ...more,
    ],
    exits,
  }
}

const started = { field: 'status.phase', operator: 'In', values: ['Running'] } as const
const pending = { field: 'status.phase', operator: 'NotIn', values: ['Running', 'Succeeded', 'Failed'] } as const
const notOver = { field: 'status.phase', operator: 'NotIn', values: ['Succeeded', 'Failed'] } as const
const isRunning = [started, { field: runningSince, operator: 'Exists' }] as const
const isWaiting = [
  started,
  { field: 'status.containerStatuses[0].state.waiting.reason', operator: 'In', values: ['CrashLoopBackOff'] },
] as const

/** The state of a pod that does not start, because one of its init containers fails. */
const uninitialized = (phase: 'Pending' | 'Failed', init: 'ended' | 'crashed' | 'running'): Json => {
  const over = { status: 'False', reason: phase === 'Failed' ? 'PodFailed' : 'ContainersNotReady' }
  return {
    phase,
    conditions: {
      $conditions: {
        PodReadyToStartContainers: phase === 'Failed' ? 'False' : 'True',
        Initialized: {
          status: 'False',
          reason: 'ContainersNotInitialized',
          message: 'containers with incomplete status: [{{incompleteInits}}]',
        },
        Ready: over,
        ContainersReady: over,
      },
    },
    ...addresses,
    initContainerStatuses: {
      $each: 'inits',
      $as: {
        name: '{{init.name}}',
        image: '{{init.image}}',
        imageID: '{{init.image}}',
        containerID: '{{init.id}}',
        ready: '{{init.ready}}',
        started: false,
        restartCount: init === 'crashed' ? '{{init.crashCount}}' : '{{init.restartCount}}',
        state: `{{init.${init}}}`,
        lastState: init === 'crashed' ? '{{init.before}}' : '{{init.last}}',
      },
    },
    containerStatuses: neverStarted({ reason: 'PodInitializing' }),
  }
}

/** Stages of pods that are deleted before they have ended. Their commands end before they get a signal. */
const stopStages: readonly Stage[] = [
  ...(['failing-init', 'waiting-init'] as const).map(
    (exits): Stage => ({
      name: `${exits}-stops`,
      of: 'Pod',
      selector: selected(exits, ['Never', 'OnFailure'], [pending], 'terminating'),
      delay: stopping,
      next: { kind: 'status', status: uninitialized('Failed', 'ended') },
    }),
  ),
  {
    name: 'failing-program-stops',
    of: 'Pod',
    selector: selected('failing', ['Never', 'OnFailure'], [notOver], 'terminating'),
    delay: stopping,
    next: { kind: 'status', status: ended('Failed', '{{failureCode}}', 'Error') },
  },
  {
    name: 'succeeding-program-stops',
    of: 'Pod',
    selector: selected('succeeding', ['Never', 'OnFailure'], [notOver], 'terminating'),
    delay: stopping,
    next: { kind: 'status', status: ended('Succeeded', 0, 'Completed') },
  },
]

/** Stages of pods whose commands end immediately. They come before the stages of a pack. */
export const programStages: readonly Stage[] = [
  ...stopStages,
  {
    name: 'init-fails',
    of: 'Pod',
    selector: selected('failing-init', ['Never'], [pending]),
    delay: { afterMs },
    next: { kind: 'status', status: uninitialized('Failed', 'ended') },
  },
  {
    name: 'init-crashes',
    of: 'Pod',
    selector: selected('failing-init', ['Always', 'OnFailure'], [pending]),
    delay: { afterMs },
    next: { kind: 'status', status: uninitialized('Pending', 'crashed'), events: [backOff] },
  },
  {
    name: 'init-restarts',
    of: 'Pod',
    selector: selected('waiting-init', ['Always', 'OnFailure'], [pending]),
    delay: { backoff },
    next: { kind: 'status', status: uninitialized('Pending', 'running') },
  },
  {
    name: 'program-succeeds',
    of: 'Pod',
    selector: selected('succeeding', ['Never', 'OnFailure'], isRunning),
    delay: { afterMs },
    next: { kind: 'status', status: ended('Succeeded', 0, 'Completed') },
  },
  {
    name: 'program-fails',
    of: 'Pod',
    selector: selected('failing', ['Never'], isRunning),
    delay: { afterMs },
    next: { kind: 'status', status: ended('Failed', '{{failureCode}}', 'Error') },
  },
  {
    name: 'program-crashes',
    of: 'Pod',
    selector: selected('failing', ['Always', 'OnFailure'], isRunning),
    delay: { afterMs },
    next: { kind: 'status', status: crashed, events: [backOff] },
  },
  {
    name: 'program-restarts',
    of: 'Pod',
    selector: selected('failing', ['Always', 'OnFailure'], isWaiting),
    delay: { backoff },
    next: { kind: 'status', status: running('{{container.restartCount}}', '{{now}}') },
  },
]
