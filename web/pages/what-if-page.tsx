import { computed, signal } from '@preact/signals'
import { useMemo, useState } from 'preact/hooks'
import type {
  ForecastLine,
  ForecastRequest,
  ForecastResult,
  QuestionForm,
  TextAnswer,
} from '../../src/wire/console-questions.ts'
import type { Transition } from '../../src/wire/console-wire.ts'
import { discardAnswer, takeAnswer } from '../model/answer-stream.ts'
import { lines } from '../model/api.ts'
import type { ClusterModel } from '../model/cluster.ts'
import { forecastTransitions } from '../model/forecast-transitions.ts'
import { hello, live } from '../model/live.ts'
import { usePolled } from '../model/poll.ts'
import { combinationProblem, type DraftStep, nodesOf, problemOf, stepOf } from '../model/questions.ts'
import { N } from '../model/rows.ts'
import { selection } from '../model/selection.ts'
import { countText, spanText } from '../model/words.ts'
import { Bar } from '../parts/bar.tsx'
import { bound, Choice, Empty } from '../parts/controls.tsx'
import { Page, Skeleton, UnavailablePage } from '../parts/page.tsx'
import { FailedAnswer, RunningAnswer, useAnswerInView } from '../parts/pending-answer.tsx'
import { Select } from '../parts/select.tsx'
import { queryState, routeQuery } from '../router.ts'
import { ForecastComparison } from './forecast-comparison.tsx'
import { ForecastView } from './forecast-view.tsx'
import { QuestionSteps } from './question-steps.tsx'
import { TextView } from './text-view.tsx'
import { whatIfHref } from './what-if-link.ts'

export interface AnsweredForecast extends ForecastResult {
  readonly kind: 'answered'
  readonly request: ForecastRequest
  /** The nodes of the questions. */
  readonly nodes: readonly string[]
  /** The cluster when the question was asked. */
  readonly before: ClusterModel
  /** The number of the last transition before it. */
  readonly askedSeq: number
  readonly transitions: readonly Transition[]
  /** The result of applying it, and then of reverting it. */
  readonly done?: { readonly said: string; readonly isUndone: boolean }
}

type Asked =
  | { readonly kind: 'nothing' }
  | {
      readonly kind: 'running'
      readonly request: ForecastRequest
      readonly seconds: number
      readonly facts: number
      readonly said?: string | undefined
      readonly abort: AbortController
    }
  | ({ readonly kind: 'told' } & TextAnswer)
  | { readonly kind: 'failed'; readonly message: string }
  | AnsweredForecast

/** Kept while other pages are shown. */
const asked = signal<Asked>({ kind: 'nothing' })
/** The last forecast, whose time continues the last hour on the page Time. */
export const lastAnswer = computed(() => (asked.value.kind === 'answered' ? asked.value : undefined))
/** A forecast to compare the next ones with. */
const pinned = signal<AnsweredForecast | undefined>(undefined)

async function ask(request: ForecastRequest, nodes: readonly string[]): Promise<void> {
  discard()
  const abort = new AbortController()
  const before = live.cluster.copy()
  const askedSeq = live.transitions.at(-1)?.[0] ?? live.since
  asked.value = { kind: 'running', request, seconds: 0, facts: 0, abort }
  const stream = lines<ForecastLine>('forecast', { body: request, signal: abort.signal })
  await takeAnswer(asked, abort, stream, (line) => {
    if (line.k === 'progress')
      asked.value = { kind: 'running', request, abort, seconds: line.seconds, facts: line.facts, said: line.said }
    else if (line.k === 'failed') asked.value = { kind: 'failed', message: line.message }
    else if ('text' in line) asked.value = { kind: 'told', title: line.title, text: line.text, command: line.command }
    else {
      const { k: _, ...result } = line
      const transitions = forecastTransitions(result.forecast, before)
      asked.value = { kind: 'answered', request, nodes, before, askedSeq, transitions, ...result }
    }
  })
}

