import { describe, expect, it } from 'vitest'
import type { KubeObject } from '../../../src/api/objects/meta.ts'
import type { Pod } from '../../../src/api/objects/pod.ts'
import { releaseOf } from '../../../src/api/releases/release-of.ts'
import { MetricRegistry } from '../../../src/base/metrics.ts'
import { createRandom } from '../../../src/base/random.ts'
import { must } from '../../../src/base/result.ts'
import { VirtualClock } from '../../../src/base/virtual-clock.ts'
import { createInProcessClient } from '../../../src/client/in-process-client.ts'
import { createRegistry } from '../../../src/registry/registry.ts'
import { createStepDriver } from '../../../src/runtime/step-driver.ts'
import type { SchedulerInspection } from '../../../src/scheduler/observe/inspection.ts'
import { createDefaultProfile } from '../../../src/scheduler/plugins/default-plugins.ts'
import type { SchedulerOptions } from '../../../src/scheduler/scheduler.ts'
import { createScheduler } from '../../../src/scheduler/scheduler.ts'
import { createStore } from '../../../src/store/memory-store.ts'
import { storyRelease } from './story.ts'

const start = Date.parse('2026-01-01T00:00:00Z')

function byAge<T extends KubeObject>(objects: readonly T[]): T[] {
  return [...objects].sort((a, b) => Number(a.metadata.resourceVersion) - Number(b.metadata.resourceVersion))
}

function cluster(options: SchedulerOptions = {}) {
  const store = createStore()
  const clock = new VirtualClock(start)
  const random = createRandom('shell')
  const admission = { disabledAdmission: ['TaintNodesByCondition', 'Priority'], release: storyRelease }
  const client = createInProcessClient(createRegistry({ store, clock, random, options: admission }))
  const create = (resource: string, object: KubeObject): void => {
    const { namespace } = object.metadata
    const outcome = client.callNow({ verb: 'create', resource, ...(namespace && { namespace }), object })
    if (!outcome.ok) throw new Error(outcome.status.message)
  }
  create('namespaces', { metadata: { name: 'default' } })
  const driver = createStepDriver({
    client,
    source: store,
    clock,
    random,
    controllers: [createScheduler({ release: storyRelease, ...options })],
  })
  return {
    driver,
    client,
    node: (name: string, cpu = '4') => {
      const amounts = { cpu, memory: '8Gi', pods: '110' }
      create('nodes', { metadata: { name }, status: { capacity: amounts, allocatable: amounts } } as KubeObject)
      driver.settle()
    },
    pod: (name: string, spec: Partial<Pod['spec']> = {}, cpu = '1') => {
      const containers = [{ name: 'c', image: 'pause', resources: { requests: { cpu } } }]
      create('pods', { metadata: { name, namespace: 'default' }, spec: { containers, ...spec } } as Pod)
      driver.settle()
    },
    podOf: (name: string) => store.get('pods', `default/${name}`) as Pod,
    inspect: () => driver.controller('scheduler')?.inspect?.(clock.now()) as SchedulerInspection,
    events: () =>
      byAge(store.list('events') as (KubeObject & Record<string, unknown>)[]).map(
        ({ type, reason, action, message, note, reportingComponent, reportingController }) => ({
          type,
          reason,
          action,
          message: message ?? note,
          by: reportingComponent ?? reportingController,
        }),
      ),
  }
}

describe('events', () => {
  it('reports success and failure with the messages of kube-scheduler', () => {
    const { node, pod, events } = cluster()
    node('n1')
    pod('small')
    pod('large', {}, '9')
    expect(events()).toEqual([
      {
        type: 'Normal',
        reason: 'Scheduled',
        action: 'Binding',
        message: 'Successfully assigned default/small to n1',
        by: 'default-scheduler',
      },
      {
        type: 'Warning',
        reason: 'FailedScheduling',
        action: 'Scheduling',
        message:
          '0/1 nodes are available: 1 Insufficient cpu. no new claims to deallocate, preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling.',
        by: 'default-scheduler',
      },
    ])
  })

  it('truncates events at 1024 characters, but not the condition', () => {
    const long = 'x'.repeat(2000)
    const profile = createDefaultProfile()
    const talker = { name: 'Talker', filter: () => ({ code: 'Unschedulable' as const, reasons: [long] }) }
    const { node, pod, events, podOf } = cluster({ profiles: [{ ...profile, filter: [talker], preFilter: [] }] })
    node('n1')
    pod('p')
    const [event] = events()
    expect(String(event?.message)).toHaveLength(1024)
    expect(String(event?.message).endsWith('x ...')).toBe(true)
    const condition = podOf('p').status?.conditions?.find(({ type }) => type === 'PodScheduled')
    expect(condition?.message?.length).toBeGreaterThan(2000)
  })

  it('reports that a pod is skipped because it is being deleted', () => {
    const { node, pod, events, client, driver } = cluster()
    pod('p', { schedulingGates: [{ name: 'g' }], terminationGracePeriodSeconds: 30 })
    const at = { resource: 'pods', namespace: 'default', name: 'p' }
    client.callNow({ verb: 'patch', ...at, patch: { kind: 'merge', patch: { metadata: { finalizers: ['a.b/c'] } } } })
    client.callNow({ verb: 'delete', ...at })
    client.callNow({ verb: 'patch', ...at, patch: { kind: 'merge', patch: { spec: { schedulingGates: [] } } } })
    driver.settle()
    node('n1')
    expect(events().map(({ message }) => message)).toEqual(['skip schedule deleting pod: default/p'])
  })
})

