import { describe, expect, it } from 'vitest'
import { releaseOf, withFeatureGates } from '../../src/api/releases/release-of.ts'
import { exponentialBuckets, MetricRegistry } from '../../src/base/metrics.ts'
import { must } from '../../src/base/result.ts'
import { GroupCluster } from '../../src/scheduler/groups/group-cluster.fixture.ts'
import { createScheduler } from '../../src/scheduler/scheduler.ts'
import recorded from './kube-scheduler-metrics.json' with { type: 'json' }

interface Recorded {
  readonly name: string
  readonly type: string
  readonly help: string
  readonly labels?: readonly string[]
  /** The arguments of ExponentialBuckets: the first bound, the factor and the number of bounds. */
  readonly buckets?: readonly number[]
  /** Absent: served without a gate. */
  readonly gate?: string
}

function exposed(minor: string, ...gates: readonly string[]): string {
  const release = must(withFeatureGates(must(releaseOf(minor)), new Map(gates.map((gate) => [gate, true]))))
  const metrics = new MetricRegistry()
  createScheduler({ release, metrics })
  return metrics.expose()
}

describe.each(Object.entries(recorded) as [string, Recorded[]][])('metrics of kube-scheduler v%s', (version, list) => {
  const minor = version.split('.').slice(0, 2).join('.')

  it('metrics have the names, types and help texts of the release with all gates', () => {
    const text = exposed(minor, ...new Set(list.flatMap(({ gate }) => gate ?? [])))
    for (const { name, type, help } of list) {
      expect(text).toContain(`# HELP ${name} ${help}\n# TYPE ${name} ${type}\n`)
    }
  })

  it('metrics are absent without their gate', () => {
    const text = exposed(minor)
    const shown = list.filter(({ name }) => text.includes(`# TYPE ${name} `))
    expect(shown.filter(({ gate }) => gate !== undefined && !gatesOn[minor]?.includes(gate))).toEqual([])
    expect(list.filter(({ gate }) => gate === undefined).map(({ name }) => name)).toEqual(
      shown.filter(({ gate }) => gate === undefined).map(({ name }) => name),
    )
  })
})

const gatesOn: Readonly<Record<string, readonly string[]>> = {
  '1.36': ['DRADeviceBindingConditions', 'DRAExtendedResource'],
  '1.37': ['DRADeviceBindingConditions', 'DRAExtendedResource'],
}

interface Layout {
  readonly name: string
  readonly labels: readonly string[]
  readonly bounds: readonly number[]
}

