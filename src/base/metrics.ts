import { assert } from './assert.ts'

/** The description of a metric. Label names are fixed; a series is identified by its label values in that order. */
export interface MetricDescription {
  readonly name: string
  readonly help: string
  readonly labels?: readonly string[]
}

export interface HistogramDescription extends MetricDescription {
  /** Upper bounds, ascending, without +Inf. */
  readonly buckets: readonly number[]
}

/** One series of a counter or gauge. Hot paths keep a reference to it: changing it is one addition. */
export interface MetricSeries {
  value: number
}

export interface Counter {
  /** The series with these label values, created at 0. */
  with(...labelValues: readonly string[]): MetricSeries
  inc(by?: number, ...labelValues: readonly string[]): void
}

export interface Gauge {
  with(...labelValues: readonly string[]): MetricSeries
  set(value: number, ...labelValues: readonly string[]): void
  add(by: number, ...labelValues: readonly string[]): void
  /** Removes one series, or all of them if no label values are given for a metric with labels. */
  remove(...labelValues: readonly string[]): void
}

export interface HistogramSeries {
  observe(value: number): void
  readonly count: number
  readonly sum: number
}

export interface Histogram {
  with(...labelValues: readonly string[]): HistogramSeries
  observe(value: number, ...labelValues: readonly string[]): void
}

/** A sample of a gauge that is computed on exposition. */
export interface MetricSample {
  readonly labelValues: readonly string[]
  readonly value: number
}

// Label values are joined to identify a series. Kubernetes names and reasons contain no control characters.
const separator = '\u0001'

interface Metric {
  readonly kind: 'counter' | 'gauge' | 'histogram'
  readonly description: MetricDescription
  write(lines: string[]): void
}

/** The metrics of one process. Registering a name again with the same kind returns the same metric. */
export class MetricRegistry {
  private readonly metrics = new Map<string, { readonly metric: Metric; readonly face: unknown }>()

  counter(description: MetricDescription): Counter {
    return this.register('counter', description, () => {
      const family = new SeriesFamily('counter', description)
      const face: Counter = {
        with: (...labelValues) => family.series(labelValues),
        inc: (by = 1, ...labelValues) => {
          assert(by >= 0, `counter ${description.name} cannot decrease`)
          family.series(labelValues).value += by
        },
      }
      return { metric: family, face }
    })
  }

  gauge(description: MetricDescription): Gauge {
    return this.register('gauge', description, () => {
      const family = new SeriesFamily('gauge', description)
      const face: Gauge = {
        with: (...labelValues) => family.series(labelValues),
        set: (value, ...labelValues) => {
          family.series(labelValues).value = value
        },
        add: (by, ...labelValues) => {
          family.series(labelValues).value += by
        },
        remove: (...labelValues) => family.remove(labelValues),
      }
      return { metric: family, face }
    })
  }

  /** A gauge without state: `read` is called for every exposition. */
  gaugeFrom(description: MetricDescription, read: () => Iterable<MetricSample>): void {
    this.registerRead('gauge', description, read)
  }

  /** A counter whose value is kept elsewhere: `read` is called for every exposition. */
  counterFrom(description: MetricDescription, read: () => Iterable<MetricSample>): void {
    this.registerRead('counter', description, read)
  }

  histogram(description: HistogramDescription): Histogram {
    return this.register('histogram', description, () => {
      const family = new HistogramFamily(description)
      const face: Histogram = {
        with: (...labelValues) => family.series(labelValues),
        observe: (value, ...labelValues) => family.series(labelValues).observe(value),
      }
      return { metric: family, face }
    })
  }

  /** Prometheus' text format, metrics by name and series by label values, so that equal states print equal texts. */
  expose(): string {
    const lines: string[] = []
    for (const name of [...this.metrics.keys()].sort()) {
      const { metric } = this.metrics.get(name) as { metric: Metric }
      lines.push(`# HELP ${name} ${metric.description.help.replace(/\\/g, '\\\\').replace(/\n/g, '\\n')}`)
      lines.push(`# TYPE ${name} ${metric.kind}`)
      metric.write(lines)
    }
    return lines.length === 0 ? '' : `${lines.join('\n')}\n`
  }

  private registerRead(
    kind: 'gauge' | 'counter',
    description: MetricDescription,
    read: () => Iterable<MetricSample>,
  ): void {
    this.register(kind, description, () => {
      const write = (lines: string[]): void => {
        const rows = [...read()].map(({ labelValues, value }): [string, string] => {
          const labels = renderLabels(description.labels ?? [], labelValues)
          return [labelValues.join(separator), `${description.name}${labels} ${renderNumber(value)}`]
        })
        for (const [, line] of rows.sort(byFirst)) lines.push(line)
      }
      return { metric: { kind, description, write }, face: undefined }
    })
  }

  private register<F>(
    kind: Metric['kind'],
    description: MetricDescription,
    create: () => { metric: Metric; face: F },
  ): F {
    const known = this.metrics.get(description.name)
    if (known !== undefined) {
      assert(known.metric.kind === kind, `metric ${description.name} is a ${known.metric.kind}, not a ${kind}`)
      return known.face as F
    }
    const created = create()
    this.metrics.set(description.name, created)
    return created.face
  }
}

