import type { Json, JsonObject } from '../../src/api/objects/meta.ts'
import type { ScalarKind, Shape, StructShape } from '../../src/api/schema/shape.ts'
import type { RandomStream } from '../../src/base/random.ts'
import { type Seed, seeds } from './diff-seeds.ts'

type Mutable = { [key: string]: Json } | Json[]

interface Place {
  readonly owner: Mutable
  readonly key: string
  readonly shape: Shape | undefined
  /** The field that the value belongs to, list elements included. */
  readonly field: string
}

const words = [
  '',
  'a',
  'web',
  'Bad_Name',
  '-dash',
  'dot.ted',
  'a/b',
  'a/b/c',
  'example.com/x',
  'kubernetes.io/x',
  'foo.kubernetes.io/x',
  'a'.repeat(64),
  'b'.repeat(254),
  '10.0.0.9',
  '010.0.0.9',
  '2001:db8::1',
  '::ffff:1.2.3.4',
  '10.0.0.0/24',
  '10.0.0.1/24',
  'None',
  '*',
  '*.example.com',
  '/abs/path',
  '../up',
  'with space',
  'ünïcode',
  'tab\there',
  '1',
  '50%',
  '101%',
  'true',
  '5m',
  'Nope',
  'TCP',
  'high',
  'system-node-critical',
  'cpu',
  'memory',
  'pods',
  'storage',
  'hugepages-2Mi',
  'requests.cpu',
  'default',
  'metadata.labels',
] as const

const numbers = [-2, -1, 0, 1, 2, 3, 79, 80, 100, 101, 420, 512, 600, 1024, 3600, 65_535, 65_536, 86_401, 2_147_483_647]
const quantities = ['0', '1', '2', '-1', '100m', '1.5', '1Gi', '1e3', '0.5m', 'abc', '', '1Ki', '10', '2Mi', 5, 0.1]
const times = ['2026-01-01T00:00:00Z', '2025-12-31T23:59:59Z', 'bad', '2026-13-01T00:00:00Z', '']
const microTimes = ['2026-01-01T00:00:00.000000Z', '2025-12-31T23:59:59.123456Z', '2026-01-01T00:00:00Z']
const blobs = ['aGVsbG8=', '', 'bad!', 'YQ==']
const wrongs: readonly Json[] = [null, 5, -1.5, true, 'text', '', [], {}, [null], { a: 1 }, ['x'], 1e12]

/** Values that fields of a name have in the seeds: enumerations, mostly. */
const known = new Map<string, Json[]>()