describe('profiles', () => {
  it('each profile schedules only the pods with its schedulerName', () => {
    const profiles = [createDefaultProfile(), createDefaultProfile({ schedulerName: 'batch' })]
    const { node, pod, podOf, events } = cluster({ profiles })
    node('n1')
    pod('a')
    pod('b', { schedulerName: 'batch' })
    pod('c', { schedulerName: 'unknown' })
    expect(['a', 'b', 'c'].map((name) => podOf(name).spec.nodeName)).toEqual(['n1', 'n1', undefined])
    expect(events().map(({ by }) => by)).toEqual(['default-scheduler', 'batch'])
  })
})

describe('metrics', () => {
  it('has the metrics of kube-scheduler with their values', () => {
    const metrics = new MetricRegistry()
    const { node, pod, driver } = cluster({ metrics })
    node('n1')
    pod('small')
    pod('large', {}, '9')
    pod('gated', { schedulingGates: [{ name: 'g' }] })
    driver.advance(1_000)
    const lines = metrics.expose().split('\n')
    const shown = (name: string): string[] =>
      lines.filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `))
    expect(shown('scheduler_pending_pods')).toEqual([
      'scheduler_pending_pods{queue="active"} 0',
      'scheduler_pending_pods{queue="backoff"} 0',
      'scheduler_pending_pods{queue="gated"} 1',
      'scheduler_pending_pods{queue="unschedulable"} 1',
    ])
    expect(shown('scheduler_schedule_attempts_total')).toEqual([
      'scheduler_schedule_attempts_total{result="scheduled",profile="default-scheduler"} 1',
      'scheduler_schedule_attempts_total{result="unschedulable",profile="default-scheduler"} 1',
    ])
    expect(shown('scheduler_queue_incoming_pods_total')).toEqual([
      'scheduler_queue_incoming_pods_total{queue="active",event="UnschedulablePodAdd"} 2',
      'scheduler_queue_incoming_pods_total{queue="unschedulable",event="ScheduleAttemptFailure"} 1',
      'scheduler_queue_incoming_pods_total{queue="unschedulable",event="UnschedulablePodAdd"} 1',
    ])
    expect(shown('scheduler_unschedulable_pods')).toEqual([
      'scheduler_unschedulable_pods{plugin="NodeResourcesFit",profile="default-scheduler"} 1',
      'scheduler_unschedulable_pods{plugin="SchedulingGates",profile="default-scheduler"} 1',
    ])
    expect(shown('scheduler_preemption_attempts_total')).toEqual(['scheduler_preemption_attempts_total 1'])
    expect(shown('scheduler_pod_scheduling_attempts_count')).toEqual(['scheduler_pod_scheduling_attempts_count 1'])
    expect(shown('scheduler_cache_size')).toEqual([
      'scheduler_cache_size{type="assumed_pods"} 0',
      'scheduler_cache_size{type="nodes"} 1',
      'scheduler_cache_size{type="pods"} 1',
    ])
  })

  it.each([
    ['1.34', []],
    // The gate DRAExtendedResource is off.
    ['1.35', []],
    ['1.36', ['scheduler_pod_scheduled_after_flush_total', 'scheduler_resourceclaim_creates_total']],
    ['1.37', ['dynamic_resource_allocation_resourceclaim_creates_total', 'scheduler_pod_scheduled_after_flush_total']],
  ])('has the scheduler metrics of v%s', (version, expected) => {
    const metrics = new MetricRegistry()
    cluster({ metrics, release: must(releaseOf(version)) })
    const names = metrics.expose().matchAll(/^# TYPE (\S*(?:claim_creates|after_flush)\S*)/gm)
    expect([...names].map(([, name]) => name)).toEqual(expected)
  })
})

describe('inspection', () => {
  it('reports the queue of a pod, the time in the queue, the events that requeue it and its next retry', () => {
    const { node, pod, inspect, driver } = cluster()
    node('n1')
    driver.advance(2_000)
    pod('large', {}, '9')
    expect(inspect().queue).toEqual([
      expect.objectContaining({
        pod: 'default/large',
        place: 'unschedulable',
        since: start + 2_000,
        because: 'ScheduleAttemptFailure',
        attempts: 1,
        rejectedBy: ['NodeResourcesFit'],
        retriedAt: start + 330_000,
      }),
    ])
    expect(inspect().queue[0]?.wakesOn['NodeResourcesFit']).toEqual([
      'PodDelete',
      'PodUpdatePodScaleDown',
      'NodeAdd',
      'NodeUpdateNodeAllocatable',
      'NodeUpdateNodeTaint',
    ])
  })
})
