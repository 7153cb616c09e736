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

describe('NodeDeclaredFeatures', () => {
  it('rejects nodes that do not declare the required features', () => {
    const nodes = [node('new', { status: { declaredFeatures: ['UserNamespacesHostNetworkSupport'] } }), node('old')]
    const missing = "NodeDeclaredFeatures!: node(s) didn't match Pod's required features"
    expect(verdicts({ nodes }, { hostNetwork: true, hostUsers: false })).toEqual({ new: 'ok', old: missing })
    expect(verdicts({ nodes }, { hostNetwork: true })).toEqual({ new: 'ok', old: 'ok' })
  })
})
