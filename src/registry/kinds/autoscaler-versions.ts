import type { KubeObject, ObjectMeta } from '../../api/objects/meta.ts'
import type { Fields } from '../../base/fields.ts'
import { lookupTable } from '../../base/lookup-table.ts'

/**
 * HorizontalPodAutoscalers are stored as autoscaling/v2. autoscaling/v1 has fields only for the CPU utilization;
 * everything else is in annotations, so that a v1 client that writes back what it read loses nothing (v1.36,
 * pkg/apis/autoscaling/v1/conversion.go).
 */

const prefix = 'autoscaling.alpha.kubernetes.io/'
const metricsKey = `${prefix}metrics`
const currentMetricsKey = `${prefix}current-metrics`
const conditionsKey = `${prefix}conditions`
const behaviorKey = `${prefix}behavior`
const roundTripKeys = [
  metricsKey,
  currentMetricsKey,
  conditionsKey,
  behaviorKey,
  `${prefix}scale-down-tolerance`,
  `${prefix}scale-up-tolerance`,
]

const part = (from: Fields | undefined, name: string): Fields => (from?.[name] ?? {}) as Fields
const list = (from: Fields | undefined, name: string): readonly Fields[] => (from?.[name] ?? []) as readonly Fields[]
const child = (from: Fields | undefined, name: string): Fields | undefined =>
  (from?.[name] ?? undefined) as Fields | undefined

/** The members that are not undefined. */
function present(members: Fields): Fields {
  const out: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(members)) if (value !== undefined && value !== null) out[name] = value
  return out
}

const reference = (of: Fields): Fields =>
  present({ kind: of['kind'] ?? '', name: of['name'] ?? '', apiVersion: of['apiVersion'] })

type Direction = 'source' | 'status'

/** Converts a metric of v2 to v1, by its type. */
const toV1 = lookupTable<(metric: Fields, direction: Direction) => Fields>({
  object: (metric, direction) => {
    const { value, averageValue } = valuesOf(metric, direction)
    return present({
      target: reference(part(metric, 'describedObject')),
      metricName: part(metric, 'metric')['name'] ?? '',
      [direction === 'source' ? 'targetValue' : 'currentValue']: value ?? '0',
      selector: part(metric, 'metric')['selector'],
      averageValue,
    })
  },
  pods: (metric, direction) =>
    present({
      metricName: part(metric, 'metric')['name'] ?? '',
      [direction === 'source' ? 'targetAverageValue' : 'currentAverageValue']:
        valuesOf(metric, direction)['averageValue'] ?? '0',
      selector: part(metric, 'metric')['selector'],
    }),
  resource: (metric, direction) => resourceToV1(metric, direction),
  containerResource: (metric, direction) => ({
    ...resourceToV1(metric, direction),
    container: metric['container'] ?? '',
  }),
  external: (metric, direction) => {
    const { value, averageValue } = valuesOf(metric, direction)
    const named = {
      metricName: part(metric, 'metric')['name'] ?? '',
      metricSelector: part(metric, 'metric')['selector'],
    }
    return direction === 'source'
      ? present({ ...named, targetValue: value, targetAverageValue: averageValue })
      : present({ ...named, currentValue: value ?? '0', currentAverageValue: averageValue })
  },
})

const valuesOf = (metric: Fields, direction: Direction): Fields =>
  part(metric, direction === 'source' ? 'target' : 'current')

function resourceToV1(metric: Fields, direction: Direction): Fields {
  const { averageUtilization, averageValue } = valuesOf(metric, direction)
  const name = metric['name'] ?? ''
  return direction === 'source'
    ? present({ name, targetAverageUtilization: averageUtilization, targetAverageValue: averageValue })
    : present({ name, currentAverageUtilization: averageUtilization, currentAverageValue: averageValue ?? '0' })
}

/** Converts a metric of v1 to v2. */
const toV2 = lookupTable<(metric: Fields, direction: Direction) => Fields>({
  object: (metric, direction) => {
    const named = identifier(metric['metricName'], metric['selector'])
    const describedObject = reference(part(metric, 'target'))
    const average = metric['averageValue']
    if (direction === 'status') {
      return {
        metric: named,
        current: present({ value: metric['currentValue'], averageValue: average }),
        describedObject,
      }
    }
    const value = metric['targetValue']
    const target =
      average === undefined
        ? { type: 'Value', value }
        : present({ type: 'AverageValue', value: isZero(value) ? undefined : value, averageValue: average })
    return { describedObject, target, metric: named }
  },
  pods: (metric, direction) => ({
    metric: identifier(metric['metricName'], metric['selector']),
    ...(direction === 'source'
      ? { target: { type: 'AverageValue', averageValue: metric['targetAverageValue'] } }
      : { current: { averageValue: metric['currentAverageValue'] } }),
  }),
  resource: (metric, direction) => resourceToV2(metric, direction),
  containerResource: (metric, direction) => ({
    ...resourceToV2(metric, direction),
    container: metric['container'] ?? '',
  }),
  external: (metric, direction) => {
    const named = { metric: identifier(metric['metricName'], metric['metricSelector']) }
    if (direction === 'status') {
      const current = present({ value: metric['currentValue'], averageValue: metric['currentAverageValue'] })
      return { ...named, current }
    }
    const { targetValue: value, targetAverageValue: averageValue } = metric
    const type = averageValue === undefined ? 'Value' : 'AverageValue'
    return { ...named, target: present({ type, value, averageValue }) }
  },
})

