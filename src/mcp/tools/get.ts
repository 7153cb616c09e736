import { parseFieldSelector } from '../../api/field-selector.ts'
import { keyOf } from '../../api/object-key.ts'
import type { KubeObject } from '../../api/objects/meta.ts'
import { encodeJson } from '../../base/exact-json.ts'
import { dumpYaml } from '../../base/yaml-text.ts'
import type { Kind } from '../../registry/kinds/kind.ts'
import { tableOf } from '../../registry/printed/table.ts'
import { counted } from '../../whatif/report/phrases.ts'
import { ToolError, type ToolOutcome } from '../answer.ts'
import { oneLine, visible } from '../cluster-text.ts'
import type { Fork } from '../fork.ts'
import { fields, openFields } from '../input-schema.ts'
import { maskedObject } from '../masking.ts'
import { cursorOf, type Page, pageOf } from '../page.ts'
import { textTable } from '../text-table.ts'
import {
  type Arguments,
  forkOf,
  forkOutput,
  forkValue,
  inputs,
  kindNamed,
  namedObject,
  optionalText,
  type Tool,
  type ToolContext,
  text,
} from '../tool.ts'

export const getTool: Tool = {
  name: 'kubectl_get',
  title: 'List or read objects',
  description:
    'Lists objects of a fork as kubectl get does, with the same columns, or prints one object. Long lists have pages: pass the ' +
    'cursor of the answer for the next one. Secrets, ConfigMaps, environment variables and commands are masked.',
  effect: 'reads',
  input: fields(
    {
      fork: inputs.fork,
      resource: inputs.resource,
      name: { ...inputs.name, description: 'Name of one object. Default: all of them.' },
      namespace: inputs.namespace,
      allNamespaces: { type: 'boolean', description: 'All namespaces, as kubectl -A.' },
      selector: {
        type: 'string',
        description: 'Label selector, as kubectl -l: app=web,tier!=cache.',
        maxLength: 1_000,
      },
      fieldSelector: {
        type: 'string',
        description: 'Field selector, for example spec.nodeName=node-3 or status.phase=Pending.',
        maxLength: 1_000,
      },
      output: { type: 'string', enum: ['table', 'wide', 'yaml', 'json', 'name'], default: 'table' },
      limit: { type: 'integer', description: 'Maximum number of objects.', minimum: 1, maximum: 500, default: 50 },
      cursor: inputs.cursor,
    },
    ['resource'],
  ),
  output: openFields(
    {
      ...forkOutput,
      resource: { type: 'string' },
      total: { type: 'integer', description: 'Number of matching objects.' },
      columns: { type: 'array', items: { type: 'string' } },
      rows: { type: 'array' },
      object: { type: 'object' },
      cursor: { type: 'string' },
    },
    ['fork', 'at', 'resource'],
  ),
  run: (given, context) => {
    const fork = forkOf(given, context)
    if (given['name'] !== undefined) {
      const { kind, object } = namedObject(fork, given)
      return shownObjects(fork, kind, { items: [object], all: [object], total: 1 }, given, context)
    }
    const kind = kindNamed(fork, text(given, 'resource'))
    return shownObjects(fork, kind, listed(fork, kind, given), given, context)
  },
}

function listed(fork: Fork, kind: Kind, given: Arguments): Page<KubeObject> {
  const isEverywhere = given['allNamespaces'] === true
  if (isEverywhere && given['namespace'] !== undefined)
    throw new ToolError('namespace and allNamespaces are mutually exclusive')
  const namespace = optionalText(given, 'namespace') ?? 'default'
  const selector = optionalText(given, 'selector')
  const fieldSelector = optionalText(given, 'fieldSelector')
  if (fieldSelector !== undefined) {
    const parsed = parseFieldSelector(fieldSelector)
    if (!parsed.ok) throw new ToolError(`fieldSelector: ${parsed.message}`)
  }
  const outcome = fork.run.cluster.client.callNow({
    verb: 'list',
    resource: kind.resource,
    ...(kind.namespaced && !isEverywhere ? { namespace } : {}),
    ...(selector === undefined ? {} : { labelSelector: selector }),
    ...(fieldSelector === undefined ? {} : { fieldSelector }),
  })
  if (!outcome.ok) throw new ToolError(`Error from server (${outcome.status.reason}): ${outcome.status.message}`)
  const items = outcome.kind === 'list' ? outcome.items : []
  const list = [fork.id, kind.resource, isEverywhere ? '' : namespace, selector, fieldSelector].join(' ')
  const sorted = items.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
  const limit = (given['limit'] as number | undefined) ?? (isDocument(given) ? 5 : 50)
  return pageOf(sorted, keyOf, { list, cursor: optionalText(given, 'cursor'), limit })
}

const isDocument = (given: Arguments): boolean => given['output'] === 'yaml' || given['output'] === 'json'