/** The labels and bounds of the histograms in a text, of the first series of each. */
function layoutsOf(text: string): readonly Layout[] {
  const names = [...text.matchAll(/^# TYPE (\S+) histogram$/gm)].map(([, name]) => name as string)
  return names.flatMap((name) => {
    const series = [...text.matchAll(new RegExp(`^${name}_bucket\\{(.*)le="(.*)"\\} `, 'gm'))]
    const first = series.slice(
      0,
      series.findIndex(([, , bound]) => bound === '+Inf'),
    )
    const labels = [...(first[0]?.[1] ?? '').matchAll(/(\w+)="/g)].map(([, label]) => label as string)
    return first.length === 0 ? [] : [{ name, labels, bounds: first.map(([, , bound]) => Number(bound)) }]
  })
}

/** The same as kube-scheduler has them, for the histograms that have a series in the text. */
function recordedLayouts(text: string): readonly Layout[] {
  const list = (recorded as unknown as Record<string, Recorded[]>)['1.37.1'] ?? []
  return list.flatMap(({ name, labels = [], buckets: [start = 0, factor = 0, count = 0] = [] }) =>
    text.includes(`\n${name}_bucket{`) ? [{ name, labels, bounds: exponentialBuckets(start, factor, count) }] : [],
  )
}

describe('metrics of pod groups', () => {
  /** The lines of a metric without `_bucket`. */
  const shown = (metrics: MetricRegistry, name: string): readonly string[] =>
    metrics
      .expose()
      .split('\n')
      .filter((line) => line.startsWith(`scheduler_${name}`))
      .filter((line) => !line.includes('_bucket'))

  function createMeasured(metrics: MetricRegistry): GroupCluster {
    const c = new GroupCluster('1.37', metrics, 'TopologyAwareWorkloadScheduling')
    c.create('priorityclasses.scheduling.k8s.io', { metadata: { name: 'high' }, value: 1000 })
    c.addNodes(['n0', 'n1'], '1')
    return c
  }

  it('attempts of groups are counted by result, with labels and buckets of the release', () => {
    const metrics = new MetricRegistry()
    const c = createMeasured(metrics)
    c.gang('fits', 2)
    c.addPods('fits', ['a', 'b'], '1')
    c.settle()
    c.gang('waits', 1)
    c.addPods('waits', ['c'], '1')
    c.settle()
    expect(shown(metrics, 'podgroup_schedule_attempts_total')).toEqual([
      'scheduler_podgroup_schedule_attempts_total{result="scheduled",profile="default-scheduler"} 1',
      'scheduler_podgroup_schedule_attempts_total{result="unschedulable",profile="default-scheduler"} 1',
    ])
    expect(shown(metrics, 'podgroup_scheduling_algorithm_duration_seconds_count')).toEqual([
      'scheduler_podgroup_scheduling_algorithm_duration_seconds_count 2',
    ])
    expect(shown(metrics, 'workload_preemption_attempts_total')).toEqual([
      'scheduler_workload_preemption_attempts_total{result="UnschedulableAndUnresolvable"} 1',
    ])
    expect(shown(metrics, 'placement_evaluations_total')).toEqual([
      'scheduler_placement_evaluations_total{result="feasible",profile="default-scheduler"} 1',
      'scheduler_placement_evaluations_total{result="infeasible",profile="default-scheduler"} 1',
    ])
    expect(shown(metrics, 'queued_entities{queue="backoff"')).toEqual([
      'scheduler_queued_entities{queue="backoff",type="pod"} 0',
      'scheduler_queued_entities{queue="backoff",type="podgroup"} 1',
    ])
    expect(shown(metrics, 'queue_incoming_entities_total')).toEqual([
      'scheduler_queue_incoming_entities_total{queue="active",event="UnscheduledPodAdd",type="podgroup"} 2',
      'scheduler_queue_incoming_entities_total{queue="backoff",event="ScheduleAttemptFailure",type="podgroup"} 1',
      'scheduler_queue_incoming_entities_total{queue="unschedulable",event="UnscheduledPodAdd",type="podgroup"} 2',
    ])
    expect(layoutsOf(metrics.expose())).toEqual(recordedLayouts(metrics.expose()))
  })

  it('victims of a group are counted', () => {
    const metrics = new MetricRegistry()
    const c = createMeasured(metrics)
    c.gang('old', 2, { disruptionMode: { all: {} } })
    c.addPods('old', ['a', 'b'], '1')
    c.settle()
    c.gang('new', 1, { priorityClassName: 'high' })
    c.addPods('new', ['c'], '1', { priorityClassName: 'high' })
    c.settle()
    expect(shown(metrics, 'podgroup_schedule_attempts_total{result="waiting')).toEqual([
      'scheduler_podgroup_schedule_attempts_total{result="waiting_on_preemption",profile="default-scheduler"} 1',
    ])
    expect(shown(metrics, 'workload_preemption_victims')).toEqual([
      'scheduler_workload_preemption_victims_sum 2',
      'scheduler_workload_preemption_victims_count 1',
    ])
    expect(shown(metrics, 'preemption_workload_disruptions_sum')).toEqual([
      'scheduler_preemption_workload_disruptions_sum{preemptor="podgroup"} 1',
    ])
    expect(shown(metrics, 'preemption_victims_count')).toEqual(['scheduler_preemption_victims_count 0'])
    expect(shown(metrics, 'preemption_evaluation_duration_seconds_count')).toEqual([
      'scheduler_preemption_evaluation_duration_seconds_count{preemptor="podgroup",result="Success"} 1',
    ])
    expect(shown(metrics, 'preemption_execution_duration_seconds_count')).toEqual([
      'scheduler_preemption_execution_duration_seconds_count{preemptor="podgroup",result="success"} 1',
    ])
  })
})
