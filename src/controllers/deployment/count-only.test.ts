import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Condition } from '../../api/objects/meta.ts'
import type { Deployment, ReplicaSet } from '../../api/objects/workloads.ts'
import { annotations, labels } from '../../api/well-known.ts'
import { isCountOnlyChange, keepsAllButStatus } from './count-only.ts'
import { decideCounts, decideDeployment, isSameIntent } from './decide-deployment.ts'

const now = Date.UTC(2026, 0, 1, 1)
const template = { metadata: { labels: { app: 'a' } }, spec: { containers: [{ name: 'c', image: 'nginx' }] } }
const count = fc.integer({ min: 0, max: 3 })

/** Mostly the usual value, so that most generated rollouts are complete. */
const mostly = <T>(usual: T, ...others: readonly T[]): fc.Arbitrary<T> => {
  const many = new Array<T>(5).fill(usual)
  return fc.constantFrom(...many, ...others, ...many)
}

const condition = (type: string, reasons: readonly string[]): fc.Arbitrary<readonly Condition[]> =>
  fc.array(
    fc.record({
      type: fc.constant(type),
      status: fc.constantFrom('True' as const, 'False' as const),
      reason: mostly(...(reasons as [string, ...string[]])),
      lastUpdateTime: fc.constantFrom('2026-01-01T00:00:00Z', '2026-01-01T00:59:00Z'),
    }),
    { minLength: type === 'Progressing' ? 1 : 0, maxLength: 1 },
  )

const deploymentStatus = fc.record({
  counts: fc.record(
    { replicas: count, updatedReplicas: count, readyReplicas: count, availableReplicas: count },
    { requiredKeys: [] },
  ),
  progressing: condition('Progressing', ['NewReplicaSetAvailable', 'ReplicaSetUpdated', 'DeploymentPaused']),
  available: condition('Available', ['MinimumReplicasAvailable', 'MinimumReplicasUnavailable']),
})

const replicaSetStatus = fc.record({
  counts: fc.record(
    { readyReplicas: count, availableReplicas: count, terminatingReplicas: count },
    { requiredKeys: [] },
  ),
  replicas: count,
  failure: condition('ReplicaFailure', ['FailedCreate', 'FailedDelete']),
})

const deployment = fc
  .record({
    replicas: mostly(2, 0, 3),
    strategy: fc.constantFrom({ type: 'RollingUpdate' as const }, { type: 'Recreate' as const }),
    paused: mostly({}, { paused: true }),
    limits: fc.constantFrom({ progressDeadlineSeconds: 600 }, { revisionHistoryLimit: 0 }),
    revision: mostly('1', '2'),
  })
  .map(
    ({ replicas, strategy, paused, limits, revision }): Deployment => ({
      metadata: { name: 'a', uid: 'd', generation: 1, annotations: { [annotations.deploymentRevision]: revision } },
      spec: { replicas, strategy, ...paused, ...limits, selector: { matchLabels: { app: 'a' } }, template },
    }),
  )

const replicaSet = fc
  .record({ replicas: count, desired: count, own: fc.boolean() })
  .map(({ replicas, desired, own }) => {
    const hash = { [labels.podTemplateHash]: 'x' }
    const containers = own ? template.spec.containers : []
    return {
      metadata: {
        name: 'a-x',
        uid: 'r',
        annotations: {
          [annotations.deploymentRevision]: '1',
          [annotations.deploymentDesiredReplicas]: String(desired),
        },
      },
      spec: {
        replicas,
        selector: { matchLabels: { app: 'a', ...hash } },
        template: { metadata: { labels: { app: 'a', ...hash } }, spec: { containers } },
      },
    } as ReplicaSet
  })

test('after a count-only decision, the full decision only updates counts while only the status changes', () => {
  let compared = 0
  const statuses = fc.tuple(deploymentStatus, replicaSetStatus)
  fc.assert(
    fc.property(deployment, replicaSet, statuses, statuses, (bareDeployment, bareSet, first, second) => {
      const [before, after] = [first, second].map(([ofDeployment, ofSet]) => ({
        deployment: {
          ...bareDeployment,
          status: {
            ...ofDeployment.counts,
            observedGeneration: 1,
            conditions: [...ofDeployment.available, ...ofDeployment.progressing],
          },
        } as Deployment,
        replicaSet: {
          ...bareSet,
          status: { ...ofSet.counts, replicas: ofSet.replicas, conditions: ofSet.failure },
        } as ReplicaSet,
      })) as [World, World]
      const decided = decideAll(before)
      const isStatus = decided.planned.every(({ call }) => call.verb === 'update' && call.subresource === 'status')
      if (decided.isCounted !== true || decided.planned.length > 1 || !isStatus) return
      if (!isSameIntent(before.deployment, before.replicaSet)) return
      if (!isCountOnlyChange(before.deployment, after.deployment)) return
      if (!keepsAllButStatus(before.replicaSet, after.replicaSet)) return
      compared++
      expect(decideCounts(after.deployment, after.replicaSet, { now })).toEqual(decideAll(after))
    }),
    { numRuns: 1500 },
  )
  expect(compared).toBeGreaterThan(10)
})

interface World {
  readonly deployment: Deployment
  readonly replicaSet: ReplicaSet
}

function decideAll({ deployment: subject, replicaSet: only }: World) {
  return decideDeployment({ deployment: subject, replicaSets: [only], podsOf: () => [], now: now })
}
