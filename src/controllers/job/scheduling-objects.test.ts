import { describe, expect, it } from 'vitest'
import type { PodGroup, Workload } from '../../api/objects/groups.ts'
import type { Job, JobSpec } from '../../api/objects/workloads.ts'
import { releaseOf, withFeatureGates } from '../../api/releases/release-of.ts'
import { must } from '../../base/result.ts'
import { createScheduler } from '../../scheduler/scheduler.ts'
import { WorkloadCluster } from '../workload-cluster.fixture.ts'
import { createJobController } from './controller.ts'
import { podGroupName, workloadName } from './scheduling-objects.ts'

function cluster(minor: '1.36' | '1.37', gates = ['WorkloadWithJob']): WorkloadCluster {
  const all = ['GenericWorkload', ...(minor === '1.36' ? ['GangScheduling'] : []), ...gates]
  const release = must(withFeatureGates(must(releaseOf(minor)), new Map(all.map((gate) => [gate, true]))))
  const c = new WorkloadCluster({
    controllers: [createJobController({ release }), createScheduler({ release })],
    kubelet: 'none',
    release,
  })
  c.settle()
  return c
}

function job(spec: Partial<JobSpec>, metadata: object = {}): Job {
  return {
    metadata: { name: 'train', namespace: 'default', ...metadata },
    spec: { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } }, ...spec },
  } as Job
}

const indexed = { completionMode: 'Indexed', completions: 3, parallelism: 3 } as const
const workloads = (c: WorkloadCluster) => c.list('workloads.scheduling.k8s.io') as readonly Workload[]
const groups = (c: WorkloadCluster) => c.list('podgroups.scheduling.k8s.io') as readonly PodGroup[]
const reasons = (c: WorkloadCluster) =>
  c.list('events').flatMap((event) => {
    const { reason, involvedObject } = event as unknown as { reason: string; involvedObject: { kind: string } }
    return involvedObject.kind === 'Job' ? [reason] : []
  })

describe('the names of the Workload and the PodGroup of a Job', () => {
  // Recorded from apimachinery v0.36.4: dump.ForHash, rand.SafeEncodeString.
  it('names of scheduling objects have the hashes of upstream', () => {
    const uid = '6f0b5a52-0c3a-4a8e-9d0e-2f8a1f0f9b11'
    expect(workloadName(job({}, { uid }))).toBe('train-5466995b74')
    expect(podGroupName('train-abc', 'train-pgt-0')).toBe('train-abc-train-pgt-0-66cc9f69d5')
  })

  it('names of scheduling objects are shortened in both parts', () => {
    const [long, short] = ['w'.repeat(300), 'template']
    expect(podGroupName(long, short)).toHaveLength(253)
    expect(podGroupName(long, short)).toMatch(/^w+-template-\w+$/)
    expect(podGroupName(long, 't'.repeat(300))).toMatch(/^w{121}-t{121}-\w{9}$/)
  })
})

