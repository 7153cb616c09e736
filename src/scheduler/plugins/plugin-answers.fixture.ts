import { expect } from 'vitest'
import type { PodDisruptionBudget } from '../../api/objects/pod.ts'
import type { PluginStatus } from '../contract/contract.ts'
import { type ClusterWords, createSmallCluster, node, type PodWords, pod } from '../small-cluster.fixture.ts'
import { createDefaultProfile } from './default-plugins.ts'
import type { ScoringStrategy } from './node-resources-fit/allocation.ts'

// For tests: the answers of the plain evaluator, after checking that the columnar evaluator gives the same.

export const zone = 'topology.kubernetes.io/zone'
export const hostname = 'kubernetes.io/hostname'

/** Two nodes in zone a, one in zone b, one without a zone. */
export const zoned = [
  node('a1', { labels: { [zone]: 'a' } }),
  node('a2', { labels: { [zone]: 'a' } }),
  node('b1', { labels: { [zone]: 'b' } }),
  node('nowhere'),
]

/** The feasible nodes, and the statuses of the rejected nodes. */
export function answersFor(
  words: ClusterWords,
  pending: PodWords,
): { readonly feasible: readonly string[]; readonly rejected: ReadonlyMap<string, PluginStatus> } {
  const cluster = createSmallCluster(words)
  const asked = pod('asked', pending)
  const { feasible, rejected } = cluster.explain(asked)
  const result = cluster.schedule(asked)
  if (feasible.length > 0) expect(result).toMatchObject({ kind: 'placed', feasible: feasible.length })
  else expect(result.kind === 'unschedulable' && result.diagnosis?.rejected()).toEqual(rejected)
  return { feasible, rejected }
}

/** `ok` for each feasible node, and the rejection of each other node: `!` marks unresolvable ones. */
export function verdicts(words: ClusterWords, pending: PodWords): Record<string, string> {
  const { feasible, rejected } = answersFor(words, pending)
  const refused = [...rejected].map(([name, { plugin, code, reasons }]) => [
    name,
    `${plugin}${code === 'Unschedulable' ? '' : '!'}: ${reasons.join(', ')}`,
  ])
  return Object.fromEntries([...feasible.map((name) => [name, 'ok']), ...refused])
}

/** The feasible nodes and the rejections for a pod with the label app=web. */
export function places(
  words: ClusterWords,
  pending: PodWords,
): { readonly feasible: readonly string[]; readonly refused: object } {
  const { feasible, rejected } = answersFor(words, { labels: { app: 'web' }, ...pending })
  const refused = Object.fromEntries([...rejected].map(([name, { code, reasons }]) => [name, `${code}: ${reasons}`]))
  return { feasible, refused }
}

/** The weighted scores of a plugin by node, for a pod with the label app=web. */
export function scoresOf(words: ClusterWords, plugin: string, pending: PodWords): Record<string, number | undefined> {
  const cluster = createSmallCluster(words)
  const asked = pod('asked', { labels: { app: 'web' }, ...pending })
  const { scores } = cluster.explain(asked)
  const best = Math.max(...scores.map(({ total }) => total))
  const result = cluster.schedule(asked)
  expect(scores.find((one) => result.kind === 'placed' && one.node === result.node)?.total).toBe(best)
  return Object.fromEntries(scores.map(({ node: name, plugins }) => [name, plugins[plugin]]))
}

/** The scores of an empty node, a half-used node and a node without CPU, if they are feasible; -1: not scored. */
export function resourceScores(
  plugin: string,
  scoringStrategy: ScoringStrategy | undefined,
  words: PodWords,
): number[] {
  const profile = createDefaultProfile(scoringStrategy && { args: { NodeResourcesFit: { scoringStrategy } } })
  const nodes = [node('empty'), node('half'), node('bare', { allocatable: { cpu: '0' } })]
  const pods = [pod('a', { cpu: '2', memory: '4Gi', nodeName: 'half' })]
  return Object.values(scoresOf({ nodes, pods, profile }, plugin, words)).map((score) => score ?? -1)
}

export function budget(
  app: string,
  disruptionsAllowed: number,
  disrupted: readonly string[] = [],
): PodDisruptionBudget {
  return {
    metadata: { name: `budget-${app}`, namespace: 'default' },
    spec: { selector: { matchLabels: { app } } },
    status: {
      disruptionsAllowed,
      currentHealthy: 1,
      desiredHealthy: 1,
      expectedPods: 1,
      disruptedPods: Object.fromEntries(disrupted.map((name) => [name, '2026-01-01T00:00:00Z'])),
    },
  }
}
