import { describe, expect, it } from 'vitest'
import type { CronJob } from '../../api/objects/workloads.ts'
import { createJobController } from '../job/controller.ts'
import { WorkloadCluster, type WorkloadClusterOptions } from '../workload-cluster.fixture.ts'
import { createCronJobController } from './controller.ts'

type Spec = NonNullable<CronJob['spec']>

function cronJob(more: Partial<Spec> = {}): CronJob {
  return {
    metadata: { name: 'tick', namespace: 'default' },
    spec: {
      schedule: '*/5 * * * *',
      jobTemplate: {
        metadata: { name: '', labels: { app: 'tick' } },
        spec: { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } } },
      },
      ...more,
    },
  }
}

function cluster(options: Partial<WorkloadClusterOptions> = {}): WorkloadCluster {
  return new WorkloadCluster({
    controllers: [createCronJobController(), createJobController()],
    kubelet: { startMs: 1000, runMs: 10_000 },
    ...options,
  })
}

const minute = 60_000
const jobs = (c: WorkloadCluster) => c.list('jobs.batch').map(({ metadata }) => metadata.name)
const statusOf = (c: WorkloadCluster) => c.get('cronjobs.batch', 'default/tick')?.status
const change = (c: WorkloadCluster, spec: object) => c.patch('cronjobs.batch', 'default/tick', { spec })
/** The minute of the epoch at the start of the year, which is part of the names of Jobs. */
const zero = Date.parse('2026-01-01T00:00:00Z') / minute