const isZero = (quantity: unknown): boolean => quantity === undefined || quantity === '0' || quantity === 0
const identifier = (name: unknown, selector: unknown): Fields => present({ name: name ?? '', selector })

function resourceToV2(metric: Fields, direction: Direction): Fields {
  const name = metric['name'] ?? ''
  if (direction === 'status') {
    const { currentAverageValue: averageValue, currentAverageUtilization: averageUtilization } = metric
    return { name, current: present({ averageValue, averageUtilization }) }
  }
  const { targetAverageValue: averageValue, targetAverageUtilization: averageUtilization } = metric
  const type = averageUtilization === undefined ? 'AverageValue' : 'Utilization'
  return { name, target: present({ type, averageValue, averageUtilization }) }
}

const sources = ['object', 'pods', 'resource', 'containerResource', 'external'] as const

function converted(metric: Fields, direction: Direction, table: typeof toV1): Fields {
  const out: Record<string, unknown> = { type: metric['type'] ?? '' }
  for (const source of sources) {
    const given = child(metric, source)
    if (given !== undefined) out[source] = table[source]?.(given, direction)
  }
  return out
}

const utilizationOf = (metric: Fields): number | undefined => {
  const resource = child(metric, 'resource')
  if (metric['type'] !== 'Resource' || resource?.['name'] !== 'cpu') return undefined
  return (part(resource, 'target')['averageUtilization'] ?? undefined) as number | undefined
}

const currentUtilizationOf = (metric: Fields): unknown =>
  metric['type'] === 'Resource' && part(metric, 'resource')['name'] === 'cpu'
    ? part(part(metric, 'resource'), 'current')['averageUtilization']
    : undefined

const cpuMetric = (averageUtilization: unknown): Fields => ({
  type: 'Resource',
  resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization } },
})

function withAnnotations(metadata: ObjectMeta, added: Readonly<Record<string, string>>): ObjectMeta {
  const before = metadata.annotations
  const isClean = before === undefined || !roundTripKeys.some((key) => Object.hasOwn(before, key))
  if (isClean && Object.keys(added).length === 0) return metadata
  const kept = Object.entries(before ?? {}).filter(([key]) => !roundTripKeys.includes(key))
  const annotations = { ...Object.fromEntries(kept), ...added }
  const { annotations: _, ...rest } = metadata
  return Object.keys(annotations).length === 0 ? rest : { ...rest, annotations }
}

/** An internal type without JSON names, in which upstream writes the behavior. */
function behaviorText(behavior: Fields): string {
  const rules = (given: Fields | undefined): unknown =>
    given === undefined
      ? null
      : {
          StabilizationWindowSeconds: given['stabilizationWindowSeconds'] ?? null,
          SelectPolicy: given['selectPolicy'] ?? null,
          Policies:
            given['policies'] === undefined
              ? null
              : list(given, 'policies').map((policy) => ({
                  Type: policy['type'],
                  Value: policy['value'],
                  PeriodSeconds: policy['periodSeconds'],
                })),
          Tolerance: given['tolerance'] ?? null,
        }
  return JSON.stringify({ ScaleUp: rules(child(behavior, 'scaleUp')), ScaleDown: rules(child(behavior, 'scaleDown')) })
}

function behaviorOf(text: string | undefined): Fields | undefined {
  const given = parsed(text)
  if (given === undefined || Array.isArray(given)) return undefined
  const rules = (from: Fields | undefined): Fields | undefined =>
    from === undefined
      ? undefined
      : present({
          stabilizationWindowSeconds: from['StabilizationWindowSeconds'],
          selectPolicy: from['SelectPolicy'],
          policies: child(from, 'Policies') === undefined ? undefined : list(from, 'Policies').map(policyOf),
          tolerance: from['Tolerance'],
        })
  const scaleUp = rules(child(given as Fields, 'ScaleUp'))
  const scaleDown = rules(child(given as Fields, 'ScaleDown'))
  return scaleUp === undefined && scaleDown === undefined ? undefined : present({ scaleUp, scaleDown })
}

