import { parseGoDurationMs } from '../api/go-duration.ts'
import type { KubeObject } from '../api/objects/meta.ts'
import type { Pod } from '../api/objects/pod.ts'
import type { KnownResource, ObjectOf } from '../api/objects/resources.ts'
import type { Kind } from '../registry/kinds/kind.ts'
import type { Store } from '../store/contract.ts'
import type { ObjectSource } from '../whatif/explain/object-set.ts'
import { findKindByName } from '../whatif/scenario/kind-names.ts'
import { nameHint } from '../whatif/scenario/near-names.ts'
import { ToolError, type ToolOutcome, UsageError } from './answer.ts'
import type { Fork } from './fork.ts'
import type { InputSchema, ObjectSchema } from './input-schema.ts'
import type { Work } from './work.ts'
import type { Workspace } from './workspace.ts'

/** Arguments that the schema of the tool has accepted. */
export type Arguments = Readonly<Record<string, unknown>>

export interface ToolContext {
  readonly workspace: Workspace
  readonly work: Work
  /** The maximum number of characters of an answer. */
  readonly budget: number
}

export interface Tool {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly input: ObjectSchema
  readonly output: ObjectSchema
  /** `reads`: changes nothing. `changes`: changes a fork, never a real cluster. */
  readonly effect: 'reads' | 'changes'
  readonly run: (given: Arguments, context: ToolContext) => ToolOutcome | Promise<ToolOutcome>
}

const nameLength = 253

/** Fields that many tools have. */
export const inputs = {
  fork: { type: 'string', description: 'Id of the fork, for example f1. Default: the only open fork.', maxLength: 16 },
  resource: {
    type: 'string',
    description: 'Type of the object, as kubectl accepts it: pods, po, deployments.apps, nodes, pdb, events, …',
    minLength: 1,
    maxLength: nameLength,
  },
  name: { type: 'string', description: 'Name of the object.', minLength: 1, maxLength: nameLength },
  namespace: { type: 'string', description: 'Namespace. Default: default.', minLength: 1, maxLength: nameLength },
  cursor: { type: 'string', description: 'Cursor from the previous answer, to get the next page.', maxLength: 2_000 },
  duration: { type: 'string', description: 'Duration in the format of Go, for example 30s or 1h15m.', maxLength: 32 },
} as const satisfies Readonly<Record<string, InputSchema>>

export function optionalText(given: Arguments, name: string): string | undefined {
  return given[name] as string | undefined
}

export function text(given: Arguments, name: string): string {
  return given[name] as string
}

export function forkOf(given: Arguments, { workspace }: ToolContext): Fork {
  return workspace.find(optionalText(given, 'fork'))
}

/** A duration of at least a millisecond. */
export function durationOf(given: Arguments, name: string, otherwise: string): number {
  const written = optionalText(given, name) ?? otherwise
  const read = parseGoDurationMs(written)
  if (!read.ok || read.value < 1)
    throw new UsageError(`${name}: must be a duration such as 30s or 1h15m, not ${JSON.stringify(written)}`)
  return Math.floor(read.value)
}

/** The virtual time of a forecast or of each case of a search. */
export function forecastMsOf(given: Arguments, { workspace }: ToolContext, what: string): number {
  const untilMs = durationOf(given, 'for', '1h')
  const { advanceMs } = workspace.limits
  if (untilMs > advanceMs) throw new UsageError(`for: at most ${advanceMs / 3_600_000}h of virtual time${what}`)
  return untilMs
}

export function kindNamed(fork: Fork, name: string): Kind {
  const { kinds } = fork.run.cluster.registry
  const found = findKindByName(kinds, name)
  if (found !== undefined) return found
  const known = kinds.all().flatMap(({ plural, singular, shortNames }) => [plural, singular, ...shortNames])
  const hint = nameHint(name, [...new Set(known)].sort())
  throw new ToolError(`the server doesn't have a resource type ${JSON.stringify(name)}; ${hint}`)
}

/** The object, or the error of the API server with similar names. */
export function objectNamed(fork: Fork, kind: Kind, name: string, namespace: string | undefined): KubeObject {
  const { client, store } = fork.run.cluster
  const place = kind.namespaced ? { namespace: namespace ?? 'default' } : {}
  const outcome = client.callNow({ verb: 'get', resource: kind.resource, name, ...place })
  if (outcome.ok && outcome.kind === 'object') return outcome.object
  const message = outcome.ok ? 'no object' : (outcome.status.message ?? 'no object')
  const reason = outcome.ok ? 'Unknown' : (outcome.status.reason ?? 'Unknown')
  const all = store.list(kind.storage)
  const elsewhere = all.filter(({ metadata }) => metadata.name === name).map(({ metadata }) => metadata.namespace ?? '')
  const others = all.filter(({ metadata }) => !kind.namespaced || metadata.namespace === place.namespace)
  const hint =
    elsewhere.length > 0
      ? `it exists in namespace ${elsewhere.slice(0, 5).join(', ')}`
      : nameHint(
          name,
          others.map(({ metadata }) => metadata.name),
        )
  throw new ToolError(`Error from server (${reason}): ${message}; ${hint}`)
}

/** The object that `resource`, `name` and `namespace` of the arguments name. */
export interface NamedObject {
  readonly kind: Kind
  readonly name: string
  readonly namespace: string | undefined
  readonly object: KubeObject
}

/** `checkKind` throws for kinds that the tool does not support. */
export function namedObject(fork: Fork, given: Arguments, checkKind?: (kind: Kind) => void): NamedObject {
  const kind = kindNamed(fork, text(given, 'resource'))
  checkKind?.(kind)
  const name = text(given, 'name')
  const namespace = optionalText(given, 'namespace')
  return { kind, name, namespace, object: objectNamed(fork, kind, name, namespace) }
}

/** The pod that `pod` and `namespace` of the arguments name. */
export function namedPod(fork: Fork, given: Arguments): Pod {
  return objectNamed(fork, kindNamed(fork, 'pods'), text(given, 'pod'), optionalText(given, 'namespace')) as Pod
}

/** Read access to the objects of a fork. */
export function objectsOf({ run }: Fork): ObjectSource {
  const store: Store = run.cluster.store
  return {
    get: (resource, key) => store.get(resource, key) as never,
    list: <R extends KnownResource>(resource: R, namespace?: string) =>
      store.list(resource, namespace === undefined ? {} : { namespace }) as unknown as readonly ObjectOf<R>[],
  }
}

/** The first fields of every answer about a fork. */
export function forkValue(fork: Fork): { readonly fork: string; readonly at: string } {
  return { fork: fork.id, at: fork.at }
}

export const forkOutput = {
  fork: { type: 'string' },
  at: { type: 'string', description: 'Virtual time since the snapshot.' },
  truncated: { type: 'boolean' },
} as const satisfies Readonly<Record<string, InputSchema>>
