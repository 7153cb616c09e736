// `berth whatif consolidate` and `berth explain node`: what Karpenter decides about nodes now, and why.
import { explainDisruption, type NodeDisruption } from '../whatif/explain/explain-disruption.ts'
import { notFoundText } from '../whatif/scenario/near-names.ts'
import { clusterOptions, readCluster } from './cluster-input.ts'
import { type CommandContext, defineCommand, exitCodes, type OptionValues, text, wrongQuestion } from './command.ts'
import { outputOption, renderTable, toJson, toYaml } from './output.ts'
import { readAutoscaler } from './whatif-command.ts'

const options = {
  ...clusterOptions(),
  autoscaler: text({ summary: 'YAML file with the instance types of Karpenter and their prices', value: 'FILE' }),
  output: outputOption(),
}

type Context = CommandContext<OptionValues<typeof options>>

async function explain(context: Context) {
  const found = await readCluster(context)
  const { autoscaling, notes } = await readAutoscaler(context.options.autoscaler, found, context)
  if (autoscaling?.karpenter === undefined)
    throw wrongQuestion(
      'the cluster has no NodePools; include them: kubectl get nodepools,nodeclaims,nodes,pods,… -A -o json',
    )
  return { explanation: explainDisruption(found.cluster, autoscaling.karpenter), notes: [...found.notes, ...notes] }
}

export const consolidateCommand = defineCommand({
  name: 'consolidate',
  summary: 'Show which nodes Karpenter would remove now, and why it keeps the others',
  description:
    'Asks every reason for disruption of Karpenter (Empty, Drifted, Underutilized) for its decision on the current state of the ' +
    'cluster, with budgets, PodDisruptionBudgets and do-not-disrupt annotations. Each removal is the first of its reason: ' +
    'Karpenter carries out one at a time and then decides again.',
  args: [],
  options,
  examples: [
    {
      command: 'berth whatif consolidate --from dump.json --autoscaler catalog.yaml',
      summary: 'With prices from a catalog, so that cheaper replacements are found',
    },
  ],
  run: async (context) => {
    const { explanation, notes } = await explain(context)
    const { output } = context.options
    if (output === 'json' || output === 'yaml') {
      const answer = { ...explanation, notes: notes.map(({ text: each }) => each) }
      context.stdout.write(output === 'json' ? toJson(answer) : toYaml(answer))
      return exitCodes.done
    }
    const lines = explanation.removals.map(({ reason, nodes, replacement, savingsPerHour }) => {
      const what = replacement.length === 0 ? 'deletes' : `replaces with one of ${replacement.slice(0, 5).join(', ')}`
      const saved = explanation.pricePerHour > 0 ? `, saves ${savingsPerHour.toFixed(4)} per hour` : ''
      return `${reason}: ${what} ${nodes.join(', ')}${saved}\n`
    })
    context.stdout.write(lines.length === 0 ? 'Karpenter removes no node now.\n' : lines.join(''))
    context.stdout.write(`\n${table(explanation.nodes)}`)
    for (const { text: each } of notes) context.stdout.write(`note: ${each}\n`)
    return exitCodes.done
  },
})

export const explainNodeCommand = defineCommand({
  name: 'node',
  summary: 'Explain why Karpenter removes, replaces or keeps a node',
  args: [{ name: 'NAME', summary: 'Name of the node', takes: 'one' }],
  options,
  examples: [{ command: 'berth explain node a1 --from dump.json', summary: 'Explain a node of a dump' }],
  run: async (context) => {
    const name = context.args[0] ?? ''
    const { explanation } = await explain(context)
    const node = explanation.nodes.find((each) => each.node === name)
    if (node === undefined)
      throw wrongQuestion(
        notFoundText(
          'nodes of Karpenter',
          name,
          explanation.nodes.map((each) => each.node),
        ),
      )
    const { output } = context.options
    if (output === 'json') context.stdout.write(toJson(node))
    else if (output === 'yaml') context.stdout.write(toYaml(node))
    else {
      const verb = { keep: 'keeps', remove: 'removes', replace: 'replaces' }[node.decision]
      context.stdout.write(`Karpenter ${verb} node ${name}: ${node.reason}\n`)
    }
    return exitCodes.done
  },
})

function table(nodes: readonly NodeDisruption[]): string {
  const hasPrices = nodes.some(({ pricePerHour }) => pricePerHour > 0)
  return renderTable(
    [
      { header: 'NODE', cell: ({ node }: NodeDisruption) => node },
      { header: 'NODEPOOL', cell: ({ pool }) => pool },
      { header: 'TYPE', cell: ({ type }) => type },
      { header: 'ZONE', cell: ({ zone }) => zone },
      { header: 'CAPACITY', cell: ({ capacityType }) => capacityType },
      ...(hasPrices ? [{ header: 'PRICE/H', cell: ({ pricePerHour }: NodeDisruption) => String(pricePerHour) }] : []),
      { header: 'DECISION', cell: ({ decision }) => decision },
      { header: 'REASON', cell: ({ reason }) => reason },
    ],
    nodes,
  )
}
