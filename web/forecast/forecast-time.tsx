import { useMemo, useState } from 'preact/hooks'
import type { ConsoleForecast, Transition } from '../../src/wire/console-wire.ts'
import { actionEnd } from '../model/forecast-moments.ts'
import { spanText } from '../model/words.ts'
import { Chart } from '../parts/chart.tsx'
import { StepButtons } from '../parts/step-buttons.tsx'

export interface ForecastTimeProps {
  readonly forecast: ConsoleForecast
  readonly transitions: readonly Transition[]
  /** The selected instant. */
  readonly at: number
  readonly onPick: (at: number) => void
}

/** The forecast over time: problems at each instant, and the selected instant. */
export function ForecastTime(props: ForecastTimeProps) {
  return (
    <div class="body stack">
      <ForecastChart {...props} />
      <ForecastScrub {...props} />
    </div>
  )
}

/** The selected instant, between the start and the end of the action. */
export function ForecastScrub({ forecast, transitions, at, onPick }: ForecastTimeProps) {
  return (
    <span class="scrub-line">
      <input
        class="scrub"
        type="range"
        aria-label="Instant of the forecast"
        aria-valuetext={`after ${spanText(at - forecast.startMs)}`}
        min={forecast.startMs}
        max={Math.max(at, actionEnd(forecast))}
        step={1_000}
        value={at}
        onInput={(event) => onPick(Number(event.currentTarget.value))}
      />
      <StepButtons transitions={transitions} at={at} onStep={onPick} />
    </span>
  )
}

/** Problems over time. The axis ends with the action, unless the user selects the whole forecast. */
export function ForecastChart({ forecast, at, onPick }: ForecastTimeProps) {
  const [whole, setWhole] = useState(false)
  const fullMs = forecast.startMs + forecast.seconds * 1000
  const shortMs = actionEnd(forecast)
  return (
    <div class="stack">
      <Series forecast={forecast} endMs={whole ? fullMs : Math.max(at, shortMs)} at={at} onPick={onPick} />
      {shortMs >= fullMs ? null : (
        <span>
          <button type="button" class="link" onClick={() => setWhole(!whole)}>
            {whole ? 'Show only the action' : `Show all ${spanText(forecast.seconds * 1000)}`}
          </button>
        </span>
      )}
    </div>
  )
}

function Series(props: {
  readonly forecast: ConsoleForecast
  /** The end of the axis. */
  readonly endMs: number
  readonly at: number
  readonly onPick: (at: number) => void
}) {
  const { series, startMs } = props.forecast
  const { endMs } = props
  const chart = useMemo(() => {
    const shown = series.seconds.filter((at) => startMs + at * 1000 <= endMs).length
    // The last sample is valid until the end.
    const until = <T,>(values: readonly T[]) => [...values.slice(0, shown), ...values.slice(shown - 1, shown)]
    return {
      times: [...series.seconds.slice(0, shown).map((at) => startMs + at * 1000), endMs],
      lines: [
        { name: 'Pods waiting or starting', color: '--pod-running', values: until(series.pending) },
        { name: 'Pods not ready', color: '--pod-notready', values: until(series.notReady) },
        { name: 'Pods terminating', color: '--pod-terminating', values: until(series.terminating) },
      ],
    }
  }, [series, startMs, endMs])
  return (
    <Chart
      label="Pods in the forecast"
      times={chart.times}
      lines={chart.lines}
      height={130}
      since={startMs}
      mark={props.at}
      onPick={(at) => props.onPick(Math.max(startMs, Math.min(endMs, at)))}
    />
  )
}
