import type { Json } from '../../api/objects/meta.ts'
import { hollowAnnotations } from './hollow-names.ts'
import type { Stage, StageEvent, StageRequirement } from './stage.ts'

const exists = (field: string): StageRequirement => ({ field, operator: 'Exists' })
const absent = (field: string): StageRequirement => ({ field, operator: 'DoesNotExist' })
const oneOf = (field: string, ...values: readonly string[]): StageRequirement => ({ field, operator: 'In', values })
const noneOf = (field: string, ...values: readonly string[]): StageRequirement => ({ field, operator: 'NotIn', values })

const annotated = (name: string) => ({ matchExpressions: [{ key: name, operator: 'Exists' as const }] })

const terminating = exists('metadata.deletionTimestamp')
const living = absent('metadata.deletionTimestamp')
const started = oneOf('status.phase', 'Running')
const pending = noneOf('status.phase', 'Running', 'Succeeded', 'Failed')
const notOver = noneOf('status.phase', 'Succeeded', 'Failed')

const allReady = {
  PodReadyToStartContainers: 'True',
  Initialized: 'True',
  Ready: 'True',
  ContainersReady: 'True',
}

export const addresses = {
  hostIP: '{{hostIP}}',
  hostIPs: { $each: 'hostIPs', $as: { ip: '{{hostIP}}' } },
  podIP: '{{podIP}}',
  podIPs: { $each: 'podIPs', $as: { ip: '{{podIP}}' } },
  startTime: '{{startTime}}',
}

const identity = {
  name: '{{container.name}}',
  image: '{{container.image}}',
  imageID: '{{container.image}}',
  containerID: '{{container.id}}',
}

const initDone: Json = {
  $each: 'initContainers',
  $as: {
    name: '{{initContainer.name}}',
    image: '{{initContainer.image}}',
    imageID: '{{initContainer.image}}',
    restartCount: 0,
    ready: true,
    state: { terminated: { exitCode: 0, reason: 'Completed', startedAt: '{{startTime}}', finishedAt: '{{now}}' } },
  },
}

export function running(restartCount: string, startedAt: string): Json {
  return {
    phase: 'Running',
    conditions: { $conditions: allReady },
    ...addresses,
    initContainerStatuses: initDone,
    containerStatuses: {
      $each: 'containers',
      $as: { ...identity, ready: true, started: true, restartCount, state: { running: { startedAt } } },
    },
  }
}

export function ended(phase: 'Succeeded' | 'Failed', exitCode: Json, reason: string): Json {
  const over = phase === 'Succeeded' ? { reason: 'PodCompleted' } : { reason: 'PodFailed' }
  return {
    phase,
    conditions: {
      $conditions: { Ready: { status: 'False', ...over }, ContainersReady: { status: 'False', ...over } },
    },
    ...addresses,
    containerStatuses: stopped({
      restartCount: '{{container.restartCount}}',
      state: { terminated: terminated(exitCode, reason) },
    }),
  }
}

/** The statuses of containers that do not run. */
const stopped = (state: { readonly [member: string]: Json }): Json => ({
  $each: 'containers',
  $as: { ...identity, ready: false, started: false, ...state },
})

/** The statuses of containers that have not started yet. */
export const neverStarted = (waiting: Json): Json => ({
  $each: 'containers',
  $as: {
    name: '{{container.name}}',
    image: '{{container.image}}',
    imageID: '',
    ready: false,
    started: false,
    restartCount: 0,
    state: { waiting },
  },
})

const terminated = (exitCode: Json, reason: string): Json => ({
  exitCode,
  reason,
  startedAt: '{{container.startedAt}}',
  finishedAt: '{{now}}',
})

const unready = {
  Ready: { status: 'False', reason: 'ContainersNotReady' },
  ContainersReady: { status: 'False', reason: 'ContainersNotReady' },
}

export const crashed: Json = {
  phase: 'Running',
  conditions: { $conditions: unready },
  containerStatuses: stopped({
    restartCount: '{{container.nextRestartCount}}',
    state: { waiting: { reason: 'CrashLoopBackOff', message: 'back-off restarting failed container' } },
    lastState: { terminated: terminated('{{failureCode}}', 'Error') },
  }),
}

const unpulled: Json = {
  phase: 'Pending',
  conditions: { $conditions: { PodReadyToStartContainers: 'True', Initialized: 'True', ...unready } },
  ...addresses,
  containerStatuses: neverStarted({
    reason: 'ImagePullBackOff',
    message: 'Back-off pulling image "{{container.image}}"',
  }),
}

const event = (type: StageEvent['type'], reason: string, message: string): StageEvent => ({ type, reason, message })