const discard = () => discardAnswer(asked)

type SpanChoice = '600' | '3600' | '21600'

const spans: readonly { readonly value: SpanChoice; readonly text: string }[] = [
  { value: '600', text: '10 min' },
  { value: '3600', text: '1 h' },
  { value: '21600', text: '6 h' },
]

const drafts = queryState('steps', '')
const span = queryState<SpanChoice>('for', '3600')
const release = queryState('release', '')
const flags = queryState('flags', '')

/** The steps in the address; a link from another page has one question with its nodes. */
function draftsFrom(query: URLSearchParams): readonly DraftStep[] {
  const text = query.get('steps')
  if (text !== null) {
    try {
      const read = JSON.parse(text) as unknown
      if (Array.isArray(read) && read.length > 0) return read.slice(0, 20).map(readDraft)
    } catch {
      // Not part of the state of this page, which starts empty.
    }
  }
  const values: Record<string, string> = {}
  for (const [key, value] of query)
    if (!['ask', 'nodes', 'steps', 'for', 'release', 'flags'].includes(key)) values[key] = value
  const nodes = query.get('nodes')
  if (nodes !== null)
    values['a0'] = nodes === 'selected' ? [...selection.value].join(', ') : nodes.replaceAll(',', ', ')
  return [{ question: query.get('ask') ?? 'drain', values, after: '' }]
}

function readDraft(value: unknown): DraftStep {
  const { question, values, after } = (value ?? {}) as Partial<DraftStep>
  const known = Object.entries(values ?? {}).filter(([, one]) => typeof one === 'string')
  return { question: String(question ?? 'drain'), values: Object.fromEntries(known), after: String(after ?? '') }
}

export function WhatIfPage() {
  const query = routeQuery.value
  const { value: forms, problem } = usePolled<readonly QuestionForm[]>('questions', 3_600_000)
  const steps = useMemo(() => draftsFrom(query), [query])
  const state = asked.value
  const setSteps = (next: readonly DraftStep[]) => {
    drafts.value = JSON.stringify(next)
  }
  if (hello.value?.can.forecast !== true)
    return <UnavailablePage title="What if" what="Forecasts" verb="Ask" command="berth whatif" />
  return (
    <Page title="What if" aside="on a fork of this cluster, in virtual time" problem={problem}>
      {forms === undefined ? (
        <Skeleton rows={3} />
      ) : (
        <Questions forms={forms} steps={steps} isBusy={state.kind === 'running'} onSteps={setSteps} />
      )}
      <Answer state={state} />
    </Page>
  )
}

function Questions(props: {
  readonly forms: readonly QuestionForm[]
  readonly steps: readonly DraftStep[]
  readonly isBusy: boolean
  readonly onSteps: (steps: readonly DraftStep[]) => void
}) {
  const { forms, steps } = props
  const formOf = ({ question }: DraftStep) => forms.find(({ name }) => name === question)
  const together = combinationProblem(forms, steps)
  const isReady =
    together === undefined &&
    steps.every((step) => {
      const form = formOf(step)
      return form !== undefined && problemOf(form, step, live.cluster) === undefined
    })
  const submit = () => {
    const pairs = steps.flatMap((step) => {
      const form = formOf(step)
      return form === undefined ? [] : [{ step: stepOf(form, step), nodes: nodesOf(form, step, live.cluster) }]
    })
    const request: ForecastRequest = {
      steps: pairs.map(({ step }) => step),
      seconds: Number(span.value),
      ...(release.value === '' ? {} : { release: release.value }),
      ...(flags.value.trim() === '' ? {} : { flags: flags.value }),
    }
    void ask(request, [...new Set(pairs.flatMap(({ nodes }) => nodes))])
  }
  return (
    <form
      class="card question"
      aria-label="Question"
      onSubmit={(event) => {
        event.preventDefault()
        if (isReady) submit()
      }}
    >
      <QuestionSteps forms={forms} steps={steps} onChange={props.onSteps} />
      {together === undefined ? null : (
        <span class="hint muted" role="status">
          {together}
        </span>
      )}
      <div class="question-foot">
        <button
          type="button"
          class="button"
          onClick={() => props.onSteps([...steps, { question: 'drain', values: {}, after: '' }])}
        >
          + Another step
        </button>
        <Choice<SpanChoice>
          label="Forecast"
          value={span.value}
          options={spans}
          onChange={(value) => (span.value = value)}
        />
        <OtherSettings />
        <button type="submit" class="button primary" disabled={!isReady || props.isBusy}>
          Ask
        </button>
      </div>
    </form>
  )
}

