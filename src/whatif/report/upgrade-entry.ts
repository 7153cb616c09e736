import { seconds } from '../facts/pod-entries.ts'
import type { ForecastRun } from '../run/forecast-run.ts'
import { budgetsThatBlock } from './blocking-budgets.ts'
import { blockedEntry } from './drain-entry.ts'
import type { Forecast } from './forecast.ts'
import { counted, listed, span } from './phrases.ts'

export function upgradeReport(forecastRun: ForecastRun): Pick<Forecast, 'upgrade'> {
  const { upgrade, startMs } = forecastRun
  if (upgrade === undefined) return {}
  const { endedMs, upgraded, overridden, ...rest } = upgrade
  return {
    upgrade: {
      ...rest,
      upgraded: upgraded.length,
      overridden: overridden.map((each) => blockedEntry(forecastRun, each)),
      ...(endedMs === undefined ? {} : { ended: seconds(endedMs - startMs) }),
    },
  }
}

type UpgradeFacts = Pick<Forecast, 'upgrade' | 'drains' | 'seconds'>

/** The reason why the upgrade does not end; undefined without an upgrade, or if it is done. */
export function upgradeStop({ upgrade, drains, seconds: elapsed }: UpgradeFacts): string | undefined {
  if (upgrade === undefined) return undefined
  const { state, nodes, upgraded, skipped, stoppedAt } = upgrade
  const left = `${nodes - upgraded} of ${counted(nodes, 'node is', 'nodes are')} not upgraded`
  if (state === 'done') return skipped.length === 0 ? undefined : `${left} (${listed(skipped, 3)})`
  if (state === 'running') return `the upgrade takes longer than ${span(elapsed * 1000)}: ${left}`
  const blocked = drains?.blocked ?? []
  const first = blocked.find(({ node }) => node === stoppedAt) ?? blocked[0]
  const [budget] = first === undefined ? [] : budgetsThatBlock([first])
  const why =
    first === undefined
      ? ''
      : ` by ${budget === undefined ? `${first.pod}: ${first.why}` : `the disruption budget ${budget.budget}`}`
  const what = state === 'failed' ? 'it fails' : 'blocked'
  return `${left}: ${what} at ${stoppedAt ?? first?.node ?? 'the first node'}${why}`
}

/** Pods that the drain timeout deletes although their budgets allow no disruption. */
export function forcedText({ upgrade }: UpgradeFacts): string | undefined {
  const { forced = [], overridden = [] } = upgrade ?? {}
  if (forced.length === 0) return undefined
  const budgets = budgetsThatBlock(overridden)
  const which = budgets.length === 1 ? `the disruption budget ${budgets[0]?.budget}` : 'their disruption budgets'
  const where = forced.length === 1 ? forced[0] : `${forced.length} nodes`
  return `pods on ${where} are deleted at the drain timeout despite ${which}`
}

export function upgradeLine({ upgrade }: UpgradeFacts): string | undefined {
  if (upgrade === undefined) return undefined
  const { nodes, upgraded, ended, state, mostExtra } = upgrade
  const when = state === 'done' && ended !== undefined ? ` in ${span(ended * 1000)}` : ''
  const all =
    upgraded === nodes
      ? counted(nodes, 'node is', 'nodes are')
      : `${upgraded} of ${counted(nodes, 'node is', 'nodes are')}`
  const extra = mostExtra <= 0 ? '' : `, with at most ${counted(mostExtra, 'extra node')}`
  return `${all} upgraded${when}${extra}.`
}
