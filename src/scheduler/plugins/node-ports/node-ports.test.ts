import { describe, expect, it } from 'vitest'
import { node, pod } from '../../small-cluster.fixture.ts'
import { verdicts } from '../plugin-answers.fixture.ts'

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
