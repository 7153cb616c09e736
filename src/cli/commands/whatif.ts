import { WrongField } from '../../api/document-reader.ts'
import type { KubeObject } from '../../api/objects/meta.ts'
import type { Node } from '../../api/objects/node.ts'
import { formatTaint } from '../../api/taints.ts'
import { labels } from '../../api/well-known.ts'
import { controllerFactories } from '../../controlplane/controllers.ts'
import type { ForecastNote } from '../../whatif/report/forecast.ts'
import { span } from '../../whatif/report/phrases.ts'
import {
  checkLabel,
  checkNodes,
  checkWorkload,
  type LookupScope,
  newNodes,
  plannedStep,
  type Question,
  targetText,
} from '../../whatif/scenario/question.ts'
import type { NodeTarget, ObjectTarget } from '../../whatif/scenario/step.ts'
import { objectTarget, rackLabel } from '../../whatif/scenario/step-reader.ts'
import { parseTaint } from '../../whatif/scenario/taint-text.ts'
import type { ClusterInput } from '../../whatif/snapshot/found-cluster.ts'
import { autoscalerDumpCommand, dumpCommand } from '../../whatif/snapshot/snapshot-resources.ts'
import { manifestsOf, withoutUndefined } from '../applied-manifests.ts'
import { consolidateCommand } from '../autoscaler-answers.ts'
import { defineCommandGroup, flag, integer, parsed, repeated, text, wrongQuestion } from '../command.ts'
import { startReader } from '../survival-pool.ts'
import { defineQuestion, duration } from '../whatif-command.ts'
import { configCommand } from '../whatif-config.ts'
import { parseDeviceTaint, taintDevices } from '../whatif-device.ts'
import { interruptQuestion } from '../whatif-interrupt.ts'
import { rolloutQuestion } from '../whatif-rollout.ts'
import { casesOf } from '../whatif-survival.ts'
import { chosenNodes, must, nodeArgs, scopeOf, selectorOption } from '../whatif-targets.ts'
import { upgradeControlPlaneCommand } from '../whatif-upgrade.ts'
import { upgradeQuestion } from '../whatif-upgrade-nodes.ts'

const taint = defineQuestion({
  name: 'taint',
  summary: 'Forecast which pods are evicted, and when, if nodes get a taint',
  args: [{ name: 'NODE… TAINT', summary: 'Node names, then KEY=VALUE:EFFECT; with -l only the taint', takes: 'some' }],
  options: selectorOption,
  examples: [
    {
      command: 'berth whatif taint a1 maintenance=now:NoExecute --from dump.json',
      summary: 'Taint one node of a dump',
    },
    {
      command: 'berth whatif taint -l pool=batch gone:NoExecute',
      summary: 'Taint all nodes of a pool of the live cluster',
    },
  ],
  ask: (context, found) => {
    const words = context.args.at(-1) ?? ''
    const given = parseTaint(words)
    if (!given.ok) throw wrongQuestion(given.message)
    const nodes = chosenNodes({ args: context.args.slice(0, -1), options: context.options }, found)
    return {
      title: `taint ${targetText(nodes)} with ${formatTaint(given.value)}`,
      steps: [plannedStep({ kind: 'taint', nodes, taint: given.value })],
    }
  },
})

const cordon = defineQuestion({
  name: 'cordon',
  summary: 'Forecast the effect of cordoning nodes',
  args: nodeArgs,
  options: selectorOption,
  examples: [{ command: 'berth whatif cordon a1 --from snapshot.jsonl.gz', summary: 'Cordon one node' }],
  ask: (context, found) => {
    const nodes = chosenNodes(context, found)
    return { title: `cordon ${targetText(nodes)}`, steps: [plannedStep({ kind: 'cordon', nodes })] }
  },
})

const drain = defineQuestion({
  name: 'drain',
  summary: 'Forecast a drain of nodes, and what blocks it',
  description:
    'Works like kubectl drain --ignore-daemonsets --delete-emptydir-data. Several nodes are drained one after the other. If ' +
    'a disruption budget blocks a node for a minute, the next node is drained first; the forecast reports the resulting order.',
  args: nodeArgs,
  options: {
    ...selectorOption,
    parallel: flag({ summary: 'Drain all nodes at once instead of one after the other' }),
    force: flag({ summary: 'Also evict pods that are not managed by a controller' }),
  },
  examples: [
    { command: 'berth whatif drain a1', summary: 'Drain one node of the live cluster' },
    {
      command: 'berth whatif drain -l pool=old --from dump.json',
      summary: 'Drain the nodes of a pool, one after the other',
    },
  ],
  ask: (context, found) => {
    const nodes = chosenNodes(context, found)
    const { parallel, force } = context.options
    return {
      title: `drain ${targetText(nodes)}`,
      steps: [plannedStep({ kind: 'drain', nodes, options: { oneByOne: !parallel, force } })],
    }
  },
})

