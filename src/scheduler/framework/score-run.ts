import type { AnyPlugin, ClusterState, NodeScores, NodeState, ParsedPod, Profile } from '../contract/contract.ts'
import { messageOf } from '../contract/status.ts'
import { maxScore } from './normalize.ts'

export type ScoreOutcome =
  | { readonly kind: 'scored'; readonly scores: readonly NodeScores[] }
  | { readonly kind: 'error'; readonly message: string }

/** Runs every Score plugin on every feasible node (v1.36, framework/runtime RunScorePlugins). */
export function scoreNodes(
  profile: Profile,
  pod: ParsedPod,
  nodes: readonly NodeState[],
  cluster: ClusterState,
): ScoreOutcome {
  const states = new Map<AnyPlugin, unknown>()
  const skipped = new Set<AnyPlugin>()
  /** Plugins that skip, but score 0 on every node because their PreScore is not in the profile. */
  const idle = new Set<AnyPlugin>()
  for (const plugin of new Set([...profile.preScore, ...profile.score.map(({ plugin }) => plugin)])) {
    if (lacksPreScore(profile, plugin)) continue
    const answer = plugin.preScore?.(pod, nodes, cluster)
    if (answer === undefined) continue
    if ('state' in answer) states.set(plugin, answer.state)
    else if (answer.code === 'Skip') (profile.preScore.includes(plugin) ? skipped : idle).add(plugin)
    else if (answer.code !== 'Success') {
      return { kind: 'error', message: `running PreScore plugin "${plugin.name}": ${messageOf(answer)}` }
    }
  }
  const unprepared = profile.score.find((one) => lacksPreScore(profile, one.plugin) && !skipped.has(one.plugin))?.plugin
  if (unprepared !== undefined) {
    const { name, withoutPreScore } = unprepared
    return { kind: 'error', message: `running Score plugins: plugin "${name}" failed with: ${withoutPreScore}` }
  }
  const totals = new Float64Array(nodes.length)
  const byPlugin = nodes.map((): Record<string, number> => ({}))
  for (const { plugin, weight } of profile.score) {
    if (skipped.has(plugin) || plugin.score === undefined) continue
    const state = states.get(plugin)
    const scores = idle.has(plugin)
      ? new Float64Array(nodes.length)
      : Float64Array.from(nodes, (node) => plugin.score?.(pod, node, state) ?? 0)
    if (!idle.has(plugin)) plugin.normalize?.(scores, nodes, pod, state)
    for (const [i, score] of scores.entries()) {
      if (score < 0 || score > maxScore) return { kind: 'error', message: invalidScore(plugin.name, score) }
      totals[i] = (totals[i] as number) + score * weight
      ;(byPlugin[i] as Record<string, number>)[plugin.name] = score * weight
    }
  }
  const scores = nodes.map(({ name }, i) => ({
    node: name,
    total: totals[i] as number,
    plugins: byPlugin[i] as Record<string, number>,
  }))
  return { kind: 'scored', scores }
}

/** Reports whether the profile has Score of the plugin without its required PreScore. */
export function lacksPreScore({ preScore }: Profile, plugin: AnyPlugin): boolean {
  return plugin.withoutPreScore !== undefined && !preScore.includes(plugin)
}

function invalidScore(plugin: string, score: number): string {
  return (
    `applying score defaultWeights on Score plugins: plugin "${plugin}" returns an invalid score ${score}, ` +
    `it should in the range of [0, ${maxScore}] after normalizing`
  )
}
