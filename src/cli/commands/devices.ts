import { type DevicePoolRow, type DeviceRow, reportDevices } from '../../api/device-report.ts'
import { lookupTable } from '../../base/lookup-table.ts'
import type { Store } from '../../store/contract.ts'
import { type DeviceRoom, roomFor } from '../../whatif/devices/device-room.ts'
import { pendingReason } from '../../whatif/report/pending-reason.ts'
import { counted, listed } from '../../whatif/report/phrases.ts'
import { notFoundText } from '../../whatif/scenario/near-names.ts'
import { clusterOptions, readCluster } from '../cluster-input.ts'
import { defineCommand, exitCodes, text, wrongQuestion } from '../command.ts'
import { controlPlaneOptions, settingsOf } from '../control-plane-options.ts'
import { choosePalette, type OutputColumn, outputOption, printAnswer } from '../output.ts'

const mostPods = 1000
/** With more devices, the table has one row for each pool. */
const mostDevices = 100

/** The kinds of the report in manifests. */
const deviceKinds = lookupTable<string>({
  'resourceslices.resource.k8s.io': 'ResourceSlice',
  'resourceclaims.resource.k8s.io': 'ResourceClaim',
})

const deviceColumns: readonly OutputColumn<DeviceRow>[] = [
  { header: 'DRIVER', cell: (row) => row.driver },
  { header: 'POOL', cell: (row) => row.pool },
  { header: 'DEVICE', cell: (row) => row.device },
  { header: 'NODE', cell: (row) => row.node ?? '-' },
  { header: 'STATE', cell: (row) => row.state },
  { header: 'PODS', cell: (row) => row.pods.join(', ') || '-' },
  { header: 'CLAIMS', cell: (row) => row.claims.join(', ') || '-', wide: true },
  { header: 'TAINTS', cell: (row) => row.taints.join(', ') || '-', wide: true },
]

const poolColumns: readonly OutputColumn<DevicePoolRow>[] = [
  { header: 'DRIVER', cell: (row) => row.driver },
  { header: 'POOL', cell: (row) => row.pool },
  { header: 'DEVICES', cell: (row) => row.devices, align: 'right' },
  { header: 'FREE', cell: (row) => row.free, align: 'right' },
  { header: 'TAINTED', cell: (row) => row.tainted, align: 'right' },
]

export const command = defineCommand({
  name: 'devices',
  summary: 'Show the devices of dynamic resource allocation: pools, holders, and free devices',
  description:
    'Lists the devices of all ResourceSlices with the claims and pods that hold them. More than 100 devices are listed as one row ' +
    'per pool, unless -o wide is set. --room-for counts how many more pods with a claim from a ResourceClaimTemplate can be ' +
    'scheduled: it creates them one after the other in virtual time. If free devices are on the wrong nodes, it also lists pods ' +
    'whose recreation makes room for more.',
  args: [],
  options: {
    ...clusterOptions(),
    ...controlPlaneOptions,
    roomFor: text({ summary: 'ResourceClaimTemplate to count more pods of', value: 'NAMESPACE/NAME' }),
    output: outputOption(),
  },
  examples: [
    { command: 'berth devices', summary: 'Use the cluster of berth up, or of the current context' },
    { command: 'berth devices --from dump.json -o wide', summary: 'Read a snapshot; include taints and claims' },
    { command: 'berth devices --room-for default/one-gpu', summary: 'Count how many more pods with this claim fit' },
  ],
  run: async (context) => {
    const { options, stdout, env, files, cwd } = context
    const { cluster, kubernetes, manifests } = await readCluster(context)
    const { store, takenAtMs } = cluster
    const report = reportDevices((resource) => [
      ...store.list(resource),
      ...manifests.filter(({ kind }) => kind === deviceKinds[resource]),
    ])
    const room = options.roomFor === undefined ? undefined : askRoom(options.roomFor)
    if (room !== undefined) requireTemplate(store, room)
    const settings = await settingsOf(options, files, cwd, kubernetes)
    const answered = room && roomFor(room, { store, settings, startMs: takenAtMs, limit: mostPods })
    const value = { ...report, ...(answered === undefined ? {} : { room: answered }) }
    const isLong = options.output === 'table' && report.devices.length > mostDevices
    if (isLong) {
      printAnswer<DevicePoolRow>(stdout, {
        format: options.output,
        columns: poolColumns,
        empty: 'no devices',
        rows: report.pools,
        value,
        palette: choosePalette(stdout, env),
      })
    } else {
      printAnswer<DeviceRow>(stdout, {
        format: options.output,
        columns: deviceColumns,
        empty: 'no devices',
        rows: report.devices,
        value,
        palette: choosePalette(stdout, env),
      })
    }
    if (options.output === 'table' || options.output === 'wide') {
      const free = report.devices.filter(({ state }) => state === 'free').length
      stdout.write(
        `${counted(report.devices.length, 'device')} in ${counted(report.pools.length, 'pool')}, ${free} free${isLong ? '; -o wide lists each device' : ''}\n`,
      )
      if (answered !== undefined) stdout.write(`${roomText(answered)}\n`)
    }
    return exitCodes.done
  },
})

function askRoom(value: string): { readonly namespace: string; readonly name: string } {
  const slash = value.indexOf('/')
  if (slash < 0) return { namespace: 'default', name: value }
  const [namespace, name] = [value.slice(0, slash), value.slice(slash + 1)]
  if (namespace === '' || name === '') throw wrongQuestion(`--room-for ${value}: expected NAMESPACE/NAME`)
  return { namespace, name }
}

function requireTemplate(
  store: Store,
  { namespace, name }: { readonly namespace: string; readonly name: string },
): void {
  const resource = 'resourceclaimtemplates.resource.k8s.io'
  if (store.get(resource, `${namespace}/${name}`) !== undefined) return
  const names = store.list(resource, { namespace }).map(({ metadata }) => metadata.name)
  throw wrongQuestion(notFoundText('resourceclaimtemplates', name, names, `namespace ${namespace}`))
}

function roomText({ pods, nodes, because, ifMoved }: DeviceRoom): string {
  const where = Object.entries(nodes).map(([node, count]) => `${count} on ${node}`)
  const list = where.length === 0 ? '' : ` (${where.join(', ')})`
  const why = because === undefined ? '' : `; the next one would be pending: ${pendingReason(because)}`
  const moved =
    ifMoved === undefined
      ? ''
      : `\n${ifMoved.pods} if ${listed(ifMoved.moved)} ${ifMoved.moved.length === 1 ? 'moves' : 'move'}`
  return `room for ${because === undefined ? 'at least ' : ''}${pods} more pod${pods === 1 ? '' : 's'} of this claim${list}${why}${moved}`
}
