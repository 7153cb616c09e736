import { useEffect, useMemo, useState } from 'preact/hooks'
import type { ReportData } from '../../src/wire/report-wire.ts'
import { DeviceImpact } from '../forecast/device-impact.tsx'
import { ForecastAnswer } from '../forecast/forecast-answer.tsx'
import { ForecastMap } from '../forecast/forecast-map.tsx'
import { ForecastPods } from '../forecast/forecast-pods.tsx'
import { ForecastTime } from '../forecast/forecast-time.tsx'
import { PodStory } from '../forecast/pod-story.tsx'
import { Verdict } from '../forecast/verdict.tsx'
import { WorkloadImpact } from '../forecast/workload-impact.tsx'
import { RangeCard } from '../map/address-range.tsx'
import { byCpu } from '../map/coloring.ts'
import type { CellSize } from '../map/layout.ts'
import { MapLegend } from '../map/legend.tsx'
import { parseFilter } from '../model/filter.ts'
import { worstMoment } from '../model/forecast-moments.ts'
import type { ReplayedCluster } from '../model/replay.ts'
import { counted, momentText, spanText } from '../model/words.ts'
import { Card } from '../parts/card.tsx'
import { Chart } from '../parts/chart.tsx'
import { Empty } from '../parts/controls.tsx'
import { FilterLine } from '../parts/filter-line.tsx'
import { HappeningCard } from '../parts/happening-table.tsx'
import { nextTheme, themeChoice } from '../parts/theme.ts'
import { go, podHref, route } from '../router.ts'
import { NodeStory } from './node-story.tsx'
import { happeningOfLine, markedNodes, replayOf } from './report-model.ts'

/** A forecast as a standalone page: the components of the console on the data in the page. */
export function Report({ data }: { readonly data: ReportData }) {
  const { forecast } = data
  const replay = useMemo(() => replayOf(data), [data])
  const [at, setAt] = useState(() => worstMoment(forecast))
  replay.seek(at)
  return (
    <main class="page report">
      <div class="head">
        <div class="title">
          <h1>{forecast.question}</h1>
          <span class="muted">{data.about}</span>
        </div>
        <button type="button" class="button" title="Light, dark, or as the system has it" onClick={nextTheme}>
          {{ system: 'Auto', light: 'Light', dark: 'Dark' }[themeChoice.value]}
        </button>
      </div>
      <section class="card" aria-label="The answer">
        <div class="body">
          <Verdict forecast={forecast} />
        </div>
        <ForecastAnswer forecast={forecast} remarks={data.remarks} now="Before" />
      </section>
      {forecast.workloads.length === 0 ? null : (
        <Card title="Workloads" aside="the worst first">
          <WorkloadImpact workloads={forecast.workloads} maxHeight={420} linked={false} />
        </Card>
      )}
      {forecast.devices === undefined ? null : (
        <Card title="Devices" aside="claims that get or release one">
          <DeviceImpact devices={forecast.devices} />
        </Card>
      )}
      <section class="card clock" aria-label="Time">
        <header>
          <h2>
            <span role="status">After {momentText(at - forecast.startMs)}</span>
          </h2>
          <Play replay={replay} at={at} onStep={setAt} first={forecast.startMs} />
        </header>
        <ForecastTime forecast={forecast} transitions={replay.transitions} at={at} onPick={setAt} />
      </section>
      <div class="side-by-side">
        <MapCard data={data} replay={replay} at={at} />
        <Lines data={data} onOpen={setAt} />
      </div>
      <ForecastPods forecast={forecast} onOpen={({ pod }) => go(podHref(pod))} />
      <Charts data={data} at={at} onPick={setAt} />
      {data.addresses.map((range) => (
        <RangeCard key={range.range} range={range} />
      ))}
      <Opened data={data} />
    </main>
  )
}

const stepMs = 300

