import { signal } from '@preact/signals'
import { useRef } from 'preact/hooks'
import type { SearchLine, SearchProgress, SearchRequest, SearchResult } from '../../src/wire/console-search.ts'
import type { Transition } from '../../src/wire/console-wire.ts'
import { Verdict } from '../forecast/verdict.tsx'
import { WorkloadImpact } from '../forecast/workload-impact.tsx'
import { discardAnswer, takeAnswer } from '../model/answer-stream.ts'
import { lines } from '../model/api.ts'
import type { ClusterModel } from '../model/cluster.ts'
import { forecastTransitions } from '../model/forecast-transitions.ts'
import { hello, live } from '../model/live.ts'
import { readSearchFile } from '../model/search-file.ts'
import { counted } from '../model/words.ts'
import { Card } from '../parts/card.tsx'
import { bound, Choice, Empty } from '../parts/controls.tsx'
import { CopyText } from '../parts/copy-text.tsx'
import { Page, UnavailablePage } from '../parts/page.tsx'
import { FailedAnswer, RunningAnswer, useAnswerInView } from '../parts/pending-answer.tsx'
import { Select } from '../parts/select.tsx'
import { queryState } from '../router.ts'
import { ForecastReplay } from './forecast-replay.tsx'

interface Found extends SearchResult {
  readonly kind: 'answered'
  /** The cluster when the search started. */
  readonly before: ClusterModel
  readonly transitions: readonly Transition[]
}

type Searched =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'running'; readonly progress: SearchProgress; readonly abort: AbortController }
  | { readonly kind: 'failed'; readonly message: string }
  | Found

/** Kept while other pages are shown. */
const searched = signal<Searched>({ kind: 'nothing' })

const faults = queryState<'realistic' | 'harsh'>('faults', 'realistic')
const only = queryState('only', '')
const seconds = queryState<'30' | '120' | '600'>('budget', '30')

/** As in `berth search --only`. */
const groups = ['nodes', 'racks', 'pools', 'zones', 'control-plane', 'operators', 'clock'] as const

async function start(request: SearchRequest): Promise<void> {
  discard()
  const abort = new AbortController()
  const before = live.cluster.copy()
  const first: SearchProgress = { doing: request.kind === 'replay' ? 'replaying' : 'exploring', explored: 0, margin: 1 }
  searched.value = { kind: 'running', progress: first, abort }
  const stream = lines<SearchLine>('search', { body: request, signal: abort.signal })
  await takeAnswer(searched, abort, stream, (line) => {
    if (line.k === 'progress') searched.value = { kind: 'running', progress: line, abort }
    else if (line.k === 'failed') searched.value = { kind: 'failed', message: line.message }
    else {
      const { k: _, ...result } = line
      const transitions = result.finding === undefined ? [] : forecastTransitions(result.finding.forecast, before)
      searched.value = { kind: 'answered', before, transitions, ...result }
    }
  })
}

const discard = () => discardAnswer(searched)

export function SearchPage() {
  if (hello.value?.can.forecast !== true)
    return <UnavailablePage title="Search" what="Searches" verb="Search" command="berth search" />
  const state = searched.value
  return (
    <Page title="Search" aside="for the smallest failure that breaks an expectation, on forks of this cluster">
      <SearchForm isBusy={state.kind === 'running'} />
      <Answer state={state} />
    </Page>
  )
}

function SearchForm({ isBusy }: { readonly isBusy: boolean }) {
  const search = () =>
    start({
      kind: 'search',
      faults: faults.value === 'harsh' ? 'harsh' : 'realistic',
      only: only.value === '' ? [] : [only.value],
      seconds: Number(seconds.value) || 30,
    })
  return (
    <form
      class="card question"
      aria-label="Search"
      onSubmit={(event) => {
        event.preventDefault()
        if (!isBusy) void search()
      }}
    >
      <div class="question-foot">
        <Choice
          label="Faults"
          options={[
            { value: 'realistic', text: 'Realistic', title: 'Faults that happen in most clusters' },
            { value: 'harsh', text: 'Harsh', title: 'Every kind of fault' },
          ]}
          {...bound(faults)}
        />
        <Select
          label="Only"
          options={[{ value: '', text: 'all groups' }, ...groups.map((group) => ({ value: group, text: group }))]}
          {...bound(only)}
        />
        <Choice
          label="For"
          options={[
            { value: '30', text: '30 s' },
            { value: '120', text: '2 min' },
            { value: '600', text: '10 min' },
          ]}
          {...bound(seconds)}
        />
        <OpenResult isBusy={isBusy} />
        <button type="submit" class="button primary" disabled={isBusy}>
          Search
        </button>
      </div>
    </form>
  )
}

