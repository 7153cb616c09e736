import { describe, expect, it } from 'vitest'
import type { Pod } from '../../api/objects/pod.ts'
import type { ParsedPod } from '../contract/contract.ts'
import { clearNomination } from '../contract/post-filter.ts'
import { PodNominator } from './nominator.ts'

function pod(name: string, nominated?: string, assigned?: string): ParsedPod {
  const source: Pod = {
    metadata: { name, namespace: 'default', uid: `uid-${name}` },
    spec: { containers: [], ...(assigned !== undefined && { nodeName: assigned }) },
    status: nominated === undefined ? {} : { nominatedNodeName: nominated },
  }
  const known = { key: `default/${name}`, uid: `uid-${name}`, priority: 0, isTerminating: false }
  return { ...known, pod: source, shape: undefined as never }
}

function nominations(nominator: PodNominator): Record<string, string[]> {
  const nodes = [...nominator.nominatedNodes()]
  return Object.fromEntries(
    nodes.map((node) => [node, nominator.nominatedPodsFor(node).map((p) => p.pod.metadata.name)]),
  )
}

describe('add', () => {
  it('prefers the explicit node to the node in the status', () => {
    const nominator = new PodNominator()
    nominator.add(pod('a', 'status-node'), { kind: 'set', node: 'explicit-node' })
    expect(nominations(nominator)).toEqual({ 'explicit-node': ['a'] })
  })

  it('uses the node in the status without an explicit node', () => {
    const nominator = new PodNominator()
    nominator.add(pod('a', 'status-node'))
    expect(nominator.nodeOf('uid-a')).toBe('status-node')
  })

  it('does not nominate a pod without a node', () => {
    const nominator = new PodNominator()
    nominator.add(pod('a'))
    expect(nominator.size).toBe(0)
  })

  it('stores a pod only once', () => {
    const nominator = new PodNominator()
    nominator.add(pod('a', 'n1'))
    nominator.add(pod('a', 'n2'))
    expect(nominations(nominator)).toEqual({ n2: ['a'] })
  })

  it('removes the nomination on request regardless of the status', () => {
    const nominator = new PodNominator()
    nominator.add(pod('a', 'n1'))
    nominator.add(pod('a', 'n1'), clearNomination)
    expect(nominations(nominator)).toEqual({})
  })

  it.each([
    ['does not exist', undefined],
    ['is already assigned', pod('a', undefined, 'n9').pod],
  ])('ignores a pod that %s', (_, current) => {
    const nominator = new PodNominator(() => current)
    nominator.add(pod('a', 'n1'))
    expect(nominator.size).toBe(0)
  })

  it('lists the pods of a node in the order of nomination', () => {
    const nominator = new PodNominator()
    for (const name of ['b', 'a', 'c']) nominator.add(pod(name, 'n1'))
    nominator.delete('uid-a')
    expect(nominations(nominator)).toEqual({ n1: ['b', 'c'] })
  })
})

describe('update', () => {
  const cases: [string, { before?: string; after?: string; held?: string }, string | undefined][] = [
    ['keeps a nomination in memory when neither status has a node', { held: 'n1' }, 'n1'],
    ['uses the node of the status when it is set for the first time', { held: 'n1', after: 'n2' }, 'n2'],
    ['uses a changed node of the status', { held: 'n1', before: 'n1', after: 'n2' }, 'n2'],
    ['drops the nomination when the status drops it', { held: 'n1', before: 'n1' }, undefined],
    ['does nothing when neither status has a node', {}, undefined],
  ]
  it.each(cases)('an update %s', (_, { before, after, held }, expected) => {
    const nominator = new PodNominator()
    if (held !== undefined) nominator.add(pod('a'), { kind: 'set', node: held })
    nominator.update(pod('a', before).pod, pod('a', after))
    expect(nominator.nodeOf('uid-a')).toBe(expected)
  })

  it('replaces the pod even if its nomination is unchanged', () => {
    const nominator = new PodNominator()
    nominator.add(pod('a'), { kind: 'set', node: 'n1' })
    const newer = pod('a')
    nominator.update(pod('a').pod, newer)
    expect(nominator.nominatedPodsFor('n1')).toEqual([newer])
    expect(nominator.nominatedPodsFor('n1')[0]).toBe(newer)
  })
})

it('increases the version with every change, and only with a change', () => {
  const nominator = new PodNominator()
  nominator.delete('uid-a')
  expect(nominator.version).toBe(0)
  nominator.add(pod('a', 'n1'))
  const added = nominator.version
  nominator.delete('uid-a')
  expect(added).toBeGreaterThan(0)
  expect(nominator.version).toBeGreaterThan(added)
})

it('returns the nodes that changed since a version, and undefined when the log is too short', () => {
  const nominator = new PodNominator()
  nominator.add(pod('a', 'n1'))
  const seen = nominator.version
  nominator.add(pod('b', 'n2'))
  nominator.delete('uid-a')
  expect(nominator.changedSince(seen)).toEqual(['n2', 'n1'])
  expect(nominator.changedSince(nominator.version)).toEqual([])
  for (let i = 0; i < 2_000; i++) nominator.add(pod('c', `n${i}`))
  expect(nominator.changedSince(seen)).toBeUndefined()
})
