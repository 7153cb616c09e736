import { useMemo, useState } from 'preact/hooks'
import type { ConsoleForecast, ForecastPod } from '../../src/wire/console-wire.ts'
import { affectedPods, type Fate, matchingPods } from '../model/forecast-filter.ts'
import { nameOf, namespaceOf } from '../model/rows.ts'
import { countText, shownText, spanText } from '../model/words.ts'
import { Card } from '../parts/card.tsx'
import { NodeLink, PodLink } from '../parts/columns.tsx'
import { Choice, Empty, Name, Tag } from '../parts/controls.tsx'
import { FilterLine } from '../parts/filter-line.tsx'
import { type Column, Table } from '../parts/table.tsx'

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
    width: 'minmax(104px, 1.6fr)',
    order: ({ pod }) => pod,
    // A pod that is created during the forecast has no page, so its row shows its changes.
    cell: ({ pod, isNew }) =>
      isNew ? (
        <span title={pod}>
          <Name text={nameOf(pod)} />
        </span>
      ) : (
        <PodLink pod={pod} />
      ),
  },
  {
    id: 'namespace',
    onPhone: false,
    title: 'Namespace',
    width: 'minmax(80px, 0.6fr)',
    cell: ({ pod }) => namespaceOf(pod),
  },
  {
    id: 'what',
    title: 'What happens',
    width: 'minmax(116px, 2fr)',
    cell: (pod) => <Story pod={pod} />,
  },
  {
    id: 'from',
    onPhone: false,
    title: 'From',
    width: 'minmax(90px, 0.7fr)',
    cell: ({ from }) => (from === undefined ? '–' : <NodeLink node={from} />),
  },
  {
    id: 'to',
    onPhone: false,
    title: 'To',
    width: 'minmax(90px, 0.7fr)',
    cell: ({ isNew, node }) => (!isNew || node === undefined ? '–' : <NodeLink node={node} />),
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

export interface ForecastPodsProps {
  readonly forecast: ConsoleForecast
  readonly onOpen: (pod: ForecastPod) => void
}

/** All pods with changes. */
export function ForecastPods({ forecast, onOpen }: ForecastPodsProps) {
  const [text, setText] = useState('')
  const [fate, setFate] = useState<Fate>('all')
  const affected = useMemo(() => affectedPods(forecast.pods), [forecast])
  const rows = useMemo(() => matchingPods(affected, { text, fate }), [affected, text, fate])
  return (
    <Card
      label="Pods in the forecast"
      title="Affected pods"
      aside={
        shownText(rows.length, affected.length, 'pod') +
        (forecast.morePods === 0 ? '' : `, ${countText(forecast.morePods)} more not shown`)
      }
    >
      <FilterLine
        label="Filter pods of the forecast"
        placeholder="A name, a node or a reason"
        value={text}
        onChange={setText}
      >
        <Choice<Fate>
          label="Which pods"
          hideLabel
          value={fate}
          options={[
            { value: 'all', text: 'All' },
            { value: 'deleted', text: 'Deleted' },
            { value: 'created', text: 'New' },
            { value: 'pending', text: 'Pending at the end' },
          ]}
          onChange={setFate}
        />
      </FilterLine>
      <Table
        label="Pods in the forecast"
        columns={columns}
        rows={rows}
        keyOf={({ pod, isNew, created }) => `${pod} ${isNew} ${created ?? ''}`}
        initialOrder={{ column: 'when', descending: false }}
        maxHeight={420}
        onOpen={onOpen}
        empty={<Empty title={affected.length === 0 ? 'No pod is affected' : 'No pod matches'} />}
      />
    </Card>
  )
}
