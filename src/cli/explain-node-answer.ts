// The answer of `berth explain node` in a cluster without an autoscaler.
import type { Node } from '../api/objects/node.ts'
import { createDefaultProfile } from '../scheduler/plugins/default-plugins.ts'
import { explainNode, type NodeExplanation } from '../whatif/explain/explain-node.ts'
import { sourceOf } from '../whatif/explain/object-set.ts'
import { counted, listed } from '../whatif/report/phrases.ts'
import { meantName, notFoundText } from '../whatif/scenario/near-names.ts'
import type { ClusterInput } from '../whatif/snapshot/found-cluster.ts'
import { type CommandContext, type ExitCode, exitCodes, wrongQuestion } from './command.ts'
import { untilText } from './durations.ts'
import { anyWidth, choosePalette, type OutputFormat, type TextPalette, toJson, toYaml, wrapLines } from './output.ts'

export function answerPlainNode(
  { cluster }: ClusterInput,
  name: string,
  { options: { output }, stdout, env }: CommandContext<{ readonly output: OutputFormat }>,
): ExitCode {
  const { store, takenAtMs } = cluster
  const names = store.list('nodes').map(({ metadata }) => metadata.name)
  const node = store.get('nodes', meantName(name, names) ?? '') as Node | undefined
  if (node === undefined) throw wrongQuestion(notFoundText('nodes', name, names))
  const answer = explainNode(sourceOf(store), node, createDefaultProfile(), takenAtMs)
  const palette = choosePalette(stdout, env)
  if (output === 'json') stdout.write(toJson(answer))
  else if (output === 'yaml') stdout.write(toYaml(answer))
  else stdout.write(nodeText(answer, takenAtMs, output === 'wide' ? anyWidth(palette) : palette))
  return exitCodes.done
}

function nodeText(answer: NodeExplanation, now: number, palette: TextPalette): string {
  const { paint } = palette
  const { node, ready, message, unschedulable, taints, pods, requested, removal, blockedBy, evictions } = answer
  const state = `${ready ? paint('green', 'ready') : paint('red', 'not ready')}${unschedulable ? ', cordoned' : ''}`
  const blocking = blockedBy.map((each) => `${each.budget} (${counted(each.pods, 'pod')})`)
  const [next] = evictions
  const lines = [
    `${paint('bold', node)}: ${state}, ${counted(pods.all, 'pod')} (${pods.daemons} of DaemonSets), ` +
      `requested: cpu ${requested.cpu.percent}%, memory ${requested.memory.percent}%`,
    ...(message === undefined ? [] : [`  ${message}`]),
    ...(taints.length === 0 ? [] : [`  taints: ${taints.join(', ')}`]),
    removal.fits
      ? '  all pods that must move fit on other nodes'
      : `  cannot be emptied: ${removal.pod} ${removal.reason}`,
    blocking.length === 0
      ? '  no disruption budget blocks an eviction now'
      : `  no eviction is allowed now by ${blocking.length === 1 ? 'the disruption budget' : 'the disruption budgets'} ${listed(blocking)}`,
    ...(next === undefined
      ? []
      : [
          `  evictions by taint: ${counted(evictions.length, 'pod')}, the next, ${next.pod}, ` +
            `${next.at <= now ? 'now' : `in ${untilText(next.at - now)}`} (${next.cause})`,
        ]),
    `Forecast a drain with: berth whatif drain ${node}`,
  ]
  return wrapLines(lines.map((line) => `${line}\n`).join(''), palette)
}