const fail = defineQuestion({
  name: 'fail',
  summary: 'Forecast the loss of nodes, a zone, a rack or devices',
  args: [
    {
      name: 'WHAT',
      summary: 'node, zone, rack or device; omit with --each-…',
      takes: 'at-most-one',
      choices: ['node', 'zone', 'rack', 'device'],
    },
    {
      name: 'NAME',
      summary: 'Names of the nodes, zones or racks that fail together, or of devices: DRIVER/POOL/DEVICE',
      takes: 'any',
    },
  ],
  options: {
    recoverAfter: parsed({
      summary: 'Time after which the nodes or devices recover',
      value: 'DURATION',
      parse: duration,
    }),
    rackLabel: text({ summary: 'Node label with the name of the rack', value: 'KEY', default: rackLabel }),
    // A table of many forecasts.
    eachZone: flag({
      summary: 'Fail every zone, one at a time, and print which workloads survive',
      commandOnly: true,
    }),
    eachNode: flag({ summary: 'Fail every node, one at a time', commandOnly: true }),
    eachRack: flag({ summary: 'Fail every rack (value of --rack-label), one at a time', commandOnly: true }),
    whole: flag({
      commandOnly: true,
      summary: 'With --each-node: simulate every failure on the whole cluster, not only on the part that it affects',
    }),
    threads: integer({
      commandOnly: true,
      summary: 'With --each-…: number of threads (default: one per core, if the cluster is large)',
      min: 1,
      max: 256,
    }),
  },
  examples: [
    {
      command: 'berth whatif fail zone zone-a --from snapshot.jsonl.gz',
      summary: 'Forecast the hour after a zone fails',
    },
    { command: 'berth whatif fail node a1 --recover-after 10m', summary: 'Fail one node for ten minutes' },
    { command: 'berth whatif fail zone zone-a zone-b --from dump.json', summary: 'Fail two zones together' },
    {
      command: 'berth whatif fail device gpu.example.com/node-1/gpu-0 --from dump.json',
      summary: 'Break a device: its pods are evicted',
    },
    { command: 'berth whatif fail --each-zone --from dump.json', summary: 'Show which zones can fail without harm' },
    {
      command: 'berth whatif fail --each-node --fail-on unsafe',
      summary: 'Find nodes that are a single point of failure; exit with 1 if there is one',
    },
  ],
  startReader: ({ options, cwd }) =>
    options.eachZone || options.eachNode || options.eachRack ? startReader(options, cwd) : undefined,
  ask: (context, found) => {
    const [what, ...names] = context.args
    const { rackLabel: rack, from, whole, threads } = context.options
    const cases = casesOf(context.options, found.cluster.store.list('nodes') as readonly Node[])
    if (cases !== undefined) {
      if (what !== undefined) throw wrongQuestion(`--each-… and ${what} are mutually exclusive`)
      const unit = context.options.eachZone ? 'zone' : context.options.eachNode ? 'node' : 'rack'
      return { title: `fail each ${unit}`, steps: [], failures: { cases, isWhole: whole, threads } }
    }
    if (what === undefined || names.length === 0)
      throw wrongQuestion(
        'nothing to fail: name a target, for example zone zone-a, or use --each-zone, --each-node or --each-rack',
      )
    const { recoverAfter } = context.options
    const title = `fail ${what} ${names.join(' ')}${recoverAfter === undefined ? '' : ` for ${span(recoverAfter)}`}`
    if (what === 'device') {
      const taint = { key: 'berth.dev/failed', effect: 'NoExecute' } as const
      return { title, steps: taintDevices(names, taint, scopeOf(from, found), recoverAfter) }
    }
    const nodes = failing(what, names, rack, scopeOf(from, found))
    return {
      title,
      steps: [
        plannedStep({ kind: 'fail', nodes }),
        ...(recoverAfter === undefined ? [] : [plannedStep({ kind: 'recover', nodes }, recoverAfter)]),
      ],
    }
  },
})

const taintDevice = defineQuestion({
  name: 'taint-device',
  summary: 'Forecast the effect of a taint on devices',
  args: [{ name: 'DEVICE', summary: 'Devices, as DRIVER/POOL/DEVICE', takes: 'some' }],
  options: {
    taint: text({ summary: 'Taint', value: 'KEY[=VALUE]:EFFECT', default: 'berth.dev/broken:NoExecute' }),
  },
  examples: [
    {
      command: 'berth whatif taint-device gpu.example.com/node-1/gpu-0 --from snapshot.jsonl.gz',
      summary: 'Forecast which pods a broken device evicts, and where they go',
    },
    {
      command: 'berth whatif taint-device gpu.example.com/node-1/gpu-0 --taint example.com/old:NoSchedule',
      summary: 'Forecast a taint that stops new claims; pods that use the device stay',
    },
  ],
  ask: (context, found) => {
    const { taint, from } = context.options
    const steps = taintDevices(context.args, parseDeviceTaint(taint), scopeOf(from, found))
    return { title: `taint device ${context.args.join(' ')} ${taint}`, steps }
  },
})

