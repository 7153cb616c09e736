// Answers for the console: forecasts on a fork of the live state, and explanations of pods.

import type { ConsoleOracles, ForecastProgress, PlayWatch } from '../../controlplane/console/console.ts'
import type { Settings } from '../../controlplane/settings.ts'
import { watchedResourcesOf } from '../../scheduler/watched-resources.ts'
import type { Store } from '../../store/contract.ts'
import type { ObjectSource } from '../../whatif/explain/object-set.ts'
import type { ForecastResult, TextAnswer } from '../../wire/console-questions.ts'
import type { SearchProgress, SearchResult } from '../../wire/console-search.ts'
import type { ConsoleExplanation } from '../../wire/console-wire.ts'
import { explainForConsole, objectsIn } from './explain.ts'
import { type ForecastSetup, forecastForConsole } from './forecast.ts'
import { questionForms } from './questions.ts'
import { searchForConsole } from './search.ts'
import { asksForText, textForConsole, textForms } from './text-questions.ts'
import { askElsewhere, canAskElsewhere, momentOf, type WorkerQuestion } from './worker.ts'

export interface OracleOptions extends ForecastSetup {
  readonly store: Store
  /** Absolute paths of the plugin files, which the worker thread loads again. */
  readonly pluginFiles?: readonly string[]
  readonly now: () => number
  /** Called after each answer, with the answers of live webhooks in `webhooks.record`. */
  readonly onAnswer?: () => Promise<void>
}

// For smaller clusters, this thread is faster than a transfer to a worker thread.
const large = 3_000

export function consoleOracles(options: OracleOptions): ConsoleOracles {
  const { store, settings, stages, autoscaler, webhooks, file, pluginFiles = [], now, onAnswer } = options
  const isLarge = () => store.count('pods') + store.count('nodes') > large && canAskElsewhere()
  // A webhook call blocks its thread, and the webhook itself may call the API server of this thread.
  const isElsewhere = () => isLarge() || webhooks?.live !== undefined
  const setup = {
    settings,
    stages,
    ...(autoscaler === undefined ? {} : { autoscaler }),
    ...(webhooks === undefined ? {} : { webhooks }),
    ...(file === undefined ? {} : { file }),
  }
  const inThread = async <Answer, Progress extends object = object>(
    question: WorkerQuestion,
    watch?: PlayWatch<Progress>,
  ): Promise<Answer> => {
    const task = { ...question, setup: { ...setup, pluginFiles }, now: now() }
    const answer = (await askElsewhere(momentOf(store), task, watch)) as Answer
    await onAnswer?.()
    return answer
  }
  return {
    questions: () => [...questionForms(), ...textForms()],
    forecast: async (request, watch) => {
      const isText = asksForText(request)
      // A text answer runs several forecasts and cannot be split into small parts.
      if (isElsewhere() || (isText && canAskElsewhere()))
        return inThread<ForecastResult | TextAnswer, ForecastProgress>({ kind: 'forecast', request }, watch)
      return (isText ? textForConsole : forecastForConsole)(store, setup, request, now(), watch)
    },
    search: async (request, watch) =>
      isElsewhere()
        ? inThread<SearchResult, SearchProgress>({ kind: 'search', request }, watch)
        : searchForConsole(store, setup, request, { ...watch, now }),
    explain: async (pod) =>
      isLarge()
        ? inThread<ConsoleExplanation | undefined>({ kind: 'explain', pod })
        : explainForConsole({ objects: objectsIn(store), settings, pod, now: now() }),
  }
}

export interface RemoteOracleOptions {
  /** The view of the controllers on a remote cluster. */
  readonly view: ObjectSource
  readonly settings: Settings
  readonly pluginFiles: readonly string[]
  readonly now: () => number
}

/** For a remote cluster: explanations by the scheduler of this process, and no forecasts. */
export function remoteOracles({ view, settings, pluginFiles, now }: RemoteOracleOptions): ConsoleOracles {
  const isLarge = () => view.list('pods').length + view.list('nodes').length > large && canAskElsewhere()
  const setup = { settings, pluginFiles }
  const moment = () => ({
    revision: 1,
    tables: watchedResourcesOf(settings.release).map((resource) => ({ resource, objects: view.list(resource) })),
  })
  return {
    explain: async (pod) =>
      isLarge()
        ? ((await askElsewhere(moment(), { kind: 'explain', pod, setup, now: now() })) as
            | ConsoleExplanation
            | undefined)
        : explainForConsole({ objects: view, settings, pod, now: now() }),
  }
}
