import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { Node } from '../../api/objects/node.ts'
import type { Pod } from '../../api/objects/pod.ts'
import type { DaemonSet } from '../../api/objects/workloads.ts'
import { DaemonTally } from './daemon-tally.ts'
import { type DaemonInput, decideDaemons, groupByNode } from './decide-daemons.ts'
import { countDaemons } from './decide-status.ts'

const hash = 'h1'
const owner = { apiVersion: 'apps/v1', kind: 'DaemonSet', name: 'agent', uid: 'set', controller: true }

function daemonSet(surge: boolean): DaemonSet {
  return {
    metadata: { name: 'agent', namespace: 'default', uid: 'set' },
    spec: {
      selector: { matchLabels: { app: 'agent' } },
      template: { metadata: { labels: { app: 'agent' } }, spec: { containers: [{ name: 'c', image: 'v1' }] } },
      updateStrategy: { type: 'RollingUpdate', rollingUpdate: surge ? { maxSurge: 1 } : { maxUnavailable: 1 } },
    },
  }
}

const names = ['a', 'b', 'c', 'd']
const taints = [undefined, [{ key: 'x', effect: 'NoSchedule' }], [{ key: 'x', effect: 'NoExecute' }]] as const

/** `pods`: the daemon pod of this number exists on this node, in this state, or is deleted. */
const change = fc.oneof(
  fc.record({
    kind: fc.constant('node' as const),
    name: fc.constantFrom(...names),
    taint: fc.constantFrom(0, 1, 2, 3),
  }),
  fc.record({
    kind: fc.constant('pod' as const),
    number: fc.integer({ min: 0, max: 7 }),
    node: fc.constantFrom(...names),
    isBound: fc.boolean(),
    state: fc.constantFrom('running', 'starting', 'Failed', 'Succeeded', 'terminating', 'ended', 'gone'),
    isNew: fc.integer({ min: 0, max: 9 }),
  }),
)

function podOf({
  number,
  node,
  isBound,
  state,
  isNew,
}: Extract<typeof change extends fc.Arbitrary<infer T> ? T : never, { kind: 'pod' }>): Pod {
  const phase = state === 'Failed' || state === 'Succeeded' ? state : state === 'ended' ? 'Failed' : 'Running'
  const isLeaving = state === 'terminating' || state === 'ended'
  const term = { matchFields: [{ key: 'metadata.name', operator: 'In', values: [node] }] }
  return {
    metadata: {
      name: `agent-${number}`,
      namespace: 'default',
      uid: `pod-${number}`,
      labels: { app: 'agent', 'controller-revision-hash': isNew === 0 ? 'h0' : hash },
      ownerReferences: [owner],
      ...(isLeaving ? { deletionTimestamp: '2026-01-01T00:00:00Z' } : {}),
    },
    spec: {
      containers: [],
      ...(isBound ? { nodeName: node } : {}),
      affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [term] } } },
    },
    status: { phase, conditions: state === 'running' ? [{ type: 'Ready', status: 'True' }] : [] },
  } as unknown as Pod
}

it('a tally kept through changes gives the same decisions and counts as a look at all nodes and daemon pods', () => {
  let compared = 0
  fc.assert(
    fc.property(fc.array(fc.array(change, { maxLength: 4 }), { maxLength: 25 }), fc.boolean(), (batches, surge) => {
      const set = daemonSet(surge)
      const tally = new DaemonTally()
      const nodes = new Map<string, Node>()
      const pods = new Map<string, Pod>()
      for (const batch of batches) {
        for (const one of batch) {
          if (one.kind === 'node') {
            const before = nodes.get(one.name)
            const after =
              one.taint === 3
                ? undefined
                : ({ metadata: { name: one.name }, spec: { taints: taints[one.taint] } } as unknown as Node)
            if (after === undefined) nodes.delete(one.name)
            else nodes.set(one.name, after)
            tally.noteNode({ key: one.name, ...(after === undefined ? {} : { after }) })
            if (before === undefined && after === undefined) continue
          } else {
            const key = `pod-${one.number}`
            const before = pods.get(key)
            const after = one.state === 'gone' ? undefined : podOf(one)
            if (after === undefined) pods.delete(key)
            else pods.set(key, after)
            tally.notePod({ ...(before === undefined ? {} : { before }), ...(after === undefined ? {} : { after }) })
          }
        }
        const common = { daemonSet: set, hash, now: 0, tolerations: {}, mayReplaceAt: () => undefined }
        const full: DaemonInput = { ...common, nodes: [...nodes.values()], podsByNode: groupByNode([...pods.values()]) }
        const focus = tally.focus({ daemonSet: set, hash, tolerations: {} })
        if (focus === undefined) continue
        compared++
        expect(focus.counts).toEqual(countDaemons(full))
        const [short, long] = [decideDaemons({ ...common, ...focus }), decideDaemons(full)]
        expect(short.start).toEqual(long.start)
        expect(new Set(short.stop.map(({ metadata }) => metadata.name))).toEqual(
          new Set(long.stop.map(({ metadata }) => metadata.name)),
        )
      }
    }),
    { numRuns: 300, seed: 1 },
  )
  expect(compared).toBeGreaterThan(500)
})
