import { describe, expect, it } from 'vitest'
import { type ClusterWords, createSmallCluster, node, type PodWords, pod } from '../../small-cluster.fixture.ts'

/** Why each node was refused, and `ok` where it was not; the columns have to agree. */
function verdicts(words: ClusterWords, pending: PodWords): Record<string, string> {
  const cluster = createSmallCluster(words)
  const asked = pod('asked', pending)
  const { feasible, rejected } = cluster.explain(asked)
  const result = cluster.schedule(asked)
  if (feasible.length > 0) expect(result).toMatchObject({ kind: 'placed', feasible: feasible.length })
  else expect(result.kind === 'unschedulable' && result.diagnosis?.rejected()).toEqual(rejected)
  const refused = [...rejected].map(([name, { plugin, code, reasons }]) => [
    name,
    `${plugin}${code === 'Unschedulable' ? '' : '!'}: ${reasons.join(', ')}`,
  ])
  return Object.fromEntries([...feasible.map((name) => [name, 'ok']), ...refused])
}

describe('NodeUnschedulable', () => {
  const nodes = [node('open'), node('cordoned', { spec: { unschedulable: true } })]

  it('rejects cordoned nodes', () => {
    expect(verdicts({ nodes }, {})).toEqual({ open: 'ok', cordoned: 'NodeUnschedulable!: node(s) were unschedulable' })
  })

  it('accepts cordoned nodes for pods that tolerate the unschedulable taint, even if the node does not have it', () => {
    const tolerations = [{ key: 'node.kubernetes.io/unschedulable', operator: 'Exists' as const }]
    expect(verdicts({ nodes }, { tolerations })).toEqual({ open: 'ok', cordoned: 'ok' })
  })
})
