import type { Json, JsonObject } from '../../src/api/objects/meta.ts'
import type { RandomStream } from '../../src/base/random.ts'
import type { Kind } from '../../src/registry/kinds/kind.ts'
import { builtinKindsOf } from '../../src/registry/kinds/kinds.ts'
import { Mutator } from './diff-mutation.ts'
import type { Seed } from './diff-seeds.ts'
import { clusterRelease } from './real-parts.ts'

export const namespace = 'diff'

/** One request, which differs between the servers only in the resourceVersion. */
export interface Case {
  readonly verb: string
  readonly kind: string
  readonly method: 'POST' | 'PUT' | 'PATCH'
  readonly path: string
  readonly contentType: string
  readonly body: Json
  /** The body has the version of the object at this path. */
  readonly versionOf?: string
}

type Objects = { [key: string]: Json }

export function kindOf(seed: Seed): Kind {
  const kind = builtinKindsOf(clusterRelease).find(({ resource }) => resource === seed.resource)
  if (kind === undefined) throw new Error(`no kind ${seed.resource}`)
  return kind
}

export function collectionPath(kind: Kind): string {
  const root = kind.group === '' ? '/api/v1' : `/apis/${kind.group}/${kind.version}`
  return kind.namespaced ? `${root}/namespaces/${namespace}/${kind.plural}` : `${root}/${kind.plural}`
}

export const nameOf = (seed: Seed): string => String((seed.object['metadata'] as JsonObject)['name'])
export const objectPath = (seed: Seed): string => `${collectionPath(kindOf(seed))}/${nameOf(seed)}`

/** The next request. `live` is the stored object, as the real server returns it. */
export function nextCase(
  random: RandomStream,
  live: (seed: Seed) => JsonObject,
  seeds: readonly Seed[],
  only: readonly string[] = [],
): Case {
  const mutator = new Mutator(random)
  const eligible = only.length === 0 ? seeds : seeds.filter(({ resource }) => only.includes(resource))
  const seed = random.pick(eligible)
  const draw = random.int(100)
  const kind = kindOf(seed)
  if (draw < 45 || seed.isFleeting === true) return creation(mutator, seed, kind)
  if (draw < 65) return update(mutator, seed, kind, live(seed))
  if (draw < (seed.statuses === undefined ? 72 : 85) && kind.subresources.some(({ name }) => name === 'status'))
    return status(mutator, seed, kind, live(seed))
  return patch(mutator, seed, kind, live(seed))
}

export const query = (mutator: Mutator): string => {
  const strict = mutator.chance(8) ? '&fieldValidation=Strict' : ''
  return `?dryRun=All&fieldManager=diff${strict}`
}

function creation(mutator: Mutator, seed: Seed, kind: Kind): Case {
  const object = structuredClone(seed.object) as Objects
  const metadata = object['metadata'] as Objects
  metadata['name'] = kind.plural === 'ipaddresses' ? '192.168.1.6' : `${nameOf(seed)}-new`
  if (kind.kind === 'Service' && mutator.chance(70)) withoutAllocations(object)
  const body = mutator.mutate(object, kind.shape)
  const path = collectionPath(kind) + query(mutator)
  return { verb: 'create', kind: kind.kind, method: 'POST', path, contentType: 'application/json', body }
}

/** Addresses and ports of the existing object cannot be allocated twice. */
function withoutAllocations(service: Objects): void {
  const spec = service['spec'] as Objects
  if (spec['clusterIP'] !== 'None') delete spec['clusterIP']
  delete spec['healthCheckNodePort']
  for (const port of (spec['ports'] ?? []) as Objects[]) delete port['nodePort']
}

const untold = ['uid', 'resourceVersion', 'creationTimestamp', 'managedFields', 'generation']

export function bare(live: JsonObject): JsonObject {
  const metadata = Object.fromEntries(
    Object.entries(live['metadata'] as JsonObject).filter(([field]) => !untold.includes(field)),
  )
  const { status, ...rest } = live as Objects
  if (typeof status !== 'object' || status === null) return { ...live, metadata } as JsonObject
  const { lastPhaseTransitionTime: _, ...known } = status as Objects
  return { ...rest, metadata, status: known } as JsonObject
}

function update(mutator: Mutator, seed: Seed, kind: Kind, live: JsonObject): Case {
  const body = mutator.mutate(bare(live), kind.shape)
  const path = objectPath(seed) + query(mutator)
  const version = mutator.chance(85) ? { versionOf: objectPath(seed) } : {}
  return { verb: 'update', kind: kind.kind, method: 'PUT', path, contentType: 'application/json', body, ...version }
}

function status(mutator: Mutator, seed: Seed, kind: Kind, live: JsonObject): Case {
  const object = bare(live) as Objects
  const shape = kind.shape?.fields.get('status')?.shape
  if (seed.statuses !== undefined) object['status'] = mutator.pick([object['status'] ?? {}, ...seed.statuses])
  else if (object['status'] === undefined || mutator.chance(60)) {
    object['status'] = mutator.generate(shape, 'status', 0)
  }
  const body = mutator.chance(50) ? mutator.mutate(object, kind.shape, ['status']) : object
  const path = `${objectPath(seed)}/status${query(mutator)}`
  const contentType = 'application/json'
  return { verb: 'status', kind: kind.kind, method: 'PUT', path, contentType, body, versionOf: objectPath(seed) }
}

