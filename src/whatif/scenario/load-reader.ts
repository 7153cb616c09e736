import { choiceAt, durationAt, fieldOf, listAt, objectAt, textAt, WrongField } from '../../api/document-reader.ts'
import { parseGoDurationMs } from '../../api/go-duration.ts'
import type { StringMap } from '../../api/objects/meta.ts'
import { milliValueInt64, parseQuantity } from '../../api/quantity.ts'
import type { Load, LoadPoint } from '../../autoscalers/horizontal-pod-autoscaler/load.ts'

/** Reads a file that a scenario names. */
export type TextLoader = (path: string) => Promise<readonly unknown[]>

const loadFields = [
  'target',
  'external',
  'namespace',
  'container',
  'labels',
  'shared',
  'cpu',
  'memory',
  'metrics',
  'steps',
  'csv',
]
const shortKinds = new Map([
  ['deploy', 'Deployment'],
  ['sts', 'StatefulSet'],
  ['rs', 'ReplicaSet'],
  ['rc', 'ReplicationController'],
])
const usageFields = ['cpu', 'memory', 'metrics']

/** Reads `load` of a scenario: the usage of one workload, or of several in a list. */
export async function readLoads(value: unknown, path: string, load: TextLoader): Promise<readonly Load[]> {
  if (!Array.isArray(value)) return [await loadAt(value, path, load)]
  const loads: Load[] = []
  for (const [index, item] of value.entries()) loads.push(await loadAt(item, `${path}[${index}]`, load))
  return loads
}

async function loadAt(value: unknown, path: string, load: TextLoader): Promise<Load> {
  const fields = objectAt(value, path, loadFields)
  const namespace =
    fields['namespace'] === undefined ? 'default' : textAt(fields['namespace'], fieldOf(path, 'namespace'), 'default')
  const points = [{ atMs: 0, usage: usageAt(fields, path) }, ...stepsAt(fields['steps'], fieldOf(path, 'steps'))]
  if (fields['csv'] !== undefined) points.push(...(await csvAt(fields['csv'], fieldOf(path, 'csv'), load)))
  const { container, labels } = fields
  return {
    target: targetOf(fields, path, namespace),
    isShared: isTrueAt(fields['shared'], fieldOf(path, 'shared')),
    ...(container === undefined ? {} : { container: textAt(container, fieldOf(path, 'container'), 'app') }),
    ...(labels === undefined ? {} : { labels: labelsAt(labels, fieldOf(path, 'labels')) }),
    points: points.filter(({ usage }) => usage.size > 0).toSorted((a, b) => a.atMs - b.atMs),
  }
}

function targetOf(fields: Readonly<Record<string, unknown>>, path: string, namespace: string): Load['target'] {
  if (isTrueAt(fields['external'], fieldOf(path, 'external'))) return { external: true }
  const text = textAt(fields['target'], fieldOf(path, 'target'), 'deployment/web')
  const [kindName = '', name = '', ...rest] = text.split('/')
  if (kindName === '' || name === '' || rest.length > 0) {
    throw new WrongField(fieldOf(path, 'target'), 'must be KIND/NAME, for example deployment/web')
  }
  return { kind: shortKinds.get(kindName) ?? kindName, name, namespace }
}

function labelsAt(value: unknown, path: string): StringMap {
  const labels = Object.entries(objectAt(value, path))
  return Object.fromEntries(labels.map(([key, text]) => [key, textAt(text, fieldOf(path, key), 'orders')]))
}

function isTrueAt(value: unknown, path: string): boolean {
  return value !== undefined && choiceAt(String(value), path, ['true', 'false']) === 'true'
}

function stepsAt(value: unknown, path: string): readonly LoadPoint[] {
  if (value === undefined) return []
  return listAt(value, path).map((item, index) => {
    const at = `${path}[${index}]`
    const fields = objectAt(item, at, ['at', ...usageFields])
    return { atMs: durationAt(fields['at'], fieldOf(at, 'at')), usage: usageAt(fields, at) }
  })
}

function usageAt(fields: Readonly<Record<string, unknown>>, path: string): ReadonlyMap<string, bigint> {
  const metrics = fields['metrics'] === undefined ? {} : objectAt(fields['metrics'], fieldOf(path, 'metrics'))
  const named = [
    ...(['cpu', 'memory'] as const).map((name) => [name, fields[name], fieldOf(path, name)] as const),
    ...Object.entries(metrics).map(
      ([name, amount]) => [name, amount, fieldOf(fieldOf(path, 'metrics'), name)] as const,
    ),
  ]
  return new Map(
    named.flatMap(([name, amount, at]) =>
      amount === undefined ? [] : [[name, amountAt(String(amount), at)] as const],
    ),
  )
}

function amountAt(text: string, path: string): bigint {
  const parsed = parseQuantity(text)
  if (!parsed.ok) throw new WrongField(path, 'must be a quantity, for example 400m')
  return milliValueInt64(parsed.value)
}

/** Rows of a time and amounts, below a row of names: `time,cpu,memory`. */
async function csvAt(value: unknown, path: string, load: TextLoader): Promise<readonly LoadPoint[]> {
  const given = textAt(value, path, 'load.csv')
  const [text] = given.endsWith('.csv') ? await load(given) : [given]
  if (typeof text !== 'string') throw new WrongField(path, 'must be a file of comma-separated values')
  const [header = '', ...rows] = text.split(/\s+/).filter((row) => row !== '')
  const [time, ...names] = header.split(',')
  if (time !== 'time' || names.length === 0) throw new WrongField(path, 'must begin with the row time,cpu')
  return rows.map((row, index) => {
    const [at = '', ...cells] = row.split(',')
    const atMs = parseGoDurationMs(at)
    if (!atMs.ok || cells.length !== names.length) {
      throw new WrongField(path, `row ${index + 2} must be a duration and ${names.length} quantities`)
    }
    const usage = names.map(
      (name, column) => [name, amountAt(cells[column] ?? '', `${path} row ${index + 2}`)] as const,
    )
    return { atMs: atMs.value, usage: new Map(usage) }
  })
}
