import { useMemo, useState } from 'preact/hooks'
import type { ConsoleForecast, ForecastPod, Transition } from '../../src/wire/console-wire.ts'
import { ForecastAnswer } from '../forecast/forecast-answer.tsx'
import { ForecastMap } from '../forecast/forecast-map.tsx'
import { ForecastPods } from '../forecast/forecast-pods.tsx'
import { ForecastChart, ForecastScrub } from '../forecast/forecast-time.tsx'
import { PodStory } from '../forecast/pod-story.tsx'
import { byCpu } from '../map/coloring.ts'
import type { CellSize } from '../map/layout.ts'
import { MapLegend } from '../map/legend.tsx'
import type { ClusterModel } from '../model/cluster.ts'
import { lastMoment } from '../model/forecast-moments.ts'
import { ReplayedCluster } from '../model/replay.ts'
import { spanText } from '../model/words.ts'
import { Card } from '../parts/card.tsx'

/** A forecast at any instant: the cluster before the change and at the instant, the counts over time, the changes, and the pods. */
export function ForecastReplay(props: {
  readonly forecast: ConsoleForecast
  readonly before: ClusterModel
  readonly transitions: readonly Transition[]
  /** Outlined on the maps. */
  readonly nodes: readonly string[]
}) {
  const { forecast, before, transitions, nodes } = props
  const replay = useMemo(() => new ReplayedCluster(before.copy(), transitions, 'before'), [before, transitions])
  const marked = useMemo(() => new Set(nodes), [nodes])
  const [at, setAt] = useState(forecast.startMs + lastMoment(forecast) * 1000)
  const [size, setSize] = useState<CellSize>()
  const [story, setStory] = useState<ForecastPod>()
  replay.seek(at)
  return (
    <>
      <section class="card slider" aria-label="When">
        <ForecastScrub forecast={forecast} transitions={transitions} at={at} onPick={setAt} />
      </section>
      <div class="side-by-side even low">
        <Card class="map-card" label="Now" title="Before">
          <div class="body stack">
            <ForecastMap cluster={before} revision={0} label="The cluster before" marked={marked} />
          </div>
        </Card>
        <Card class="map-card" label="Then" title={`After ${spanText(at - forecast.startMs)}`} aside="forecast">
          <div class="body stack">
            <ForecastMap
              cluster={replay.cluster}
              revision={at}
              label="The cluster then"
              marked={marked}
              onSize={setSize}
            />
          </div>
        </Card>
      </div>
      <MapLegend cluster={replay.cluster} size={size} revision={at} coloring={byCpu} marked={marked} />
      <Card title="Over time">
        <div class="body">
          <ForecastChart forecast={forecast} transitions={transitions} at={at} onPick={setAt} />
        </div>
      </Card>
      <Card title="In words">
        <ForecastAnswer
          forecast={forecast}
          now="Now"
          remarks={[
            ...forecast.loops.map((text) => ({ tone: 'warn', text }) as const),
            ...forecast.notes.map((text) => ({ tone: '', text }) as const),
          ]}
        />
      </Card>
      <ForecastPods forecast={forecast} onOpen={setStory} />
      {story === undefined ? null : (
        <PodStory
          key={story.pod}
          pod={story}
          onClose={() => setStory(undefined)}
          onPod={(key) => setStory(forecast.pods.findLast(({ pod }) => pod === key))}
        />
      )}
    </>
  )
}
