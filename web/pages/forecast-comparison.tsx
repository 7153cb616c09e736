import { useMemo } from 'preact/hooks'
import type { ConsoleForecast } from '../../src/wire/console-wire.ts'
import type { WorkloadEntry } from '../../src/wire/forecast-entries.ts'
import { Verdict } from '../forecast/verdict.tsx'
import { countText, spanText } from '../model/words.ts'
import { Card } from '../parts/card.tsx'
import { ClampedText } from '../parts/clamped-text.tsx'
import { Empty } from '../parts/controls.tsx'
import { type Column, Table } from '../parts/table.tsx'
import type { AnsweredForecast } from './what-if-page.tsx'

interface Pair {
  readonly key: string
  readonly first: WorkloadEntry | undefined
  readonly second: WorkloadEntry | undefined
}

const sides = ['Pinned forecast', 'This forecast'] as const

function impactText(workload: WorkloadEntry | undefined): string {
  if (workload === undefined) return 'not affected'
  const { ready, lowestReady, moved, lost, timeBelowBudget } = workload
  return [
    `ready ${ready.before} → ${ready.after}`,
    `lowest ${lowestReady.count}`,
    `${moved} moved`,
    ...(lost > 0 ? [`${lost} lost`] : []),
    ...(timeBelowBudget > 0 ? [`${spanText(timeBelowBudget * 1000)} below budget`] : []),
  ].join(', ')
}

const columns: readonly Column<Pair>[] = [
  {
    id: 'key',
    title: 'Workload',
    width: 'minmax(120px, 22%)',
    order: ({ key }) => key,
    cell: ({ key }) => <span title={key}>{key}</span>,
  },
  {
    id: 'first',
    title: sides[0],
    width: 'minmax(140px, 1fr)',
    cell: ({ first }) => <ClampedText text={impactText(first)} tone={first === undefined ? 'muted' : ''} />,
  },
  {
    id: 'second',
    title: sides[1],
    width: 'minmax(140px, 1fr)',
    // Highlights differences.
    cell: ({ first, second }) => (
      <ClampedText text={impactText(second)} tone={impactText(first) === impactText(second) ? 'muted' : 'strong'} />
    ),
  },
]

const figures: readonly (readonly [string, (forecast: ConsoleForecast) => string])[] = [
  ['Pods deleted', ({ caused }) => countText(caused.podsDeleted)],
  ['Pods pending at the end', ({ caused }) => countText(caused.podsPending)],
  ['Pods moved', ({ caused }) => countText(caused.podsMoved)],
  ['Workloads below their budget', ({ caused }) => countText(caused.workloadsBelowBudget)],
  ['Nodes ready at the end', ({ after }) => countText(after.nodesReady)],
]

/** Two forecasts side by side: for other nodes, another release, or other flags. */
export function ForecastComparison(props: {
  readonly first: AnsweredForecast
  readonly second: AnsweredForecast
  readonly onClose: () => void
}) {
  const { first, second } = props
  const rows = useMemo(() => pairsOf(first.forecast.workloads, second.forecast.workloads), [first, second])
  return (
    <Card
      label="Comparison"
      title="Compared with the pinned forecast"
      aside={
        <button type="button" class="button" onClick={props.onClose}>
          Unpin
        </button>
      }
    >
      <div class="body stack">
        <table class="comparison wide">
          <thead>
            <tr>
              <td />
              {[first, second].map((one, at) => (
                <th key={at} scope="col">
                  <span class="strong">{sides[at]}</span>
                  <span class="question">{titleOf(one)}</span>
                  <Verdict forecast={one.forecast} />
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {figures.map(([name, of]) => (
              <tr key={name}>
                <th scope="row">{name}</th>
                <td>{of(first.forecast)}</td>
                <td class={of(first.forecast) === of(second.forecast) ? 'muted' : 'strong'}>{of(second.forecast)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <Table
        label="Workloads in both forecasts"
        columns={columns}
        rows={rows}
        keyOf={({ key }) => key}
        rowHeight={46}
        maxHeight={322}
        empty={<Empty title="No workload is affected" />}
      />
    </Card>
  )
}

function titleOf({ forecast, request }: AnsweredForecast): string {
  const release = request.release === undefined ? '' : `, v${request.release}`
  return `${forecast.question}${release}${request.flags === undefined ? '' : `, ${request.flags.trim()}`}`
}

function pairsOf(first: readonly WorkloadEntry[], second: readonly WorkloadEntry[]): readonly Pair[] {
  const keyOf = ({ namespace, kind, name }: WorkloadEntry) => `${namespace}/${kind}/${name}`
  const ones = new Map(first.map((one) => [keyOf(one), one]))
  const others = new Map(second.map((one) => [keyOf(one), one]))
  return [...new Set([...ones.keys(), ...others.keys()])].map((key) => ({
    key,
    first: ones.get(key),
    second: others.get(key),
  }))
}
