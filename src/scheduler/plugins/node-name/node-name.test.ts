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

describe('NodeName', () => {
  it('rejects all nodes except the named one', () => {
    const refused = "NodeName!: node(s) didn't match the requested node name"
    expect(verdicts({ nodes: [node('n1'), node('n2')] }, { nodeName: 'n2' })).toEqual({ n1: refused, n2: 'ok' })
  })
})
