import { hollowAnnotations } from './hollow-names.ts'
import { crashed, ended, running, runningSince } from './packs.ts'
import type { Stage, StageRequirement, StageSelector } from './stage.ts'

const afterMs = 1_000

/** Pods that run, by their restart policies; annotations that say how a pod ends take precedence over its commands. */
function selected(
  exits: 'succeeding' | 'failing',
  policies: readonly string[],
  more: readonly StageRequirement[],
): StageSelector {
  const { exitCode, runFor, crashAfter } = hollowAnnotations
  return {
    annotations: {
      matchExpressions: [exitCode, runFor, crashAfter].map((key) => ({ key, operator: 'DoesNotExist' })),
    },
    fields: [
      { field: 'metadata.deletionTimestamp', operator: 'DoesNotExist' },
      { field: 'status.phase', operator: 'In', values: ['Running'] },
      { field: 'spec.restartPolicy', operator: 'In', values: policies },
      ...more,
    ],
    exits,
  }
}

const isRunning = [{ field: runningSince, operator: 'Exists' }] as const
const isWaiting = [
  { field: 'status.containerStatuses[0].state.waiting.reason', operator: 'In', values: ['CrashLoopBackOff'] },
] as const

/** Stages of pods whose commands end at once: they come before those of a pack. */
export const programStages: readonly Stage[] = [
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
    next: {
      kind: 'status',
      status: crashed,
      events: [{ type: 'Warning', reason: 'BackOff', message: 'Back-off restarting failed container' }],
    },
  },
  {
    name: 'program-restarts',
    of: 'Pod',
    selector: selected('failing', ['Always', 'OnFailure'], isWaiting),
    // v1.36, kubelet: MaxContainerBackOff and backOffPeriod.
    delay: { backoff: { initialMs: 10_000, maxMs: 300_000 } },
    next: { kind: 'status', status: running('{{container.restartCount}}', '{{now}}') },
  },
]