/** Plays from change to change. */
function Play(props: {
  readonly replay: ReplayedCluster
  readonly at: number
  readonly onStep: (at: number) => void
  readonly first: number
}) {
  const [plays, setPlays] = useState(false)
  const { replay, at, onStep, first } = props
  useEffect(() => {
    if (!plays) return undefined
    const next = replay.transitions.find(([, then]) => then > at)?.[1]
    if (next === undefined) {
      setPlays(false)
      return undefined
    }
    const timer = setTimeout(() => onStep(next), stepMs)
    return () => clearTimeout(timer)
  }, [plays, at, replay])
  const isAtEnd = replay.transitions.every(([, then]) => then <= at)
  return (
    <button
      type="button"
      class="button"
      onClick={() => {
        if (!plays && isAtEnd) onStep(first)
        setPlays(!plays)
      }}
    >
      {plays ? 'Pause' : 'Play'}
    </button>
  )
}

function MapCard({
  data,
  replay,
  at,
}: {
  readonly data: ReportData
  readonly replay: ReplayedCluster
  readonly at: number
}) {
  const [text, setText] = useState('')
  const [size, setSize] = useState<CellSize>()
  const filter = useMemo(() => parseFilter(text), [text])
  const marked = useMemo(() => markedNodes(data), [data])
  const { unplaced } = replay.cluster
  return (
    <section class="card map-card" aria-label="The cluster">
      <header>
        <h2>The cluster after {spanText(at - data.forecast.startMs)}</h2>
        <span class={unplaced.size === 0 ? 'muted' : 'warn'} role="status">
          {unplaced.size === 0
            ? 'no pod waits for a node'
            : `${counted(unplaced.size, 'pod waits', 'pods wait')} for a node`}
        </span>
      </header>
      <FilterLine label="Filter nodes and pods" placeholder="Part of a name" value={text} onChange={setText} />
      <div class="body stack">
        <ForecastMap
          cluster={replay.cluster}
          revision={at}
          label="Nodes by zone"
          marked={marked}
          filter={filter}
          onSize={setSize}
        />
        <MapLegend cluster={replay.cluster} size={size} revision={at} coloring={byCpu} marked={marked} />
      </div>
    </section>
  )
}

function Lines({ data, onOpen }: { readonly data: ReportData; readonly onOpen: (at: number) => void }) {
  const { startMs } = data.forecast
  const rows = useMemo(() => data.timeline.map((line) => happeningOfLine(line, startMs)), [data])
  return (
    <HappeningCard
      title="Timeline"
      order={counted(rows.length, 'line')}
      rows={rows}
      since={startMs}
      onOpen={({ at }) => onOpen(at)}
      empty={<Empty title="Nothing happens" />}
    />
  )
}

function Charts(props: { readonly data: ReportData; readonly at: number; readonly onPick: (at: number) => void }) {
  const { forecast, charts } = props.data
  const { startMs, seconds, series } = forecast
  const endMs = startMs + seconds * 1000
  const times = useMemo(() => [...series.seconds.map((at) => startMs + at * 1000), endMs], [forecast])
  // The last sample is valid until the end.
  const drawn = useMemo(
    () =>
      charts.map(({ title, lines }) => ({
        title,
        lines: lines.map((line) => ({ ...line, values: [...line.values, ...line.values.slice(-1)] })),
      })),
    [charts],
  )
  return (
    <div class="chart-grid">
      {drawn.map(({ title, lines }) => (
        <section key={title} class="card" aria-label={title}>
          <header>
            <h2>{title}</h2>
          </header>
          <div class="body">
            <Chart
              label={title}
              times={times}
              lines={lines}
              height={130}
              since={startMs}
              mark={props.at}
              onPick={(at) => props.onPick(Math.max(startMs, Math.min(endMs, at)))}
            />
          </div>
        </section>
      ))}
    </div>
  )
}

/** The target of a link opens over this page, because the report has no other pages. */
function Opened({ data }: { readonly data: ReportData }) {
  const at = route.value
  const close = () => go('#/')
  if (at.page === 'pod') {
    const pod = data.forecast.pods.findLast(({ pod: key }) => key === at.key)
    return pod === undefined ? null : (
      <PodStory key={at.key} pod={pod} onClose={close} onPod={(key) => go(podHref(key))} />
    )
  }
  return at.page === 'node' ? <NodeStory key={at.name} data={data} name={at.name} onClose={close} /> : null
}
