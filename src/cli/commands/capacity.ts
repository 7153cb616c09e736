import { parseLabelSelector } from '../../api/label-selector.ts'
import type { KubeObject } from '../../api/objects/meta.ts'
import { type Fit, fitMore } from '../../whatif/capacity/fit.ts'
import { findRemovable, type Removable } from '../../whatif/capacity/removable.ts'
import { podOfTemplate } from '../../whatif/capacity/template-pod.ts'
import type { ObjectSource } from '../../whatif/explain/object-set.ts'
import { counted, listed } from '../../whatif/report/phrases.ts'
import { shortNames } from '../../whatif/report/short-names.ts'
import { notFoundText } from '../../whatif/scenario/near-names.ts'
import { readCapacityInput } from '../capacity-input.ts'
import { headroomCommand, smallestCommand } from '../capacity-pools.ts'
import { clusterOptions } from '../cluster-input.ts'
import { defineCommand, defineCommandGroup, exitCodes, integer, text, wrongQuestion } from '../command.ts'
import { schedulerOptions } from '../control-plane-options.ts'
import {
  anyWidth,
  choosePalette,
  outputOption,
  printValue,
  renderTable,
  type TextPalette,
  wrapLines,
} from '../output.ts'

const fit = defineCommand({
  name: 'fit',
  summary: 'Count how many more pods of a workload fit, and what limits them',
  description:
    'Schedules copies of a pod of the workload one after the other, until one does not fit. Uses the scheduler itself. Nothing is ' +
    'written, and no pod is preempted.',
  args: [{ name: 'WORKLOAD', summary: 'KIND/NAME, for example deployment/web', takes: 'one' }],
  options: {
    ...clusterOptions(),
    namespace: text({ summary: 'Namespace of the workload', short: 'n', value: 'NAMESPACE', default: 'default' }),
    most: integer({ summary: 'Stop after this number of pods', value: 'N', default: 10_000, min: 1, max: 1_000_000 }),
    ...schedulerOptions,
    output: outputOption(),
  },
  examples: [
    { command: 'berth capacity fit deployment/web --from dump.json', summary: 'Read a dump' },
    {
      command: 'berth capacity fit statefulset/db -n shop -o json',
      summary: 'Print the number, the limits and the nodes as JSON',
    },
  ],
  run: async (context) => {
    const { args, options, stdout, env } = context
    const { objects, profile, release } = await readCapacityInput(context)
    const example = podOfTemplate(workloadOf(objects, args[0] ?? '', options.namespace), release)
    const result = fitMore(objects, profile, example, options.most)
    printValue(stdout, options.output, result, () => fitText(result, args[0] ?? '', choosePalette(stdout, env)))
    return exitCodes.done
  },
})

const removable = defineCommand({
  name: 'removable',
  summary: 'List the nodes that can be removed, in order, and why the others cannot',
  description:
    'Removes one node after the other from a copy of the cluster, the least used first, as long as all of its pods fit on the ' +
    'others. Nothing is written. Disruption budgets are ignored, because they only limit how fast nodes can be drained.',
  args: [],
  options: {
    ...clusterOptions(),
    selector: text({ summary: 'Consider only nodes with these labels', short: 'l', value: 'SELECTOR' }),
    ...schedulerOptions,
    output: outputOption(),
  },
  examples: [
    { command: 'berth capacity removable --from dump.json', summary: 'Check all nodes of a dump' },
    { command: 'berth capacity removable -l pool=spot', summary: 'Check the nodes of one pool' },
  ],
  run: async (context) => {
    const { options, stdout, env } = context
    const { objects, profile } = await readCapacityInput(context)
    const selector = options.selector === undefined ? undefined : parseLabelSelector(options.selector)
    if (selector !== undefined && !selector.ok) throw wrongQuestion(`--selector: ${selector.message}`)
    const result = findRemovable(
      objects,
      profile,
      ({ metadata }) => selector === undefined || selector.value.matches(metadata.labels ?? {}),
    )
    printValue(stdout, options.output, result, () =>
      removableText(result, options.output === 'wide', choosePalette(stdout, env)),
    )
    return exitCodes.done
  },
})

export const command = defineCommandGroup({
  name: 'capacity',
  summary: 'Show how many more pods fit, which nodes can be removed, how many nodes are needed, and how much is free',
  examples: [{ command: 'berth capacity fit deployment/web', summary: 'Count how many more replicas fit' }],
  commands: [fit, removable, smallestCommand, headroomCommand],
})

const workloads = {
  deployment: 'deployments.apps',
  deploy: 'deployments.apps',
  replicaset: 'replicasets.apps',
  rs: 'replicasets.apps',
  statefulset: 'statefulsets.apps',
  sts: 'statefulsets.apps',
  job: 'jobs.batch',
} as const

function workloadOf(objects: ObjectSource, given: string, namespace: string): KubeObject {
  const [kind = '', name = ''] = given.split('/')
  const known = kind.toLowerCase().replace(/s$/, '')
  const resource = Object.hasOwn(workloads, known) ? workloads[known as keyof typeof workloads] : undefined
  if (resource === undefined || name === '')
    throw wrongQuestion(
      `${JSON.stringify(given)}: must be KIND/NAME; KIND is one of deployment, replicaset, statefulset, job`,
    )
  const found = objects.get(resource, `${namespace}/${name}`)
  if (found === undefined) {
    const names = objects.list(resource, namespace).map(({ metadata }) => metadata.name)
    throw wrongQuestion(notFoundText(resource, name, names, `namespace ${namespace}`))
  }
  return found
}

function fitText({ more, isCapped, nodes, limits, message }: Fit, workload: string, palette: TextPalette): string {
  const short = shortNames(nodes.map(({ node }) => node))
  const places = nodes.map(({ node, pods }) => `${short(node)} (${pods})`)
  const where = more === 0 ? '' : `: ${listed(places, 6)}`
  const lines = [
    `${isCapped ? 'At least ' : ''}${counted(more, 'more pod')} of ${workload} ${more === 1 ? 'fits' : 'fit'}${where}.`,
    ...(limits.length === 0
      ? []
      : [
          `The next pod does not fit: ${limits.map(({ reason, nodes: count }) => `${reason} (${counted(count, 'node')})`).join(', ')}.`,
        ]),
    ...(limits.length === 0 && message !== undefined ? [message] : []),
  ]
  return wrapLines(lines.map((line) => `${line}\n`).join(''), palette)
}

function removableText({ nodes, kept }: Removable, wide: boolean, given: TextPalette): string {
  const palette = wide ? anyWidth(given) : given
  const total = nodes.length + kept.length
  const short = wide ? (name: string) => name : shortNames([...nodes, ...kept].map(({ node }) => node))
  const first = `${nodes.length} of ${counted(total, 'node')} can be removed, in this order.\n`
  const shown = wide ? nodes : nodes.slice(0, 20)
  const table =
    shown.length === 0
      ? ''
      : renderTable(
          [
            { header: 'NODE', cell: ({ node }) => short(node) },
            { header: 'PODS TO MOVE', cell: ({ pods }) => String(pods), align: 'right' },
          ],
          shown,
          palette,
        )
  const more = nodes.length > shown.length ? `… and ${nodes.length - shown.length} more nodes: -o wide\n` : ''
  const [stop] = kept
  const why = stop === undefined ? '' : `${short(stop.node)} stays: ${stop.pod} ${stop.reason}.\n`
  return `${first}${table}${more}${wrapLines(why, palette)}`
}