function patch(mutator: Mutator, seed: Seed, kind: Kind, live: JsonObject): Case {
  const path = objectPath(seed) + query(mutator)
  const base = { kind: kind.kind, method: 'PATCH' as const, path }
  const mutated = mutator.mutate(bare(live), kind.shape)
  switch (mutator.pick(['json', 'merge', 'strategic', 'strategic', 'apply', 'apply'])) {
    case 'json':
      return { ...base, verb: 'json-patch', contentType: 'application/json-patch+json', body: jsonPatch(mutator, live) }
    case 'merge':
      return {
        ...base,
        verb: 'merge-patch',
        contentType: 'application/merge-patch+json',
        body: slice(mutator, mutated),
      }
    case 'strategic': {
      const contentType = 'application/strategic-merge-patch+json'
      return { ...base, verb: 'strategic', contentType, body: directives(mutator, slice(mutator, mutated)) }
    }
    default: {
      const { status: _, ...config } = mutator.mutate(seed.object, kind.shape) as Objects
      const force = mutator.chance(60) ? '&force=true' : ''
      const contentType = 'application/apply-patch+yaml'
      const manager = mutator.pick(['diff', 'other'])
      const applied = `${objectPath(seed)}?dryRun=All&fieldManager=${manager}${force}`
      return { ...base, verb: 'apply', path: applied, contentType, body: config }
    }
  }
}

/** Some of the object: each member with a chance, nulls among them. */
export function slice(mutator: Mutator, object: JsonObject): JsonObject {
  const part = (value: Json, depth: number): Json => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
    const out: Objects = {}
    const keys = Object.keys(value).filter((key) => depth > 0 || !['apiVersion', 'kind', 'status'].includes(key))
    for (const key of keys) {
      if (!mutator.chance(keys.length < 4 ? 60 : 25)) continue
      out[key] = mutator.chance(8) ? null : part((value as Objects)[key] as Json, depth + 1)
    }
    return out
  }
  return part(object, 0) as JsonObject
}

/** The same with the directives of strategic merge patches. */
function directives(mutator: Mutator, patch: JsonObject): JsonObject {
  const visit = (value: Json): Json => {
    if (Array.isArray(value)) {
      return value.map((one) => {
        const inner = visit(one)
        const isObject = typeof inner === 'object' && inner !== null && !Array.isArray(inner)
        return isObject && mutator.chance(12)
          ? { ...inner, $patch: mutator.pick(['delete', 'merge', 'replace', 'bad']) }
          : inner
      })
    }
    if (typeof value !== 'object' || value === null) return value
    const out: Objects = {}
    for (const [key, one] of Object.entries(value)) {
      const inner = visit(one as Json)
      out[key] = inner
      if (!Array.isArray(inner) || !mutator.chance(15)) continue
      const names = inner.map((each) =>
        typeof each === 'object' && each !== null ? { name: (each as Objects)['name'] ?? 'c' } : each,
      )
      if (mutator.chance(50)) out[`$setElementOrder/${key}`] = names as Json
      else if (inner.every((each) => typeof each !== 'object')) out[`$deleteFromPrimitiveList/${key}`] = inner
    }
    if (mutator.chance(4)) out['$patch'] = mutator.pick(['delete', 'replace', 'merge', 'bad'])
    if (mutator.chance(4)) out['$retainKeys'] = Object.keys(value)
    return out
  }
  return visit(patch) as JsonObject
}

export function jsonPatch(mutator: Mutator, live: JsonObject): Json {
  const paths: string[] = []
  const walk = (value: Json, at: string): void => {
    if (typeof value !== 'object' || value === null) return
    for (const [key, one] of Object.entries(value)) {
      const next = `${at}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`
      // apiVersion and kind are not patched.
      if (!/^\/(metadata\/managedFields|kind$|apiVersion$)/.test(next)) paths.push(next)
      walk(one as Json, next)
    }
  }
  walk(live, '')
  const anyValue = (): Json => mutator.pick<Json>(['x', '', 5, -1, null, true, [], {}, ['a'], { a: 'b' }])
  const somewhere = (): string =>
    mutator.pick(paths) + (mutator.chance(15) ? mutator.pick(['/-', '/0', '/99', '/nope', '/']) : '')
  return Array.from({ length: mutator.pick([1, 1, 2]) }, (): Json => {
    const op = mutator.pick(['add', 'add', 'replace', 'remove', 'test', 'copy', 'move', 'bad'])
    const path = somewhere()
    if (op === 'copy' || op === 'move') return { op, from: somewhere(), path }
    return op === 'remove' ? { op, path } : { op, path, value: anyValue() }
  })
}
