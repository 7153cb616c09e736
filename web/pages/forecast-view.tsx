import { useMemo, useState } from 'preact/hooks'
import type { ConsoleForecast, ForecastPod } from '../../src/api/console-wire.ts'
import { ClusterMap } from '../map/cluster-map.tsx'
import { MapLegend } from '../map/legend.tsx'
import { post } from '../model/api.ts'
import { everything } from '../model/filter.ts'
import { hello, live, revision } from '../model/live.ts'
import { Replay } from '../model/replay.ts'
import { nameOf, namespaceOf } from '../model/rows.ts'
import { counted, countText, percentText, spanText } from '../model/words.ts'
import { Chart } from '../parts/chart.tsx'
import { Empty, Name, Tag } from '../parts/controls.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { type Column, Table } from '../parts/table.tsx'
import { go, nodeHref, podHref } from '../router.ts'
import { StepButtons } from './past-view.tsx'
import type { Asked } from './what-if-view.tsx'

type Answered = Extract<Asked, { kind: 'answered' }>

/** What would follow, beside what is. */
export function ForecastView({ answer, onDiscard }: { readonly answer: Answered; readonly onDiscard: () => void }) {
  const { forecast, before, transitions } = answer
  const endMs = forecast.startMs + forecast.seconds * 1000
  const replay = useMemo(() => new Replay(before.copy(), transitions, 'before'), [before, transitions])
  const marked = useMemo(() => new Set(answer.request.nodes), [answer])
  const [at, setAt] = useState(endMs)
  const [confirms, setConfirms] = useState(false)
  const [said, setSaid] = useState<string>()
  replay.seek(at)
  return (
    <>
      <section class="card" aria-label="Forecast">
        <header>
          <h2>If you {forecast.question}</h2>
          <span class="toolbar">
            {said === undefined ? null : (
              <span class="muted" role="status">
                {said}
              </span>
            )}
            <button type="button" class="button" onClick={onDiscard}>
              Discard
            </button>
            {hello.value?.can.act === true && said === undefined ? (
              <button type="button" class="button danger" onClick={() => setConfirms(true)}>
                Do it…
              </button>
            ) : null}
          </span>
        </header>
        <div class="body forecast">
          <ul class="answer">
            {forecast.answer.map((line) => (
              <li key={line}>{line}</li>
            ))}
            {[...forecast.loops, ...forecast.notes].map((line) => (
              <li key={line} class="warn">
                {line}
              </li>
            ))}
          </ul>
          <Comparison forecast={forecast} />
        </div>
        <div class="body stack">
          <Series forecast={forecast} at={at} onPick={setAt} />
          <span class="scrub-line">
            <input
              class="scrub"
              type="range"
              aria-label="Instant of the forecast"
              aria-valuetext={`after ${spanText(at - forecast.startMs)}`}
              min={forecast.startMs}
              max={endMs}
              step={1_000}
              value={at}
              onInput={(event) => setAt(Number(event.currentTarget.value))}
            />
            <StepButtons transitions={transitions} at={at} onStep={setAt} />
          </span>
        </div>
      </section>
      <div class="side-by-side even">
        <section class="card map-card" aria-label="Now">
          <header>
            <h2>Now</h2>
            <span class="muted">live</span>
          </header>
          <div class="body stack">
            <SmallMap cluster={live.cluster} revision={revision.value} label="The cluster now" marked={marked} />
          </div>
        </section>
        <section class="card map-card" aria-label="Then">
          <header>
            <h2>After {spanText(at - forecast.startMs)}</h2>
            <span class="muted">forecast</span>
          </header>
          <div class="body stack">
            <SmallMap cluster={replay.cluster} revision={at} label="The cluster then" marked={marked} />
          </div>
        </section>
      </div>
      <MapLegend colourBy="utilisation" measure="cpu" />
      <Pods forecast={forecast} />
      {confirms ? (
        <Confirm
          answer={answer}
          onClose={() => setConfirms(false)}
          onDone={(text) => {
            setConfirms(false)
            setSaid(text)
          }}
        />
      ) : null}
    </>
  )
}

function SmallMap(props: {
  readonly cluster: Answered['before']
  readonly revision: number
  readonly label: string
  readonly marked: ReadonlySet<string>
}) {
  return (
    <ClusterMap
      {...props}
      filter={everything}
      colourBy="utilisation"
      measure="cpu"
      level="auto"
      onOpenNode={(node) => go(nodeHref(node))}
      onOpenPod={(pod) => go(podHref(pod))}
    />
  )
}

