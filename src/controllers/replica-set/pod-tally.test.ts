import fc from 'fast-check'
import { expect, it } from 'vitest'
import { isPodReady } from '../../api/conditions.ts'
import { deepEqual } from '../../api/equality.ts'
import type { Pod } from '../../api/objects/pod.ts'
import type { ReplicaSet } from '../../api/objects/workloads.ts'
import { isPodActive, isPodTerminating } from '../pod-activity.ts'
import { type PodCounts, PodTally } from './pod-tally.ts'

const sets: readonly ReplicaSet[] = ['one', 'two'].map((name) => ({
  metadata: { name, namespace: 'x', uid: `uid-${name}` },
  spec: {
    selector: { matchLabels: { app: name } },
    template: { metadata: { labels: { app: name, tier: 'front' } }, spec: { containers: [] } },
  },
}))

const podArbitrary = fc
  .record({
    owner: fc.constantFrom('one', 'two', undefined),
    app: fc.constantFrom('one', 'two'),
    tier: fc.constantFrom('front', undefined),
    phase: fc.constantFrom('Pending', 'Running', 'Succeeded', 'Failed'),
    ready: fc.boolean(),
    deleting: fc.boolean(),
  })
  .map(
    ({ owner, app, tier, phase, ready, deleting }): Omit<Pod, 'metadata'> & { metadata: Partial<Pod['metadata']> } => ({
      metadata: {
        labels: { app, ...(tier === undefined ? {} : { tier }) },
        ...(deleting ? { deletionTimestamp: '2026-01-01T00:00:00Z' } : {}),
        ...(owner === undefined
          ? {}
          : {
              ownerReferences: [
                { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: owner, uid: `uid-${owner}`, controller: true },
              ],
            }),
      },
      spec: { containers: [] },
      status: { phase: phase as 'Running', conditions: [{ type: 'Ready', status: ready ? 'True' : 'False' }] },
    }),
  )

function recount(set: ReplicaSet, pods: readonly Pod[]): PodCounts {
  const own = pods.filter((pod) => pod.metadata.ownerReferences?.[0]?.uid === set.metadata.uid)
  const selected = own.filter((pod) => pod.metadata.labels?.app === set.metadata.name)
  const active = selected.filter(isPodActive)
  return {
    active: active.length,
    ready: active.filter(isPodReady).length,
    labeled: active.filter((pod) => pod.metadata.labels?.tier === 'front').length,
    terminating: selected.filter(isPodTerminating).length,
    strays: own.filter((pod) => isPodActive(pod) && pod.metadata.labels?.app !== set.metadata.name).length,
  }
}

const pick = ({ active, ready, labeled, terminating, strays }: PodCounts): PodCounts => ({
  active,
  ready,
  labeled,
  terminating,
  strays,
})

it('a tally of pods that is updated with changes equals a tally from scratch', () => {
  const changes = fc.array(
    fc.record({
      name: fc.constantFrom('a', 'b', 'c', 'd'),
      // The deletion of a pod and the creation of a pod with the same name may arrive as one change.
      life: fc.constantFrom(1, 2),
      after: fc.option(podArbitrary, { nil: undefined }),
    }),
    { maxLength: 30 },
  )
  fc.assert(
    fc.property(changes, fc.nat(30), fc.boolean(), (steps, firstAsked, isExpected) => {
      const tally = new PodTally()
      const pods = new Map<string, Pod>()
      if (isExpected) for (const set of sets) tally.expect(`x/${set.metadata.name}`, set)
      const ask = () => {
        for (const set of sets) {
          const all = [...pods.values()]
          const own = () => {
            expect(isExpected).toBe(false)
            return all.filter((pod) => pod.metadata.ownerReferences?.[0]?.uid === set.metadata.uid)
          }
          expect(pick(tally.counts(`x/${set.metadata.name}`, set, own))).toEqual(recount(set, all))
        }
      }
      steps.forEach(({ name, life, after }, i) => {
        const key = `x/${name}`
        const before = pods.get(key)
        const countsBefore = sets.map((set) => recount(set, [...pods.values()]))
        const identity = { name, namespace: 'x', uid: `${name}-${life}` }
        const pod =
          after === undefined ? undefined : ({ ...after, metadata: { ...after.metadata, ...identity } } as Pod)
        if (pod === undefined) pods.delete(key)
        else pods.set(key, pod)
        const change = { ...(before === undefined ? {} : { before }), ...(pod === undefined ? {} : { after: pod }) }
        const concerned = [tally.note(change) ?? []].flat()
        // A set that was not requested is already queued.
        if (i <= firstAsked) expect(concerned).toEqual([])
        else {
          sets.forEach((set, at) => {
            const isDifferent = !deepEqual(countsBefore[at], recount(set, [...pods.values()]))
            if (isDifferent) expect(concerned).toContain(`x/${set.metadata.name}`)
          })
        }
        if (i >= firstAsked) ask()
      })
      ask()
    }),
  )
})

it('counts the pods of a set from scratch when the labels of its template change', () => {
  const tally = new PodTally()
  const [one] = sets as [ReplicaSet]
  const pod: Pod = { metadata: { name: 'a', namespace: 'x', labels: { app: 'one' } }, spec: { containers: [] } }
  expect(tally.counts('x/one', one, () => [pod]).labeled).toBe(0)
  const template = { metadata: { labels: { app: 'one' } }, spec: { containers: [] } }
  const changed: ReplicaSet = { ...one, spec: { selector: { matchLabels: { app: 'one' } }, template } }
  expect(tally.counts('x/one', changed, () => [pod]).labeled).toBe(1)
})
