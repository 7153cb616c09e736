import type { ConsoleForecast } from '../../src/wire/console-wire.ts'
import { countText, percentText } from '../model/words.ts'

export interface AnswerRemark {
  readonly tone: 'bad' | 'warn' | ''
  readonly text: string
}

/** The sentences of a forecast, and the figures at the start and at the end. */
export function ForecastAnswer(props: {
  readonly forecast: ConsoleForecast
  readonly remarks: readonly AnswerRemark[]
  /** The label of the start. */
  readonly now: string
}) {
  return (
    <div class="body forecast">
      <ul class="answer">
        {props.forecast.answer.map((line) => (
          <li key={line}>{line}</li>
        ))}
        {props.remarks.map(({ tone, text }) => (
          <li key={text} class={tone === '' ? 'muted' : tone}>
            {text}
          </li>
        ))}
      </ul>
      <Comparison forecast={props.forecast} now={props.now} />
    </div>
  )
}

const costText = (perHour: number) => perHour.toLocaleString('en', { maximumFractionDigits: 2 })

function Comparison(props: { readonly forecast: ConsoleForecast; readonly now: string }) {
  const { before, after, deleted, cost } = props.forecast
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
    ...(cost === undefined
      ? []
      : [['Cost per hour', costText(cost.perHourBefore), costText(cost.perHourAfter)] as const]),
  ]
  return (
    <table class="comparison">
      <caption class="hidden-text">Now and at the end of the forecast</caption>
      <thead>
        <tr>
          <td />
          <th scope="col">{props.now}</th>
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