describe('the CronJob controller', () => {
  it('starts a Job at each time of its schedule, with the time in its name', () => {
    const c = cluster()
    c.create('cronjobs.batch', cronJob())
    c.advance(5 * minute + 50)
    expect(jobs(c)).toEqual([])
    c.advance(50)
    const job = c.list('jobs.batch')[0]
    expect(job?.metadata).toMatchObject({
      name: `tick-${zero + 5}`,
      labels: { app: 'tick' },
      annotations: { 'batch.kubernetes.io/cronjob-scheduled-timestamp': '2026-01-01T00:05:00Z' },
      ownerReferences: [{ apiVersion: 'batch/v1', kind: 'CronJob', name: 'tick', controller: true }],
    })
    expect(statusOf(c)).toMatchObject({
      lastScheduleTime: '2026-01-01T00:05:00Z',
      active: [{ apiVersion: 'batch/v1', kind: 'Job', name: `tick-${zero + 5}`, uid: job?.metadata.uid }],
    })
    c.advance(minute)
    expect(statusOf(c)?.active).toBeUndefined()
    expect(statusOf(c)?.lastSuccessfulTime).toBe('2026-01-01T00:05:12Z')
    c.advance(9 * minute)
    expect(jobs(c)).toEqual([`tick-${zero + 5}`, `tick-${zero + 10}`, `tick-${zero + 15}`])
    expect(c.events('tick').slice(0, 2)).toEqual([
      `SuccessfulCreate: Created job tick-${zero + 5}`,
      `SawCompletedJob: Saw completed job: tick-${zero + 5}, condition: Complete`,
    ])
  })

  it('counts Jobs by the uid of their owner in v1.37, and by its name up to v1.36', () => {
    const left = (countsByUid: boolean) => {
      const c = cluster({ controllers: [createCronJobController({ countsByUid }), createJobController()] })
      const owner = { apiVersion: 'batch/v1', kind: 'CronJob', name: 'tick', uid: 'deleted', controller: true }
      c.create('jobs.batch', {
        metadata: { name: 'tick-1', namespace: 'default', ownerReferences: [owner] },
        spec: { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } } },
      })
      c.settle()
      c.create('cronjobs.batch', cronJob({ successfulJobsHistoryLimit: 0 }))
      c.advance(minute)
      return { jobs: jobs(c), events: c.events('tick'), time: statusOf(c)?.lastSuccessfulTime }
    }
    expect(left(true)).toEqual({ jobs: ['tick-1'], events: [], time: undefined })
    expect(left(false)).toEqual({
      jobs: [],
      events: [
        'UnexpectedJob: Saw a job that the controller did not create or forgot: tick-1 (x3)',
        'SuccessfulDelete: Deleted job tick-1',
      ],
      time: '2026-01-01T00:00:12Z',
    })
  })

  it('keeps the last three successful Jobs and the last failed one', () => {
    const c = cluster()
    c.create('cronjobs.batch', cronJob({ successfulJobsHistoryLimit: 2, failedJobsHistoryLimit: 0 }))
    c.advance(31 * minute)
    expect(jobs(c)).toEqual([`tick-${zero + 25}`, `tick-${zero + 30}`])
    expect(c.events('tick').join()).toContain(`SuccessfulDelete: Deleted job tick-${zero + 5}`)
  })

  it.each([
    ['Allow', 3],
    ['Forbid', 1],
    ['Replace', 1],
  ] as const)('applies the concurrency policy %s while a Job runs', (concurrencyPolicy, running) => {
    const c = cluster({ kubelet: {} })
    c.create('cronjobs.batch', cronJob({ concurrencyPolicy }))
    c.advance(16 * minute)
    expect(jobs(c)).toHaveLength(running)
    expect(statusOf(c)?.active).toHaveLength(running)
    if (concurrencyPolicy === 'Forbid') {
      expect(jobs(c)).toEqual([`tick-${zero + 5}`])
      expect(c.events('tick').join()).toContain(
        'JobAlreadyActive: Not starting job because prior execution is running and concurrency policy is Forbid',
      )
    }
    if (concurrencyPolicy === 'Replace') expect(jobs(c)).toEqual([`tick-${zero + 15}`])
  })

  it('starts no Job while suspended, and starts the latest missed Job when the CronJob is resumed', () => {
    const c = cluster()
    c.create('cronjobs.batch', cronJob({ suspend: true }))
    c.advance(22 * minute)
    expect(jobs(c)).toEqual([])
    change(c, { suspend: false })
    c.settle()
    expect(jobs(c)).toEqual([`tick-${zero + 20}`])
  })

  it('does not start a Job after the starting deadline', () => {
    const c = cluster()
    c.create('cronjobs.batch', cronJob({ suspend: true, startingDeadlineSeconds: 60 }))
    c.advance(22 * minute)
    change(c, { suspend: false })
    c.settle()
    expect(jobs(c)).toEqual([])
    c.advance(4 * minute)
    expect(jobs(c)).toEqual([`tick-${zero + 25}`])
  })

  it('follows the time zone of the CronJob', () => {
    const c = cluster()
    c.create('cronjobs.batch', cronJob({ schedule: '30 5 * * *', timeZone: 'Asia/Kolkata' }))
    c.advance(24 * 60 * minute + 200)
    // 05:30 in Kolkata is midnight UTC.
    expect(jobs(c)).toEqual([`tick-${zero + 24 * 60}`])
    expect(c.list('jobs.batch')[0]?.metadata.annotations).toMatchObject({
      'batch.kubernetes.io/cronjob-scheduled-timestamp': '2026-01-02T05:30:00+05:30',
    })
  })

  it('uses a changed schedule for the next Job', () => {
    const c = cluster()
    c.create('cronjobs.batch', cronJob({ schedule: '0 12 * * *' }))
    c.advance(17 * minute)
    change(c, { schedule: '*/10 * * * *' })
    c.advance(minute)
    expect(jobs(c)).toEqual([])
    c.advance(3 * minute)
    expect(jobs(c)).toEqual([`tick-${zero + 20}`])
  })

  it('reports an active Job that was deleted', () => {
    const c = cluster({ kubelet: {} })
    c.create('cronjobs.batch', cronJob())
    c.advance(6 * minute)
    c.delete('jobs.batch', `default/tick-${zero + 5}`, { propagationPolicy: 'Background' })
    c.advance(1000)
    expect(statusOf(c)?.active).toBeUndefined()
    expect(c.events('tick')).toContain(`MissingJob: Active job went missing: tick-${zero + 5}`)
  })

  it('starts no Job twice after a restart', () => {
    const c = cluster({ kubelet: {} })
    c.create('cronjobs.batch', cronJob())
    c.advance(6 * minute)
    c.patch('cronjobs.batch', 'default/tick', { status: { active: null, lastScheduleTime: null } }, 'status')
    c.driver.restart('cronjob-controller', createCronJobController)
    c.settle()
    expect(jobs(c)).toEqual([`tick-${zero + 5}`])
    expect(statusOf(c)).toMatchObject({
      lastScheduleTime: '2026-01-01T00:05:00Z',
      active: [{ name: `tick-${zero + 5}` }],
    })
  })
})
