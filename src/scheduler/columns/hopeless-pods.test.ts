import { describe, expect, it } from 'vitest'
import type { Pod, PodDisruptionBudget } from '../../api/objects/pod.ts'
import { createSmallCluster, node, pod, type SmallCluster } from '../small-cluster.fixture.ts'

/** A cluster in which no pod with 3 CPUs fits. */
function fullCluster(more: readonly Pod[] = []): SmallCluster {
  return createSmallCluster({
    nodes: [node('n1'), node('n2')],
    pods: [pod('a', { cpu: '2', nodeName: 'n1' }), pod('b', { cpu: '2', nodeName: 'n2' }), ...more],
  })
}

const waiting = (name: string, app: string, words: Partial<Pod['spec']> = {}) =>
  pod(name, { cpu: '3', labels: { app }, ...words })

describe('pods for which no node fits', () => {
  it('evaluates equal pods of all workloads only once until the cluster changes', () => {
    const { schedule, cache } = fullCluster()
    const first = schedule(waiting('x', 'web'))
    expect(first).toMatchObject({ kind: 'unschedulable', message: expect.stringContaining('2 Insufficient cpu') })
    expect(schedule(waiting('y', 'api'))).toBe(first)
    cache.addPod(pod('c', { cpu: '100m', nodeName: 'n1' }))
    const second = schedule(waiting('x', 'web'))
    expect(second).not.toBe(first)
    expect(schedule(waiting('y', 'api'))).toBe(second)
    cache.addNode(node('n3'))
    expect(schedule(waiting('y', 'api'))).toMatchObject({ kind: 'placed', node: 'n3' })
  })

  it('evaluates pods again after a change of a budget', () => {
    const { schedule, cache } = fullCluster()
    const first = schedule(waiting('x', 'web'))
    const budget: PodDisruptionBudget = { metadata: { name: 'web', namespace: 'default' } }
    cache.noteChange('poddisruptionbudgets.policy', undefined, budget)
    expect(schedule(waiting('x', 'web'))).not.toBe(first)
  })

  it.each<[string, Pod, Pod]>([
    ['requests', waiting('x', 'web'), pod('y', { cpu: '3500m', labels: { app: 'web' } })],
    ['priorities', waiting('x', 'web'), waiting('y', 'web', { priority: 1 })],
    ['preemption policies', waiting('x', 'web'), waiting('y', 'web', { preemptionPolicy: 'Never' })],
    ['node selectors', waiting('x', 'web'), waiting('y', 'web', { nodeSelector: { disk: 'ssd' } })],
    ['groups', waiting('x', 'web'), waiting('y', 'web', { schedulingGroup: { podGroupName: 'g' } })],
  ])('evaluates two pods separately if they differ in their %s', (_, one, other) => {
    const { schedule } = fullCluster()
    const first = schedule(one)
    expect(first).toMatchObject({ kind: 'unschedulable' })
    expect(schedule(other)).not.toBe(first)
  })

  it('evaluates the pods of each workload separately if a placed pod repels the pods of one workload', () => {
    const topologyKey = 'kubernetes.io/hostname'
    const terms = [{ topologyKey, labelSelector: { matchLabels: { app: 'web' } } }]
    const affinity = { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: terms } }
    const { failure, cache } = fullCluster([pod('c', { nodeName: 'n3', affinity })])
    cache.addNode(node('n3'))
    expect(failure(waiting('x', 'web'))).toContain("didn't satisfy existing pods anti-affinity rules")
    expect(failure(waiting('y', 'api'))).toBe('placed on n3')
  })

  it('evaluates each pod separately if there are pods to preempt, because the search starts at a random node', () => {
    const { schedule } = fullCluster([pod('c', { nodeName: 'n1', priority: -1 })])
    const first = schedule(waiting('x', 'web'))
    expect(first).toMatchObject({ kind: 'unschedulable' })
    expect(schedule(waiting('x', 'web'))).not.toBe(first)
  })

  it('evaluates each pod separately while a pod is nominated', () => {
    const { schedule, cache, nominator } = fullCluster()
    const first = schedule(waiting('x', 'web'))
    nominator.add(cache.parser.parse(pod('n', { cpu: '1' })), { kind: 'set', node: 'n1' })
    expect(schedule(waiting('x', 'web'))).not.toBe(first)
  })
})
