// What the console asks of modules that its server does not know: forecasts on a fork of the live state, explanations.

import type { ConsoleOracles } from '../../controlplane/console/console.ts'
import type { Settings } from '../../controlplane/settings.ts'
import { watchedResources } from '../../scheduler/watched-resources.ts'
import type { Store } from '../../store/contract.ts'
import type { ObjectSource } from '../../whatif/explain/object-set.ts'
import type { ConsoleForecast, PodExplanation } from '../../wire/console-wire.ts'
import { explainForConsole, objectsIn } from './explain.ts'
import { type ForecastSetup, forecastForConsole } from './forecast.ts'
import { askElsewhere, canAskElsewhere, momentOf } from './worker.ts'

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
            momentOf(store),
            { kind: 'forecast', request, setup: elsewhere, now: now() },
            watch,
          )) as ConsoleForecast)
        : forecastForConsole(store, setup, request, now(), watch),
    explain: async (pod) =>
      isLarge()
        ? ((await askElsewhere(momentOf(store), { kind: 'explain', pod, setup: elsewhere, now: now() })) as
            | PodExplanation
            | undefined)
        : explainForConsole({ objects: objectsIn(store), settings, pod, now: now() }),
  }
}

export interface RemoteOracleOptions {
  /** What the controllers see of somebody else's cluster. */
  readonly view: ObjectSource
  readonly settings: Settings
  readonly pluginFiles: readonly string[]
  readonly now: () => number
}

/** On somebody else's cluster there are explanations, by the scheduler that runs here, and no forecasts: it is not ours to try. */
export function remoteOracles({ view, settings, pluginFiles, now }: RemoteOracleOptions): ConsoleOracles {
  const isLarge = () => view.list('pods').length + view.list('nodes').length > LARGE && canAskElsewhere()
  const setup = { settings, pluginFiles }
  const moment = () => ({
    revision: 1,
    tables: watchedResources.map((resource) => ({ resource, objects: view.list(resource) })),
  })
  return {
    explain: async (pod) =>
      isLarge()
        ? ((await askElsewhere(moment(), { kind: 'explain', pod, setup, now: now() })) as PodExplanation | undefined)
        : explainForConsole({ objects: view, settings, pod, now: now() }),
  }
}
