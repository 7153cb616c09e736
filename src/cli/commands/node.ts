import type { DeviceTaint, ResourceSlice } from '../../api/objects/devices.ts'
import { hollowAnnotations, hollowLabel } from '../../controllers/hollow-kubelet/hollow-names.ts'
import { pressures } from '../../controllers/hollow-kubelet/node-status.ts'
import { cannotReach, clusterOptions, openCluster } from '../cluster-access.ts'
import {
  type CommandContext,
  choice,
  defineCommand,
  defineCommandGroup,
  exitCodes,
  flag,
  type OptionValues,
  text,
  unreachable,
  wrongQuestion,
} from '../command.ts'
import { parseDeviceTaint } from '../whatif-device.ts'

const names = [{ name: 'NODE', summary: 'Names of hollow nodes', takes: 'some' }] as const
type Context = CommandContext<OptionValues<typeof clusterOptions>>

/** Sets or removes one annotation on each node; the hollow kubelet reacts to it. */
async function annotate(
  context: Context,
  annotation: string,
  value: string | null,
  done: (node: string) => string,
): Promise<0> {
  const { options, args, stdout, ...ports } = context
  const cluster = await openCluster(options, ports)
  try {
    for (const name of args) {
      const found = await cluster.client.call({ verb: 'get', resource: 'nodes', name })
      if (!found.ok && found.status.reason === 'ServiceUnavailable')
        throw cannotReach(cluster.server, found.status.message ?? '')
      if (!found.ok) throw wrongQuestion(found.status.message ?? `nodes "${name}" not found`)
      if (found.kind !== 'object' || found.object.metadata.labels?.[hollowLabel] === undefined) {
        throw wrongQuestion(`node "${name}" is not hollow: the label ${hollowLabel} is missing`)
      }
      const patched = await cluster.client.call({
        verb: 'patch',
        resource: 'nodes',
        name,
        patch: { kind: 'merge', patch: { metadata: { annotations: { [annotation]: value } } } },
      })
      if (!patched.ok) throw unreachable(patched.status.message ?? 'the patch was rejected')
      stdout.write(`${done(name)}\n`)
    }
  } finally {
    cluster.close()
  }
  return exitCodes.done
}

export const command = defineCommandGroup({
  name: 'node',
  summary: 'Inject or clear failures on hollow nodes',
  examples: [{ command: 'berth node silence node-1', summary: 'Stop the kubelet of a node' }],
  commands: [
    defineCommand({
      name: 'silence',
      summary: 'Stop the kubelet of hollow nodes: no heartbeats, no pod starts or ends',
      args: names,
      options: clusterOptions,
      examples: [{ command: 'berth node silence node-1 node-2', summary: 'Silence two nodes' }],
      run: (context) => annotate(context, hollowAnnotations.silent, 'true', (node) => `node/${node} silenced`),
    }),
    defineCommand({
      name: 'revive',
      summary: 'Restart the kubelet of silenced nodes',
      args: names,
      options: clusterOptions,
      examples: [{ command: 'berth node revive node-1', summary: 'Restart the kubelet of a node' }],
      run: (context) => annotate(context, hollowAnnotations.silent, null, (node) => `node/${node} revived`),
    }),
    defineCommand({
      name: 'pressure',
      summary: 'Make hollow nodes report memory, disk or PID pressure',
      args: names,
      options: {
        ...clusterOptions,
        kind: choice({ summary: 'Kind of pressure', choices: pressures, default: 'memory' }),
        off: flag({ summary: 'Clear the pressure' }),
      },
      examples: [
        { command: 'berth node pressure node-1 --kind disk', summary: 'Report DiskPressure' },
        { command: 'berth node pressure node-1 --off', summary: 'Clear the pressure' },
      ],
      run: (context) => {
        const { kind, off } = context.options
        return annotate(context, hollowAnnotations.pressure, off ? null : kind, (node) =>
          off ? `node/${node} relieved` : `node/${node} under ${kind} pressure`,
        )
      },
    }),
    defineCommand({
      name: 'taint-device',
      summary: 'Taint devices: their driver reports them as broken',
      args: [{ name: 'DEVICE', summary: 'Devices, as DRIVER/POOL/DEVICE', takes: 'some' }],
      options: {
        ...clusterOptions,
        taint: text({ summary: 'Taint', value: 'KEY[=VALUE]:EFFECT', default: 'berth.dev/broken:NoExecute' }),
      },
      examples: [
        {
          command: 'berth node taint-device gpu.example.com/node-1/gpu-0',
          summary: 'Evict the pods that use a device',
        },
      ],
      run: (context) => {
        const { key, value, effect } = parseDeviceTaint(context.options.taint)
        const added = { key, ...(value === undefined ? {} : { value }), effect }
        return changeDevices(
          context,
          (taints) => [...taints.filter((taint) => taint.key !== key || taint.effect !== effect), added],
          'tainted',
        )
      },
    }),
    defineCommand({
      name: 'heal-device',
      summary: 'Remove all taints from devices',
      args: [{ name: 'DEVICE', summary: 'Devices, as DRIVER/POOL/DEVICE', takes: 'some' }],
      options: clusterOptions,
      examples: [{ command: 'berth node heal-device gpu.example.com/node-1/gpu-0', summary: 'Make a device usable' }],
      run: (context) => changeDevices(context, () => [], 'healed'),
    }),
  ],
})

/** Changes the taints of each device in its ResourceSlice, as the driver of the device would. */
async function changeDevices(
  context: Context,
  change: (taints: readonly DeviceTaint[]) => readonly DeviceTaint[],
  done: string,
): Promise<0> {
  const { options, args, stdout, ...ports } = context
  const cluster = await openCluster(options, ports)
  try {
    for (const name of args) {
      const [driver, pool, device, more] = name.split('/')
      if (device === undefined || more !== undefined) throw wrongQuestion(`${name}: expected DRIVER/POOL/DEVICE`)
      const listed = await cluster.client.call({ verb: 'list', resource: 'resourceslices.resource.k8s.io' })
      if (!listed.ok || listed.kind !== 'list') {
        throw cannotReach(cluster.server, listed.ok ? '' : (listed.status.message ?? ''))
      }
      const slice = (listed.items as readonly ResourceSlice[]).find(
        ({ spec }) =>
          spec.driver === driver && spec.pool.name === pool && spec.devices?.some((one) => one.name === device),
      )
      if (slice === undefined) throw wrongQuestion(`device ${name} not found; berth devices lists all devices`)
      const devices = (slice.spec.devices ?? []).map((one) =>
        one.name === device ? { ...one, taints: change(one.taints ?? []) } : one,
      )
      const object = { ...slice, spec: { ...slice.spec, devices } }
      const updated = await cluster.client.call({
        verb: 'update',
        resource: 'resourceslices.resource.k8s.io',
        name: slice.metadata.name,
        object,
      })
      if (!updated.ok) throw unreachable(updated.status.message ?? 'the update was rejected')
      stdout.write(`device/${name} ${done}\n`)
    }
  } finally {
    cluster.close()
  }
  return exitCodes.done
}
