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
  ['a pod of a ReplicaSet moves', pod(), 'moves'],
  ['a pod without a controller blocks', pod({ metadata: { ownerReferences: [] } }), 'NotReplicated'],
  [
    'a pod that is safe to evict moves without a controller',
    pod({ metadata: { ownerReferences: [], ...annotated('true') } }),
    'moves',
  ],
  ['a pod that is not safe to evict blocks', pod({ metadata: annotated('false') }), 'NotSafeToEvictAnnotation'],
  ['a pod that must complete is waited for', pod({ metadata: annotated('on-completion') }), 'waits'],
  ['a pod that ended moves', pod({ metadata: { ownerReferences: [] }, status: { phase: 'Succeeded' } }), 'moves'],
  ['a mirror pod does not count', pod({ metadata: { annotations: { 'kubernetes.io/config.mirror': 'x' } } }), 'stays'],
  ['a system pod without a budget blocks', pod({ metadata: system }), 'UnmovableKubeSystemPod'],
  [
    'a system pod moves after an hour',
    pod({ metadata: { ...system, creationTimestamp: '2026-01-01T10:00:00Z' } }),
    'moves',
  ],
  [
    'a system pod moves if the flag says so',
    pod({ metadata: system }),
    'moves',
    { 'skip-nodes-with-system-pods': 'false' },
  ],
  ['an emptyDir blocks', pod({ spec: { volumes: [{ name: 'tmp', emptyDir: {} }] } }), 'LocalStorageRequested'],
  [
    'an emptyDir in memory does not block',
    pod({ spec: { volumes: [{ name: 'tmp', emptyDir: { medium: 'Memory' } }] } }),
    'moves',
  ],
  [
    'a local volume that is safe to lose does not block',
    pod({
      metadata: { annotations: { 'cluster-autoscaler.kubernetes.io/safe-to-evict-local-volumes': 'tmp' } },
      spec: { volumes: [{ name: 'tmp', hostPath: { path: '/' } }] },
    }),
    'moves',
  ],
  ['an exhausted budget blocks', pod(), 'NotEnoughPdb', {}, [budget(0)]],
  ['a budget with room does not block', pod(), 'moves', {}, [budget(1)]],
])('%s', (_, one, expected, flags, budgets) => {
  expect(outcome(one, flags, budgets)).toBe(expected)
})

it('allows no more evictions at the same time than the budget does', () => {
  const tracker = new BudgetTracker([budget(1)], ({ spec }) => labelMatcher(spec?.selector))
  expect(tracker.allowsInParallel([pod()])).toBe(true)
  expect(tracker.allowsInParallel([pod(), pod()])).toBe(false)
  tracker.remove([pod()])
  expect(tracker.allowsInParallel([pod()])).toBe(false)
})
