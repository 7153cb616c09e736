import { expect, it } from 'vitest'
import { labelMatcher } from '../../api/label-selector.ts'
import type { Pod, PodDisruptionBudget } from '../../api/objects/pod.ts'
import { must } from '../../base/result.ts'
import { BudgetTracker, podsToMove } from './drainability.ts'
import { readAutoscalerOptions } from './options.ts'

const wall = Date.UTC(2026, 0, 1, 12)
const owner = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web', uid: 'web', controller: true }

function pod(changes: { metadata?: object; spec?: object; status?: object } = {}): Pod {
  return {
    metadata: {
      name: 'web-1',
      namespace: 'default',
      labels: { app: 'web' },
      ownerReferences: [owner],
      ...changes.metadata,
    },
    spec: { containers: [], ...changes.spec },
    status: { phase: 'Running', ...changes.status },
  } as unknown as Pod
}

function budget(disruptionsAllowed: number): PodDisruptionBudget {
  return {
    metadata: { name: 'web', namespace: 'default' },
    spec: { selector: { matchLabels: { app: 'web' } } },
    status: { disruptionsAllowed },
  } as unknown as PodDisruptionBudget
}

function outcome(one: Pod, flags = {}, budgets: PodDisruptionBudget[] = []): string {
  const tracker = new BudgetTracker(budgets, ({ spec }) => labelMatcher(spec?.selector))
  const moving = podsToMove([one], { options: must(readAutoscalerOptions(flags)), budgets: tracker, wall })
  if (moving.kind === 'blocked') return moving.reason
  return moving.pods.length > 0 ? 'moves' : moving.onCompletion.length > 0 ? 'waits' : 'stays'
}

const system = { name: 'dns', namespace: 'kube-system', creationTimestamp: '2026-01-01T11:30:00Z' }
const annotated = (value: string) => ({ annotations: { 'cluster-autoscaler.kubernetes.io/safe-to-evict': value } })

it.each<[string, Pod, string, object?, PodDisruptionBudget[]?]>([
  ['moves a pod of a ReplicaSet', pod(), 'moves'],
  ['blocks on a pod without a controller', pod({ metadata: { ownerReferences: [] } }), 'NotReplicated'],
  [
    'moves a pod without a controller if it is safe to evict',
    pod({ metadata: { ownerReferences: [], ...annotated('true') } }),
    'moves',
  ],
  ['blocks on a pod that is not safe to evict', pod({ metadata: annotated('false') }), 'NotSafeToEvictAnnotation'],
  ['waits for a pod that must complete', pod({ metadata: annotated('on-completion') }), 'waits'],
  ['moves a pod that has ended', pod({ metadata: { ownerReferences: [] }, status: { phase: 'Succeeded' } }), 'moves'],
  ['ignores a mirror pod', pod({ metadata: { annotations: { 'kubernetes.io/config.mirror': 'x' } } }), 'stays'],
  ['blocks on a system pod without a budget', pod({ metadata: system }), 'UnmovableKubeSystemPod'],
  [
    'moves a system pod after an hour',
    pod({ metadata: { ...system, creationTimestamp: '2026-01-01T10:00:00Z' } }),
    'moves',
  ],
  [
    'moves a system pod if the flag allows it',
    pod({ metadata: system }),
    'moves',
    { 'skip-nodes-with-system-pods': 'false' },
  ],
  ['blocks on an emptyDir', pod({ spec: { volumes: [{ name: 'tmp', emptyDir: {} }] } }), 'LocalStorageRequested'],
  [
    'does not block on an emptyDir in memory',
    pod({ spec: { volumes: [{ name: 'tmp', emptyDir: { medium: 'Memory' } }] } }),
    'moves',
  ],
  [
    'does not block on a local volume that is safe to lose',
    pod({
      metadata: { annotations: { 'cluster-autoscaler.kubernetes.io/safe-to-evict-local-volumes': 'tmp' } },
      spec: { volumes: [{ name: 'tmp', hostPath: { path: '/' } }] },
    }),
    'moves',
  ],
  ['blocks on an exhausted budget', pod(), 'NotEnoughPdb', {}, [budget(0)]],
  ['does not block on a budget that allows an eviction', pod(), 'moves', {}, [budget(1)]],
])('podsToMove %s', (_, one, expected, flags, budgets) => {
  expect(outcome(one, flags, budgets)).toBe(expected)
})

it('BudgetTracker allows at most as many simultaneous evictions as the budget', () => {
  const tracker = new BudgetTracker([budget(1)], ({ spec }) => labelMatcher(spec?.selector))
  expect(tracker.allowsInParallel([pod()])).toBe(true)
  expect(tracker.allowsInParallel([pod(), pod()])).toBe(false)
  tracker.remove([pod()])
  expect(tracker.allowsInParallel([pod()])).toBe(false)
})