function failing(what: string, names: readonly string[], rack: string, scope: LookupScope): NodeTarget {
  if (what === 'node') return must(checkNodes(names, scope))
  const key = what === 'zone' ? labels.zone : rack
  const [first, ...more] = names.map((name) => must(checkLabel(key, name, scope)))
  if (first !== undefined && more.length === 0) return first
  return { kind: 'selector', selector: `${key} in (${names.join(',')})` }
}

const addNode = defineQuestion({
  name: 'add-node',
  summary: 'Forecast the effect of adding nodes',
  args: [],
  options: {
    like: text({ summary: 'Existing node to copy', value: 'NODE', required: true }),
    count: integer({ summary: 'Number of nodes to add', min: 1, max: 10_000, default: 1 }),
    zone: text({ summary: 'Zone of the new nodes (default: the zone of the copied node)', value: 'ZONE' }),
  },
  examples: [
    { command: 'berth whatif add-node --like a1 --count 3 --from dump.json', summary: 'Add three nodes like a1' },
  ],
  ask: (context, found) => {
    const { cluster, manifests } = found
    const { count, zone, from } = context.options
    const [like = ''] = must(checkNodes([context.options.like], scopeOf(from, found))).names
    const model = (cluster.store.get('nodes', like) ?? manifests.find(({ metadata }) => metadata.name === like)) as Node
    return {
      title: `add ${count} ${count === 1 ? 'node' : 'nodes'} like ${like}`,
      steps: [plannedStep({ kind: 'apply', objects: newNodes(cluster.store, model, count, zone) })],
    }
  },
})

const removeNode = defineQuestion({
  name: 'remove-node',
  summary: 'Forecast the removal of nodes without a drain',
  args: nodeArgs,
  options: selectorOption,
  examples: [
    { command: 'berth whatif remove-node a1 --from dump.json', summary: 'Remove a machine and its Node object' },
  ],
  ask: (context, found) => {
    const nodes = chosenNodes(context, found)
    return {
      title: `remove ${targetText(nodes)}`,
      steps: [plannedStep({ kind: 'fail', nodes }), plannedStep({ kind: 'remove', nodes })],
    }
  },
})

const scale = defineQuestion({
  name: 'scale',
  summary: 'Forecast where pods are placed if a workload is scaled',
  args: [{ name: 'KIND/NAME', summary: 'Workload, for example deployment/web', takes: 'one' }],
  options: {
    replicas: integer({ summary: 'Number of replicas', min: 0 }),
    namespace: text({ short: 'n', summary: 'Namespace of the workload', value: 'NAMESPACE', default: 'default' }),
  },
  examples: [
    {
      command: 'berth whatif scale deployment/web --replicas 20 -n shop',
      summary: 'Scale a Deployment to 20 replicas',
    },
  ],
  ask: (context, found) => {
    const { replicas, namespace, from } = context.options
    if (replicas === undefined) throw wrongQuestion('--replicas is required')
    const target = must(checkWorkload(workload(context.args[0] ?? '', namespace), scopeOf(from, found)))
    return {
      title: `scale ${target.kind}/${target.name} to ${replicas}`,
      steps: [plannedStep({ kind: 'scale', target, replicas })],
    }
  },
})

function workload(given: string, namespace: string): ObjectTarget {
  try {
    return { namespace, ...objectTarget(given, '') }
  } catch (error) {
    if (error instanceof WrongField) throw wrongQuestion(`${given}: must be KIND/NAME, for example deployment/web`)
    throw error
  }
}

const manifestOption = {
  filename: repeated({
    short: 'f',
    summary: 'File with manifests in YAML or JSON; - for standard input',
    value: 'FILE',
  }),
}

const apply = defineQuestion({
  name: 'apply',
  summary: 'Forecast the effect of applying manifests',
  args: [],
  options: manifestOption,
  examples: [
    {
      command: 'berth whatif apply -f web.yaml --from snapshot.jsonl.gz',
      summary: 'Forecast where the pods of a manifest are placed',
    },
  ],
  ask: async (context, found) => applied('apply', await manifestsOf(context.options.filename, context), found),
})

