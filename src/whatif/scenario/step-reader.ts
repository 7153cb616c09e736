import {
  choiceAt,
  durationAt,
  fieldOf,
  integerAt,
  jsonObjectAt,
  listAt,
  objectAt,
  optionalAt,
  textAt,
  WrongField,
} from '../../api/document-reader.ts'
import { parseLabelSelector } from '../../api/label-selector.ts'
import type { KubeObject } from '../../api/objects/meta.ts'
import { labels } from '../../api/well-known.ts'
import type { Fields } from '../../base/fields.ts'
import { pressures } from '../../controllers/hollow-kubelet/node-status.ts'
import type { NodeTarget, ObjectTarget, PlannedStep, Pulse, Step, StepKind } from './step.ts'
import { parseTaint, parseTaintPattern } from './taint-text.ts'
import { readStrategy, strategyFields } from './upgrade-strategy.ts'

export const stepKinds = [
  'silence',
  'revive',
  'taint',
  'untaint',
  'cordon',
  'uncordon',
  'apply',
  'delete',
  'patch',
  'scale',
  'fail',
  'recover',
  'drain',
  'upgrade',
  'pressure',
  'restart',
  'remove',
  'pause',
  'outage',
  'clock',
  'stockOut',
  'interrupt',
] as const satisfies readonly StepKind[]

type WrittenKind = (typeof stepKinds)[number]

/** Reads the objects of a file that a scenario names. */
export type ObjectLoader = (file: string) => Promise<readonly KubeObject[]>

export const rackLabel = 'topology.kubernetes.io/rack'

export async function readStep(value: unknown, path: string, load: ObjectLoader): Promise<PlannedStep> {
  const fields = objectAt(value, path, ['at', ...stepKinds])
  const kinds = stepKinds.filter((kind) => fields[kind] !== undefined)
  const [kind] = kinds
  if (kind === undefined || kinds.length > 1)
    throw new WrongField(
      path,
      `must have exactly one of ${stepKinds.join(', ')}; found ${kinds.join(' and ') || 'none'}`,
    )
  const step = await readKind(kind, fields[kind], fieldOf(path, kind), load)
  return { atMs: durationAt(fields['at'], fieldOf(path, 'at')), step, path, source: jsonObjectAt(value, path) }
}

