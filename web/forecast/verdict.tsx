import type { ConsoleForecast } from '../../src/wire/console-wire.ts'
import type { Tone } from '../parts/controls.tsx'

const tones: Readonly<Record<ConsoleForecast['verdict'], Tone>> = {
  SAFE: 'good',
  DEGRADED: 'warn',
  BLOCKED: 'bad',
  UNSAFE: 'bad',
}

/** The verdict of a forecast, and why. */
export function Verdict({ forecast }: { readonly forecast: Pick<ConsoleForecast, 'verdict' | 'reason'> }) {
  return (
    <p class={`verdict ${tones[forecast.verdict]}`}>
      <strong>{forecast.verdict}</strong> <span>{forecast.reason}</span>
    </p>
  )
}

/** A change that must be confirmed with a warning. */
export const isHarmful = ({ verdict }: Pick<ConsoleForecast, 'verdict'>) =>
  verdict === 'BLOCKED' || verdict === 'UNSAFE'
