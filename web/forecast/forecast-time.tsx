import { useMemo } from 'preact/hooks'
import type { ConsoleForecast, Transition } from '../../src/wire/console-wire.ts'
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
export function ForecastTime({ forecast, transitions, at, onPick }: ForecastTimeProps) {
  const endMs = forecast.startMs + forecast.seconds * 1000
  return (
    <div class="body stack">
      <Series forecast={forecast} at={at} onPick={onPick} />
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
          onInput={(event) => onPick(Number(event.currentTarget.value))}
        />
        <StepButtons transitions={transitions} at={at} onStep={onPick} />
      </span>
    </div>
  )
}

function Series(props: {
  readonly forecast: ConsoleForecast
  readonly at: number
  readonly onPick: (at: number) => void
}) {
  const { series, startMs, seconds } = props.forecast
  const endMs = startMs + seconds * 1000
  const chart = useMemo(() => {
    // The last sample is valid until the end.
    const until = <T,>(values: readonly T[]) => [...values, ...values.slice(-1)]
    return {
      times: [...series.seconds.map((at) => startMs + at * 1000), startMs + seconds * 1000],
      lines: [
        { name: 'Pods waiting or starting', color: '--pod-running', values: until(series.pending) },
        { name: 'Pods not ready', color: '--pod-notready', values: until(series.notReady) },
        { name: 'Pods terminating', color: '--pod-terminating', values: until(series.terminating) },
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
      onPick={(at) => props.onPick(Math.max(startMs, Math.min(endMs, at)))}
    />
  )
}
