import { useEffect, useMemo, useState } from 'preact/hooks'
import type { EventRow, HistoryAnswer, Transition } from '../../src/wire/console-wire.ts'
import { ClusterMap } from '../map/cluster-map.tsx'
import { byCpu } from '../map/coloring.ts'
import type { CellSize } from '../map/layout.ts'
import { MapLegend } from '../map/legend.tsx'
import { everything } from '../model/filter.ts'
import { actionEnd } from '../model/forecast-moments.ts'
import { eventsOnce, happeningOfEvent, happeningsOf, newestFirst } from '../model/happenings.ts'
import { live, now, revision } from '../model/live.ts'
import { ReplayedCluster } from '../model/replay.ts'
import { stateSeries } from '../model/state-series.ts'
import { useEarlier } from '../model/use-history.ts'
import { clockText, counted, distanceText } from '../model/words.ts'
import { Card } from '../parts/card.tsx'
import { Chart } from '../parts/chart.tsx'
import { Empty } from '../parts/controls.tsx'
import { HappeningCard } from '../parts/happening-table.tsx'
import { LaneCard } from '../parts/lane-card.tsx'
import { Skeleton } from '../parts/page.tsx'
import { isPhone } from '../parts/phone.ts'
import { StepButtons } from '../parts/step-buttons.tsx'
import { go, nodeHref, podHref, queryState } from '../router.ts'
import { lastAnswer } from './what-if-page.tsx'

const hourMs = 3_600_000
const samples = 361
// As in forecasts.css: the names of the lanes, and the figures of the chart above them.
const lanesLeft = { usual: 196, phone: 116 }
/** The selected instant, in the address. */
const instant = queryState('at', '')

/** The selected instant, and the cluster at that time. */
interface Standing {
  readonly at: number
  readonly until: number
  readonly replay: ReplayedCluster
}

/** The last hour: counts over time, the map at any instant, and the changes around it. */
export function PastView() {
  const earlier = useEarlier()
  const [standing, setStanding] = useState<Standing>()
  // An update every few seconds is enough for an hour, and nothing moves while the past is shown.
  const present = standing?.until ?? Math.floor(now.value / 5_000) * 5_000 + 5_000
  // Missing data must not look like a period without changes.
  const from = Math.min(present - 60_000, Math.max(present - hourMs, earlier?.completeSince ?? 0))
  const future = lastAnswer.value
  const end = future === undefined ? present : Math.max(present, actionEnd(future.forecast))
  const all = useMemo(
    () => (standing === undefined ? timeline(earlier, future).transitions : standing.replay.transitions),
    [earlier, standing, present, future],
  )
  const series = useMemo(
    () => stateSeries(live.cluster, [...(earlier?.transitions ?? []), ...live.transitions], from, present, samples),
    [earlier, from, present],
  )
  const later = useMemo(() => forecastSeries(future, present, end), [future, present, end])
  const chartLines = useMemo(
    () => [
      { name: 'Pods waiting or starting', color: '--pod-running', values: [...series.pending, ...later.pending] },
      { name: 'Pods not ready', color: '--pod-notready', values: [...series.notReady, ...later.notReady] },
      { name: 'Pods terminating', color: '--pod-terminating', values: [...series.terminating, ...later.terminating] },
      { name: 'Nodes not ready', color: '--health-unknown', values: [...series.nodesNotReady, ...later.nodesNotReady] },
    ],
    [series, later],
  )
  const stand = (at: number) => {
    const until = standing?.until ?? live.serverNow()
    const whole = timeline(earlier, future)
    const replay =
      standing?.replay ?? new ReplayedCluster((future?.before ?? live.cluster).copy(), whole.transitions, whole.past)
    replay.seek(at)
    setStanding({ at, until, replay })
  }
  // An address with an instant opens there, once the past is known.
  useEffect(() => {
    const linked = Date.parse(instant.value)
    if (earlier !== undefined && standing === undefined && linked >= from && linked < end) stand(linked)
  }, [earlier === undefined])
  // Only the instant at which the reader stops, because browsers limit how often an address may change.
  useEffect(() => {
    if (earlier === undefined) return undefined
    const written = setTimeout(() => {
      instant.value = standing === undefined ? '' : new Date(standing.at).toISOString()
    }, 300)
    return () => clearTimeout(written)
  }, [earlier === undefined, standing?.at])
  const at = standing?.at ?? present
  // Without a selected instant, it is the current time, at which the forecast has not started.
  const happened = useMemo(
    () => (standing === undefined ? timeline(earlier, undefined).transitions : all),
    [earlier, standing, all],
  )
  const isForecast = standing !== undefined && future !== undefined && at > future.forecast.startMs
  const happeningsTitle =
    standing === undefined
      ? 'What happened'
      : `What ${isForecast ? 'happens in the forecast' : 'happened'} up to ${clockText(at)}`
  return (
    <>
      <section class="card" aria-label="The last hour">
        <header>
          <h2>{standing === undefined ? 'Now' : `${clockText(at)}, ${distanceText(at, now.value)}`}</h2>
          <span class="toolbar">
            <StepButtons transitions={all} at={at} onStep={stand} />
            <button
              type="button"
              class="button"
              disabled={standing === undefined}
              onClick={() => setStanding(undefined)}
            >
              Back to now
            </button>
          </span>
        </header>
        <div class="body stack">
          {earlier === undefined ? (
            <div class="chart skeleton one" role="status" aria-label="Loading" />
          ) : (
            <Chart
              label="Pods and nodes in the last hour"
              times={[...series.times, ...later.times]}
              lines={chartLines}
              height={150}
              left={isPhone.value ? lanesLeft.phone : lanesLeft.usual}
              boundary={future?.forecast.startMs}
              mark={standing === undefined ? undefined : at}
              onPick={stand}
            />
          )}
          <input
            class="scrub of-lanes"
            type="range"
            aria-label="Instant of the last hour"
            aria-valuetext={standing === undefined ? 'now' : clockText(at)}
            min={from}
            max={end}
            disabled={earlier === undefined}
            step={1_000}
            value={at}
            onInput={(event) => stand(Number(event.currentTarget.value))}
          />
        </div>
      </section>
      {earlier === undefined ? (
        <Card title="Stories">
          <Skeleton rows={4} />
        </Card>
      ) : (
        <LaneCard
          transitions={all}
          from={from}
          to={end}
          at={at}
          forecastFrom={future === undefined ? undefined : future.forecast.startMs}
        />
      )}
      <div class="side-by-side">
        <MapThen standing={standing} isForecast={isForecast} />
        <Happenings transitions={happened} events={earlier?.events} at={at} title={happeningsTitle} />
      </div>
    </>
  )
}

