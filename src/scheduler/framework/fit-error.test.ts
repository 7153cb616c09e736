import { describe, expect, it } from 'vitest'
import { unresolvable, unschedulable } from '../contract/status.ts'
import { fitErrorMessage } from './fit-error.ts'

describe('fitErrorMessage', () => {
  it('counts reasons over nodes and sorts them as text', () => {
    const counted = [
      { status: unschedulable('Insufficient cpu', 'Insufficient memory'), nodes: 2 },
      { status: unschedulable('Insufficient memory'), nodes: 8 },
      { status: unresolvable('node(s) were unschedulable'), nodes: 1 },
    ]
    expect(fitErrorMessage({ totalNodes: 11, counted })).toBe(
      '0/11 nodes are available: 1 node(s) were unschedulable, 10 Insufficient memory, 2 Insufficient cpu.',
    )
  })

  it('counts nodes that were not evaluated with their common reason', () => {
    const absent = unresolvable("node(s) didn't satisfy plugin(s) [NodeAffinity]")
    const counted = [{ status: unschedulable('Insufficient cpu'), nodes: 1 }]
    expect(fitErrorMessage({ totalNodes: 3, counted, absent })).toBe(
      "0/3 nodes are available: 1 Insufficient cpu, 2 node(s) didn't satisfy plugin(s) [NodeAffinity].",
    )
  })

  it('contains only the PreFilter reason when PreFilter rejected the pod, and appends the PostFilter message', () => {
    const preFilter = unresolvable('pod affinity terms conflict')
    expect(fitErrorMessage({ totalNodes: 3, counted: [], preFilter, postFilterMessage: 'preemption: no' })).toBe(
      '0/3 nodes are available: pod affinity terms conflict. preemption: no',
    )
  })
})
