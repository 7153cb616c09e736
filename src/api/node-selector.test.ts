import { describe, expect, it } from 'vitest'
import { compilePreferredTerms, NodeMatcher, RequiredNodeAffinity } from './node-selector.ts'
import type { NodeSelectorRequirement, NodeSelectorTerm } from './objects/node.ts'
import type { Pod } from './objects/pod.ts'

const labels = { zone: 'a', cpus: '8' }

function match(...terms: readonly NodeSelectorTerm[]) {
  return new NodeMatcher({ nodeSelectorTerms: terms }).match(labels, 'node-1')
}
const label = (key: string, operator: string, ...values: readonly string[]): NodeSelectorTerm => ({
  matchExpressions: [{ key, operator: operator as NodeSelectorRequirement['operator'], values }],
})
const field = (operator: string, ...values: readonly string[]): NodeSelectorTerm => ({
  matchFields: [{ key: 'metadata.name', operator: operator as NodeSelectorRequirement['operator'], values }],
})

describe('NodeMatcher', () => {
  it.each<[string, readonly NodeSelectorTerm[], boolean]>([
    ['a selector without terms matches no node', [], false],
    ['an empty term matches no node', [{}], false],
    ['one of several terms matches', [label('zone', 'In', 'b'), label('zone', 'In', 'a')], true],
    ['one requirement of a term does not match', [{ ...label('zone', 'In', 'a'), ...field('In', 'node-2') }], false],
    ['Gt compares integers', [label('cpus', 'Gt', '7')], true],
    ['Lt compares integers', [label('cpus', 'Lt', '8')], false],
    ['Gt of a label that is not an integer does not match', [label('zone', 'Gt', '1')], false],
    ['Exists', [label('zone', 'Exists')], true],
    ['DoesNotExist', [label('zone', 'DoesNotExist')], false],
    ['NotIn holds for an absent label', [label('rack', 'NotIn', 'x')], true],
    ['a field requires the name', [field('In', 'node-1')], true],
    ['a field excludes the name', [field('NotIn', 'node-1')], false],
  ])('matches nodes by node selector terms: %s', (_, terms, matched) => {
    expect(match(...terms)).toEqual({ matched })
  })

  it('ignores an invalid term if another matches, and reports it otherwise', () => {
    expect(match(label('zone', 'Weird'), label('zone', 'In', 'a'))).toEqual({ matched: true })
    expect(match(label('zone', 'Weird'), label('zone', 'In', 'b'))).toEqual({
      matched: false,
      error:
        'nodeSelectorTerms[0].matchExpressions[0].operator: Unsupported value: "Weird": supported values: "In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"',
    })
    expect(match(field('In', 'a', 'b')).error).toBe(
      'nodeSelectorTerms[0].matchFields[0].values: Invalid value: ["a","b"]: must have one element',
    )
  })

  it('reports whether the result depends on labels only', () => {
    expect(new NodeMatcher({ nodeSelectorTerms: [label('zone', 'Exists')] }).labelsOnly).toBe(true)
    expect(new NodeMatcher({ nodeSelectorTerms: [field('In', 'a')] }).labelsOnly).toBe(false)
  })
})

describe('RequiredNodeAffinity', () => {
  const pod = (spec: Partial<Pod['spec']>): Pod => ({ metadata: { name: 'p' }, spec: { containers: [], ...spec } })
  const affinity = (...terms: readonly NodeSelectorTerm[]) => ({
    nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: terms } },
  })

  it.each<[string, Partial<Pod['spec']>, boolean]>([
    ['no selector and no affinity', {}, true],
    ['the node selector matches', { nodeSelector: { zone: 'a' } }, true],
    [
      'the node selector does not match',
      { nodeSelector: { zone: 'b' }, affinity: affinity(label('zone', 'In', 'a')) },
      false,
    ],
    [
      'the affinity does not match',
      { nodeSelector: { zone: 'a' }, affinity: affinity(label('zone', 'In', 'b')) },
      false,
    ],
    ['both match', { nodeSelector: { zone: 'a' }, affinity: affinity(label('zone', 'In', 'a')) }, true],
    ['an affinity without terms matches no node', { affinity: affinity() }, false],
  ])('matches required node affinity: %s', (_, spec, matched) => {
    const required = new RequiredNodeAffinity(pod(spec))
    expect(required.matches(labels, 'node-1')).toBe(matched)
    expect(required.match(labels, 'node-1')).toEqual({ matched })
  })
})

describe('compilePreferredTerms', () => {
  it('omits preferred terms that have no effect', () => {
    const terms = compilePreferredTerms([
      { weight: 5, preference: label('zone', 'In', 'a') },
      { weight: 0, preference: label('zone', 'In', 'a') },
      { weight: 3, preference: {} },
    ])
    expect(terms.map(({ weight, term }) => [weight, term.matches(labels, 'node-1')])).toEqual([[5, true]])
  })
})