type Forecasted = NonNullable<typeof lastAnswer.value>

/** The last hour, followed by the forecast from the time of its request. `past` is the number of transitions before it. */
function timeline(earlier: HistoryAnswer | undefined, future: Forecasted | undefined) {
  const past = [...(earlier?.transitions ?? []), ...live.transitions]
  if (future === undefined) return { transitions: past, past: past.length }
  const before = past.filter(([seq]) => seq <= future.askedSeq)
  return { transitions: [...before, ...future.transitions], past: before.length }
}

/** The counts of the forecast after the present, in the shape of the series of the last hour. */
function forecastSeries(future: Forecasted | undefined, present: number, end: number) {
  const empty = { times: [], pending: [], notReady: [], terminating: [], nodesNotReady: [] } as const
  if (future === undefined) return empty
  const { series, startMs, before } = future.forecast
  const shown = series.seconds.flatMap((seconds, at) => {
    const ms = startMs + seconds * 1000
    return ms > present && ms <= end ? [at] : []
  })
  const of = (values: readonly number[]) => shown.map((at) => values[at] ?? 0)
  return {
    times: shown.map((at) => startMs + (series.seconds[at] ?? 0) * 1000),
    pending: of(series.pending),
    notReady: of(series.notReady),
    terminating: of(series.terminating),
    nodesNotReady: shown.map((at) => Math.max(0, before.nodes - (series.nodesReady[at] ?? before.nodes))),
  }
}

function MapThen({ standing, isForecast }: { readonly standing: Standing | undefined; readonly isForecast: boolean }) {
  const cluster = standing?.replay.cluster ?? live.cluster
  const [size, setSize] = useState<CellSize>()
  return (
    <Card
      class="map-card"
      label="The cluster then"
      title={
        standing === undefined
          ? 'The cluster now'
          : `The cluster at ${clockText(standing.at)}${isForecast ? ' in the forecast' : ''}`
      }
      aside={counted(cluster.pods.size, 'pod')}
    >
      <div class="body stack">
        <ClusterMap
          cluster={cluster}
          revision={standing?.at ?? revision.value}
          filter={everything}
          coloring={byCpu}
          label="Nodes by zone at that instant"
          onSize={setSize}
          onOpenNode={(node) => go(nodeHref(node))}
          onOpenPod={(pod) => go(podHref(pod))}
        />
        <MapLegend cluster={cluster} size={size} revision={standing?.at ?? revision.value} coloring={byCpu} />
      </div>
    </Card>
  )
}

const shown = 3_000

function Happenings(props: {
  readonly transitions: readonly Transition[]
  readonly events: readonly EventRow[] | undefined
  readonly at: number
  readonly title: string
}) {
  const { transitions, events, at, title } = props
  const rows = useMemo(() => {
    const changes = transitions.filter((one) => one[1] <= at).slice(-shown)
    const told = eventsOnce(events ?? [], live.events)
      .filter((one) => one[0] <= at)
      .slice(-shown)
    return newestFirst([...changes.flatMap(happeningsOf), ...told.map(happeningOfEvent)]).slice(0, shown)
  }, [transitions, events, at])
  return (
    <HappeningCard
      title={title}
      rows={rows}
      empty={events === undefined ? <Skeleton rows={6} /> : <Empty title="Nothing has happened yet" />}
    />
  )
}
