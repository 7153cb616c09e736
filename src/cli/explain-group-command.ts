// `berth explain podgroup`.
import type { PodGroup } from '../api/objects/groups.ts'
import { explainGroup, type GroupExplanation, type HierarchyExplanation } from '../whatif/explain/explain-group.ts'
import { counted, listed, span } from '../whatif/report/phrases.ts'
import { notFoundText } from '../whatif/scenario/near-names.ts'
import { clusterOptions, readCluster } from './cluster-input.ts'
import { defineCommand, exitCodes, text, wrongQuestion } from './command.ts'
import { schedulerOptions } from './control-plane-options.ts'
import { namespacedName } from './namespaced-name.ts'
import { choosePalette, outputOption, printValue, type TextPalette, wrapLines } from './output.ts'
import { readConfig } from './whatif-command.ts'

const resource = 'podgroups.scheduling.k8s.io'

export const explainGroupCommand = defineCommand({
  name: 'podgroup',
  summary: 'Explain when a pod group starts, which pods it preempts, and how many nodes it lacks',
  description:
    'Runs the scheduler on a copy of the cluster for ten minutes of virtual time, with hollow kubelets that end the pods that it ' +
    'preempts. Workload controllers do not run, so no other pods are created. Nothing is written. The feature gates of pod groups are on.',
  args: [{ name: 'NAME', summary: 'Name of the PodGroup, or NAMESPACE/NAME', takes: 'one' }],
  options: {
    ...clusterOptions(),
    namespace: text({ summary: 'Namespace of the PodGroup', short: 'n', value: 'NAMESPACE', default: 'default' }),
    ...schedulerOptions,
    output: outputOption(),
  },
  examples: [
    { command: 'berth explain podgroup train', summary: 'Use the cluster of berth up, or of the current context' },
    { command: 'berth explain podgroup ml/train --from dump.json', summary: 'Read a snapshot or a dump' },
  ],
  run: async (context) => {
    const { args, options, stdout, env } = context
    const [given = ''] = args
    const [namespace, name] = namespacedName(given, options.namespace)
    const { cluster: found, kubernetes } = await readCluster(context)
    const group = found.store.get(resource, `${namespace}/${name}`) as PodGroup | undefined
    if (group === undefined) {
      const names = found.store.list(resource).flatMap(({ metadata }) => {
        return metadata.namespace === namespace ? [metadata.name] : []
      })
      throw wrongQuestion(notFoundText('podgroups', name, names, `namespace ${namespace}`))
    }
    const settings = await readConfig({ ...options, config: undefined }, context, kubernetes)
    const answer = explainGroup({ found, settings, group })
    printValue(stdout, options.output, answer, () => groupText(answer, choosePalette(stdout, env)))
    return answer.startsInMs === undefined ? exitCodes.answerIsNo : exitCodes.done
  },
})

function groupText(answer: GroupExplanation, palette: TextPalette): string {
  const { paint } = palette
  const { group, minCount, pods, missing, hierarchy, message, leaving, contested = [], withNodes } = answer
  const lines = [`${paint('bold', group)}: ${stateText(answer, paint)}`]
  lines.push(`  ${counted(pods.length, 'pod')}, ${minCount} needed${missing > 0 ? `; ${missing} not created yet` : ''}`)
  if (hierarchy !== undefined) lines.push(...hierarchyLines(hierarchy))
  if (message !== undefined) lines.push(`  scheduler: ${message}`)
  lines.push(...failureLines(pods))
  for (const { pod, node } of leaving) lines.push(`  leaves: ${pod} (${node})`)
  if (contested.length > 0) {
    lines.push(
      `  depends on timing: DaemonSets recreate ${listed(contested, 3)}, and v1.36 reserves no room for a group that preempts; ` +
        'the group starts only if its pods are bound before the new ones',
    )
  }
  const placed = pods.flatMap(({ pod, node }) => (node === undefined ? [] : [`${pod} on ${node}`]))
  if (placed.length > 0) lines.push(`  placed: ${listed(placed, 10)}`)
  if (withNodes !== undefined) {
    lines.push(`  would start with ${counted(withNodes.count, 'more node')} like ${withNodes.like}`)
  }
  return wrapLines(`${lines.join('\n')}\n`, palette)
}

const shownFailures = 3

/** The pods that no node accepts, without those that only wait for other pods of the group. */
function failureLines(pods: GroupExplanation['pods']): readonly string[] {
  const byMessage = new Map<string, string[]>()
  for (const { pod, node, message = '' } of pods) {
    if (node === undefined && /^\d+\/\d+ nodes are available/.test(message)) {
      byMessage.set(message, [...(byMessage.get(message) ?? []), pod])
    }
  }
  return [...byMessage]
    .slice(0, shownFailures)
    .map(([message, names]) => `  no node for ${listed(names, 3)}: ${message}`)
}

function hierarchyLines({ root, absent, waiting }: HierarchyExplanation): readonly string[] {
  const lines = root === undefined ? [] : [`  part of the composite group ${root}, which starts as a whole`]
  if (absent !== undefined) lines.push(`  waits for the composite group ${absent}, which does not exist`)
  for (const { group, missing } of waiting) lines.push(`  ${group} lacks ${counted(missing, 'pod')}`)
  return lines
}

function stateText({ startsInMs, leaving, missing }: GroupExplanation, paint: TextPalette['paint']): string {
  if (startsInMs === undefined) return paint('yellow', missing > 0 ? 'waits for its pods' : 'does not start')
  if (startsInMs === 0 && leaving.length === 0) return paint('green', 'starts now')
  const after = leaving.length === 0 ? '' : ` after ${counted(leaving.length, 'pod')} left`
  return paint('green', `starts in ${span(startsInMs)}${after}`)
}