function learn(value: Json, field: string): void {
  if (Array.isArray(value)) {
    for (const one of value) learn(one, field)
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, one] of Object.entries(value)) learn(one as Json, key)
  } else {
    const values = known.get(field) ?? []
    if (!values.includes(value)) values.push(value)
    known.set(field, values)
  }
}
/** Values that fields of these objects have are drawn for fields of the same name. */
export function learnFrom(from: readonly Seed[]): void {
  for (const { object, statuses = [] } of from) for (const one of [object, ...statuses]) learn(one, '')
}
learnFrom(seeds)
const enums: Readonly<Record<string, readonly string[]>> = {
  operator: ['In', 'NotIn', 'Exists', 'DoesNotExist', 'Gt', 'Lt', 'Equal'],
  effect: ['NoSchedule', 'PreferNoSchedule', 'NoExecute'],
  restartPolicy: ['Always', 'OnFailure', 'Never'],
  type: ['Recreate', 'OnDelete', 'ClusterIP', 'NodePort', 'LoadBalancer', 'ExternalName', 'Localhost', 'Unconfined'],
  protocol: ['TCP', 'UDP', 'SCTP'],
  whenUnsatisfiable: ['DoNotSchedule', 'ScheduleAnyway'],
  accessModes: ['ReadWriteOnce', 'ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOncePod'],
  volumeMode: ['Block', 'Filesystem'],
  status: ['True', 'False', 'Unknown'],
  phase: ['Pending', 'Running', 'Succeeded', 'Failed', 'Bound', 'Available', 'Active', 'Terminating'],
  dnsPolicy: ['ClusterFirst', 'Default', 'None', 'ClusterFirstWithHostNet'],
  preemptionPolicy: ['PreemptLowerPriority', 'Never'],
  scopes: [
    'Terminating',
    'NotTerminating',
    'BestEffort',
    'NotBestEffort',
    'PriorityClass',
    'CrossNamespacePodAffinity',
  ],
  scopeName: ['Terminating', 'BestEffort', 'PriorityClass', 'VolumeAttributesClass', 'CrossNamespacePodAffinity'],
  finalizers: ['example.com/f', 'kubernetes', 'orphan', 'foregroundDeletion'],
  fieldPath: ['metadata.name', 'metadata.labels', "metadata.labels['a']", 'status.podIP', 'spec.nodeName', 'bad'],
  resource: ['limits.cpu', 'requests.memory', 'limits.ephemeral-storage', 'bad'],
  completionMode: ['Indexed', 'NonIndexed'],
  managedBy: ['example.com/x'],
  podReplacementPolicy: ['Failed', 'TerminatingOrFailed'],
  whenDeleted: ['Delete', 'Retain'],
  addressType: ['IPv4', 'IPv6', 'FQDN'],
  pathType: ['Exact', 'Prefix', 'ImplementationSpecific'],
  scope: ['Cluster', 'Namespace'],
  kind: ['Pod', 'User', 'Group', 'ServiceAccount', 'Role', 'ClusterRole', 'Service'],
}
for (const [field, values] of Object.entries(enums)) known.set(field, [...(known.get(field) ?? []), ...values])

export class Mutator {
  private readonly random: RandomStream

  constructor(random: RandomStream) {
    this.random = random
  }

  chance(percent: number): boolean {
    return this.random.int(100) < percent
  }

  pick<T>(items: readonly T[]): T {
    return this.random.pick(items)
  }

  /** A copy with a few things about it changed. */
  mutate(object: JsonObject, shape: StructShape | undefined, only?: readonly string[]): JsonObject {
    const copy = structuredClone(object) as { [key: string]: Json }
    const times = this.pick([1, 1, 1, 2, 2, 3])
    for (let i = 0; i < times; i++) this.change(copy, shape, only)
    return copy
  }

  private change(
    root: { [key: string]: Json },
    shape: StructShape | undefined,
    only: readonly string[] | undefined,
  ): void {
    const places: Place[] = []
    collect(root, shape, '', places)
    const inside = places.filter(({ owner, key }) => owner !== root || (key !== 'apiVersion' && key !== 'kind'))
    const wanted = inside.filter((place) => this.isWanted(root, place, only))
    if (wanted.length === 0) return
    const place = this.pick(wanted)
    const draw = this.random.int(100)
    if (draw < 12) remove(place)
    else if (draw < 18) put(place, structuredClone(this.pick(wrongs)))
    else if (draw < 60) put(place, this.generate(place.shape, place.field, 0))
    else this.grow(place)
  }

  private isWanted(root: Mutable, place: Place, only: readonly string[] | undefined): boolean {
    if (only !== undefined) return only.some((field) => isUnder(root, field, place))
    return !isUnder(root, 'metadata', place) || this.chance(25)
  }

  /** Adds to a list, a map or a struct; anything else is replaced. */
  private grow(place: Place): void {
    const value = get(place)
    if (Array.isArray(value)) {
      const of = place.shape?.is === 'list' ? place.shape.of : undefined
      const draw = this.random.int(4)
      if (draw === 0 && value.length > 0) value.push(structuredClone(this.pick(value)))
      else if (draw === 1) value.reverse()
      else value.push(this.generate(of, place.field, 1))
      return
    }
    if (typeof value !== 'object' || value === null) {
      put(place, this.generate(place.shape, place.field, 0))
      return
    }
    const target = value as { [key: string]: Json }
    if (place.shape?.is === 'map') target[this.pick(words)] = this.generate(place.shape.of, place.field, 1)
    else if (place.shape?.is === 'struct') {
      if (this.chance(4)) {
        target['unknownField'] = 'x'
        return
      }
      const absent = [...place.shape.fields.values()].filter(({ name }) => target[name] === undefined)
      if (absent.length === 0) return
      const field = this.pick(absent)
      target[field.name] = this.generate(field.shape, field.name, 0)
    }
  }

