import { describe, expect, it } from 'vitest'
import type { Taint } from '../../api/objects/node.ts'
import type { Pod, Toleration } from '../../api/objects/pod.ts'
import { estimateEviction } from './pending-eviction.ts'

const now = Date.parse('2026-01-01T00:10:00Z')
const taint: Taint = { key: 'a', value: 'x', effect: 'NoExecute', timeAdded: '2026-01-01T00:08:00Z' }
const node = (...taints: readonly Taint[]) => ({ metadata: { name: 'a1' }, spec: { taints } })
const pod = (tolerations: readonly Toleration[], scheduled = '2025-12-01T00:00:00Z'): Pod => ({
  metadata: { name: 'web', namespace: 'default' },
  spec: { containers: [], nodeName: 'a1', tolerations },
  status: { conditions: [{ type: 'PodScheduled', status: 'True', lastTransitionTime: scheduled }] },
})
const forSeconds = (tolerationSeconds: number): Toleration => ({ key: 'a', operator: 'Exists', tolerationSeconds })

describe('an eviction estimated from a pod and its node', () => {
  it('an estimated eviction counts from the timeAdded of the taint', () => {
    expect(estimateEviction(pod([forSeconds(300)]), node(taint), now)).toMatchObject({
      pod: 'default/web',
      node: 'a1',
      stage: 'counting',
      createdAt: Date.parse('2026-01-01T00:08:00Z'),
      fireAt: Date.parse('2026-01-01T00:13:00Z'),
      cause: 'taint a=x:NoExecute is tolerated for 300s',
    })
  })

  it('an estimated eviction counts from the binding of the pod if that was later', () => {
    const late = pod([forSeconds(300)], '2026-01-01T00:09:30Z')
    expect(estimateEviction(late, node(taint), now)?.fireAt).toBe(Date.parse('2026-01-01T00:14:30Z'))
  })

  it('an estimated eviction is being deleted if a taint is not tolerated', () => {
    expect(estimateEviction(pod([]), node(taint), now)).toMatchObject({ stage: 'deleting', fireAt: now })
  })

  it.each([
    ['without a taint', pod([]), node()],
    ['for a pod that tolerates the taint forever', pod([{ operator: 'Exists' }]), node(taint)],
    ['for a pod on another node', { ...pod([]), spec: { containers: [], nodeName: 'a2' } }, node(taint)],
  ])('estimates no eviction %s', (_, placed, where) => {
    expect(estimateEviction(placed, where, now)).toBeUndefined()
  })
})
