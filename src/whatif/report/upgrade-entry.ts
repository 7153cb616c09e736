import { seconds } from '../facts/pod-entries.ts'
import type { ForecastRun } from '../run/forecast-run.ts'
import type { Forecast } from './forecast.ts'
import { counted, listed, span } from './phrases.ts'

export function upgradeReport({ upgrade, startMs }: ForecastRun): Pick<Forecast, 'upgrade'> {
  if (upgrade === undefined) return {}
  const { endedMs, upgraded, ...rest } = upgrade
  return {
    upgrade: {
      ...rest,
      upgraded: upgraded.length,
      ...(endedMs === undefined ? {} : { ended: seconds(endedMs - startMs) }),
    },
  }
}

/** Why the upgrade does not end; undefined if there is none, or if it is done. */
export function upgradeStop(forecastRun: ForecastRun): string | undefined {
  const { upgrade, drains, elapsedMs } = forecastRun
  if (upgrade === undefined) return undefined
  const { state, nodes, upgraded, skipped, stoppedAt } = upgrade
  const left = `${counted(nodes - upgraded.length, 'node is', 'nodes are')} not upgraded`
  if (state === 'done') return skipped.length === 0 ? undefined : `${left} (${listed(skipped, 3)})`
  if (state === 'running') return `the upgrade takes longer than ${span(elapsedMs)}: ${left}`
  const first = drains.blocked.find(({ node }) => node === stoppedAt) ?? drains.blocked[0]
  const why = first === undefined ? '' : ` by ${first.pod}: ${first.why}`
  const what = state === 'failed' ? 'the upgrade fails' : 'the upgrade is blocked'
  return `${what} at ${stoppedAt ?? first?.node ?? 'the first node'}${why}; ${left}`
}

/** Pods that the drain timeout deletes although their budgets allow no disruption. */
export function forcedText({ upgrade }: ForecastRun): string | undefined {
  const forced = upgrade?.forced ?? []
  if (forced.length === 0) return undefined
  return `pods on ${listed(forced, 3)} are deleted after the drain timeout, in spite of their disruption budgets`
}

export function upgradeLine({ upgrade, startMs }: ForecastRun): string | undefined {
  if (upgrade === undefined) return undefined
  const { nodes, upgraded, endedMs, state, mostExtra } = upgrade
  const when = state === 'done' && endedMs !== undefined ? ` in ${span(endedMs - startMs)}` : ''
  const all =
    upgraded.length === nodes
      ? counted(nodes, 'node is', 'nodes are')
      : `${upgraded.length} of ${counted(nodes, 'node is', 'nodes are')}`
  const extra = mostExtra <= 0 ? '' : `, with at most ${counted(mostExtra, 'extra node')}`
  return `${all} upgraded${when}${extra}.`
}
