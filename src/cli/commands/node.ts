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
  unreachable,
  wrongQuestion,
} from '../command.ts'

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
  ],
})
