import { reportDevices } from '../../api/device-report.ts'
import type { KubeObject } from '../../api/objects/meta.ts'
import type { KnownResource } from '../../api/objects/resources.ts'
import { parseTime } from '../../api/time.ts'
import { nodeLeaseNamespace } from '../../api/well-known.ts'
import type { DeviceAnswer } from '../../wire/console-tables.ts'
import type { EventRow, NodeAnswer, PodAnswer } from '../../wire/console-wire.ts'
import type { ConsoleBoard } from './board.ts'
import { evictionsWhere, queueItemOf, watchOf } from './inspections.ts'
import { eventRow } from './rows.ts'
import type { ConsoleSource } from './source.ts'

export interface DetailSource {
  readonly source: ConsoleSource
  readonly board: ConsoleBoard
}

/** All known facts about one pod, including a deleted pod while its history is kept. */
export function podAnswer({ source, board }: DetailSource, key: string, now: number): PodAnswer | undefined {
  const pod = source.get('pods', key)
  const history = board.historyOf('p', key)
  if (pod === undefined && history.length === 0) return undefined
  const queue = pod === undefined ? undefined : queueItemOf(source, key)
  const [eviction] = evictionsWhere(source, (one) => one.pod === key)
  return {
    now,
    object: pod === undefined ? undefined : shown(pod),
    events: eventsOf(source, 'Pod', key, now),
    history,
    ...(queue === undefined ? {} : { queue }),
    ...(eviction === undefined ? {} : { eviction }),
  }
}

export function nodeAnswer({ source, board }: DetailSource, name: string, now: number): NodeAnswer | undefined {
  const node = source.get('nodes', name)
  const history = board.historyOf('n', name)
  if (node === undefined && history.length === 0) return undefined
  const lease = source.get('leases.coordination.k8s.io', `${nodeLeaseNamespace}/${name}`)
  const renewedAt = parseTime(lease?.spec?.renewTime)
  const durationSeconds = lease?.spec?.leaseDurationSeconds
  const watched = watchOf(source, name)
  return {
    now,
    object: node === undefined ? undefined : shown(node),
    events: eventsOf(source, 'Node', name, now),
    history,
    evictions: evictionsWhere(source, (one) => one.node === name),
    ...(lease === undefined
      ? {}
      : {
          lease: {
            ...(renewedAt === undefined ? {} : { renewedAt }),
            ...(durationSeconds === undefined ? {} : { durationSeconds }),
          },
        }),
    ...(watched === undefined ? {} : { watched }),
  }
}

const devicesShown = 5_000

/** The devices of all drivers. Devices that are in use or broken come first. */
export function devicesAnswer(source: ConsoleSource, now: number): DeviceAnswer {
  const { pools, devices } = reportDevices((resource) => source.list(resource as KnownResource))
  const rank = { tainted: 0, allocated: 1, blocked: 2, free: 3 } as const
  const shown = [...devices].sort((a, b) => rank[a.state] - rank[b.state]).slice(0, devicesShown)
  return { now, total: devices.length, pools, devices: shown }
}

function eventsOf(source: ConsoleSource, kind: string, key: string, now: number): readonly EventRow[] {
  return source
    .list('events')
    .filter(({ involvedObject: about }) => about.kind === kind && nameOf(kind, about) === key)
    .map((event) => eventRow(event, now))
    .sort((a, b) => a[0] - b[0])
}

function nameOf(kind: string, { namespace, name = '' }: { namespace?: string; name?: string }): string {
  return kind === 'Node' || namespace === undefined || namespace === '' ? name : `${namespace}/${name}`
}

/** The object without fields that the console does not show. */
function shown(object: KubeObject): KubeObject {
  const { managedFields: _, ...metadata } = object.metadata
  return { ...object, metadata }
}
