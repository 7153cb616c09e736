import type { Call } from '../../src/api/call.ts'
import type { JsonObject, KubeObject } from '../../src/api/objects/meta.ts'
import { bootstrap } from '../../src/apiserver/bootstrap.ts'
import { createRandom, type RandomStream } from '../../src/base/random.ts'
import { VirtualClock } from '../../src/base/virtual-clock.ts'
import { createRegistry } from '../../src/registry/registry.ts'
import { createStore } from '../../src/store/memory-store.ts'
import { BrokenInvariant, hold } from './broken-invariant.ts'
import type { PartRun } from './swarm-run.ts'

const managers = ['ci', 'operator', 'admin'] as const
const keys = ['a', 'b', 'c', 'd']
const requests = 60

/** A model of server-side apply for a map of texts: each field has a value and its owners. */
interface Field {
  readonly value: string
  readonly owners: ReadonlySet<string>
}

/**
 * Several managers apply, update and patch the data of a ConfigMap, with and without force. Values, conflicts and owners are those
 * of a simple model.
 */
export async function runApply(seed: string): Promise<PartRun> {
  const random = createRandom(seed).stream('apply')
  const faults: Record<string, number> = {}
  const count = (what: string) => {
    faults[what] = (faults[what] ?? 0) + 1
  }
  const registry = createRegistry({
    store: createStore(),
    clock: new VirtualClock(Date.UTC(2026, 0, 1)),
    random: createRandom(seed),
  })
  bootstrap(registry, { rbac: false })
  const where = { resource: 'configmaps', namespace: 'default', name: 'shared' } as const
  let model: ReadonlyMap<string, Field> = new Map()
  let isThere = false
  try {
    for (let request = 0; request < requests; request++) {
      const manager = random.pick(managers)
      const data = someData(random)
      const kind: Kind = isThere ? random.pick<Kind>(['apply', 'apply', 'force', 'merge', 'delete']) : 'apply'
      if (kind === 'delete' && random.int(3) > 0) continue
      const outcome = registry.call(callOf(kind, where, manager, data))
      const isConflict = !outcome.ok && outcome.status.code === 409
      const expected = kind === 'delete' ? new Map<string, Field>() : afterwards(model, kind, manager, data)
      count(isConflict ? 'conflicts' : `requests: ${kind}`)
      hold(
        'apply conflicts',
        isConflict === (expected === 'conflict'),
        () =>
          `${kind} by ${manager} of ${JSON.stringify(data)} over ${show(model)}: conflict ${isConflict}; ${outcome.ok ? '' : outcome.status.message}`,
      )
      if (expected === 'conflict') continue
      hold('apply', outcome.ok, () => `${kind} by ${manager} is refused: ${outcome.ok ? '' : outcome.status.message}`)
      model = expected
      isThere = kind !== 'delete'
      if (isThere) compare(registry.store.get('configmaps', 'default/shared'), model, `${kind} by ${manager}`)
    }
    return { faults }
  } catch (error) {
    const message = error instanceof BrokenInvariant ? error.message : `no error: ${(error as Error).message}`
    return { broken: message, faults }
  }
}

type Kind = 'apply' | 'force' | 'merge' | 'delete'
type Data = Readonly<Record<string, string>>

function someData(random: RandomStream): Data {
  // An empty map is itself a field, which the model does not have.
  const always = random.pick(keys)
  const chosen = keys.filter((key) => key === always || random.int(3) === 0)
  return Object.fromEntries(chosen.map((key) => [key, String(random.int(3))]))
}

function callOf(
  kind: Kind,
  where: { readonly resource: string; readonly namespace: string; readonly name: string },
  fieldManager: string,
  data: Data,
): Call {
  if (kind === 'delete') return { verb: 'delete', ...where }
  if (kind === 'merge') return { verb: 'patch', ...where, fieldManager, patch: { kind: 'merge', patch: { data } } }
  const object = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: where.name, namespace: where.namespace },
    data,
  }
  const patch = {
    kind: 'apply',
    object: object as unknown as KubeObject & JsonObject,
    force: kind === 'force',
  } as const
  return { verb: 'patch', ...where, fieldManager, patch }
}

/** v1.36, structured-merge-diff merge.Updater: Update and Apply, for fields without structure. */
function afterwards(
  model: ReadonlyMap<string, Field>,
  kind: 'apply' | 'force' | 'merge',
  manager: string,
  data: Data,
): ReadonlyMap<string, Field> | 'conflict' {
  // An update and an apply of one manager have separate owners.
  const owner = `${manager} ${kind === 'merge' ? 'Update' : 'Apply'}`
  const next = new Map(model)
  for (const [key, value] of Object.entries(data)) {
    const field = model.get(key)
    const isChanged = field?.value !== value
    if (kind === 'merge') {
      if (isChanged) next.set(key, { value, owners: new Set([owner]) })
      continue
    }
    const others = [...(field?.owners ?? [])].filter((one) => one !== owner)
    if (isChanged && others.length > 0 && kind === 'apply') return 'conflict'
    next.set(key, { value, owners: new Set([...(isChanged ? [] : others), owner]) })
  }
  if (kind === 'merge') return next
  for (const [key, { value, owners }] of model) {
    if (key in data || !owners.has(owner)) continue
    const left = new Set([...owners].filter((one) => one !== owner))
    if (left.size === 0) next.delete(key)
    else next.set(key, { value, owners: left })
  }
  return next
}

function compare(object: KubeObject | undefined, model: ReadonlyMap<string, Field>, what: string): void {
  const data = (object as { readonly data?: Data } | undefined)?.data ?? {}
  const owners = new Map<string, string[]>()
  for (const { manager, operation, fieldsV1 } of object?.metadata.managedFields ?? []) {
    const fields = (fieldsV1 as Readonly<Record<string, object>> | undefined)?.['f:data'] ?? {}
    for (const field of Object.keys(fields)) {
      if (!field.startsWith('f:')) continue
      const key = field.slice(2)
      owners.set(key, [...(owners.get(key) ?? []), `${manager} ${operation}`])
    }
  }
  const found = new Map(
    Object.entries(data).map(([key, value]) => [key, { value, owners: new Set(owners.get(key)) }] as const),
  )
  hold('apply ownership', show(found) === show(model), () => `after ${what}: ${show(found)}; expected ${show(model)}`)
  for (const key of owners.keys())
    hold('apply ownership', key in data, () => `after ${what}: ${key} is owned and does not exist`)
}

function show(fields: ReadonlyMap<string, Field>): string {
  return [...fields]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, { value, owners }]) => `${key}=${value} (${[...owners].sort().join()})`)
    .join(', ')
}
