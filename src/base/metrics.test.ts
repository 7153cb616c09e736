import { describe, expect, it } from 'vitest'
import { exponentialBuckets, MetricRegistry } from './metrics.ts'

describe('MetricRegistry', () => {
  it('prints the text format, metrics by name and series by label values', () => {
    const registry = new MetricRegistry()
    const attempts = registry.counter({
      name: 'scheduler_schedule_attempts_total',
      help: 'Attempts.',
      labels: ['result', 'profile'],
    })
    attempts.inc(2, 'unschedulable', 'default-scheduler')
    attempts.with('scheduled', 'default-scheduler').value++
    registry.gauge({ name: 'scheduler_goroutines', help: 'Two\nlines \\ here' }).set(3)
    registry.gaugeFrom({ name: 'scheduler_pending_pods', help: 'Pending.', labels: ['queue'] }, () => [
      { labelValues: ['gated'], value: 1 },
      { labelValues: ['active'], value: 0.5 },
    ])
    const seconds = registry.histogram({ name: 'latency_seconds', help: 'L.', labels: ['a'], buckets: [0.1, 1] })
    for (const value of [0.05, 0.1, 0.5, 3]) seconds.observe(value, 'x"y')
    expect(registry.expose()).toBe(`# HELP latency_seconds L.
# TYPE latency_seconds histogram
latency_seconds_bucket{a="x\\"y",le="0.1"} 2
latency_seconds_bucket{a="x\\"y",le="1"} 3
latency_seconds_bucket{a="x\\"y",le="+Inf"} 4
latency_seconds_sum{a="x\\"y"} 3.65
latency_seconds_count{a="x\\"y"} 4
# HELP scheduler_goroutines Two\\nlines \\\\ here
# TYPE scheduler_goroutines gauge
scheduler_goroutines 3
# HELP scheduler_pending_pods Pending.
# TYPE scheduler_pending_pods gauge
scheduler_pending_pods{queue="active"} 0.5
scheduler_pending_pods{queue="gated"} 1
# HELP scheduler_schedule_attempts_total Attempts.
# TYPE scheduler_schedule_attempts_total counter
scheduler_schedule_attempts_total{result="scheduled",profile="default-scheduler"} 1
scheduler_schedule_attempts_total{result="unschedulable",profile="default-scheduler"} 2
`)
  })

  it('returns the same metric when it is registered again, and refuses another kind of metric with the same name', () => {
    const registry = new MetricRegistry()
    registry.counter({ name: 'x', help: '' }).inc()
    registry.counter({ name: 'x', help: '' }).inc(2)
    expect(registry.expose()).toContain('\nx 3\n')
    expect(() => registry.gauge({ name: 'x', help: '' })).toThrow('is a counter')
  })

  it('removes a series of a gauge', () => {
    const registry = new MetricRegistry()
    const gauge = registry.gauge({ name: 'g', help: 'h', labels: ['node'] })
    gauge.add(1, 'a')
    gauge.add(1, 'b')
    gauge.remove('a')
    expect(registry.expose()).toBe('# HELP g h\n# TYPE g gauge\ng{node="b"} 1\n')
    gauge.remove()
    expect(registry.expose()).toBe('# HELP g h\n# TYPE g gauge\n')
  })

  it('refuses metrics with wrong label counts and decreasing counters', () => {
    const registry = new MetricRegistry()
    const counter = registry.counter({ name: 'c', help: '', labels: ['a'] })
    expect(() => counter.inc(1)).toThrow('has 1 labels, not 0')
    expect(() => counter.inc(-1, 'x')).toThrow('cannot decrease')
  })

  it('creates exponential buckets of a histogram', () => {
    expect(exponentialBuckets(0.001, 2, 4)).toEqual([0.001, 0.002, 0.004, 0.008])
  })
})
