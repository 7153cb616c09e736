import { resolve } from 'node:path'
import { parseLabelSelector } from '../../api/label-selector.ts'
import type { KubeObject } from '../../api/objects/meta.ts'
import type { Node } from '../../api/objects/node.ts'
import { labels } from '../../api/well-known.ts'
import type { Result } from '../../base/result.ts'
import { controllerFactories } from '../../controlplane/controllers.ts'
import { WrongField } from '../../whatif/document-reader.ts'
import type { Note } from '../../whatif/forecast.ts'
import type { Found } from '../../whatif/found-cluster.ts'
import { span } from '../../whatif/phrases.ts'
import {
  checkLabel,
  checkNodes,
  checkWorkload,
  newNodes,
  plan,
  type Question,
  targetText,
} from '../../whatif/question.ts'
import type { NodeTarget, ObjectTarget } from '../../whatif/step.ts'
import { objectTarget, rackLabel } from '../../whatif/step-reader.ts'
import { formatTaint, parseTaint } from '../../whatif/taint-text.ts'
import {
  type ArgumentSpec,
  defineCommandGroup,
  flag,
  integer,
  type Ports,
  parsed,
  repeated,
  text,
  wrongQuestion,
} from '../command.ts'
import { defineQuestion, duration } from '../whatif-command.ts'
import { configCommand } from '../whatif-config.ts'
import { readObjects } from '../yaml.ts'

const nodeArgs: readonly ArgumentSpec[] = [{ name: 'NODE', summary: 'Nodes by name; or -l', takes: 'any' }]
const selectorOption = { selector: text({ short: 'l', summary: 'Nodes by their labels', value: 'SELECTOR' }) }

interface NodeChoice {
  readonly args: readonly string[]
  readonly options: { readonly selector: string | undefined }
}

function must<T>(result: Result<T>): T {
  if (!result.ok) throw wrongQuestion(result.message)
  return result.value
}

function chosenNodes({ args, options: { selector } }: NodeChoice, { cluster, manifests }: Found): NodeTarget {
  if (selector !== undefined && args.length > 0) throw wrongQuestion('nodes are given by name or with -l, not both')
  if (selector === undefined) {
    if (args.length === 0) throw wrongQuestion('which nodes? Give their names, or -l with a selector')
    return must(checkNodes(args, cluster.store, manifests))
  }
  const matcher = must(parseLabelSelector(selector))
  const nodes = [...cluster.store.list('nodes'), ...manifests.filter(({ kind }) => kind === 'Node')]
  if (!nodes.some(({ metadata }) => matcher.matches(metadata.labels)))
    throw wrongQuestion(`no node matches -l ${selector}`)
  return { kind: 'selector', selector }
}

const taint = defineQuestion({
  name: 'taint',
  summary: 'Who is deleted, and when, if nodes get this taint?',
  args: [
    { name: 'NODE… TAINT', summary: 'Nodes by name, then KEY=VALUE:EFFECT; with -l only the taint', takes: 'some' },
  ],
  options: selectorOption,
  examples: [
    { command: 'berth whatif taint a1 maintenance=now:NoExecute --from dump.json', summary: 'One node of a dump' },
    { command: 'berth whatif taint -l pool=batch gone:NoExecute', summary: 'A pool of the live cluster' },
  ],
  ask: (context, found) => {
    const words = context.args.at(-1) ?? ''
    const given = parseTaint(words)
    if (!given.ok) throw wrongQuestion(given.message)
    const nodes = chosenNodes({ args: context.args.slice(0, -1), options: context.options }, found)
    return {
      title: `taint ${targetText(nodes)} with ${formatTaint(given.value)}`,
      steps: [plan({ kind: 'taint', nodes, taint: given.value })],
    }
  },
})

const cordon = defineQuestion({
  name: 'cordon',
  summary: 'What happens if nodes take no more pods?',
  args: nodeArgs,
  options: selectorOption,
  examples: [{ command: 'berth whatif cordon a1 --from snapshot.jsonl.gz', summary: 'One node' }],
  ask: (context, found) => {
    const nodes = chosenNodes(context, found)
    return { title: `cordon ${targetText(nodes)}`, steps: [plan({ kind: 'cordon', nodes })] }
  },
})

const drain = defineQuestion({
  name: 'drain',
  summary: 'What happens if nodes are drained, and what holds it up?',
  description:
    'As kubectl drain --ignore-daemonsets --delete-emptydir-data. Several nodes are drained one after the other; one that ' +
    'disruption budgets hold up for a minute lets the others go first, and the order that came out is told.',
  args: nodeArgs,
  options: {
    ...selectorOption,
    parallel: flag({ summary: 'All nodes at once instead of one after the other' }),
    force: flag({ summary: 'Also pods that no controller would bring back' }),
  },
  examples: [
    { command: 'berth whatif drain a1', summary: 'One node of the live cluster' },
    { command: 'berth whatif drain -l pool=old --from dump.json', summary: 'A rolling plan for a pool' },
  ],
  ask: (context, found) => {
    const nodes = chosenNodes(context, found)
    const { parallel, force } = context.options
    return {
      title: `drain ${targetText(nodes)}`,
      steps: [plan({ kind: 'drain', nodes, options: { oneByOne: !parallel, force } })],
    }
  },
})

