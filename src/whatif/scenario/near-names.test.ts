import { describe, expect, it } from 'vitest'
import { nameHint } from './near-names.ts'

const nodes = ['node-1', 'node-2', 'node-13', 'gke-prod-a1', 'gke-prod-b1']

describe('a name that nobody has', () => {
  it.each([
    ['a letter is missing', 'nod-1', 'did you mean node-1?'],
    ['two letters are swapped', 'ndoe-2', 'did you mean node-2?'],
    ['only the end is given', 'prod-a1', 'did you mean gke-prod-a1?'],
    ['it may be several', 'node-3', 'did you mean node-1, node-13, node-2?'],
    ['it is like none', 'worker', 'there are node-1, node-2 and 3 more'],
  ])('%s', (_, given, hint) => {
    expect(nameHint(given, nodes, 3)).toBe(hint)
  })

  it('says when there is nothing to choose from', () => {
    expect(nameHint('x', [])).toBe('there is none')
  })
})
