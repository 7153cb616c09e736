import { describe, expect, it } from 'vitest'
import { node } from '../../small-cluster.fixture.ts'
import { verdicts } from '../plugin-answers.fixture.ts'

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
