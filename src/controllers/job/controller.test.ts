import { describe, expect, it } from 'vitest'
import type { Pod } from '../../api/objects/pod.ts'
import type { Job, JobSpec } from '../../api/objects/workloads.ts'
import { defaultRelease, releaseOf } from '../../api/releases/release-of.ts'
import { failure } from '../../api/status.ts'
import { formatTime } from '../../api/time.ts'
import { must } from '../../base/result.ts'
import { builtinKindsOf } from '../../registry/kinds/kinds.ts'
import { createGarbageCollector } from '../garbage-collection/controller.ts'
import { start, WorkloadCluster, type WorkloadClusterOptions } from '../workload-cluster.fixture.ts'
import { createJobController } from './controller.ts'

function job(more: Partial<JobSpec> = {}): Job {
  return {
    metadata: { name: 'work', namespace: 'default' },
    spec: {
      template: { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } },
      ...more,
    },
  }
}

function cluster(options: Partial<WorkloadClusterOptions> = {}): WorkloadCluster {
  return new WorkloadCluster({
    controllers: [createJobController()],
    kubelet: { startMs: 1000, runMs: 10_000 },
    ...options,
  })
}

/** Pods start, and never end unless a test ends them. */
const endless = (options: Partial<WorkloadClusterOptions> = {}) => cluster({ kubelet: {}, ...options })

const statusOf = (c: WorkloadCluster) => c.get('jobs.batch', 'default/work')?.status
const change = (c: WorkloadCluster, spec: object) => c.patch('jobs.batch', 'default/work', { spec })
const active = (c: WorkloadCluster) =>
  c.pods().filter(({ status }) => status?.phase === 'Running' || status?.phase === 'Pending')

function end(c: WorkloadCluster, pod: Pod | undefined, exitCode: number): void {
  const finishedAt = formatTime(c.now())
  const state = { terminated: { exitCode, finishedAt } }
  const phase = exitCode === 0 ? 'Succeeded' : 'Failed'
  c.patch(
    'pods',
    `default/${pod?.metadata.name}`,
    { status: { phase, containerStatuses: [{ name: 'c', state }], conditions: [] } },
    'status',
  )
}

function conditionsOf(c: WorkloadCluster): readonly string[] {
  return (statusOf(c)?.conditions ?? []).map(({ type, status, reason }) => `${type} ${status} ${reason}`)
}

const indexOf = ({ metadata }: Pod) => metadata.annotations?.['batch.kubernetes.io/job-completion-index']

