import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compactLabels, compactPods } from '../../src/controlplane/console/compact-rows.ts'
import type { LabelSet, PodRow } from '../../src/wire/console-wire.ts'
import { expandLabels, expandPods } from './compact-rows.ts'
import type { Labels } from './label-selector.ts'

const nodes = ['node-1', 'node-2', 'node-3']
const placeOf = new Map(nodes.map((name, at) => [name, at]))

/** Few values for each cell, so that many pods share most of them. */
const podRows: fc.Arbitrary<readonly PodRow[]> = fc.uniqueArray(
  fc
    .tuple(
      fc.constantFrom('web-', 'web-7-', 'a-b/', 'x'),
      fc.stringMatching(/^[a-z0-9-]{1,4}$/),
      fc.constantFrom('', 'gone', ...nodes),
      fc.constantFrom(0, 3, 5),
      fc.constantFrom(100, 200),
      fc.constantFrom(1_000, 1_500, 900),
      fc.constantFrom('', 'ReplicaSet/web'),
      fc.constantFrom([], ['Init:0/1'], ['', 2], ['', 0, 1]),
    )
    .map(
      ([prefix, name, node, state, cpu, created, owner, rest]) =>
        [`shop/${prefix}${name}`, node, state, cpu, 64, 0, created, 1, owner, '', 0, ...rest] as unknown as PodRow,
    ),
  { selector: ([key]) => key, maxLength: 30 },
)

describe('compact rows', () => {
  it('keeps every cell of every pod that is sent as a difference', () => {
    fc.assert(
      fc.property(podRows, (pods) => {
        const { rows, like } = compactPods(pods, placeOf)
        const read = [...rows, ...like.flatMap((one) => [...expandPods(one, nodes)])]
        const byKey = (a: PodRow, b: PodRow) => (a[0] < b[0] ? -1 : 1)
        expect(read.sort(byKey)).toEqual([...pods].sort(byKey))
      }),
    )
  })

  it('sends three values for each pod of a ReplicaSet', () => {
    const pod = (name: string, node: string, created: number): PodRow =>
      [`shop/web-7-${name}`, node, 3, 100, 64, 0, created, 1, 'ReplicaSet/web-7', '', 0] as PodRow
    const { rows, like } = compactPods([pod('aa', 'node-1', 1_000), pod('bb', 'node-3', 1_250)], placeOf)
    expect(rows).toEqual([])
    expect(like).toEqual([
      [
        ['shop/web-7-', '', 3, 100, 64, 0, 1_000, 1, 'ReplicaSet/web-7', '', 0],
        ['aa', 0, 0, 'bb', 2, 250],
      ],
    ])
  })

  it('keeps every label of label sets that are sent as differences', () => {
    const labels = fc.dictionary(fc.constantFrom('zone', 'pool', 'host', '__proto__'), fc.constantFrom('a', 'b', 'c'))
    fc.assert(
      fc.property(fc.array(labels, { maxLength: 20 }), (all) => {
        const sets = all.map((one, at): LabelSet => [at + 1, one])
        const known = new Map<number, Labels>()
        for (const set of JSON.parse(JSON.stringify([...compactLabels(sets)])) as LabelSet[])
          known.set(set[0], expandLabels(set, known))
        expect([...known.values()].map((one) => Object.entries(one).sort())).toEqual(
          all.map((one) => Object.entries(one).sort()),
        )
      }),
    )
  })

  it('sends only the host name for the label set of a node', () => {
    const sets: LabelSet[] = [
      [1, { host: 'a', zone: 'z', os: 'linux' }],
      [2, { host: 'b', zone: 'z', os: 'linux' }],
    ]
    expect([...compactLabels(sets)]).toEqual([sets[0], [2, { host: 'b' }, 1]])
  })
})
