import { useMemo, useState } from 'preact/hooks'
import type { ConsoleAction, ForecastPod } from '../../src/wire/console-wire.ts'
import { ForecastAnswer } from '../forecast/forecast-answer.tsx'
import { ForecastMap } from '../forecast/forecast-map.tsx'
import { ForecastPods } from '../forecast/forecast-pods.tsx'
import { ForecastTime } from '../forecast/forecast-time.tsx'
import { PodStory } from '../forecast/pod-story.tsx'
import { MapLegend } from '../map/legend.tsx'
import { post } from '../model/api.ts'
import { hello, live, revision } from '../model/live.ts'
import { Replay } from '../model/replay.ts'
import { counted, spanText } from '../model/words.ts'
import { ActionButton } from '../parts/action-button.tsx'
import { Card } from '../parts/card.tsx'
import { Dialog } from '../parts/dialog.tsx'
import type { Asked } from './what-if-page.tsx'

type AnsweredForecast = Extract<Asked, { kind: 'answered' }>

/** The forecast, next to the current state. */
export function ForecastView(props: {
  readonly answer: AnsweredForecast
  readonly onDiscard: () => void
  readonly onDone: (done: NonNullable<AnsweredForecast['done']>) => void
}) {
  const { answer, onDiscard, onDone } = props
  const { forecast, before, transitions, done } = answer
  const endMs = forecast.startMs + forecast.seconds * 1000
  const replay = useMemo(() => new Replay(before.copy(), transitions, 'before'), [before, transitions])
  const marked = useMemo(() => new Set(answer.request.nodes), [answer.request])
  const [at, setAt] = useState(endMs)
  const [confirms, setConfirms] = useState(false)
  const [story, setStory] = useState<ForecastPod>()
  replay.seek(at)
  return (
    <>
      <section class="card" aria-label="Forecast">
        <header>
          <h2>If you {forecast.question}</h2>
          <span class="toolbar">
            {done === undefined ? null : (
              <span class="strong" role="status">
                {done.said}
              </span>
            )}
            {done === undefined || done.isUndone ? null : (
              <ActionButton
                text="Undo"
                action={undoing(answer.request)}
                onDone={(said) => onDone({ said, isUndone: true })}
              />
            )}
            <button type="button" class="button" onClick={onDiscard}>
              {done === undefined ? 'Discard' : 'Close'}
            </button>
            {hello.value?.can.act === true && done === undefined ? (
              <button type="button" class="button danger" onClick={() => setConfirms(true)}>
                Do it…
              </button>
            ) : null}
          </span>
        </header>
        <ForecastAnswer
          forecast={forecast}
          now="Now"
          remarks={[...forecast.loops, ...forecast.notes].map((text) => ({ tone: 'warn', text }))}
        />
        <ForecastTime forecast={forecast} transitions={transitions} at={at} onPick={setAt} />
      </section>
      <div class="side-by-side even">
        <Card class="map-card" label="Now" title="Now" aside="live">
          <div class="body stack">
            <ForecastMap cluster={live.cluster} revision={revision.value} label="The cluster now" marked={marked} />
          </div>
        </Card>
        <Card class="map-card" label="Then" title={`After ${spanText(at - forecast.startMs)}`} aside="forecast">
          <div class="body stack">
            <ForecastMap cluster={replay.cluster} revision={at} label="The cluster then" marked={marked} />
          </div>
        </Card>
      </div>
      <MapLegend cluster={replay.cluster} revision={at} colorBy="cpu" />
      <ForecastPods forecast={forecast} onOpen={setStory} />
      {story === undefined ? null : (
        <PodStory
          key={story.pod}
          pod={story}
          onClose={() => setStory(undefined)}
          onPod={(key) => setStory(forecast.pods.findLast(({ pod }) => pod === key))}
        />
      )}
      {confirms ? (
        <Confirm
          answer={answer}
          onClose={() => setConfirms(false)}
          onDone={(said) => {
            setConfirms(false)
            onDone({ said, isUndone: false })
          }}
        />
      ) : null}
    </>
  )
}

const opposites = { taint: 'untaint', cordon: 'uncordon', drain: 'uncordon', silence: 'revive' } as const

/** Reverts the action as far as possible: deleted pods stay deleted. */
function undoing({ kind, nodes, taint }: ConsoleAction): ConsoleAction {
  const opposite = opposites[kind as keyof typeof opposites]
  return { kind: opposite, nodes, ...(taint === undefined ? {} : { taint }) }
}

function Confirm(props: {
  readonly answer: AnsweredForecast
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