const fail = defineQuestion({
  name: 'fail',
  summary: 'What happens if a node, a zone or a rack goes dark?',
  args: [
    { name: 'WHAT', summary: 'node, zone or rack', takes: 'one', choices: ['node', 'zone', 'rack'] },
    { name: 'NAME', summary: 'Which', takes: 'some' },
  ],
  options: {
    recoverAfter: parsed({ summary: 'It comes back after this time', value: 'DURATION', parse: duration }),
    rackLabel: text({ summary: 'The label that tells the rack of a node', value: 'KEY', default: rackLabel }),
  },
  examples: [
    { command: 'berth whatif fail zone zone-a --from snapshot.jsonl.gz', summary: 'The hour after a zone goes dark' },
    { command: 'berth whatif fail node a1 --recover-after 10m', summary: 'A reboot of ten minutes' },
  ],
  ask: (context, found) => {
    const [what = '', ...names] = context.args
    const nodes = failing(what, names, context.options.rackLabel, found)
    const { recoverAfter } = context.options
    return {
      title: `fail ${what} ${names.join(' ')}${recoverAfter === undefined ? '' : ` for ${span(recoverAfter)}`}`,
      steps: [
        plan({ kind: 'fail', nodes }),
        ...(recoverAfter === undefined ? [] : [plan({ kind: 'recover', nodes }, recoverAfter)]),
      ],
    }
  },
})

function failing(what: string, names: readonly string[], rack: string, { cluster, manifests }: Found): NodeTarget {
  if (what === 'node') return must(checkNodes(names, cluster.store, manifests))
  const [name = '', second] = names
  if (second !== undefined) throw wrongQuestion(`one ${what} at a time: ${name} or ${second}?`)
  return must(checkLabel(what === 'zone' ? labels.zone : rack, name, cluster.store, manifests))
}

const addNode = defineQuestion({
  name: 'add-node',
  summary: 'What changes with more nodes?',
  args: [],
  options: {
    like: text({ summary: 'The node that the new ones are like', value: 'NODE', required: true }),
    count: integer({ summary: 'How many', min: 1, max: 10_000, default: 1 }),
    zone: text({ summary: 'Another zone than that of the model', value: 'ZONE' }),
  },
  examples: [
    { command: 'berth whatif add-node --like a1 --count 3 --from dump.json', summary: 'Three more of a kind' },
  ],
  ask: (context, { cluster, manifests }) => {
    const { like, count, zone } = context.options
    must(checkNodes([like], cluster.store, manifests))
    const model = (cluster.store.get('nodes', like) ?? manifests.find(({ metadata }) => metadata.name === like)) as Node
    return {
      title: `add ${count} ${count === 1 ? 'node' : 'nodes'} like ${like}`,
      steps: [plan({ kind: 'apply', objects: newNodes(model, count, zone) })],
    }
  },
})

const removeNode = defineQuestion({
  name: 'remove-node',
  summary: 'What happens if machines are taken away without a drain?',
  args: nodeArgs,
  options: selectorOption,
  examples: [
    { command: 'berth whatif remove-node a1 --from dump.json', summary: 'The machine and its Node object go' },
  ],
  ask: (context, found) => {
    const nodes = chosenNodes(context, found)
    return {
      title: `remove ${targetText(nodes)}`,
      steps: [plan({ kind: 'fail', nodes }), plan({ kind: 'remove', nodes })],
    }
  },
})

const scale = defineQuestion({
  name: 'scale',
  summary: 'Where do the pods go if a workload is scaled?',
  args: [{ name: 'KIND/NAME', summary: 'deployment/web', takes: 'one' }],
  options: {
    replicas: integer({ summary: 'To how many', min: 0 }),
    namespace: text({ short: 'n', summary: 'Its namespace', value: 'NAMESPACE', default: 'default' }),
  },
  examples: [{ command: 'berth whatif scale deployment/web --replicas 20 -n shop', summary: 'Do twenty fit?' }],
  ask: (context, { cluster, manifests }) => {
    const { replicas, namespace } = context.options
    if (replicas === undefined) throw wrongQuestion('to how many? Give --replicas')
    const target = must(checkWorkload(workload(context.args[0] ?? '', namespace), cluster.store, manifests))
    return {
      title: `scale ${target.kind}/${target.name} to ${replicas}`,
      steps: [plan({ kind: 'scale', target, replicas })],
    }
  },
})

function workload(given: string, namespace: string): ObjectTarget {
  try {
    return { namespace, ...objectTarget(given, '') }
  } catch (error) {
    if (error instanceof WrongField) throw wrongQuestion(`${given}: it must be KIND/NAME, such as deployment/web`)
    throw error
  }
}

const manifestOption = {
  filename: repeated({ short: 'f', summary: 'Manifests, YAML or JSON; - for standard input', value: 'FILE' }),
}

