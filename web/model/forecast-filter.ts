import type { ForecastPod } from '../../src/wire/console-wire.ts'

export type Fate = 'all' | 'deleted' | 'created' | 'pending'

const fates: Readonly<Record<Fate, (pod: ForecastPod) => boolean>> = {
  all: () => true,
  deleted: ({ deleted }) => deleted !== undefined,
  created: ({ isNew }) => isNew,
  pending: ({ pending }) => pending !== undefined,
}

/** Omits pods that were pending before the change and stay pending for the same reason. */
export const affectedPods = (pods: readonly ForecastPod[]): readonly ForecastPod[] =>
  pods.filter(
    ({ isNew, from, bound, deleted }) => isNew || from !== undefined || bound !== undefined || deleted !== undefined,
  )

/** Filters pods of a forecast by their outcome and by any text of their rows. */
export function matchingPods(
  pods: readonly ForecastPod[],
  { text, fate }: { readonly text: string; readonly fate: Fate },
): readonly ForecastPod[] {
  const wanted = text.trim().toLowerCase()
  return pods.filter((pod) => {
    if (!fates[fate](pod)) return false
    const words = [pod.pod, pod.from, pod.node, pod.cause, pod.pending].join(' ')
    return wanted === '' || words.toLowerCase().includes(wanted)
  })
}

export interface PodMoment {
  readonly seconds: number
  readonly text: string
}

/** The changes of a pod in a forecast, in order. */
export function podMoments(pod: ForecastPod): readonly PodMoment[] {
  const moments: readonly (readonly [number | undefined, string])[] = [
    [pod.from === undefined ? undefined : 0, `it is on ${pod.from}`],
    [pod.created, 'it is created'],
    [pod.bound, `it is bound to ${pod.node}`],
    [pod.started, 'it runs'],
    [pod.notReady, 'it is no longer ready'],
    [pod.readyAgain, 'it is ready again'],
    [pod.deleted, `it is deleted: ${pod.cause ?? 'requested by a client'}`],
    [pod.gone, 'it is gone'],
  ]
  return moments
    .flatMap(([seconds, text]) => (seconds === undefined ? [] : [{ seconds, text }]))
    .sort((a, b) => a.seconds - b.seconds)
}
