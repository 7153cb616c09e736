import { describe, expect, it } from 'vitest'
import { node } from '../../small-cluster.fixture.ts'
import { verdicts } from '../plugin-answers.fixture.ts'

describe('NodeName', () => {
  it('rejects all nodes except the named one', () => {
    const refused = "NodeName!: node(s) didn't match the requested node name"
    expect(verdicts({ nodes: [node('n1'), node('n2')] }, { nodeName: 'n2' })).toEqual({ n1: refused, n2: 'ok' })
  })
})