async function manifestsOf(
  files: readonly string[],
  ports: Pick<Ports, 'files' | 'readStdin' | 'cwd'>,
): Promise<readonly KubeObject[]> {
  if (files.length === 0) throw wrongQuestion('what is to be applied? Give -f with a file')
  const objects = await readObjects(
    files.map((file) => (file === '-' ? file : resolve(ports.cwd, file))),
    ports,
  )
  return objects.map(({ object }) => object as unknown as KubeObject)
}

const apply = defineQuestion({
  name: 'apply',
  summary: 'What happens if this is applied?',
  args: [],
  options: manifestOption,
  examples: [
    { command: 'berth whatif apply -f web.yaml --from snapshot.jsonl.gz', summary: 'Does it fit, and where?' },
  ],
  ask: async (context) => applied('apply', await manifestsOf(context.options.filename, context)),
})

const preempt = defineQuestion({
  name: 'preempt',
  summary: 'Whom does this pod, or this PriorityClass, preempt?',
  args: [],
  options: manifestOption,
  examples: [{ command: 'berth whatif preempt -f urgent.yaml', summary: 'The victims, and who they preempt in turn' }],
  ask: async (context) => applied('preempt with', await manifestsOf(context.options.filename, context)),
})

function applied(verb: string, objects: readonly KubeObject[]): Question {
  const names = objects.map(({ kind, metadata }) => `${kind}/${metadata.name}`)
  const isClassAlone = objects.every(({ kind }) => kind === 'PriorityClass')
  return {
    title: `${verb} ${names.join(', ')}`,
    steps: [plan({ kind: 'apply', objects })],
    ...(isClassAlone ? { notes: [classAlone] } : {}),
  }
}

const classAlone: Note = {
  kind: 'assumed',
  text: 'a PriorityClass by itself moves nobody: pods that are there keep their priority; add the workload that names it',
}

const upgrade = defineQuestion({
  name: 'upgrade',
  summary: 'How does a rolling replacement of nodes go?',
  description: 'Each node is drained, removed and replaced by a new one of its kind, one after the other.',
  args: nodeArgs,
  options: {
    ...selectorOption,
    parallel: flag({ summary: 'All nodes at once instead of one after the other' }),
    force: flag({ summary: 'Also pods that no controller would bring back' }),
  },
  examples: [{ command: 'berth whatif upgrade -l pool=web --from dump.json', summary: 'Replace a pool' }],
  ask: (context, found) => {
    const nodes = chosenNodes(context, found)
    const { parallel, force } = context.options
    return {
      title: `upgrade ${targetText(nodes)}`,
      steps: [plan({ kind: 'drain', nodes, options: { oneByOne: !parallel, force, afterwards: 'replace' } })],
    }
  },
})

const restart = defineQuestion({
  name: 'restart',
  summary: 'What does a change of leader forget?',
  args: [
    { name: 'WHAT', summary: 'controller', takes: 'one', choices: ['controller'] },
    { name: 'NAME', summary: 'Which one: taint-eviction, scheduler, …', takes: 'one' },
  ],
  options: {
    after: parsed({ summary: 'When', value: 'DURATION', parse: duration }),
    taint: text({ summary: 'With this taint on the nodes of -l at the beginning', value: 'TAINT' }),
    ...selectorOption,
  },
  examples: [
    { command: 'berth whatif restart controller taint-eviction --after 2m', summary: 'Countdowns start over' },
    {
      command: 'berth whatif restart controller taint-eviction --after 2m --taint gone:NoExecute -l pool=x',
      summary: 'A taint, and a change of leader in the middle',
    },
  ],
  ask: (context, found) => {
    const [, name = ''] = context.args
    if (!Object.hasOwn(controllerFactories, name))
      throw wrongQuestion(`no controller is called ${name}; there are ${Object.keys(controllerFactories).join(', ')}`)
    const { after = 0, taint: words } = context.options
    const steps = [plan({ kind: 'restart', controller: name }, after)]
    if (words !== undefined) {
      const nodes = chosenNodes({ args: [], options: context.options }, found)
      steps.unshift(plan({ kind: 'taint', nodes, taint: must(parseTaint(words)) }))
    }
    return { title: `restart ${name}${after === 0 ? '' : ` after ${span(after)}`}`, steps }
  },
})

export const command = defineCommandGroup({
  name: 'whatif',
  summary: 'Ask what a cluster would do, before it does',
  description:
    'Takes a cluster (live, a snapshot, or a dump of kubectl get nodes,pods,… -A -o json), does one thing to it, and plays what ' +
    'follows in virtual time with the scheduler and the controllers of v1.36. Nothing is changed anywhere.',
  commands: [taint, cordon, drain, fail, addNode, removeNode, scale, apply, preempt, upgrade, restart, configCommand],
  examples: [
    { command: 'kubectl get nodes,pods,rs,deploy,pdb -A -o json > dump.json', summary: 'A dump of the cluster' },
    { command: 'berth whatif taint NODE gone=soon:NoExecute --from dump.json', summary: 'The first question' },
  ],
})