interface Pace {
  readonly startMs: number
  readonly startJitterMs: number
  readonly grace: 'full' | 'at-most'
  readonly stopMs: number
  readonly stopJitterMs: number
  /** The running time of pods of a Job without an annotation. Absent: forever. */
  readonly jobMs?: number
  readonly jobJitterMs: number
  readonly events: boolean
}

/** The stages of an ordinary pod, with the given durations. */
function podStages(pace: Pace): readonly Stage[] {
  const told = (...events: readonly StageEvent[]) => (pace.events ? { events } : {})
  const stopping = {
    annotation: hollowAnnotations.stopAfter,
    grace: pace.grace,
    ...(pace.grace === 'full' ? {} : { afterMs: pace.stopMs, jitterMs: pace.stopJitterMs }),
  } as const
  const jobDelay = {
    annotation: hollowAnnotations.runFor,
    ...(pace.jobMs === undefined ? {} : { afterMs: pace.jobMs, jitterMs: pace.jobJitterMs }),
  }
  const endsByItself = [started, living, noneOf('spec.restartPolicy', 'Always')]
  const completes = pace.jobMs === undefined ? [] : [oneOf('metadata.ownerReferences[0].kind', 'Job')]
  return [
    {
      // A pod that is not restarted must be finished before it is deleted, because its Job waits for that.
      name: 'pod-stop',
      of: 'Pod',
      selector: { fields: [terminating, notOver, noneOf('spec.restartPolicy', 'Always')] },
      delay: stopping,
      next: { kind: 'status', status: ended('Failed', 143, 'Error') },
    },
    {
      // A pod that a finalizer keeps is reported as ended.
      name: 'pod-stop-kept',
      of: 'Pod',
      selector: { fields: [terminating, notOver, exists('metadata.finalizers[0]')] },
      delay: stopping,
      next: { kind: 'status', status: ended('Failed', 143, 'Error') },
    },
    {
      name: 'pod-delete',
      of: 'Pod',
      selector: { fields: [terminating, noneOf('metadata.deletionGracePeriodSeconds', '0')] },
      delay: stopping,
      next: { kind: 'delete', ...told(event('Normal', 'Killing', 'Stopping containers')) },
    },
    {
      name: 'pod-image-pull-failure',
      of: 'Pod',
      selector: {
        annotations: annotated(hollowAnnotations.imagePullFailure),
        fields: [living, pending, absent('status.containerStatuses[0].state.waiting')],
      },
      delay: { afterMs: pace.startMs },
      next: {
        kind: 'status',
        status: unpulled,
        events: [event('Warning', 'Failed', 'Error: ImagePullBackOff')],
      },
    },
    {
      name: 'pod-crash',
      of: 'Pod',
      selector: {
        annotations: annotated(hollowAnnotations.crashAfter),
        fields: [living, started, oneOf('spec.restartPolicy', 'Always', 'OnFailure'), exists(runningSince)],
      },
      delay: { annotation: hollowAnnotations.crashAfter, afterMs: 1_000 },
      next: {
        kind: 'status',
        status: crashed,
        events: [event('Warning', 'BackOff', 'Back-off restarting failed container')],
      },
    },
    {
      name: 'pod-crash-for-good',
      of: 'Pod',
      selector: {
        annotations: annotated(hollowAnnotations.crashAfter),
        fields: [living, started, oneOf('spec.restartPolicy', 'Never'), exists(runningSince)],
      },
      delay: { annotation: hollowAnnotations.crashAfter, afterMs: 1_000 },
      next: { kind: 'status', status: ended('Failed', '{{failureCode}}', 'Error') },
    },
    {
      name: 'pod-restart',
      of: 'Pod',
      selector: {
        annotations: annotated(hollowAnnotations.crashAfter),
        fields: [living, started, oneOf('status.containerStatuses[0].state.waiting.reason', 'CrashLoopBackOff')],
      },
      // v1.36, kubelet: MaxContainerBackOff and backOffPeriod.
      delay: { backoff: { initialMs: 10_000, maxMs: 300_000 } },
      next: { kind: 'status', status: running('{{container.restartCount}}', '{{now}}') },
    },
    ...[{ annotations: annotated(hollowAnnotations.runFor) }, { fields: completes }]
      .filter(({ fields }) => fields === undefined || fields.length > 0)
      .flatMap(({ annotations, fields = [] }): readonly Stage[] => [
        {
          name: 'pod-fail',
          of: 'Pod',
          selector: {
            annotations: {
              matchExpressions: [
                ...(annotations?.matchExpressions ?? []),
                { key: hollowAnnotations.exitCode, operator: 'Exists' },
                { key: hollowAnnotations.exitCode, operator: 'NotIn', values: ['0'] },
              ],
            },
            fields: [...endsByItself, exists(runningSince), ...fields],
          },
          delay: jobDelay,
          next: { kind: 'status', status: ended('Failed', '{{failureCode}}', 'Error') },
        },
        {
          name: 'pod-complete',
          of: 'Pod',
          selector: {
            ...(annotations === undefined ? {} : { annotations }),
            fields: [...endsByItself, exists(runningSince), ...fields],
          },
          delay: jobDelay,
          next: { kind: 'status', status: ended('Succeeded', 0, 'Completed') },
        },
      ]),
    {
      name: 'pod-reboot',
      of: 'Pod',
      on: 'reboot',
      selector: { fields: [living, started] },
      next: { kind: 'status', status: running('{{container.nextRestartCount}}', '{{now}}') },
    },
    {
      name: 'pod-ready-again',
      of: 'Pod',
      selector: {
        fields: [
          living,
          started,
          noneOf('status.conditions[Ready].status', 'True'),
          noneOf('status.containerStatuses[0].state.waiting.reason', 'CrashLoopBackOff', 'ImagePullBackOff'),
        ],
      },
      next: { kind: 'status', status: running('{{container.restartCount}}', '{{container.startedAt}}') },
    },
    {
      name: 'pod-start',
      of: 'Pod',
      selector: {
        fields: [living, pending, noneOf('status.containerStatuses[0].state.waiting.reason', 'ImagePullBackOff')],
      },
      delay: { annotation: hollowAnnotations.startAfter, afterMs: pace.startMs, jitterMs: pace.startJitterMs },
      next: {
        kind: 'status',
        status: running('{{container.restartCount}}', '{{now}}'),
        ...told(
          event('Normal', 'Pulled', 'Container images already present on machine'),
          event('Normal', 'Started', 'Containers started'),
        ),
      },
    },
  ]
}