  generate(shape: Shape | undefined, field: string, depth: number): Json {
    if (shape === undefined) return structuredClone(this.pick(wrongs))
    switch (shape.is) {
      case 'struct': {
        const out: { [key: string]: Json } = {}
        for (const member of shape.fields.values()) {
          if (!this.chance(member.required ? 92 : depth > 2 ? 8 : 25)) continue
          out[member.name] = this.generate(member.shape, member.name, depth + 1)
        }
        return out
      }
      case 'list':
        return Array.from({ length: this.pick([0, 1, 1, 1, 2, 2]) }, () => this.generate(shape.of, field, depth + 1))
      case 'map': {
        const out: { [key: string]: Json } = {}
        for (let i = this.pick([0, 1, 1, 2]); i > 0; i--)
          out[this.pick(words)] = this.generate(shape.of, field, depth + 1)
        return out
      }
      case 'loose':
        return structuredClone(this.pick(wrongs))
      case 'scalar':
        return this.scalar(shape.kind, field)
    }
  }

  private scalar(kind: ScalarKind, field: string): Json {
    const values = known.get(field)
    if (values !== undefined && this.chance(60)) return this.pick(values)
    switch (kind) {
      case 'string':
        return this.pick(words)
      case 'bool':
        return this.chance(50)
      case 'int32':
      case 'int64':
      case 'float64':
        return this.pick(numbers)
      case 'quantity':
        return this.pick(quantities)
      case 'time':
        return this.pick(times)
      case 'micro-time':
        return this.pick(microTimes)
      case 'int-or-string':
        return this.chance(50)
          ? this.pick(numbers)
          : this.pick(['50%', '101%', '0%', 'http', '-1%', '', 'a'.repeat(16)])
      case 'bytes':
        return this.pick(blobs)
      case 'duration':
        return this.pick(['5m', '0s', 'bad'])
      case 'json':
        return structuredClone(this.pick(wrongs))
    }
  }
}

function isUnder(root: Mutable, field: string, place: Place): boolean {
  if (place.owner === root) return place.key === field
  const top = (root as { [key: string]: Json })[field]
  return top !== undefined && contains(top, place.owner)
}

function contains(value: Json, owner: Mutable): boolean {
  if (value === (owner as unknown as Json)) return true
  if (typeof value !== 'object' || value === null) return false
  return Object.values(value).some((one) => contains(one as Json, owner))
}

function collect(value: Json, shape: Shape | undefined, field: string, places: Place[]): void {
  if (Array.isArray(value)) {
    value.forEach((one, i) => {
      const of = shape?.is === 'list' ? shape.of : undefined
      places.push({ owner: value, key: String(i), shape: of, field })
      collect(one, of, field, places)
    })
  } else if (typeof value === 'object' && value !== null) {
    const owner = value as { [key: string]: Json }
    for (const key of Object.keys(owner)) {
      const inner = shape?.is === 'struct' ? shape.fields.get(key)?.shape : shape?.is === 'map' ? shape.of : undefined
      const name = shape?.is === 'map' ? field : key
      places.push({ owner, key, shape: inner, field: name })
      collect(owner[key] as Json, inner, name, places)
    }
  }
}

const get = ({ owner, key }: Place): Json => (owner as { [key: string]: Json })[key] as Json

function put({ owner, key }: Place, value: Json): void {
  ;(owner as { [key: string]: Json })[key] = value
}

function remove({ owner, key }: Place): void {
  if (Array.isArray(owner)) owner.splice(Number(key), 1)
  else delete owner[key]
}
