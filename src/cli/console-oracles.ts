// What the console asks of modules that its server does not know: forecasts on a fork of the live state, explanations.
import type { ConsoleForecast, PodExplanation } from '../api/console-wire.ts'
import type { ConsoleOracles } from '../controlplane/console.ts'
import type { Store } from '../store/contract.ts'
import { explainForConsole } from './console-explain.ts'
import { type ForecastSetup, forecastForConsole } from './console-forecast.ts'
import { askElsewhere, canAskElsewhere } from './console-worker.ts'

export interface OracleOptions extends ForecastSetup {
  readonly store: Store
  /** Where the plugins of the settings came from, as absolute paths: another thread loads them from there. */
  readonly pluginFiles?: readonly string[]
  readonly now: () => number
}

// What is below this is answered sooner than it could be handed to another thread.
const LARGE = 3_000

export function consoleOracles({ store, settings, hollow, pluginFiles = [], now }: OracleOptions): ConsoleOracles {
  const isLarge = () => store.count('pods') + store.count('nodes') > LARGE && canAskElsewhere()
  const setup = { settings, hollow }
  const elsewhere = { ...setup, pluginFiles }
  return {
    forecast: async (request, watch) =>
      isLarge()
        ? ((await askElsewhere(
            store,
            { kind: 'forecast', request, setup: elsewhere, now: now() },
            watch,
          )) as ConsoleForecast)
        : forecastForConsole(store, setup, request, now(), watch),
    explain: async (pod) =>
      isLarge()
        ? ((await askElsewhere(store, { kind: 'explain', pod, setup: elsewhere, now: now() })) as
            | PodExplanation
            | undefined)
        : explainForConsole({ store, settings, pod, now: now() }),
  }
}
