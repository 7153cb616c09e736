import type { ConsoleForecast } from '../../src/wire/console-wire.ts'

const leastSpanMs = 30_000

/** The time in seconds at which the last pod is placed or deleted and the last node changes. Container restarts do not count. */
export function lastMoment({ pods, nodes }: Pick<ConsoleForecast, 'pods' | 'nodes'>): number {
  let last = 0
  for (const { created, bound, deleted, gone, started, isNew } of pods)
    last = Math.max(last, created ?? 0, bound ?? 0, deleted ?? 0, gone ?? 0, isNew ? (started ?? 0) : 0)
  for (const { at } of nodes) last = Math.max(last, at)
  return last
}

/** The end of the action and some time after it, because nothing happens in most of an hour. */
export function actionEnd(forecast: ConsoleForecast): number {
  const { startMs, seconds } = forecast
  const shownMs = Math.max(leastSpanMs, lastMoment(forecast) * 1_150)
  return Math.min(startMs + seconds * 1000, startMs + Math.ceil(shownMs / 5_000) * 5_000)
}

/** The instant with the most pods that are pending, not ready or terminating. The start, if no instant has more than the start. */
export function worstMoment({ series, startMs }: Pick<ConsoleForecast, 'series' | 'startMs'>): number {
  const { seconds, pending, notReady, terminating } = series
  const trouble = (at: number) => (pending[at] ?? 0) + (notReady[at] ?? 0) + (terminating[at] ?? 0)
  let worst = 0
  for (let at = 1; at < seconds.length; at++) if (trouble(at) > trouble(worst)) worst = at
  return startMs + (seconds[worst] ?? 0) * 1000
}
