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

describe('NodePorts', () => {
  const ports = (hostPort: number) => ({
    containers: [{ name: 'c', ports: [{ containerPort: 80, hostPort }] }],
  })

  it('rejects nodes where a port is in use, as resolvable by preemption', () => {
    const nodes = [node('n1'), node('n2')]
    const pods = [pod('a', { nodeName: 'n1', ...ports(80) })]
    const taken = "NodePorts: node(s) didn't have free ports for the requested pod ports"
    expect(verdicts({ nodes, pods }, ports(80))).toEqual({ n1: taken, n2: 'ok' })
    expect(verdicts({ nodes, pods }, ports(81))).toEqual({ n1: 'ok', n2: 'ok' })
  })
})