class SeriesFamily implements Metric {
  readonly kind: 'counter' | 'gauge'
  readonly description: MetricDescription
  private readonly labelNames: readonly string[]
  private readonly all = new Map<string, { readonly labelValues: readonly string[]; readonly series: MetricSeries }>()

  constructor(kind: 'counter' | 'gauge', description: MetricDescription) {
    this.kind = kind
    this.description = description
    this.labelNames = description.labels ?? []
    if (this.labelNames.length === 0) this.series([])
  }

  series(labelValues: readonly string[]): MetricSeries {
    const key = seriesKey(labelValues)
    const known = this.all.get(key)
    if (known !== undefined) return known.series
    checkLabels(this.description, labelValues)
    const series: MetricSeries = { value: 0 }
    this.all.set(key, { labelValues: [...labelValues], series })
    return series
  }

  remove(labelValues: readonly string[]): void {
    if (labelValues.length === 0 && this.labelNames.length > 0) this.all.clear()
    else this.all.delete(seriesKey(labelValues))
  }

  write(lines: string[]): void {
    for (const [, { labelValues, series }] of [...this.all].sort(byFirst)) {
      lines.push(`${this.description.name}${renderLabels(this.labelNames, labelValues)} ${renderNumber(series.value)}`)
    }
  }
}

class BucketCounts implements HistogramSeries {
  count = 0
  sum = 0
  readonly perBucket: Float64Array
  private readonly bounds: readonly number[]

  constructor(bounds: readonly number[]) {
    this.bounds = bounds
    this.perBucket = new Float64Array(bounds.length + 1)
  }

  observe(value: number): void {
    const bounds = this.bounds
    let bucket = 0
    while (bucket < bounds.length && value > (bounds[bucket] as number)) bucket++
    this.perBucket[bucket] = (this.perBucket[bucket] as number) + 1
    this.count++
    this.sum += value
  }
}

class HistogramFamily implements Metric {
  readonly kind = 'histogram'
  readonly description: HistogramDescription
  private readonly all = new Map<string, { readonly labelValues: readonly string[]; readonly counts: BucketCounts }>()

  constructor(description: HistogramDescription) {
    this.description = description
    if ((description.labels ?? []).length === 0) this.series([])
  }

  series(labelValues: readonly string[]): BucketCounts {
    const key = seriesKey(labelValues)
    const known = this.all.get(key)
    if (known !== undefined) return known.counts
    checkLabels(this.description, labelValues)
    const counts = new BucketCounts(this.description.buckets)
    this.all.set(key, { labelValues: [...labelValues], counts })
    return counts
  }

  write(lines: string[]): void {
    const { name, buckets } = this.description
    const labelNames = this.description.labels ?? []
    for (const [, { labelValues, counts }] of [...this.all].sort(byFirst)) {
      let cumulative = 0
      for (let i = 0; i <= buckets.length; i++) {
        cumulative += counts.perBucket[i] as number
        const bound = i < buckets.length ? renderNumber(buckets[i] as number) : '+Inf'
        lines.push(`${name}_bucket${renderLabels([...labelNames, 'le'], [...labelValues, bound])} ${cumulative}`)
      }
      const labels = renderLabels(labelNames, labelValues)
      lines.push(`${name}_sum${labels} ${renderNumber(counts.sum)}`, `${name}_count${labels} ${counts.count}`)
    }
  }
}

/** `count` bounds, each `factor` times the previous one. */
export function exponentialBuckets(start: number, factor: number, count: number): number[] {
  const bounds: number[] = []
  for (let i = 0, bound = start; i < count; i++, bound *= factor) bounds.push(bound)
  return bounds
}

function seriesKey(labelValues: readonly string[]): string {
  switch (labelValues.length) {
    case 0:
      return ''
    case 1:
      return labelValues[0] as string
    default:
      return labelValues.join(separator)
  }
}

function checkLabels(description: MetricDescription, labelValues: readonly string[]): void {
  const expected = description.labels?.length ?? 0
  assert(
    labelValues.length === expected,
    `metric ${description.name} has ${expected} labels, not ${labelValues.length}`,
  )
}

function byFirst(a: readonly [string, unknown], b: readonly [string, unknown]): number {
  return a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : 0
}

function renderLabels(names: readonly string[], values: readonly string[]): string {
  if (names.length === 0) return ''
  const pairs = names.map((name, i) => `${name}="${escapeLabel(values[i] ?? '')}"`)
  return `{${pairs.join(',')}}`
}

function escapeLabel(value: string): string {
  return value.replace(/\\/g, '\\\\').replace(/"/g, '\\"').replace(/\n/g, '\\n')
}

function renderNumber(value: number): string {
  if (value === Number.POSITIVE_INFINITY) return '+Inf'
  if (value === Number.NEGATIVE_INFINITY) return '-Inf'
  return String(value)
}