export const runningSince = 'status.containerStatuses[0].state.running'

const fast: Pace = {
  startMs: 0,
  startJitterMs: 0,
  grace: 'full',
  stopMs: 0,
  stopJitterMs: 0,
  jobMs: 1_000,
  jobJitterMs: 0,
  events: false,
}

const realistic: Pace = {
  startMs: 1_500,
  startJitterMs: 3_500,
  grace: 'at-most',
  stopMs: 500,
  stopJitterMs: 2_500,
  jobMs: 20_000,
  jobJitterMs: 40_000,
  events: true,
}

const { jobMs: _, ...forecast } = fast

/** Occasional failures, added to the realistic pack. */
const trouble: readonly Stage[] = [
  {
    name: 'chaos-image-pull-failure',
    of: 'Pod',
    probability: 0.02,
    selector: {
      fields: [living, pending, absent('status.containerStatuses[0].state.waiting')],
    },
    delay: { afterMs: 2_000 },
    next: { kind: 'status', status: unpulled, events: [event('Warning', 'Failed', 'Error: ImagePullBackOff')] },
  },
  {
    name: 'chaos-crash',
    of: 'Pod',
    probability: 0.1,
    selector: { fields: [living, started, noneOf('spec.restartPolicy', 'Never'), exists(runningSince)] },
    delay: { afterMs: 30_000, jitterMs: 600_000 },
    next: {
      kind: 'status',
      status: crashed,
      events: [event('Warning', 'BackOff', 'Back-off restarting failed container')],
    },
  },
  {
    name: 'chaos-restart',
    of: 'Pod',
    selector: {
      fields: [living, started, oneOf('status.containerStatuses[0].state.waiting.reason', 'CrashLoopBackOff')],
    },
    delay: { backoff: { initialMs: 10_000, maxMs: 300_000 } },
    next: { kind: 'status', status: running('{{container.restartCount}}', '{{now}}') },
  },
  {
    name: 'chaos-silence',
    of: 'Node',
    probability: 0.2,
    delay: { afterMs: 120_000, jitterMs: 1_800_000 },
    next: { kind: 'silence', forMs: 180_000 },
  },
]

export type PackName = 'fast' | 'realistic' | 'chaos' | 'forecast'

/**
 * Built-in behaviors. `fast` starts pods immediately and ends them after their grace period; `realistic` takes as long
 * as a kubelet; `chaos` also injects failures; `forecast` is `fast` with Jobs that keep running, because the duration
 * of real Jobs is unknown.
 */
export const packs: Readonly<Record<PackName, readonly Stage[]>> = {
  fast: podStages(fast),
  realistic: podStages(realistic),
  chaos: [...podStages(realistic).slice(0, 2), ...trouble, ...podStages(realistic).slice(2)],
  forecast: podStages(forecast),
}

export const packNames: readonly PackName[] = ['fast', 'realistic', 'chaos', 'forecast']
