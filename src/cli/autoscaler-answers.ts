// `berth whatif consolidate` and `berth explain node`: the decisions of the autoscaler about nodes, and their reasons.
import { explainDisruption } from '../whatif/explain/explain-disruption.ts'
import { explainScaleDown, type NodeScaleDown } from '../whatif/explain/explain-scale-down.ts'
import type { ForecastNote } from '../whatif/report/forecast.ts'
import { meantName, notFoundText } from '../whatif/scenario/near-names.ts'
import { autoscalerDumpCommand } from '../whatif/snapshot/snapshot-resources.ts'
import { readAutoscaler } from './autoscaler-input.ts'
import { clusterOptions, readCluster } from './cluster-input.ts'
import { type CommandContext, defineCommand, exitCodes, type OptionValues, text, wrongQuestion } from './command.ts'
import { consolidationText, scaleDownText } from './consolidation-text.ts'
import { answerPlainNode } from './explain-node-answer.ts'
import { outputOption, printValue, toJson, toYaml } from './output.ts'

const options = {
  ...clusterOptions(),
  autoscaler: text({
    summary: 'YAML file with node groups, or with the instance types of Karpenter and their prices',
    value: 'FILE',
  }),
  output: outputOption(),
}

type Context = CommandContext<OptionValues<typeof options>>

async function explain(context: Context) {
  const found = await readCluster(context)
  const { autoscaling, notes } = await readAutoscaler(context.options.autoscaler, found, context)
  const { karpenter, clusterAutoscaler } = autoscaling ?? {}
  const all = [...found.notes, ...notes]
  const common = { found, notes: all }
  if (karpenter !== undefined) return { ...common, karpenter: explainDisruption(found.cluster, karpenter) }
  if (clusterAutoscaler !== undefined) return { ...common, nodes: explainScaleDown(found.cluster, clusterAutoscaler) }
  return common
}

function withoutAutoscaler(): Error {
  return wrongQuestion(
    'the cluster has neither NodePools nor node groups; include them: kubectl get nodepools,nodeclaims,nodes,pods,… -A -o json, ' +
      `or ${autoscalerDumpCommand}`,
  )
}

export const consolidateCommand = defineCommand({
  name: 'consolidate',
  summary: 'Show which nodes the autoscaler would remove now, and why it keeps the others',
  description:
    'Evaluates each disruption reason of Karpenter (Empty, Drifted, Underutilized) for the current state of the cluster, with ' +
    'budgets, PodDisruptionBudgets and do-not-disrupt annotations, and again after each removal, as Karpenter does. -o wide ' +
    'lists every node. With Cluster Autoscaler, lists the unneeded nodes, which are removed after --scale-down-unneeded-time, ' +
    'and what keeps the others.',
  args: [],
  options,
  examples: [
    {
      command: 'berth whatif consolidate --from dump.json --autoscaler catalog.yaml',
      summary: 'Use prices from a catalog, so that cheaper replacements are found',
    },
  ],
  run: async (context) => {
    const answer = await explain(context)
    const { notes } = answer
    if (!('nodes' in answer) && !('karpenter' in answer)) throw withoutAutoscaler()
    if ('nodes' in answer) return answerScaleDown(answer.nodes, notes, context)
    const explanation = answer.karpenter
    const { output } = context.options
    if (output === 'json' || output === 'yaml') {
      const shown = { ...explanation, notes: notes.map(({ text: each }) => each) }
      context.stdout.write(output === 'json' ? toJson(shown) : toYaml(shown))
      return exitCodes.done
    }
    context.stdout.write(consolidationText(explanation, output, context.stdout.columns))
    for (const { text: each } of notes) context.stdout.write(`note: ${each}\n`)
    return exitCodes.done
  },
})

export const explainNodeCommand = defineCommand({
  name: 'node',
  summary: 'Explain why the autoscaler removes, replaces or keeps a node, and what would block its removal',
  description:
    'Prints the decision of Karpenter or Cluster Autoscaler and its reason. Without an autoscaler, prints the state of the node, whether its pods fit ' +
    'on other nodes, the disruption budgets that allow no eviction now, and the evictions that its taints cause. Nothing is written.',
  args: [{ name: 'NAME', summary: 'Name of the node', takes: 'one' }],
  options,
  examples: [{ command: 'berth explain node a1 --from dump.json', summary: 'Explain a node of a dump' }],
  run: async (context) => {
    const given = context.args[0] ?? ''
    const answer = await explain(context)
    if (!('nodes' in answer) && !('karpenter' in answer)) return answerPlainNode(answer.found, given, context)
    const nodes = 'nodes' in answer ? answer.nodes : answer.karpenter.nodes
    const names = nodes.map((each) => each.node)
    const name = meantName(given, names)
    const node = nodes.find((each) => each.node === name)
    const who = 'nodes' in answer ? 'Cluster Autoscaler' : 'Karpenter'
    if (node === undefined)
      throw wrongQuestion(notFoundText('nodes' in answer ? 'nodes' : 'nodes of Karpenter', given, names))
    const { output } = context.options
    printValue(context.stdout, output, node, () => {
      const verb = { keep: 'keeps', remove: 'removes', replace: 'replaces' }[node.decision]
      return `${who} ${verb} node ${name}: ${node.reason}
`
    })
    return exitCodes.done
  },
})

function answerScaleDown(nodes: readonly NodeScaleDown[], notes: readonly ForecastNote[], context: Context) {
  const { output } = context.options
  const { stdout } = context
  if (output === 'json' || output === 'yaml') {
    const shown = { nodes, notes: notes.map(({ text: each }) => each) }
    stdout.write(output === 'json' ? toJson(shown) : toYaml(shown))
    return exitCodes.done
  }
  stdout.write(scaleDownText(nodes, output, stdout.columns))
  for (const { text: each } of notes) stdout.write(`note: ${each}\n`)
  return exitCodes.done
}
