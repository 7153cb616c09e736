import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { NodeClaim } from '../../../api/objects/karpenter.ts'
import type { Node } from '../../../api/objects/node.ts'
import type { Pod } from '../../../api/objects/pod.ts'
import type { Change } from '../../../runtime/controller.ts'
import { createReadModel } from '../../../runtime/read-model.ts'
import { disruptedTaint } from '../names.ts'
import { ClusterState } from './cluster-state.ts'
import { filterNodes, orderNodes } from './node-lists.ts'

const names = ['a', 'b', 'c', 'd', 'e']

function nodeOf(name: string, bits: number): Node {
  const isInitialized = (bits & 1) !== 0
  return {
    metadata: {
      name,
      labels: {
        'karpenter.sh/nodepool': (bits & 2) !== 0 ? 'one' : 'two',
        'karpenter.sh/registered': 'true',
        'node.kubernetes.io/instance-type': 'large',
        ...(isInitialized ? { 'karpenter.sh/initialized': 'true' } : {}),
      },
    },
    spec: { providerID: `cloud://${name}`, taints: (bits & 4) !== 0 ? [disruptedTaint] : [] },
    status: {
      allocatable: { cpu: String(2 + (bits & 3)), pods: '10' },
      conditions: [{ type: 'Ready', status: (bits & 8) !== 0 ? 'True' : 'False' }],
    },
  } as unknown as Node
}

function claimOf(name: string, bits: number): NodeClaim {
  return {
    metadata: {
      name: `claim-${name}`,
      ...((bits & 1) !== 0 ? { deletionTimestamp: '2026-01-01T00:00:00Z' } : {}),
    },
    spec: {},
    status: {
      providerID: `cloud://${name}`,
      conditions: [{ type: 'Drifted', status: (bits & 2) !== 0 ? 'True' : 'False' }],
    },
  } as unknown as NodeClaim
}

function podOn(name: string, bits: number): Pod {
  const containers = [{ name: 'c', resources: { requests: { cpu: `${100 * bits}m` } } }]
  return { metadata: { name: `pod-${name}`, namespace: 'x' }, spec: { nodeName: name, containers } } as unknown as Pod
}

const kinds = ['node', 'node', 'no node', 'claim', 'claim', 'no claim', 'pod', 'no pod', 'mark', 'unmark'] as const

const changeOf = (kind: (typeof kinds)[number], name: string, bits: number): Change | undefined => {
  switch (kind) {
    case 'node':
      return { resource: 'nodes', key: name, after: nodeOf(name, bits) }
    case 'no node':
      return { resource: 'nodes', key: name, before: nodeOf(name, 0) }
    case 'claim':
      return {
        resource: 'nodeclaims.karpenter.sh',
        key: `claim-${name}`,
        after: claimOf(name, bits),
      }
    case 'no claim':
      return {
        resource: 'nodeclaims.karpenter.sh',
        key: `claim-${name}`,
        before: claimOf(name, 0),
      }
    case 'pod':
      return { resource: 'pods', key: `x/pod-${name}`, after: podOn(name, bits) }
    case 'no pod':
      return { resource: 'pods', key: `x/pod-${name}`, before: podOn(name, 0) }
    default:
      return undefined
  }
}

test('lists and counts equal those of a scan of all nodes', () => {
  const step = fc.tuple(fc.constantFrom(...kinds), fc.constantFrom(...names), fc.integer({ min: 0, max: 15 }))
  fc.assert(
    fc.property(fc.array(fc.tuple(step, fc.boolean()), { maxLength: 60 }), (steps) => {
      const state = new ClusterState()
      const view = createReadModel()
      for (const [[kind, name, bits], isLookedAt] of steps) {
        const change = changeOf(kind, name, bits)
        const node = state.byNode(name)
        if (change !== undefined) {
          view.apply([change])
          state.take(change, view, 0)
        } else if (node !== undefined) node.isMarked = kind === 'mark'
        if (!isLookedAt) continue
        const { lists, nodes } = state
        const staying = nodes.filter(({ isLeaving }) => !isLeaving)
        const leaving = nodes.filter(({ isLeaving }) => isLeaving)
        expect(lists.staying).toEqual(staying)
        expect(lists.leaving).toEqual(leaving)
        expect([...lists.leavingNames]).toEqual([...new Set(leaving.map((each) => each.name))])
        expect(lists.hasDrifted).toBe(nodes.some(({ isDrifted }) => isDrifted))
        expect(lists.tainted).toEqual(staying.filter(({ isTaintedForDisruption }) => isTaintedForDisruption))
        const counted = nodes.filter((each) => each.isManaged && each.isInitialized && !each.isTerminating)
        for (const pool of ['', 'one', 'two']) {
          const own = counted.filter((each) => (each.pool ?? '') === pool)
          const busy = own.filter(({ isReady, isLeaving }) => !isReady || isLeaving)
          expect(lists.byPool.get(pool) ?? { total: 0, busy: 0 }).toEqual({ total: own.length, busy: busy.length })
        }
        const ordered = orderNodes(staying)
        expect(lists.stayingInOrder.nodes.map(({ id }) => id)).toEqual(ordered.nodes.map(({ id }) => id))
        expect([...lists.stayingInOrder.cpuRoom]).toEqual([...ordered.cpuRoom])
        const kept = filterNodes(lists.stayingInOrder, (each) => each.name !== 'b')
        expect(kept).toEqual(orderNodes(staying.filter((each) => each.name !== 'b')))
      }
    }),
    { numRuns: 200 },
  )
})