/** A file that `berth search -o json` wrote: its scenario is run on this cluster. */
function OpenResult({ isBusy }: { readonly isBusy: boolean }) {
  const chooser = useRef<HTMLInputElement>(null)
  const open = async (input: HTMLInputElement) => {
    const [file] = input.files ?? []
    if (file === undefined) return
    const scenario = readSearchFile(await file.text())
    input.value = ''
    if (scenario.ok) await start({ kind: 'replay', scenario: scenario.value })
    else searched.value = { kind: 'failed', message: `${file.name}: ${scenario.message}` }
  }
  return (
    <>
      <button
        type="button"
        class="button"
        title="A file that berth search -o json wrote: its scenario is run on this cluster"
        disabled={isBusy}
        onClick={() => chooser.current?.click()}
      >
        Open a result…
      </button>
      <input
        ref={chooser}
        type="file"
        hidden
        accept=".json,application/json"
        aria-label="A result of berth search"
        onChange={(event) => void open(event.currentTarget)}
      />
    </>
  )
}

const doings: Readonly<Record<SearchProgress['doing'], string>> = {
  exploring: 'Trying faults',
  shrinking: 'Found; making it smaller',
  reducing: 'Found; making it smaller',
  fixing: 'Found; looking for a change that helps',
  replaying: 'Running the scenario',
}

function Answer({ state }: { readonly state: Searched }) {
  useAnswerInView(state.kind === 'answered')
  switch (state.kind) {
    case 'nothing':
      return (
        <section class="card">
          <Empty title="What breaks this cluster?">
            <span>
              berth fails nodes, racks, pools and zones, drains and rolls out at bad moments, alone and in pairs, and
              shows the smallest case in which a workload loses too many pods, or pods stay pending. The cluster itself
              is not touched.
            </span>
          </Empty>
        </section>
      )
    case 'running': {
      const { doing, explored, margin } = state.progress
      const closest =
        doing === 'exploring' && explored > 0 ? `, at least ${Math.round(margin * 100)}% of the margin left` : ''
      return (
        <RunningAnswer
          label="Search in progress"
          status={`${doings[doing]}: ${counted(explored, 'case')} so far${closest}`}
          onDiscard={discard}
        />
      )
    }
    case 'failed':
      return <FailedAnswer>No result: {state.message}</FailedAnswer>
    case 'answered':
      return <SearchAnswer found={state} />
  }
}

function SearchAnswer({ found }: { readonly found: Found }) {
  const { finding, command } = found
  return (
    <>
      <section class="card" aria-label="Result">
        <header class="forecast-head">
          <h2>{finding === undefined ? 'Nothing found' : 'Found'}</h2>
          <span class="toolbar">
            <button type="button" class="button" onClick={discard}>
              Close
            </button>
          </span>
        </header>
        <div class="body stack">
          {finding === undefined ? (
            <p class="verdict good">
              <strong>NOT FOUND</strong> <span>no case violates an expectation.</span>
            </p>
          ) : (
            <>
              <p class="verdict bad">
                <strong>FOUND</strong> <span>{finding.story}.</span>
              </p>
              <p>{finding.violation}</p>
              {finding.fix === undefined ? null : <p class="strong">{finding.fix}</p>}
              <Verdict forecast={finding.forecast} />
            </>
          )}
          <ul class="muted">
            {found.lines.map((line) => (
              <li key={line}>{line}</li>
            ))}
          </ul>
        </div>
        {finding === undefined ? null : <WorkloadImpact workloads={finding.forecast.workloads} />}
      </section>
      {finding === undefined ? null : (
        <ForecastReplay
          forecast={finding.forecast}
          before={found.before}
          transitions={found.transitions}
          nodes={finding.nodes}
        />
      )}
      <Card title="Repeat" aside="on the command line, or in CI">
        <div class="body stack">
          {command === undefined ? null : <CopyText label="Command" text={command} />}
          {finding === undefined ? null : <CopyText label="Scenario for berth simulate" text={finding.scenario} />}
        </div>
      </Card>
    </>
  )
}