function Comparison({ forecast: { before, after, deleted } }: { readonly forecast: ConsoleForecast }) {
  const pods = (count: ConsoleForecast['before'], state: string) => count.pods[state] ?? 0
  const rows: readonly (readonly [string, string, string])[] = [
    ['Pods running', countText(pods(before, 'running')), countText(pods(after, 'running'))],
    ['Pods pending', countText(pods(before, 'pending')), countText(pods(after, 'pending'))],
    ['Nodes ready', countText(before.nodesReady), countText(after.nodesReady)],
    [
      'CPU requested',
      percentText(before.cpuMilli / before.cpuAllocatableMilli),
      percentText(after.cpuMilli / after.cpuAllocatableMilli),
    ],
    ['Pods deleted', '', countText(deleted)],
  ]
  return (
    <table class="comparison">
      <caption class="hidden-text">Now and at the end of the forecast</caption>
      <thead>
        <tr>
          <td />
          <th scope="col">Now</th>
          <th scope="col">Then</th>
        </tr>
      </thead>
      <tbody>
        {rows.map(([name, now, then]) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            <td>{now}</td>
            <td class={now !== then && now !== '' ? 'strong' : ''}>{then}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function Series(props: {
  readonly forecast: ConsoleForecast
  readonly at: number
  readonly onPick: (at: number) => void
}) {
  const { series, startMs, seconds } = props.forecast
  const chart = useMemo(() => {
    // The last sample holds until the end.
    const until = <T,>(values: readonly T[]) => [...values, ...values.slice(-1)]
    return {
      times: [...series.seconds.map((at) => startMs + at * 1000), startMs + seconds * 1000],
      lines: [
        { name: 'Pods waiting or starting', colour: '--pod-running', values: until(series.pending) },
        { name: 'Pods not ready', colour: '--pod-notready', values: until(series.notReady) },
        { name: 'Pods terminating', colour: '--pod-terminating', values: until(series.terminating) },
      ],
    }
  }, [series, startMs, seconds])
  return (
    <Chart
      label="Pods in the forecast"
      times={chart.times}
      lines={chart.lines}
      height={150}
      since={startMs}
      mark={props.at}
      onPick={(at) => props.onPick(Math.max(startMs, Math.min(startMs + seconds * 1000, at)))}
    />
  )
}

const columns: readonly Column<ForecastPod>[] = [
  {
    id: 'when',
    title: 'When',
    width: '84px',
    order: ({ deleted, created, bound }) => deleted ?? created ?? bound ?? 0,
    cell: ({ deleted, created, bound }) => `+${spanText((deleted ?? created ?? bound ?? 0) * 1000)}`,
  },
  {
    id: 'pod',
    title: 'Pod',
    width: 'minmax(180px, 1.6fr)',
    order: ({ pod }) => pod,
    cell: ({ pod, isNew }) =>
      isNew ? (
        <span title={pod}>
          <Name text={nameOf(pod)} />
        </span>
      ) : (
        <a href={podHref(pod)} title={pod}>
          <Name text={nameOf(pod)} />
        </a>
      ),
  },
  { id: 'namespace', title: 'Namespace', width: 'minmax(80px, 0.6fr)', cell: ({ pod }) => namespaceOf(pod) },
  {
    id: 'what',
    title: 'What happens',
    width: 'minmax(220px, 2fr)',
    cell: (pod) => <Story pod={pod} />,
  },
  {
    id: 'from',
    title: 'From',
    width: 'minmax(90px, 0.7fr)',
    cell: ({ from }) => (from === undefined ? '–' : <a href={nodeHref(from)}>{from}</a>),
  },
  {
    id: 'to',
    title: 'To',
    width: 'minmax(90px, 0.7fr)',
    cell: ({ isNew, node }) => (!isNew || node === undefined ? '–' : <a href={nodeHref(node)}>{node}</a>),
  },
]

function Story({ pod }: { readonly pod: ForecastPod }) {
  if (pod.deleted !== undefined)
    return (
      <>
        <Tag tone="bad">{pod.cause ?? 'deleted'}</Tag>{' '}
        <span class="muted">{pod.replacement === undefined ? '' : `replaced by ${nameOf(pod.replacement)}`}</span>
      </>
    )
  if (pod.pending !== undefined) return <Tag tone="warn">{`waits: ${pod.pending}`}</Tag>
  if (pod.isNew)
    return (
      <>
        <Tag tone="good">new</Tag>{' '}
        <span class="muted">{pod.started === undefined ? '' : `runs after ${spanText(pod.started * 1000)}`}</span>
      </>
    )
  return <span class="muted">{pod.notReady === undefined ? 'changed' : 'not ready'}</span>
}

function Pods({ forecast }: { readonly forecast: ConsoleForecast }) {
  return (
    <section class="card" aria-label="Pods in the forecast">
      <header>
        <h2>Pods that anything happens to</h2>
        <span class="muted">
          {counted(forecast.pods.length, 'pod')}
          {forecast.morePods === 0 ? '' : `, ${countText(forecast.morePods)} more left out`}
        </span>
      </header>
      <Table
        label="Pods in the forecast"
        columns={columns}
        rows={forecast.pods}
        keyOf={({ pod, isNew, created }) => `${pod} ${isNew} ${created ?? ''}`}
        initialOrder={{ column: 'when', descending: false }}
        maxHeight={420}
        empty={<Empty title="No pod is affected" />}
      />
    </section>
  )
}

function Confirm(props: {
  readonly answer: Answered
  readonly onClose: () => void
  readonly onDone: (text: string) => void
}) {
  const { request, forecast } = props.answer
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<string>()
  const act = async () => {
    setBusy(true)
    setProblem(undefined)
    try {
      const { seconds: _, ...action } = request
      const { done } = await post<{ readonly done: string }>('actions', action)
      props.onDone(done)
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error))
      setBusy(false)
    }
  }
  return (
    <Dialog title={`Really ${forecast.question}?`} onClose={props.onClose}>
      <p>
        This changes the cluster now. The forecast says: {forecast.answer[0]} {forecast.answer[1]}
      </p>
      {problem === undefined ? null : (
        <p class="note bad" role="alert">
          {problem}
        </p>
      )}
      <div class="actions">
        <button type="button" class="button" onClick={props.onClose}>
          Cancel
        </button>
        <button type="button" class="button danger" disabled={busy} onClick={act}>
          {request.kind[0]?.toUpperCase() + request.kind.slice(1)} {counted(request.nodes.length, 'node')}
        </button>
      </div>
    </Dialog>
  )
}
