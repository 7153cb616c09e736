import { signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type {
  ConsoleAction,
  ConsoleForecast,
  ConsoleForecastRequest,
  ForecastLine,
  Transition,
} from '../../src/wire/console-wire.ts'
import { lines } from '../model/api.ts'
import type { ClusterModel } from '../model/cluster.ts'
import { forecastTransitions } from '../model/forecast-transitions.ts'
import { live } from '../model/live.ts'
import { countText, spanText } from '../model/words.ts'
import { Bar } from '../parts/bar.tsx'
import { Empty } from '../parts/controls.tsx'
import { Page } from '../parts/page.tsx'
import { routeQuery } from '../router.ts'
import { ForecastView } from './forecast-view.tsx'
import { QuestionForm } from './question-form.tsx'

export type Asked =
  | { readonly kind: 'nothing' }
  | {
      readonly kind: 'running'
      readonly request: ConsoleForecastRequest
      readonly seconds: number
      readonly facts: number
      readonly abort: AbortController
    }
  | { readonly kind: 'failed'; readonly request: ConsoleForecastRequest; readonly message: string }
  | {
      readonly kind: 'answered'
      readonly request: ConsoleForecastRequest
      readonly forecast: ConsoleForecast
      /** The cluster when the question was asked. */
      readonly before: ClusterModel
      readonly transitions: readonly Transition[]
      /** The result of applying it, and then of reverting it. */
      readonly done?: { readonly said: string; readonly isUndone: boolean }
    }

/** Kept while other pages are shown. */
const asked = signal<Asked>({ kind: 'nothing' })

async function ask(request: ConsoleForecastRequest): Promise<void> {
  discard()
  const abort = new AbortController()
  const before = live.cluster.copy()
  asked.value = { kind: 'running', request, seconds: 0, facts: 0, abort }
  try {
    for await (const line of lines<ForecastLine>('forecast', { body: request, signal: abort.signal })) {
      if (line.k === 'progress')
        asked.value = { kind: 'running', request, abort, seconds: line.seconds, facts: line.facts }
      else if (line.k === 'failed') asked.value = { kind: 'failed', request, message: line.message }
      else {
        const transitions = forecastTransitions(line.forecast, before)
        asked.value = { kind: 'answered', request, forecast: line.forecast, before, transitions }
      }
    }
    if (asked.value.kind === 'running') asked.value = { kind: 'failed', request, message: 'the connection was lost' }
  } catch (error) {
    if (!abort.signal.aborted)
      asked.value = { kind: 'failed', request, message: error instanceof Error ? error.message : String(error) }
  }
}

function discard(): void {
  const { value } = asked
  if (value.kind === 'running') value.abort.abort()
  asked.value = { kind: 'nothing' }
}

export function WhatIfPage() {
  const query = routeQuery.value
  const state = asked.value
  useEffect(() => {
    // A link with another question replaces the previous answer.
    if (query.has('ask') && state.kind === 'answered' && !isSame(state.request, query)) discard()
  }, [query])
  return (
    <Page title="What if">
      <QuestionForm
        key={query.toString()}
        kind={(query.get('ask') ?? 'taint') as ConsoleAction['kind']}
        nodes={query.get('nodes') ?? ''}
        isBusy={state.kind === 'running'}
        onAsk={(request) => void ask(request)}
      />
      <Answer state={state} />
    </Page>
  )
}

const isSame = (request: ConsoleForecastRequest, query: URLSearchParams) =>
  request.kind === query.get('ask') && request.nodes.join(',') === query.get('nodes')

function Answer({ state }: { readonly state: Asked }) {
  switch (state.kind) {
    case 'nothing':
      return (
        <section class="card">
          <Empty title="Ask before you act">
            <span>
              berth plays what would follow on a fork of this cluster, in virtual time. Nothing changes until you
              confirm it.
            </span>
          </Empty>
        </section>
      )
    case 'running':
      return (
        <section class="card" aria-label="Forecast in progress">
          <div class="body stack" role="status">
            <strong>
              {spanText(state.seconds * 1000)} of {spanText(state.request.seconds * 1000)} played,{' '}
              {countText(state.facts)} things happened
            </strong>
            <Bar label="Progress" parts={[{ share: state.seconds / state.request.seconds, tone: 'used' }]} />
            <span>
              <button type="button" class="button" onClick={discard}>
                Discard
              </button>
            </span>
          </div>
        </section>
      )
    case 'failed':
      return (
        <div class="note bad" role="alert">
          There is no forecast: {state.message}
        </div>
      )
    case 'answered':
      return (
        <ForecastView
          answer={state}
          onDiscard={discard}
          onDone={(done) => {
            asked.value = { ...state, done }
          }}
        />
      )
  }
}
