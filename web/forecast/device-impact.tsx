import type { DeviceEntry } from '../../src/wire/forecast-entries.ts'
import { shortNode } from '../model/node-names.ts'
import { momentText } from '../model/words.ts'
import { PodLink } from '../parts/columns.tsx'
import { Empty, Name } from '../parts/controls.tsx'
import { type Column, Table } from '../parts/table.tsx'

const when = (seconds: number | undefined, otherwise: string) =>
  seconds === undefined ? <span class="muted">{otherwise}</span> : `+${momentText(seconds * 1000)}`

/** The name without the domain, for a pool that is named after its node. */
const shortDevice = (name: string) => name.split('/').map(shortNode).join('/')

const devicesIn = ({ devices }: DeviceEntry) => devices.map(({ device }) => device).join(', ')

const columns: readonly Column<DeviceEntry>[] = [
  {
    id: 'device',
    title: 'Device',
    width: 'minmax(180px, 1.6fr)',
    order: devicesIn,
    cell: (entry) => (
      <span title={devicesIn(entry)}>
        {entry.devices.length === 0 ? (
          '–'
        ) : (
          <Name text={entry.devices.map(({ device }) => shortDevice(device)).join(', ')} />
        )}
      </span>
    ),
  },
  {
    id: 'node',
    onPhone: false,
    title: 'Node',
    width: 'minmax(110px, 0.8fr)',
    order: ({ node = '' }) => node,
    cell: ({ node }) => (node === undefined ? '–' : <span title={node}>{shortNode(node)}</span>),
  },
  {
    id: 'pods',
    title: 'Pods',
    width: 'minmax(150px, 1.4fr)',
    order: ({ pods }) => pods.join(' '),
    cell: ({ pods }) =>
      pods.length === 0 ? '–' : pods.map((pod, at) => [at === 0 ? '' : ' ', <PodLink key={pod} pod={pod} />]),
  },
  {
    id: 'claim',
    onPhone: false,
    title: 'Claim',
    width: 'minmax(150px, 1.4fr)',
    order: ({ claim }) => claim,
    cell: ({ claim }) => (
      <span title={claim}>
        <Name text={claim} />
      </span>
    ),
  },
  {
    id: 'allocated',
    title: 'Allocated',
    width: '92px',
    align: 'right',
    order: ({ allocated = -1 }) => allocated,
    cell: ({ allocated }) => when(allocated, 'before'),
  },
  {
    id: 'released',
    title: 'Released',
    width: '92px',
    align: 'right',
    order: ({ released = Number.POSITIVE_INFINITY }) => released,
    cell: ({ released }) => when(released, '–'),
  },
]

/** The claims whose devices change, in order of time. */
export function DeviceImpact({ devices }: { readonly devices: readonly DeviceEntry[] }) {
  return (
    <Table
      label="Devices in the forecast"
      columns={columns}
      rows={devices}
      keyOf={({ claim, allocated, released }) => `${claim} ${allocated} ${released}`}
      rowHeight={34}
      maxHeight={230}
      empty={<Empty title="No device is allocated or released" />}
    />
  )
}