const policyOf = (policy: Fields): Fields => ({
  type: policy['Type'] ?? '',
  value: policy['Value'] ?? 0,
  periodSeconds: policy['PeriodSeconds'] ?? 0,
})

/** JSON that a client may have written into the annotation. Invalid JSON is ignored, as upstream does. */
function parsed(text: string | undefined): unknown {
  if (text === undefined) return undefined
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? value : undefined
  } catch {
    return undefined
  }
}

const parsedList = (text: string | undefined): readonly Fields[] | undefined => {
  const value = parsed(text)
  return Array.isArray(value) && value.every((one) => typeof one === 'object' && one !== null) ? value : undefined
}

type Autoscaler = KubeObject & { readonly spec?: Fields; readonly status?: Fields }

export function autoscalerFromStorage(object: KubeObject): KubeObject {
  const { spec: given, status: shown, metadata, ...rest } = object as unknown as Autoscaler
  const added: Record<string, string> = {}
  const metrics = list(given, 'metrics')
  const others = metrics.filter((metric) => utilizationOf(metric) === undefined)
  if (others.length > 0) added[metricsKey] = JSON.stringify(others.map((metric) => converted(metric, 'source', toV1)))
  const current = list(shown, 'currentMetrics')
  if (current.length > 0) {
    added[currentMetricsKey] = JSON.stringify(current.map((metric) => converted(metric, 'status', toV1)))
  }
  const behavior = child(given, 'behavior')
  if (behavior !== undefined) added[behaviorKey] = behaviorText(behavior)
  const conditions = list(shown, 'conditions')
  if (conditions.length > 0) added[conditionsKey] = JSON.stringify(conditions)
  const spec = present({
    scaleTargetRef: given?.['scaleTargetRef'],
    minReplicas: given?.['minReplicas'],
    maxReplicas: given?.['maxReplicas'] ?? 0,
    targetCPUUtilizationPercentage: metrics.map(utilizationOf).find((value) => value !== undefined),
  })
  const status = present({
    observedGeneration: shown?.['observedGeneration'],
    lastScaleTime: shown?.['lastScaleTime'],
    currentReplicas: shown?.['currentReplicas'] ?? 0,
    desiredReplicas: shown?.['desiredReplicas'] ?? 0,
    currentCPUUtilizationPercentage: current.map(currentUtilizationOf).findLast((value) => value !== undefined),
  })
  return {
    ...rest,
    apiVersion: 'autoscaling/v1',
    metadata: withAnnotations(metadata, added),
    spec,
    status,
  } as unknown as KubeObject
}

export function autoscalerToStorage(object: KubeObject): KubeObject {
  const { spec: given, status: shown, metadata, ...rest } = object as unknown as Autoscaler
  const annotations = metadata.annotations ?? {}
  const read = (key: string) => (Object.hasOwn(annotations, key) ? annotations[key] : undefined)
  const percent = given?.['targetCPUUtilizationPercentage'] ?? undefined
  const others = (parsedList(read(metricsKey)) ?? []).map((metric) => converted(metric, 'source', toV2))
  const metrics = percent === undefined ? others : [...others, cpuMetric(percent)]
  const current = shown?.['currentCPUUtilizationPercentage'] ?? undefined
  const currentMetrics =
    parsedList(read(currentMetricsKey))?.map((metric) => converted(metric, 'status', toV2)) ??
    (current === undefined
      ? undefined
      : [{ type: 'Resource', resource: { name: 'cpu', current: { averageUtilization: current } } }])
  const spec = present({
    scaleTargetRef: given?.['scaleTargetRef'],
    minReplicas: given?.['minReplicas'],
    maxReplicas: given?.['maxReplicas'] ?? 0,
    metrics: metrics.length === 0 ? [cpuMetric(80)] : metrics,
    behavior: behaviorOf(read(behaviorKey)),
  })
  const status = {
    ...present({
      observedGeneration: shown?.['observedGeneration'],
      lastScaleTime: shown?.['lastScaleTime'],
      currentReplicas: shown?.['currentReplicas'] || undefined,
    }),
    desiredReplicas: shown?.['desiredReplicas'] ?? 0,
    currentMetrics: currentMetrics ?? null,
    ...present({ conditions: parsedList(read(conditionsKey)) }),
  }
  return {
    ...rest,
    apiVersion: 'autoscaling/v2',
    metadata: withAnnotations(metadata, {}),
    spec,
    status,
  } as unknown as KubeObject
}