/** Another release, or other flags, so that two forecasts can be compared. */
function OtherSettings() {
  const [open, setOpen] = useState(release.value !== '' || flags.value !== '')
  if (!open)
    return (
      <button type="button" class="button" onClick={() => setOpen(true)}>
        Other release or flags…
      </button>
    )
  return (
    <>
      <Select
        label="Release"
        options={[
          { value: '', text: 'of this cluster' },
          ...['1.34', '1.35', '1.36', '1.37'].map((one) => ({ value: one, text: `v${one}` })),
        ]}
        {...bound(release)}
      />
      <label class="labelled">
        <span>Flags</span>
        <input
          class="field"
          placeholder="node-eviction-rate: 1"
          title="A flag of kube-controller-manager or kube-scheduler, as YAML"
          value={flags.value}
          spellcheck={false}
          onInput={(event) => (flags.value = event.currentTarget.value)}
        />
      </label>
    </>
  )
}

/** Two example questions about the nodes of this cluster. */
function Examples() {
  const cells = [...live.cluster.nodes.values()]
  const [first] = cells
  if (first === undefined) return null
  const { row: fullest } = cells.reduce((most, cell) => (cell.podCount > most.podCount ? cell : most), first)
  const zone = cells.find(({ row }) => row[N.zone] !== '')?.row[N.zone]
  return (
    <span class="toolbar">
      <a class="button" href={whatIfHref('drain', [fullest[N.name]])}>
        Drain the node with the most pods
      </a>
      {zone === undefined ? null : (
        <a class="button" href={`#/what-if?${new URLSearchParams({ ask: 'fail', a0: 'zone', a1: zone })}`}>
          Zone {zone} fails
        </a>
      )}
    </span>
  )
}

function Answer({ state }: { readonly state: Asked }) {
  useAnswerInView(state.kind === 'answered' || state.kind === 'told')
  switch (state.kind) {
    case 'nothing':
      return (
        <section class="card">
          <Empty title="Ask before you act">
            <span>
              berth runs the change on a fork of this cluster, in virtual time. The cluster does not change until you
              confirm it.
            </span>
            <Examples />
          </Empty>
        </section>
      )
    case 'running':
      return (
        <RunningAnswer
          label="Forecast in progress"
          status={
            state.said ??
            `${spanText(state.seconds * 1000)} of ${spanText(state.request.seconds * 1000)} simulated, ${countText(state.facts)} events`
          }
          onDiscard={discard}
        >
          <Bar label="Progress" parts={[{ share: state.seconds / state.request.seconds, tone: 'used' }]} />
        </RunningAnswer>
      )
    case 'failed':
      return <FailedAnswer>There is no forecast: {state.message}</FailedAnswer>
    case 'told':
      return <TextView answer={state} onDiscard={discard} />
    case 'answered':
      return (
        <>
          {pinned.value === undefined || pinned.value === state ? null : (
            <ForecastComparison first={pinned.value} second={state} onClose={() => (pinned.value = undefined)} />
          )}
          <ForecastView
            answer={state}
            isPinned={pinned.value === state}
            onPin={() => {
              pinned.value = pinned.value === state ? undefined : state
            }}
            onDiscard={discard}
            onDone={(done) => {
              asked.value = { ...state, done }
            }}
          />
        </>
      )
  }
}
