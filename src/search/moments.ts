/** The times of a second fault, relative to the first. */
export type Moments =
  /** At the same time, and shortly before and after each change that the first fault causes. */
  | { readonly kind: 'changes' }
  /** At regular intervals, until the first fault has no more consequences. */
  | { readonly kind: 'grid'; readonly stepMs: number }

const nearSeconds = 5
const mostMoments = 12

/**
 * The times for a fault after a fault with known consequences. After the last change, the cluster is quiet, so one time
 * represents all later times.
 */
export function momentsAfter(moments: Moments, changedAt: readonly number[], untilMs: number): readonly number[] {
  const lastSeconds = changedAt.at(-1) ?? 0
  const quietMs = (Math.ceil(lastSeconds / 60) + 1) * 60_000
  // The second fault needs half of the time to show its consequences.
  const latestMs = Math.min(quietMs, untilMs / 2)
  if (moments.kind === 'grid') {
    const times: number[] = []
    for (let atMs = 0; atMs <= latestMs; atMs += moments.stepMs) times.push(atMs)
    return times
  }
  const times = new Set([0])
  for (const seconds of clustered(changedAt)) {
    times.add(Math.max(0, Math.floor((seconds - nearSeconds) / nearSeconds) * nearSeconds * 1000))
    times.add(Math.ceil((seconds + nearSeconds) / nearSeconds) * nearSeconds * 1000)
  }
  times.add(latestMs)
  return thinned([...times].filter((atMs) => atMs <= latestMs).sort((a, b) => a - b))
}

/** The first second of each group of changes. */
function clustered(seconds: readonly number[]): readonly number[] {
  return seconds.filter((second, at) => at === 0 || second - (seconds[at - 1] as number) > 2 * nearSeconds)
}

function thinned(times: readonly number[]): readonly number[] {
  if (times.length <= mostMoments) return times
  const every = (times.length - 1) / (mostMoments - 1)
  return Array.from({ length: mostMoments }, (_, at) => times[Math.round(at * every)] as number)
}