const nodePool = defineQuestion({
  name: 'nodepool',
  summary: 'Forecast the effect of new or changed NodePools of Karpenter',
  args: [],
  options: manifestOption,
  examples: [
    {
      command: 'berth whatif nodepool -f pool.yaml --from dump.json --autoscaler catalog.yaml',
      summary: 'Show which nodes drift, what replaces them, and where pending pods are placed',
    },
  ],
  ask: async (context, found) => {
    const objects = await manifestsOf(context.options.filename, context)
    const other = objects.find(({ kind }) => kind !== 'NodePool')
    if (other !== undefined)
      throw wrongQuestion(`${other.kind}/${other.metadata.name} is not a NodePool: use whatif apply`)
    return applied('apply', objects, found)
  },
})

const preempt = defineQuestion({
  name: 'preempt',
  summary: 'Forecast which pods a new pod or PriorityClass preempts',
  args: [],
  options: manifestOption,
  examples: [
    { command: 'berth whatif preempt -f urgent.yaml', summary: 'Show the victims, and the pods that they preempt' },
  ],
  ask: async (context, found) => applied('preempt with', await manifestsOf(context.options.filename, context), found),
})

function applied(verb: string, given: readonly KubeObject[], found: ClusterInput): Question {
  const { objects, notes } = withoutUndefined(given, found)
  const names = given.map(({ kind, metadata }) => `${kind}/${metadata.name ?? metadata.generateName ?? ''}`)
  const isClassAlone = given.every(({ kind }) => kind === 'PriorityClass')
  return {
    title: `${verb} ${names.join(', ')}`,
    steps: [plannedStep({ kind: 'apply', objects })],
    notes: isClassAlone ? [classAlone] : notes,
  }
}

const classAlone: ForecastNote = {
  kind: 'assumed',
  text: 'a PriorityClass alone does not affect existing pods, which keep their priority; add a workload that uses it',
}

const restart = defineQuestion({
  name: 'restart',
  summary: 'Forecast the effect of restarting a controller',
  args: [
    { name: 'WHAT', summary: 'What to restart: controller', takes: 'one' },
    { name: 'NAME', summary: 'Name of the controller: taint-eviction, scheduler, …', takes: 'at-most-one' },
  ],
  options: {
    after: parsed({
      summary: 'Time from the start of the forecast to the restart',
      value: 'DURATION',
      parse: duration,
    }),
    taint: text({ summary: 'Taint to add to the nodes of -l at the start', value: 'TAINT' }),
    ...selectorOption,
  },
  examples: [
    {
      command: 'berth whatif restart controller taint-eviction --after 2m',
      summary: 'Show which eviction countdowns start over',
    },
    {
      command: 'berth whatif restart controller taint-eviction --after 2m --taint gone:NoExecute -l pool=x',
      summary: 'Taint a pool, and restart the controller two minutes later',
    },
  ],
  ask: (context, found) => {
    const [what = '', name = ''] = context.args
    if (what !== 'controller')
      throw wrongQuestion(
        `expected the word controller instead of ${JSON.stringify(what)}; to restart a workload, use berth whatif rollout`,
      )
    if (!Object.hasOwn(controllerFactories, name))
      throw wrongQuestion(
        `unknown controller ${JSON.stringify(name)}; expected one of ${Object.keys(controllerFactories).join(', ')}`,
      )
    const { after = 0, taint: words } = context.options
    const steps = [plannedStep({ kind: 'restart', controller: name }, after)]
    if (words !== undefined) {
      const nodes = chosenNodes({ args: [], options: context.options }, found)
      steps.unshift(plannedStep({ kind: 'taint', nodes, taint: must(parseTaint(words)) }))
    }
    return { title: `restart ${name}${after === 0 ? '' : ` after ${span(after)}`}`, steps }
  },
})

export const command = defineCommandGroup({
  name: 'whatif',
  summary: 'Forecast what a cluster does after a change',
  description:
    'Reads a cluster (live, from a snapshot, or from a dump of kubectl get nodes,pods,… -A -o json), applies one change to a ' +
    'copy of it, and runs the scheduler and the controllers of its release in virtual time. The cluster itself is not changed.',
  commands: [
    taint,
    taintDevice,
    cordon,
    drain,
    fail,
    addNode,
    removeNode,
    scale,
    apply,
    preempt,
    rolloutQuestion,
    upgradeQuestion,
    interruptQuestion,
    consolidateCommand,
    nodePool,
    restart,
    configCommand,
    upgradeControlPlaneCommand,
  ],
  examples: [
    { command: `${dumpCommand} > dump.json`, summary: 'Dump the cluster' },
    {
      command: `${autoscalerDumpCommand} > autoscaler.json`,
      summary: 'Dump the node groups of Cluster Autoscaler; put both files into a directory for --from',
    },
    {
      command: 'berth whatif taint NODE gone=soon:NoExecute --from dump.json',
      summary: 'Forecast the effect of a taint',
    },
  ],
})