describe('a Job with the gate WorkloadWithJob', () => {
  it('v1.36: an Indexed Job is a gang, and its pods are created in its group', () => {
    const c = cluster('1.36')
    c.create('jobs.batch', job(indexed))
    c.advance(5_000)
    expect(workloads(c)).toHaveLength(1)
    const [workload] = workloads(c)
    expect(workload?.spec).toEqual({
      controllerRef: { apiGroup: 'batch', kind: 'Job', name: 'train' },
      podGroupTemplates: [{ name: 'train-pgt-0', schedulingPolicy: { gang: { minCount: 3 } } }],
    })
    const [group] = groups(c)
    expect(group?.metadata.ownerReferences).toMatchObject([
      { kind: 'Job', controller: true },
      { apiVersion: 'scheduling.k8s.io/v1alpha2', kind: 'Workload', name: workload?.metadata.name },
    ])
    expect(group?.spec.podGroupTemplateRef?.workload?.podGroupTemplateName).toBe('train-pgt-0')
    expect(c.pods()).toHaveLength(3)
    for (const { spec, metadata } of c.pods()) {
      expect(spec.schedulingGroup).toEqual({ podGroupName: group?.metadata.name })
      expect(metadata.ownerReferences).toHaveLength(1)
    }
    expect(reasons(c)).toContain('WorkloadCreated')
    expect(reasons(c)).not.toContain('PodGroupCreated')
  })

  it.each([
    ['parallelism 1', { ...indexed, completions: 1, parallelism: 1 }],
    ['completions other than its parallelism', { ...indexed, completions: 5 }],
    ['a completion mode other than Indexed', { completions: 3, parallelism: 3 }],
  ])('v1.36: a Job with %s is not a gang', (_, spec) => {
    const c = cluster('1.36')
    c.create('jobs.batch', job(spec))
    c.advance(5_000)
    expect([workloads(c), groups(c)]).toEqual([[], []])
    expect(c.pods()[0]?.spec.schedulingGroup).toBeUndefined()
  })

  it('v1.37: a Job is a group without a gang, unless spec.scheduling requests a gang', () => {
    const c = cluster('1.37')
    c.create('jobs.batch', job({ parallelism: 2, completions: 2 }))
    c.create('jobs.batch', job({ parallelism: 2, scheduling: { schedulingPolicy: { gang: {} } } }, { name: 'gang' }))
    c.advance(5_000)
    const policies = groups(c).map(({ spec }) => [spec.workloadRef?.templateName, spec.schedulingPolicy])
    expect(policies.sort()).toEqual([
      ['gang-pgt-0', { gang: { minCount: 2 } }],
      ['train-pgt-0', { basic: {} }],
    ])
    expect(c.pods()).toHaveLength(4)
    expect(c.pods().every(({ spec }) => spec.schedulingGroup !== undefined)).toBe(true)
    expect(
      reasons(c)
        .filter((reason) => reason.endsWith('Created'))
        .sort(),
    ).toEqual(['PodGroupCreated', 'PodGroupCreated', 'WorkloadCreated', 'WorkloadCreated'])
  })

  it('v1.37: a change of minCount updates the Workload and the PodGroup', () => {
    const c = cluster('1.37')
    c.create('jobs.batch', job({ parallelism: 3, scheduling: { schedulingPolicy: { gang: { minCount: 3 } } } }))
    c.advance(5_000)
    c.patch('jobs.batch', 'default/train', { spec: { scheduling: { schedulingPolicy: { gang: { minCount: 2 } } } } })
    c.advance(5_000)
    expect(workloads(c)[0]?.spec.podGroupTemplates?.[0]?.schedulingPolicy).toEqual({ gang: { minCount: 2 } })
    expect(groups(c)[0]?.spec.schedulingPolicy).toEqual({ gang: { minCount: 2 } })
  })

  it('v1.37: the PodGroup of a Job with a parent uses the Workload of the parent', () => {
    const c = cluster('1.37')
    const parent = { apiVersion: 'example.com/v1', kind: 'JobSet', name: 'set', uid: 'set-uid', controller: true }
    c.create('workloads.scheduling.k8s.io', {
      apiVersion: 'scheduling.k8s.io/v1beta1',
      kind: 'Workload',
      metadata: { name: 'of-set', namespace: 'default' },
      spec: {
        controllerRef: { apiGroup: 'example.com', kind: 'JobSet', name: 'set' },
        podGroupTemplates: [{ name: 'workers', schedulingPolicy: { gang: { minCount: 2 } } }],
      },
    })
    const annotations = { 'scheduling.k8s.io/group-template-name': 'workers' }
    c.create('jobs.batch', job({ parallelism: 2 }, { ownerReferences: [parent], annotations }))
    c.create('jobs.batch', job({ parallelism: 2 }, { name: 'plain', ownerReferences: [parent] }))
    c.advance(5_000)
    expect(workloads(c)).toHaveLength(1)
    expect(groups(c)).toHaveLength(1)
    expect(groups(c)[0]?.metadata.ownerReferences).toHaveLength(1)
    expect(c.pods().filter(({ spec }) => spec.schedulingGroup !== undefined)).toHaveLength(2)
  })

  it('a Job that started before the gate was enabled gets no group', () => {
    const c = cluster('1.37')
    c.create('jobs.batch', job({ parallelism: 1, suspend: true }))
    c.advance(5_000)
    const [workload] = workloads(c)
    const [group] = groups(c)
    // The Job had never started, so its Workload exists. Otherwise the Workload would not be created.
    expect([workload, group]).not.toContain(undefined)
    c.delete('podgroups.scheduling.k8s.io', `default/${group?.metadata.name}`)
    c.delete('workloads.scheduling.k8s.io', `default/${workload?.metadata.name}`)
    c.patch('jobs.batch', 'default/train', { spec: { suspend: false } })
    c.advance(5_000)
    expect(c.pods()[0]?.spec.schedulingGroup).toBeUndefined()
    expect(workloads(c)).toEqual([])
  })

  it('v1.36: the parallelism of a Job cannot change, because the size of its gang is fixed', () => {
    const c = cluster('1.36')
    c.create('jobs.batch', job(indexed))
    c.advance(5_000)
    const change = () => c.patch('jobs.batch', 'default/train', { spec: { parallelism: 2, completions: 2 } })
    expect(change).toThrow('cannot change parallelism for a Job referencing gang-scheduled PodGroup "train-')
  })

  it('a Job is refused if its gang is larger than its parallelism', () => {
    const c = cluster('1.37')
    const scheduling = { schedulingPolicy: { gang: { minCount: 3 } } }
    expect(() => c.create('jobs.batch', job({ parallelism: 2, scheduling }))).toThrow(
      'spec.scheduling.schedulingPolicy.gang.minCount: Invalid value: 3: must not be greater than parallelism (2)',
    )
  })
})