async function readKind(kind: WrittenKind, value: unknown, path: string, load: ObjectLoader): Promise<Step> {
  switch (kind) {
    case 'silence':
    case 'fail': {
      const fields = objectAt(value, path, [...targetFields, 'for', 'every', 'times'])
      return { kind, nodes: nodeTarget(fields, path), ...pulseAt(fields, path) }
    }
    case 'revive':
    case 'recover':
    case 'remove':
    case 'cordon':
    case 'uncordon':
      return { kind, nodes: nodeTarget(objectAt(value, path, targetFields), path) }
    case 'drain': {
      const fields = objectAt(value, path, [...targetFields, 'oneByOne', 'force'])
      const oneByOne = optionalAt(fields, 'oneByOne', path, flagAt)
      const force = optionalAt(fields, 'force', path, flagAt)
      return { kind, nodes: nodeTarget(fields, path), options: { ...oneByOne, ...force } }
    }
    case 'upgrade': {
      const fields = objectAt(value, path, [...targetFields, ...strategyFields])
      return { kind, nodes: nodeTarget(fields, path), strategy: readStrategy(fields, path) }
    }
    case 'taint': {
      const fields = objectAt(value, path, [...targetFields, 'taint'])
      const taint = parseTaint(textAt(fields['taint'], fieldOf(path, 'taint'), 'key=value:NoExecute'))
      if (!taint.ok) throw new WrongField(fieldOf(path, 'taint'), taint.message)
      return { kind, nodes: nodeTarget(fields, path), taint: taint.value }
    }
    case 'untaint': {
      const fields = objectAt(value, path, [...targetFields, 'taint'])
      const taint = parseTaintPattern(textAt(fields['taint'], fieldOf(path, 'taint'), 'key:NoExecute'))
      if (!taint.ok) throw new WrongField(fieldOf(path, 'taint'), taint.message)
      return { kind, nodes: nodeTarget(fields, path), taint: taint.value }
    }
    case 'pressure': {
      const fields = objectAt(value, path, [...targetFields, 'pressures'])
      const given = listAt(fields['pressures'], fieldOf(path, 'pressures'))
      const read = given.map((item, at) => choiceAt(item, `${fieldOf(path, 'pressures')}[${at}]`, pressures))
      return { kind, nodes: nodeTarget(fields, path), pressures: read }
    }
    case 'apply':
      return { kind, objects: await readClusterObjects(value, path, load) }
    case 'delete':
      return readDelete(value, path)
    case 'patch': {
      const fields = objectAt(value, path, ['target', 'patch', 'type'])
      return {
        kind,
        target: objectTarget(fields['target'], fieldOf(path, 'target')),
        patch: jsonObjectAt(fields['patch'], fieldOf(path, 'patch')),
        type:
          fields['type'] === undefined
            ? 'strategic'
            : choiceAt(fields['type'], fieldOf(path, 'type'), ['strategic', 'merge']),
      }
    }
    case 'scale': {
      const fields = objectAt(value, path, ['target', 'replicas'])
      return {
        kind,
        target: objectTarget(fields['target'], fieldOf(path, 'target')),
        replicas: integerAt(fields['replicas'], fieldOf(path, 'replicas')),
      }
    }
    case 'restart':
      return {
        kind,
        controller: textAt(
          objectAt(value, path, ['controller'])['controller'],
          fieldOf(path, 'controller'),
          'scheduler',
        ),
      }
    case 'pause': {
      const fields = objectAt(value, path, ['controller', 'for'])
      const controller = textAt(fields['controller'], fieldOf(path, 'controller'), 'scheduler')
      return { kind, controller, forMs: durationAt(fields['for'], fieldOf(path, 'for')) }
    }
    case 'outage':
      return { kind, forMs: durationAt(objectAt(value, path, ['for'])['for'], fieldOf(path, 'for')) }
    case 'clock':
      return { kind, byMs: signedDurationAt(objectAt(value, path, ['by'])['by'], fieldOf(path, 'by')) }
    case 'stockOut': {
      const fields = objectAt(value, path, [...stockoutFields, 'for'])
      const given = stockoutFields.filter((field) => fields[field] !== undefined)
      if (given.length === 0) throw new WrongField(path, `must have at least one of ${stockoutFields.join(', ')}`)
      return {
        kind,
        ...Object.fromEntries(given.map((field) => [field, textAt(fields[field], fieldOf(path, field), 'zone-a')])),
        ...(fields['for'] === undefined ? {} : { forMs: durationAt(fields['for'], fieldOf(path, 'for')) }),
      }
    }
    case 'interrupt': {
      const fields = objectAt(value, path, [...targetFields, 'notice'])
      const noticeMs =
        fields['notice'] === undefined ? defaultNoticeMs : durationAt(fields['notice'], fieldOf(path, 'notice'))
      return { kind, nodes: nodeTarget(fields, path), noticeMs }
    }
  }
}

const stockoutFields = ['nodeGroup', 'instanceType', 'zone', 'capacityType']
// The notice of clouds before they reclaim spot capacity.
const defaultNoticeMs = 120_000

function pulseAt(fields: Fields, path: string): { readonly pulse?: Pulse } {
  const { for: lasts, every, times } = fields as { for?: unknown; every?: unknown; times?: unknown }
  if (lasts === undefined) {
    if (every !== undefined || times !== undefined)
      throw new WrongField(fieldOf(path, 'for'), 'is required with every and times')
    return {}
  }
  const forMs = durationAt(lasts, fieldOf(path, 'for'))
  if (every === undefined && times === undefined) return { pulse: { forMs } }
  const everyMs = durationAt(every, fieldOf(path, 'every'))
  if (everyMs <= forMs) throw new WrongField(fieldOf(path, 'every'), 'must be longer than for')
  return { pulse: { forMs, everyMs, times: integerAt(times, fieldOf(path, 'times'), { min: 1 }) } }
}

/** A duration that may be negative: `-5m`. */
function signedDurationAt(value: unknown, path: string): number {
  if (typeof value !== 'string' || !value.startsWith('-')) return durationAt(value, path)
  return -durationAt(value.slice(1), path)
}

const targetFields = ['node', 'nodes', 'zone', 'region', 'rack', 'selector']