describe('the Job controller', () => {
  it('runs one pod of a Job to its end, then completes the Job', () => {
    const c = cluster()
    c.create('jobs.batch', job())
    c.advance(2500)
    expect(c.pods()).toHaveLength(1)
    expect(c.pods()[0]?.metadata.finalizers).toEqual(['batch.kubernetes.io/job-tracking'])
    expect(statusOf(c)).toMatchObject({ active: 1, ready: 1, terminating: 0, startTime: '2026-01-01T00:00:00Z' })
    // The end of the pod is seen after the batch period of one second.
    c.advance(9500)
    expect(statusOf(c)).toEqual({
      succeeded: 1,
      ready: 0,
      terminating: 0,
      uncountedTerminatedPods: {},
      startTime: '2026-01-01T00:00:00Z',
      completionTime: '2026-01-01T00:00:12Z',
      conditions: [
        expect.objectContaining({ type: 'SuccessCriteriaMet', status: 'True', reason: 'CompletionsReached' }),
        expect.objectContaining({
          type: 'Complete',
          status: 'True',
          reason: 'CompletionsReached',
          message: 'Reached expected number of succeeded pods',
        }),
      ],
    })
    expect(c.pods()[0]?.metadata.finalizers ?? []).toEqual([])
    expect(c.events('work')).toEqual([
      `SuccessfulCreate: Created pod: ${c.pods()[0]?.metadata.name}`,
      'Completed: Job completed',
    ])
  })

  it('runs `parallelism` pods of a Job at a time until `completions` have succeeded', () => {
    const c = cluster()
    c.create('jobs.batch', job({ parallelism: 3, completions: 8 }))
    let most = 0
    c.driver.onChanges(() => {
      most = Math.max(most, active(c).length)
    })
    c.advance(120_000)
    expect(most).toBe(3)
    expect(c.pods()).toHaveLength(8)
    expect(statusOf(c)).toMatchObject({ succeeded: 8 })
    expect(conditionsOf(c)).toEqual(['SuccessCriteriaMet True CompletionsReached', 'Complete True CompletionsReached'])
  })

  it('creates no more pods of a Job without completions after the first success', () => {
    const c = endless()
    c.create('jobs.batch', job({ parallelism: 3 }))
    c.advance(2000)
    const [first, second, third] = c.pods()
    end(c, first, 0)
    c.advance(2000)
    expect(active(c)).toHaveLength(2)
    end(c, second, 1)
    end(c, third, 0)
    c.advance(2000)
    expect(conditionsOf(c)).toContain('Complete True CompletionsReached')
    expect(statusOf(c)).toMatchObject({ succeeded: 2, failed: 1 })
  })

  it('retries a failed pod with an increasing backoff until the backoff limit', () => {
    const c = endless()
    c.create('jobs.batch', job({ backoffLimit: 2 }))
    const created: number[] = []
    c.driver.onChanges((changes) => {
      for (const { resource, before, after } of changes) {
        if (resource === 'pods' && before === undefined && after !== undefined) created.push((c.now() - start) / 1000)
      }
    })
    for (let i = 0; i < 3; i++) {
      c.advance(i === 0 ? 1000 : 30_000)
      end(c, active(c)[0], 1)
    }
    c.advance(5000)
    // 10 seconds after the first failure, 20 seconds after the second.
    expect(created).toEqual([0, 11, 51])
    expect(statusOf(c)).toMatchObject({ failed: 3 })
    expect(conditionsOf(c)).toEqual(['FailureTarget True BackoffLimitExceeded', 'Failed True BackoffLimitExceeded'])
    expect(c.events('work').at(-1)).toBe('BackoffLimitExceeded: Job has reached the specified backoff limit')
  })

  it('counts a deleted pod as failed and replaces it', () => {
    const c = endless()
    c.create('jobs.batch', job())
    c.advance(1000)
    c.delete('pods', `default/${c.pods()[0]?.metadata.name}`)
    c.advance(20_000)
    expect(statusOf(c)).toMatchObject({ failed: 1, active: 1 })
    expect(c.pods()).toHaveLength(1)
  })

  it('deletes the running pods when the active deadline is exceeded, and fails the Job when they are deleted', () => {
    const c = endless()
    c.create('jobs.batch', job({ parallelism: 2, completions: 4, activeDeadlineSeconds: 30 }))
    c.advance(29_999)
    expect(active(c)).toHaveLength(2)
    c.advance(3000)
    expect(active(c)).toHaveLength(0)
    expect(conditionsOf(c)).toEqual(['FailureTarget True DeadlineExceeded', 'Failed True DeadlineExceeded'])
    expect(statusOf(c)).toMatchObject({ failed: 2, terminating: 0 })
    expect(c.pods()).toHaveLength(0)
  })

  it('suspends and resumes a Job without counting its pods as failed', () => {
    const c = endless()
    c.create('jobs.batch', job({ suspend: true }))
    c.advance(5000)
    expect(c.pods()).toHaveLength(0)
    expect(conditionsOf(c)).toEqual(['Suspended True JobSuspended'])
    expect(statusOf(c)?.startTime).toBeUndefined()
    change(c, { suspend: false })
    c.advance(5000)
    expect(active(c)).toHaveLength(1)
    expect(conditionsOf(c)).toEqual(['Suspended False JobResumed'])
    expect(statusOf(c)?.startTime).toBe('2026-01-01T00:00:05Z')
    change(c, { suspend: true })
    c.advance(5000)
    expect(active(c)).toHaveLength(0)
    expect(statusOf(c)?.failed).toBeUndefined()
    expect(c.events('work').filter((text) => !text.includes('pod:'))).toEqual([
      'Resumed: Job resumed',
      'Suspended: Job suspended (x2)',
    ])
  })

  it.each([
    ['1.35', '2026-01-01T00:00:00Z'],
    ['1.36', undefined],
  ])('a suspended Job in %s has the startTime %s', (version, startTime) => {
    const release = must(releaseOf(version))
    const c = endless({ release, controllers: [createJobController({ release })] })
    c.create('jobs.batch', job())
    c.advance(5000)
    change(c, { suspend: true })
    c.advance(5000)
    expect(statusOf(c)?.startTime).toBe(startTime)
  })

  it('deletes pods of a Job when its parallelism is reduced', () => {
    const c = endless()
    c.create('jobs.batch', job({ parallelism: 4, completions: 10 }))
    c.advance(2000)
    change(c, { parallelism: 1 })
    c.advance(2000)
    expect(active(c)).toHaveLength(1)
    expect(statusOf(c)).toMatchObject({ active: 1 })
    expect(statusOf(c)?.failed).toBeUndefined()
  })

  it('gives each pod of an indexed Job its own index', () => {
    const c = endless()
    c.create('jobs.batch', job({ completionMode: 'Indexed', parallelism: 2, completions: 4 }))
    c.advance(2000)
    expect(active(c).map(indexOf).sort()).toEqual(['0', '1'])
    const pod = active(c).find((one) => indexOf(one) === '1')
    expect(pod?.metadata.name).toMatch(/^work-1-\w{5}$/)
    expect(pod?.spec.hostname).toBe('work-1')
    expect(pod?.metadata.labels?.['batch.kubernetes.io/job-completion-index']).toBe('1')
    expect(pod?.spec.containers[0]?.env).toEqual([
      {
        name: 'JOB_COMPLETION_INDEX',
        valueFrom: {
          fieldRef: { apiVersion: 'v1', fieldPath: "metadata.labels['batch.kubernetes.io/job-completion-index']" },
        },
      },
    ])
    end(c, pod, 0)
    c.advance(2000)
    expect(statusOf(c)).toMatchObject({ completedIndexes: '1', succeeded: 1 })
    expect(active(c).map(indexOf).sort()).toEqual(['0', '2'])
    end(
      c,
      active(c).find((one) => indexOf(one) === '0'),
      1,
    )
    c.advance(15_000)
    expect(active(c).map(indexOf).sort()).toEqual(['0', '2'])
    for (let i = 0; i < 3; i++) {
      for (const one of active(c)) end(c, one, 0)
      c.advance(2000)
    }
    expect(statusOf(c)).toMatchObject({ completedIndexes: '0-3', succeeded: 4, failed: 1 })
    expect(conditionsOf(c)).toContain('Complete True CompletionsReached')
  })

  it('counts failures per index if the Job has a backoff limit per index', () => {
    const c = endless()
    c.create(
      'jobs.batch',
      job({ completionMode: 'Indexed', parallelism: 2, completions: 2, backoffLimitPerIndex: 1, backoffLimit: 100 }),
    )
    c.advance(2000)
    const failIndex = (index: string) =>
      end(
        c,
        active(c).find((one) => indexOf(one) === index),
        1,
      )
    failIndex('0')
    c.advance(15_000)
    const again = active(c).find((one) => indexOf(one) === '0')
    expect(again?.metadata.annotations?.['batch.kubernetes.io/job-index-failure-count']).toBe('1')
    end(c, again, 1)
    end(
      c,
      active(c).find((one) => indexOf(one) === '1'),
      0,
    )
    c.advance(30_000)
    expect(statusOf(c)).toMatchObject({ failedIndexes: '0', completedIndexes: '1', failed: 2 })
    expect(conditionsOf(c)).toContain('Failed True FailedIndexes')
  })

  it('completes a Job early if its success policy is met', () => {
    const c = endless()
    const successPolicy = { rules: [{ succeededIndexes: '1-2', succeededCount: 1 }] }
    c.create('jobs.batch', job({ completionMode: 'Indexed', parallelism: 3, completions: 3, successPolicy }))
    c.advance(2000)
    end(
      c,
      active(c).find((one) => indexOf(one) === '2'),
      0,
    )
    c.advance(5000)
    expect(active(c)).toHaveLength(0)
    expect(conditionsOf(c)).toEqual(['SuccessCriteriaMet True SuccessPolicy', 'Complete True SuccessPolicy'])
    expect(statusOf(c)?.failed).toBeUndefined()
  })

  it('handles failed pods according to the pod failure policy', () => {
    const podFailurePolicy = {
      rules: [
        { action: 'Ignore', onExitCodes: { operator: 'In', values: [7] } },
        { action: 'FailJob', onExitCodes: { containerName: 'c', operator: 'In', values: [42] } },
      ],
    }
    const c = endless()
    c.create('jobs.batch', job({ backoffLimit: 0, podFailurePolicy }))
    c.advance(1000)
    end(c, active(c)[0], 7)
    c.advance(30_000)
    expect(statusOf(c)?.failed).toBeUndefined()
    expect(active(c)).toHaveLength(1)
    const name = active(c)[0]?.metadata.name
    end(c, active(c)[0], 42)
    c.advance(5000)
    expect(conditionsOf(c)).toContain('Failed True PodFailurePolicy')
    expect(statusOf(c)?.conditions?.[0]?.message).toBe(
      `Container c for pod default/${name} failed with exit code 42 matching FailJob rule at index 1`,
    )
  })

  it('creates pods with slow start, records failures as events, and retries', () => {
    let refused = 2
    const c = endless({
      refuse: (call) =>
        call.verb === 'create' && call.resource === 'pods' && refused-- > 0 ? failure('Forbidden', 'no') : undefined,
    })
    c.create('jobs.batch', job({ parallelism: 20, completions: 20 }))
    c.advance(10_000)
    expect(active(c)).toHaveLength(20)
    expect(c.events('work').join()).toContain('FailedCreate: Error creating: no')
  })

  it('releases the pods of a deleted Job, and the pods are deleted with the Job', () => {
    const c = endless({
      controllers: [createJobController(), createGarbageCollector({ kinds: () => builtinKindsOf(defaultRelease) })],
    })
    c.create('jobs.batch', job({ parallelism: 3 }))
    c.advance(2000)
    c.delete('jobs.batch', 'default/work', { propagationPolicy: 'Background' })
    c.advance(2000)
    expect(c.pods()).toEqual([])
  })

  it('counts no pod twice, regardless of restarts of the controller', () => {
    const c = cluster()
    c.create('jobs.batch', job({ parallelism: 5, completions: 20 }))
    for (let i = 0; i < 60; i++) {
      c.advance(1700)
      c.driver.restart('job-controller', createJobController)
    }
    expect(statusOf(c)).toMatchObject({ succeeded: 20 })
    expect(c.pods()).toHaveLength(20)
    expect(conditionsOf(c)).toContain('Complete True CompletionsReached')
  })
})
