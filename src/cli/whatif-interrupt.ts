import { parseLabelSelector } from '../api/label-selector.ts'
import type { NodeClaim } from '../api/objects/karpenter.ts'
import type { Node, Taint } from '../api/objects/node.ts'
import { formatTaint } from '../api/taints.ts'
import { nodeClaims } from '../autoscalers/karpenter/names.ts'
import { counted, span } from '../whatif/report/phrases.ts'
import { plannedStep, targetText } from '../whatif/scenario/question.ts'
import type { NodeTarget } from '../whatif/scenario/step.ts'
import { parseTaint } from '../whatif/scenario/taint-text.ts'
import type { ClusterInput } from '../whatif/snapshot/found-cluster.ts'
import { parsed, text } from './command.ts'
import { defineQuestion, duration } from './whatif-command.ts'
import { chosenNodes, must, nodeArgs, selectorOption } from './whatif-targets.ts'

const defaultNoticeMs = 120_000
const defaultTaint = 'berth.dev/interrupted:NoSchedule'

export const interruptQuestion = defineQuestion({
  name: 'interrupt',
  summary: 'Forecast the interruption of spot instances',
  description:
    'At the notice, a termination handler taints and drains all nodes at once. When the notice period ends, the ' +
    'machines stop and their Node objects are deleted, even if the drain is not finished. Karpenter handles the notice itself: it ' +
    'deletes the NodeClaims, drains the nodes and creates others in the meantime. With --taint, its nodes also have a ' +
    'termination handler.',
  args: nodeArgs,
  options: {
    ...selectorOption,
    notice: parsed({
      summary: 'Time from the notice until the machine stops: 2m on AWS, 30s on Azure and Google Cloud',
      value: 'DURATION',
      parse: duration,
      default: defaultNoticeMs,
      shown: '2m',
    }),
    taint: text({
      summary: 'Taint of the nodes during the notice',
      value: 'KEY[=VALUE]:EFFECT',
      default: defaultTaint,
    }),
  },
  examples: [
    { command: 'berth whatif interrupt a1 --from dump.json', summary: 'Reclaim one node after two minutes' },
    {
      command: 'berth whatif interrupt -l pool=spot --notice 30s',
      summary: 'Reclaim a whole pool of the live cluster after 30 seconds',
    },
  ],
  ask: (context, found) => {
    const nodes = chosenNodes(context, found)
    const { notice, taint } = context.options
    const given = must(parseTaint(taint))
    const title = `interrupt ${targetText(nodes)} with ${span(notice)} notice`
    const claimed = taint === defaultTaint ? nodesWithClaims(namesIn(nodes, found), found) : []
    const others = claimed.length === 0 ? nodes : withoutNodes(namesIn(nodes, found), claimed)
    return {
      title,
      steps: [
        ...(claimed.length === 0
          ? []
          : [plannedStep({ kind: 'interrupt', nodes: { kind: 'names', names: claimed }, noticeMs: notice })]),
        ...(others === undefined ? [] : handlerSteps(others, given, notice)),
      ],
      notes: [
        ...(claimed.length === 0
          ? []
          : [
              {
                kind: 'assumed' as const,
                text: `Karpenter gets the notice of ${counted(claimed.length, 'node')} and replaces them; --taint assumes a termination handler instead`,
              },
            ]),
        ...(taint === defaultTaint
          ? []
          : [
              { kind: 'assumed' as const, text: `the termination handler taints the nodes with ${formatTaint(given)}` },
            ]),
      ],
    }
  },
})

function handlerSteps(nodes: NodeTarget, taint: Taint, noticeMs: number) {
  return [
    plannedStep({ kind: 'taint', nodes, taint }),
    plannedStep({ kind: 'drain', nodes, options: { force: true } }),
    plannedStep({ kind: 'fail', nodes }, noticeMs),
    plannedStep({ kind: 'remove', nodes }, noticeMs),
  ]
}

function namesIn(target: NodeTarget, { cluster }: ClusterInput): readonly string[] {
  if (target.kind === 'names') return target.names
  const matcher = must(parseLabelSelector(target.kind === 'label' ? `${target.key}=${target.value}` : target.selector))
  return cluster.store
    .list('nodes')
    .filter(({ metadata }) => matcher.matches(metadata.labels))
    .map(({ metadata }) => metadata.name)
}

/** The nodes that Karpenter created. */
function nodesWithClaims(names: readonly string[], { cluster: { store } }: ClusterInput): readonly string[] {
  const claimed = new Set(
    (store.list(nodeClaims) as readonly NodeClaim[]).flatMap(({ status }) => status?.providerID ?? []),
  )
  return names.filter((name) => claimed.has((store.get('nodes', name) as Node | undefined)?.spec?.providerID ?? ''))
}

function withoutNodes(names: readonly string[], without: readonly string[]): NodeTarget | undefined {
  const left = new Set(names)
  for (const name of without) left.delete(name)
  return left.size === 0 ? undefined : { kind: 'names', names: [...left] }
}
