import { useMemo } from 'preact/hooks'
import type { DeviceRow } from '../../src/api/device-report.ts'
import type { DeviceAnswer } from '../../src/wire/console-tables.ts'
import { shortNode } from '../model/node-names.ts'
import { usePolled } from '../model/poll.ts'
import { countText, shownText } from '../model/words.ts'
import { Bar } from '../parts/bar.tsx'
import { NodeLink, PodLink } from '../parts/columns.tsx'
import { bound, Choice, Empty, Figure, Search, Tag } from '../parts/controls.tsx'
import { Page, Skeleton } from '../parts/page.tsx'
import { type Column, Table } from '../parts/table.tsx'
import { queryState } from '../router.ts'
import { deviceFailureHref } from './what-if-link.ts'

type StateChoice = 'all' | DeviceRow['state']

const search = queryState('search', '')
const state = queryState<StateChoice>('state', 'all')

const tones = { free: 'good', allocated: 'accent', blocked: 'warn', tainted: 'bad' } as const

const columns: readonly Column<DeviceRow>[] = [
  {
    id: 'device',
    title: 'Device',
    width: 'minmax(64px, 0.5fr)',
    order: ({ device }) => device,
    cell: ({ device }) => device,
  },
  {
    id: 'driver',
    onPhone: false,
    title: 'Driver',
    width: 'minmax(120px, 1fr)',
    order: ({ driver }) => driver,
    cell: ({ driver }) => driver,
  },
  {
    id: 'pool',
    onPhone: false,
    title: 'Pool',
    width: 'minmax(100px, 0.7fr)',
    order: ({ pool }) => pool,
    cell: ({ pool }) => shortNode(pool),
  },
  {
    id: 'node',
    title: 'Node',
    width: 'minmax(100px, 0.7fr)',
    order: ({ node = '' }) => node,
    cell: ({ node }) => (node === undefined ? 'several' : <NodeLink node={node} />),
  },
  {
    id: 'state',
    title: 'State',
    width: '92px',
    order: (item) => item.state,
    cell: (item) => <Tag tone={tones[item.state]}>{item.state}</Tag>,
  },
  {
    id: 'pods',
    onPhone: false,
    title: 'Held by',
    width: 'minmax(150px, 1.5fr)',
    cell: ({ pods, claims }) =>
      pods.length === 0
        ? claims.join(', ') || '–'
        : pods.map((pod, at) => [at === 0 ? '' : ' ', <PodLink key={pod} pod={pod} />]),
  },
  {
    id: 'taints',
    onPhone: false,
    title: 'Taints',
    width: 'minmax(120px, 1.8fr)',
    cell: ({ taints }) => <span title={taints.join(', ')}>{taints.join(', ') || '–'}</span>,
  },
  {
    id: 'fail',
    onPhone: false,
    title: 'What if',
    width: '76px',
    cell: ({ driver, pool, device }) => (
      <a href={deviceFailureHref(`${driver}/${pool}/${device}`)} aria-label={`it fails: ${device}`}>
        it fails
      </a>
    ),
  },
]

export function DevicesPage() {
  const { value, problem } = usePolled<DeviceAnswer>('devices', 3_000)
  const rows = useMemo(() => {
    const text = search.value.toLowerCase()
    return (value?.devices ?? [])
      .filter((one) => state.value === 'all' || one.state === state.value)
      .filter((one) =>
        `${one.driver} ${one.pool} ${one.device} ${one.node ?? ''} ${one.pods.join(' ')}`.toLowerCase().includes(text),
      )
  }, [value, search.value, state.value])
  const sum = (of: 'devices' | 'free' | 'tainted') => (value?.pools ?? []).reduce((all, pool) => all + pool[of], 0)
  const all = sum('devices')
  return (
    <Page
      fixed
      title="Devices"
      aside={value === undefined ? 'of dynamic resource allocation' : shownText(rows.length, value.total, 'device')}
      problem={problem}
      figures={
        all === 0 ? undefined : (
          <dl class="figures">
            <Figure name="Free">
              {countText(sum('free'))}
              <small> of {countText(all)}</small>
            </Figure>
            <Figure name="With a taint">{countText(sum('tainted'))}</Figure>
            <Figure name="In use">
              <Bar
                label="In use"
                parts={[
                  { share: (all - sum('free') - sum('tainted')) / all, tone: 'used' },
                  { share: sum('tainted') / all, tone: 'full' },
                ]}
              />
            </Figure>
          </dl>
        )
      }
      toolbar={
        <>
          <Search label="Filter devices" placeholder="A device, node, pool or pod" {...bound(search)} />
          <Choice<StateChoice>
            label="State"
            hideLabel
            {...bound(state)}
            options={[
              { value: 'all', text: 'All' },
              { value: 'free', text: 'Free' },
              { value: 'allocated', text: 'Allocated' },
              { value: 'tainted', text: 'Tainted' },
              { value: 'blocked', text: 'Blocked' },
            ]}
          />
        </>
      }
    >
      <div class="card fill">
        {value === undefined ? (
          <Skeleton />
        ) : (
          <Table
            label="Devices"
            isLinked
            columns={columns}
            rows={rows}
            keyOf={({ driver, pool, device }) => `${driver}/${pool}/${device}`}
            empty={
              <Empty title={value.total === 0 ? 'No driver publishes devices' : 'No device matches'}>
                Devices appear here when a driver publishes them as ResourceSlices.
              </Empty>
            }
          />
        )}
      </div>
    </Page>
  )
}
