import { describe, expect, it } from 'vitest'
import { node } from '../../small-cluster.fixture.ts'
import { verdicts } from '../plugin-answers.fixture.ts'

describe('NodeDeclaredFeatures', () => {
  it('rejects nodes that do not declare the required features', () => {
    const nodes = [node('new', { status: { declaredFeatures: ['UserNamespacesHostNetworkSupport'] } }), node('old')]
    const missing = "NodeDeclaredFeatures!: node(s) didn't match Pod's required features"
    expect(verdicts({ nodes }, { hostNetwork: true, hostUsers: false })).toEqual({ new: 'ok', old: missing })
    expect(verdicts({ nodes }, { hostNetwork: true })).toEqual({ new: 'ok', old: 'ok' })
  })
})
