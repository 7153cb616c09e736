// `berth explain deployment` and `berth explain statefulset`.
import type { Deployment, StatefulSet } from '../api/objects/workloads.ts'
import { type BudgetState, explainWorkload, type WorkloadExplanation } from '../whatif/explain/explain-workload.ts'
import { sourceOf } from '../whatif/explain/object-set.ts'
import { profilesFor } from '../whatif/explain/profiles-for.ts'
import { counted, listed } from '../whatif/report/phrases.ts'
import { notFoundText } from '../whatif/scenario/near-names.ts'
import { clusterOptions, readCluster } from './cluster-input.ts'
import { defineCommand, exitCodes, integer, text, wrongQuestion } from './command.ts'
import { schedulerOptions } from './control-plane-options.ts'
import { explanationText } from './explanation-text.ts'
import { namespacedName } from './namespaced-name.ts'
import { choosePalette, outputOption, printValue, type TextPalette, wrapLines } from './output.ts'
import { readConfig } from './whatif-command.ts'

const kinds = { Deployment: 'deployments.apps', StatefulSet: 'statefulsets.apps' } as const

export const explainDeploymentCommand = workloadCommand('deployment', 'Deployment', 'web')
export const explainStatefulSetCommand = workloadCommand('statefulset', 'StatefulSet', 'db')

function workloadCommand(name: string, kind: keyof typeof kinds, example: string) {
  return defineCommand({
    name,
    summary: `Explain why pods of a ${kind} are not ready, and whether a drain could evict one now`,
    description:
      'Counts the ready pods, groups the pending pods by the reason of their rejection, explains one pod of each group, and tries ' +
      'to evict a pod on a copy of the cluster. Nothing is written.',
    args: [{ name: 'NAME', summary: `Name of the ${kind}, or NAMESPACE/NAME`, takes: 'one' }],
    options: {
      ...clusterOptions(),
      namespace: text({ summary: `Namespace of the ${kind}`, short: 'n', value: 'NAMESPACE', default: 'default' }),
      ...schedulerOptions,
      nodes: integer({ summary: 'Maximum number of nodes to list for each reason', value: 'N', default: 5, min: 0 }),
      output: outputOption(),
    },
    examples: [
      {
        command: `berth explain ${name} ${example}`,
        summary: 'Use the cluster of berth up, or of the current context',
      },
      { command: `berth explain ${name} shop/${example} --from dump.json`, summary: 'Read a snapshot or a dump' },
    ],
    run: async (context) => {
      const { args, options, stdout, env } = context
      const [given = ''] = args
      const [namespace, own] = namespacedName(given, options.namespace)
      const { cluster: found, kubernetes, manifests } = await readCluster(context)
      const resource = kinds[kind]
      const objects = sourceOf(found.store)
      const workload = objects.get(resource, `${namespace}/${own}`) as Deployment | StatefulSet | undefined
      if (workload === undefined) {
        if (manifests.some((each) => each.kind === kind && each.metadata.name === own))
          throw wrongQuestion(`${own} is a manifest and has no pods yet; forecast it with berth whatif apply`)
        const names = objects.list(resource, namespace).map(({ metadata }) => metadata.name)
        throw wrongQuestion(notFoundText(resource, own, names, `namespace ${namespace}`))
      }
      const settings = await readConfig({ ...options, config: undefined }, context, kubernetes)
      const answer = explainWorkload({ found, objects, settings, ...profilesFor(settings, objects), workload, kind })
      printValue(stdout, options.output, answer, () => {
        const limit = options.output === 'wide' ? Number.POSITIVE_INFINITY : options.nodes
        return workloadText(answer, { now: found.takenAtMs, palette: choosePalette(stdout, env), limit })
      })
      return exitCodes.done
    },
  })
}

/** `Deployment default/web` for the id default/Deployment/web. */
function titleOf({ workload }: WorkloadExplanation): string {
  const [namespace, kind, name] = workload.split('/')
  return `${kind} ${namespace}/${name}`
}

function workloadText(
  answer: WorkloadExplanation,
  format: { readonly now: number; readonly palette: TextPalette; readonly limit: number },
): string {
  const { paint } = format.palette
  const { wanted, ready, starting, terminating, missing, pending } = answer
  const color = ready >= wanted ? 'green' : 'yellow'
  const lines = [`${paint('bold', titleOf(answer))}: ${paint(color, `${ready} of ${counted(wanted, 'pod')} ready`)}`]
  if (starting.length > 0) lines.push(`  on a node, but not ready: ${listed(starting)}`)
  if (terminating.length > 0) lines.push(`  terminating: ${listed(terminating)}`)
  if (missing > 0) lines.push(`  not created: ${counted(missing, 'pod')}`)
  for (const { reason, pods } of pending) lines.push(`  pending, ${counted(pods.length, 'pod')}: ${reason}`)
  lines.push(...answer.budgets.map((budget) => `  ${budgetText(budget)}`), `  ${evictionText(answer)}`)
  const explained = pending.map(({ pods, explanation }) =>
    explanation === undefined
      ? ''
      : `\n${explanationText(explanation, format)}${pods.length > 1 ? wrapLines(`${paint('dim', `The reason is the same for ${listed(pods.slice(1))}.`)}\n`, format.palette) : ''}`,
  )
  return `${wrapLines(`${lines.join('\n')}\n`, format.palette)}${explained.join('')}`
}

function budgetText(budget: BudgetState): string {
  const { name, minAvailable, maxUnavailable, currentHealthy, desiredHealthy, disruptionsAllowed } = budget
  const rule = minAvailable === undefined ? `maxUnavailable ${maxUnavailable ?? 0}` : `minAvailable ${minAvailable}`
  return (
    `disruption budget ${name} (${rule}): ${currentHealthy} healthy, ${desiredHealthy} needed, ` +
    `${counted(disruptionsAllowed, 'disruption')} allowed`
  )
}

function evictionText({ eviction, budgets }: WorkloadExplanation): string {
  const none = budgets.length === 0 ? 'no disruption budget: ' : ''
  if (eviction === undefined) return `${none}no pod is on a node, so a drain evicts no pod`
  if (eviction.allowed) return `${none}a drain could evict a pod now, for example ${eviction.pod}`
  return `a drain could not evict a pod now: ${eviction.message}`
}