function nodeTarget(fields: Fields, path: string): NodeTarget {
  const given = targetFields.filter((name) => fields[name] !== undefined)
  const [name] = given
  if (name === undefined || given.length > 1)
    throw new WrongField(path, `must have exactly one of ${targetFields.join(', ')}`)
  const at = fieldOf(path, name)
  const value = fields[name]
  switch (name) {
    case 'node':
      return { kind: 'names', names: [textAt(value, at, 'a1')] }
    case 'nodes': {
      const names = listAt(value, at).map((item, index) => textAt(item, `${at}[${index}]`, 'a1'))
      if (names.length === 0) throw new WrongField(at, 'must have at least one node')
      return { kind: 'names', names }
    }
    case 'zone':
      return { kind: 'label', key: labels.zone, value: textAt(value, at, 'zone-a') }
    case 'region':
      return { kind: 'label', key: labels.region, value: textAt(value, at, 'region-1') }
    case 'rack':
      return { kind: 'label', key: rackLabel, value: textAt(value, at, 'rack-1') }
    default: {
      const selector = textAt(value, at, 'pool=batch')
      const parsed = parseLabelSelector(selector)
      if (!parsed.ok) throw new WrongField(at, parsed.message)
      return { kind: 'selector', selector }
    }
  }
}

function readDelete(value: unknown, path: string): Step {
  if (typeof value === 'string') return { kind: 'delete', targets: [objectTarget(value, path)] }
  if (Array.isArray(value)) {
    return { kind: 'delete', targets: value.map((item, at) => objectTarget(item, `${path}[${at}]`)) }
  }
  const fields = objectAt(value, path, ['target', 'targets', 'gracePeriodSeconds'])
  const several = fields['targets'] === undefined ? [] : listAt(fields['targets'], fieldOf(path, 'targets'))
  const targets = [
    ...(fields['target'] === undefined ? [] : [objectTarget(fields['target'], fieldOf(path, 'target'))]),
    ...several.map((item, at) => objectTarget(item, `${fieldOf(path, 'targets')}[${at}]`)),
  ]
  if (targets.length === 0) throw new WrongField(path, 'must have a target such as pod/default/web-0')
  const grace = fields['gracePeriodSeconds']
  return {
    kind: 'delete',
    targets,
    ...(grace === undefined ? {} : { graceSeconds: integerAt(grace, fieldOf(path, 'gracePeriodSeconds')) }),
  }
}

export function objectTarget(value: unknown, path: string): ObjectTarget {
  const example = 'pod/default/web-0 or node/a1'
  const parts = textAt(value, path, example).split('/')
  const [kind = '', first = '', second] = parts
  if (parts.length > 3 || parts.length < 2 || parts.includes(''))
    throw new WrongField(path, `must be a string such as ${example}, not ${JSON.stringify(value)}`)
  return second === undefined ? { kind, name: first } : { kind, namespace: first, name: second }
}

/** Reads objects and names of files with objects: a list, or a single entry. */
export async function readClusterObjects(
  value: unknown,
  path: string,
  load: ObjectLoader,
): Promise<readonly KubeObject[]> {
  const items = Array.isArray(value) ? value : [value]
  const objects: KubeObject[] = []
  for (const [at, item] of items.entries()) {
    const here = Array.isArray(value) ? `${path}[${at}]` : path
    if (typeof item === 'string') objects.push(...(await load(item)))
    else objects.push(...manifestsAt(item, here))
  }
  return objects
}

function manifestsAt(value: unknown, path: string): readonly KubeObject[] {
  const fields = objectAt(value, path)
  textAt(fields['apiVersion'], fieldOf(path, 'apiVersion'), 'v1')
  const kind = textAt(fields['kind'], fieldOf(path, 'kind'), 'Pod')
  if (kind.endsWith('List') && Array.isArray(fields['items'])) {
    return fields['items'].flatMap((item, at) => manifestsAt(item, `${path}.items[${at}]`))
  }
  const metadata = objectAt(fields['metadata'], fieldOf(path, 'metadata'))
  if (metadata['generateName'] === undefined) textAt(metadata['name'], fieldOf(path, 'metadata.name'), 'web')
  return [value as KubeObject]
}

function flagAt(value: unknown, path: string): boolean {
  if (typeof value !== 'boolean') throw new WrongField(path, 'must be true or false')
  return value
}