function shownObjects(
  fork: Fork,
  kind: Kind,
  page: Page<KubeObject>,
  given: Arguments,
  { budget }: ToolContext,
): ToolOutcome {
  if (page.total === 0) return nothingFound(fork, kind, given)
  if (isDocument(given)) return asDocuments(fork, kind, page, given, budget)
  const isEverywhere = given['allNamespaces'] === true
  const now = fork.run.cluster.clock.now()
  const { columns, rows } = tableOf(kind, page.items, now, page.items)
  const wanted = columns.flatMap(({ priority }, at) => (priority === 0 || given['output'] === 'wide' ? [at] : []))
  const isByName = given['output'] === 'name'
  const headers = isByName
    ? ['NAME']
    : [
        ...(isEverywhere && kind.namespaced ? ['NAMESPACE'] : []),
        ...wanted.map((at) => columns[at]?.name.toUpperCase() ?? ''),
      ]
  const cells = page.items.map((object, row) =>
    isByName
      ? [`${kind.resource}/${oneLine(object.metadata.name)}`]
      : [
          ...(isEverywhere && kind.namespaced ? [oneLine(object.metadata.namespace ?? '')] : []),
          ...wanted.map((at) => cellText(rows[row]?.[at])),
        ],
  )
  const fitting = rowsWithin(cells, budget * 0.9)
  const items = page.items.slice(0, fitting)
  const last = items.at(-1)
  const cursor = fitting < page.items.length && last !== undefined ? cursorAfter(fork, kind, given, last) : page.cursor
  const shown = cells.slice(0, fitting)
  return {
    says: [headline(fork, kind, items.length, page, cursor)],
    data: [...(cursor === undefined ? [] : stateLines(fork, kind, page.all)), ...textTable(headers, shown)],
    value: {
      ...forkValue(fork),
      resource: kind.resource,
      total: page.total,
      columns: headers,
      rows: shown,
      ...(cursor === undefined ? {} : { cursor }),
    },
    truncated: cursor !== undefined,
  }
}

const cellLength = 300

function cellText(cell: unknown): string {
  const shown = oneLine(cell === undefined || cell === null ? '' : String(cell))
  return shown.length > cellLength ? `${shown.slice(0, cellLength)}…` : shown
}

/** The number of rows that fit, as a table and as JSON. */
function rowsWithin(rows: readonly (readonly string[])[], characters: number): number {
  const widths: number[] = []
  let json = 0
  for (const [at, row] of rows.entries()) {
    for (const [column, cell] of row.entries()) widths[column] = Math.max(widths[column] ?? 10, cell.length + 3)
    json += row.reduce((sum, cell) => sum + cell.length + 3, 3)
    const width = widths.reduce((sum, one) => sum + one, 1)
    if (Math.max(width * (at + 2), json) > characters) return Math.max(at, 1)
  }
  return rows.length
}

function cursorAfter(fork: Fork, kind: Kind, given: Arguments, last: KubeObject): string {
  const isEverywhere = given['allNamespaces'] === true
  const namespace = optionalText(given, 'namespace') ?? 'default'
  const place = isEverywhere ? '' : namespace
  const list = [fork.id, kind.resource, place, optionalText(given, 'selector'), optionalText(given, 'fieldSelector')]
  return cursorOf(keyOf(last), list.join(' '))
}

function headline(fork: Fork, kind: Kind, shown: number, { total }: Page<KubeObject>, cursor?: string): string {
  const what = counted(total, kind.singular, kind.plural)
  const some = shown === total ? what : `${shown} of ${what}`
  return `Fork ${fork.id} at ${fork.at}: ${some}.${cursor === undefined ? '' : ` Next page: cursor ${cursor}`}`
}

/** `All: 4998 Ready, 2 NotReady`: a summary of a list that is longer than a page. */
function stateLines(fork: Fork, kind: Kind, objects: readonly KubeObject[]): readonly string[] {
  if (kind.resource !== 'pods' && kind.resource !== 'nodes') return []
  const { columns, rows } = tableOf(kind, objects, fork.run.cluster.clock.now(), objects)
  const at = columns.findIndex(({ name }) => name === 'Status')
  const counts = new Map<string, number>()
  for (const row of rows) counts.set(String(row[at]), (counts.get(String(row[at])) ?? 0) + 1)
  const byCount = [...counts].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1)).slice(0, 8)
  return [oneLine(`All: ${byCount.map(([state, count]) => `${count} ${state.slice(0, 60)}`).join(', ')}`)]
}

function nothingFound(fork: Fork, kind: Kind, given: Arguments): ToolOutcome {
  const isEverywhere = given['allNamespaces'] === true || !kind.namespaced
  const all = fork.run.cluster.store.count(kind.storage)
  const namespace = optionalText(given, 'namespace') ?? 'default'
  const where = isEverywhere ? '' : ` in ${namespace} namespace`
  const hint = all > 0 && !isEverywhere ? ` All namespaces have ${all}: set allNamespaces.` : ''
  return {
    says: [`Fork ${fork.id} at ${fork.at}: No resources found${where}.${hint}`],
    value: { ...forkValue(fork), resource: kind.resource, total: 0, columns: [], rows: [] },
  }
}

function asDocuments(fork: Fork, kind: Kind, page: Page<KubeObject>, given: Arguments, budget: number): ToolOutcome {
  const texts: string[] = []
  const shown: KubeObject[] = []
  let left = budget * 0.9
  for (const object of page.items.map(maskedObject)) {
    const written = given['output'] === 'json' ? `${encodeJson(object, 1)}\n` : dumpYaml(object)
    if (written.length > left && shown.length > 0) break
    left -= written.length
    texts.push(visible(written))
    shown.push(object)
  }
  const last = page.items[shown.length - 1]
  const cursor =
    shown.length < page.items.length && last !== undefined ? cursorAfter(fork, kind, given, last) : page.cursor
  const isOne = given['name'] !== undefined
  return {
    says: [headline(fork, kind, shown.length, page, cursor)],
    data: texts
      .join(given['output'] === 'json' ? '' : '---\n')
      .trimEnd()
      .split('\n'),
    value: {
      ...forkValue(fork),
      resource: kind.resource,
      total: page.total,
      // The text already has the documents.
      ...(isOne && given['output'] === 'json' ? { object: shown[0] } : { names: shown.map(keyOf) }),
      ...(cursor === undefined ? {} : { cursor }),
    },
    truncated: cursor !== undefined,
  }
}
