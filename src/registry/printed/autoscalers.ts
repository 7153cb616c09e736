import type { KubeObject } from '../../api/objects/meta.ts'
import { child, list, type Obj, part } from '../validation/reader.ts'
import { text } from '../validation/scalars.ts'

const asObj = (object: KubeObject): Obj => object as unknown as Obj

/** A HorizontalPodAutoscaler of autoscaling/v2 (printHorizontalPodAutoscaler). */
export function autoscalerCells(object: KubeObject, _now: number, age: string): readonly unknown[] {
  const spec = part(asObj(object), 'spec')
  const status = part(asObj(object), 'status')
  const target = part(spec, 'scaleTargetRef')
  const least = spec['minReplicas']
  return [
    object.metadata.name,
    `${text(target, 'kind')}/${text(target, 'name')}`,
    metricsText(list(spec, 'metrics'), list(status, 'currentMetrics')),
    least === undefined ? '<unset>' : String(least),
    spec['maxReplicas'] ?? 0,
    status['currentReplicas'] ?? 0,
    age,
  ]
}

const maxShown = 2

function metricsText(metrics: readonly Obj[], current: readonly Obj[]): string {
  if (metrics.length === 0) return '<none>'
  const shown = metrics.map((metric, i) => metricText(metric, current[i]))
  const text = shown.slice(0, maxShown).join(', ')
  return shown.length > maxShown ? `${text} + ${shown.length - maxShown} more...` : text
}

function metricText(metric: Obj, status: Obj | undefined): string {
  switch (text(metric, 'type')) {
    case 'External':
      return amountText(part(metric, 'external'), child(status, 'external'))
    case 'Object':
      return amountText(part(metric, 'object'), child(status, 'object'))
    case 'Pods': {
      const now = child(status, 'pods')
      const current = now === undefined ? '<unknown>' : amount(part(now, 'current'), 'averageValue')
      return `${current}/${amount(part(part(metric, 'pods'), 'target'), 'averageValue')}`
    }
    case 'Resource':
      return resourceText(part(metric, 'resource'), child(status, 'resource'))
    case 'ContainerResource':
      return resourceText(part(metric, 'containerResource'), child(status, 'containerResource'))
    default:
      return '<unknown type>'
  }
}

/** A quantity; Go prints an absent one as `<nil>`. */
const amount = (from: Obj, name: string): string => (from[name] as string | undefined) ?? '<nil>'

function amountText(metric: Obj, status: Obj | undefined): string {
  const target = part(metric, 'target')
  const now = part(status, 'current')
  if (target['averageValue'] !== undefined) {
    return `${(now['averageValue'] as string | undefined) ?? '<unknown>'}/${amount(target, 'averageValue')} (avg)`
  }
  return `${status === undefined ? '<unknown>' : amount(now, 'value')}/${amount(target, 'value')}`
}

function resourceText(metric: Obj, status: Obj | undefined): string {
  const target = part(metric, 'target')
  const now = part(status, 'current')
  const name = text(metric, 'name')
  if (target['averageValue'] !== undefined) {
    const current = status === undefined ? '<unknown>' : amount(now, 'averageValue')
    return `${name}: ${current}/${amount(target, 'averageValue')}`
  }
  const percent = (value: unknown, absent: string): string => (value === undefined ? absent : `${String(value)}%`)
  return `${name}: ${percent(now['averageUtilization'], '<unknown>')}/${percent(target['averageUtilization'], '<auto>')}`
}
