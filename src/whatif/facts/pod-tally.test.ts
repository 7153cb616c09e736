import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Pod } from '../../api/objects/pod.ts'
import { podStateOf } from '../../api/pod-state.ts'
import { PodTally } from './pod-tally.ts'

const nodeNames = ['', 'n1', 'n2']

const anyPod = fc
  .record({
    node: fc.constantFrom(...nodeNames),
    phase: fc.constantFrom('Pending', 'Running', 'Succeeded', 'Failed'),
    ready: fc.boolean(),
    terminating: fc.boolean(),
    cpu: fc.constantFrom('100m', '250m'),
    given: fc.option(fc.constantFrom('100m', '300m'), { nil: undefined }),
  })
  .map(({ node, phase, ready, terminating, cpu, given }): Pod => {
    const status = { name: 'main', ready, ...(given === undefined ? {} : { resources: { requests: { cpu: given } } }) }
    return {
      metadata: { name: 'p', uid: 'u', ...(terminating ? { deletionTimestamp: '2026-01-01T00:00:00Z' } : {}) },
      spec: { containers: [{ name: 'main', resources: { requests: { cpu } } }], nodeName: node },
      status: {
        phase,
        conditions: [{ type: 'Ready', status: ready ? 'True' : 'False' }],
        containerStatuses: [status],
      },
    } as unknown as Pod
  })

/** Half of the writes do not change the spec. */
const write = fc.record({
  at: fc.nat({ max: 3 }),
  pod: fc.option(anyPod, { nil: undefined }),
  keepsSpec: fc.boolean(),
})

const figures = (tally: PodTally) => ({ states: tally.states, nodes: nodeNames.slice(1).map((node) => tally.on(node)) })

describe('a tally of pods', () => {
  test('a tally of pods equals a new count after any changes', () => {
    fc.assert(
      fc.property(
        fc.array(anyPod, { minLength: 4, maxLength: 4 }),
        fc.array(write, { maxLength: 20 }),
        (first, writes) => {
          const pods = new Map<number, Pod>(first.entries())
          const tally = new PodTally(pods.values())
          for (const { at, pod, keepsSpec } of writes) {
            const before = pods.get(at)
            const after = keepsSpec && pod !== undefined && before !== undefined ? { ...pod, spec: before.spec } : pod
            if (after === undefined) pods.delete(at)
            else pods.set(at, after)
            tally.take(before, after, before && podStateOf(before), after && podStateOf(after))
            expect(figures(tally)).toEqual(figures(new PodTally(pods.values())))
          }
        },
      ),
    )
  })

  test('a tally of pods lists the pods that are missing at the first count', () => {
    const pod = (uid: string, phase: string): Pod =>
      ({ metadata: { name: uid, uid }, spec: { containers: [], nodeName: 'n1' }, status: { phase } }) as unknown as Pod
    expect([...new PodTally([pod('a', 'Pending'), pod('b', 'Succeeded')]).missing]).toEqual(['a'])
  })
})
