import type { Call, Outcome, Patch } from '../api/call.ts'
import type { DeleteOptions, JsonObject, KubeObject } from '../api/objects/meta.ts'
import type { KubernetesRelease } from '../api/releases/kubernetes-release.ts'
import type { Kind, KindTable } from '../registry/kinds/kind.ts'
import { ClusterError } from './cluster-error.ts'
import { withDates, withoutDates } from './object-times.ts'

/** The metadata of an object of the JavaScript client. */
export interface ClientObjectMeta {
  name?: string
  generateName?: string
  namespace?: string
  uid?: string
  resourceVersion?: string
  generation?: number
  creationTimestamp?: Date
  deletionTimestamp?: Date
  deletionGracePeriodSeconds?: number
  labels?: { [key: string]: string }
  annotations?: { [key: string]: string }
  finalizers?: string[]
}

/** An object of the JavaScript client: `V1Pod`, or an interface for a custom resource. Timestamps are Dates. */
export interface ClientObject {
  apiVersion?: string
  kind?: string
  metadata?: ClientObjectMeta
}

export interface ClientList<T extends ClientObject> {
  apiVersion?: string
  kind?: string
  metadata?: { resourceVersion?: string; _continue?: string; remainingItemCount?: number }
  items: T[]
}

/** The name of an object, without its content. */
export type ClientHeader<T extends ClientObject> = Pick<T, 'apiVersion' | 'kind'> & {
  metadata: { name: string; namespace?: string }
}

/** The answer to a deletion: a Status, or the object that is being deleted. */
export interface ClientStatus {
  apiVersion?: string
  kind?: string
  status?: string
  code?: number
  reason?: string
  message?: string
}

/**
 * The objects API of `@kubernetes/client-node` (`KubernetesObjectApi`): the same methods with the same parameters. A rejected
 * call throws a `ClusterError` with `code` and `body`.
 */
export interface ObjectClient {
  create<T extends ClientObject>(spec: T, pretty?: string, dryRun?: string, fieldManager?: string): Promise<T>
  read<T extends ClientObject>(spec: ClientHeader<T>): Promise<T>
  list<T extends ClientObject>(
    apiVersion: string,
    kind: string,
    namespace?: string,
    pretty?: string,
    exact?: boolean,
    exportt?: boolean,
    fieldSelector?: string,
    labelSelector?: string,
    limit?: number,
    continueToken?: string,
  ): Promise<ClientList<T>>
  replace<T extends ClientObject>(spec: T, pretty?: string, dryRun?: string, fieldManager?: string): Promise<T>
  patch<T extends ClientObject>(
    spec: T,
    pretty?: string,
    dryRun?: string,
    fieldManager?: string,
    force?: boolean,
    /** The content type, `PatchStrategy` of the client. Default: a strategic merge patch. */
    patchStrategy?: string,
  ): Promise<T>
  delete(
    spec: ClientObject,
    pretty?: string,
    dryRun?: string,
    gracePeriodSeconds?: number,
    orphanDependents?: boolean,
    propagationPolicy?: string,
    body?: object,
  ): Promise<ClientStatus>
  /** Replaces the status subresource. Not a method of `KubernetesObjectApi`, which cannot write a status. */
  replaceStatus<T extends ClientObject>(spec: T): Promise<T>
  /** Patches the status subresource with a merge patch. */
  patchStatus<T extends ClientObject>(spec: T): Promise<T>
}

export interface ObjectClientOptions {
  readonly kinds: KindTable
  readonly release: KubernetesRelease
  readonly call: (call: Call) => Outcome
  /** Called after a write. */
  readonly written: () => Promise<void>
}

export function createObjectClient(options: ObjectClientOptions): ObjectClient {
  const calls = new ClientCalls(options)
  return {
    create: (spec, _pretty, dryRun, fieldManager) =>
      calls.write(spec, ({ object, ...target }) => ({
        verb: 'create',
        ...target,
        object,
        ...written(dryRun, fieldManager),
      })),
    read: (spec) => calls.read(spec),
    list: (
      apiVersion,
      kind,
      namespace,
      _pretty,
      _exact,
      _exportt,
      fieldSelector,
      labelSelector,
      limit,
      continueToken,
    ) =>
      calls.list(apiVersion, kind, namespace, {
        ...(fieldSelector === undefined ? {} : { fieldSelector }),
        ...(labelSelector === undefined ? {} : { labelSelector }),
        ...(limit === undefined ? {} : { limit }),
        ...(continueToken === undefined ? {} : { continue: continueToken }),
      }),
    replace: (spec, _pretty, dryRun, fieldManager) =>
      calls.write(spec, ({ object, ...target }) => ({
        verb: 'update',
        ...target,
        name: nameOf(spec),
        object,
        ...written(dryRun, fieldManager),
      })),
    patch: (spec, _pretty, dryRun, fieldManager, force, type) =>
      calls.write(spec, ({ object, ...target }) => ({
        verb: 'patch',
        ...target,
        name: nameOf(spec),
        patch: patchOf(object, type, force),
        ...written(dryRun, fieldManager),
      })),
    delete: (spec, _pretty, dryRun, graceSeconds, orphanDependents, propagationPolicy, body) =>
      calls.delete(spec, {
        ...(dryRun === undefined ? {} : { dryRun: true }),
        options: {
          ...body,
          ...(graceSeconds === undefined ? {} : { gracePeriodSeconds: graceSeconds }),
          ...(orphanDependents === undefined ? {} : { orphanDependents }),
          ...(propagationPolicy === undefined ? {} : { propagationPolicy }),
        } as DeleteOptions,
      }),
    replaceStatus: (spec) =>
      calls.write(spec, ({ object, ...target }) => ({
        verb: 'update',
        ...target,
        name: nameOf(spec),
        subresource: 'status',
        object,
      })),
    patchStatus: (spec) =>
      calls.write(spec, ({ object, ...target }) => ({
        verb: 'patch',
        ...target,
        name: nameOf(spec),
        subresource: 'status',
        patch: patchOf(object, 'application/merge-patch+json'),
      })),
  }
}

interface Target {
  readonly resource: string
  readonly namespace?: string
  readonly version?: string
}

class ClientCalls {
  private readonly options: ObjectClientOptions

  constructor(options: ObjectClientOptions) {
    this.options = options
  }

  async write<T extends ClientObject>(
    spec: T,
    callOf: (given: Target & { readonly object: KubeObject }) => Call,
  ): Promise<T> {
    const kind = this.kindOf(spec.apiVersion, spec.kind)
    const { metadata } = spec
    const target = targetOf(kind, metadata?.namespace ?? 'default')
    const json = withoutDates(spec, kind.shape) as KubeObject
    const object = {
      ...json,
      apiVersion: kind.apiVersion,
      kind: kind.kind,
      metadata: { ...json.metadata, ...(kind.namespaced ? { namespace: target.namespace } : {}) },
    } as KubeObject
    const outcome = this.options.call(callOf({ ...target, object }))
    await this.options.written()
    return this.shown<T>(kind, outcome)
  }

  async read<T extends ClientObject>(spec: ClientHeader<T>): Promise<T> {
    const kind = this.kindOf(spec.apiVersion, spec.kind)
    const target = targetOf(kind, spec.metadata.namespace ?? 'default')
    return this.shown<T>(kind, this.options.call({ verb: 'get', ...target, name: spec.metadata.name }))
  }

  async list<T extends ClientObject>(
    apiVersion: string,
    kindName: string,
    namespace: string | undefined,
    selection: Omit<Extract<Call, { verb: 'list' }>, 'verb' | 'resource'>,
  ): Promise<ClientList<T>> {
    const kind = this.kindOf(apiVersion, kindName)
    const outcome = this.options.call({ verb: 'list', ...targetOf(kind, namespace), ...selection })
    if (!outcome.ok) throw new ClusterError(outcome.status)
    if (outcome.kind !== 'list') throw new Error('the response is not a list')
    return {
      apiVersion: kind.apiVersion,
      kind: kind.listKind,
      metadata: {
        resourceVersion: outcome.resourceVersion,
        ...(outcome.continue === undefined ? {} : { _continue: outcome.continue }),
        ...(outcome.remainingItemCount === undefined ? {} : { remainingItemCount: outcome.remainingItemCount }),
      },
      items: outcome.items.map((item) => this.dated<T>(kind, kind.custom === undefined ? withoutType(item) : item)),
    }
  }

  async delete(
    spec: ClientObject,
    how: { readonly dryRun?: boolean; readonly options: DeleteOptions },
  ): Promise<ClientStatus> {
    const kind = this.kindOf(spec.apiVersion, spec.kind)
    const target = targetOf(kind, spec.metadata?.namespace ?? 'default')
    const outcome = this.options.call({ verb: 'delete', ...target, name: nameOf(spec), ...how })
    await this.options.written()
    if (!outcome.ok) throw new ClusterError(outcome.status)
    if (outcome.kind === 'list') throw new Error('the response is a list')
    return structuredClone(outcome.kind === 'status' ? outcome.status : asStatus(outcome.object)) as ClientStatus
  }

  private kindOf(apiVersion = 'v1', name: string | undefined): Kind {
    if (name === undefined || name === '') throw new Error('Required spec property kind is not set')
    const slash = apiVersion.indexOf('/')
    const group = slash < 0 ? '' : apiVersion.slice(0, slash)
    const found = this.options.kinds.findKind(group, name)
    const version = apiVersion.slice(slash + 1)
    const kind = found === undefined ? undefined : this.options.kinds.served(group, version, found.plural)
    if (kind === undefined) throw new Error(`Unrecognized API version and kind: ${apiVersion} ${name}`)
    return kind
  }

  private shown<T extends ClientObject>(kind: Kind, outcome: Outcome): T {
    if (!outcome.ok) throw new ClusterError(outcome.status)
    if (outcome.kind !== 'object') throw new Error('the response is not an object')
    return this.dated<T>(kind, outcome.object)
  }

  private dated<T extends ClientObject>(kind: Kind, object: KubeObject): T {
    return withDates(object, kind.shape, this.options.release.api.types.get('meta.ObjectMeta')) as unknown as T
  }
}

/** The client decodes an object that is being deleted as a Status, and drops all other members. */
function asStatus({ apiVersion, kind, metadata: { resourceVersion }, ...rest }: KubeObject): object {
  const { status } = rest as { readonly status?: object }
  return { apiVersion, kind, metadata: { resourceVersion }, ...(status === undefined ? {} : { status }) }
}

/** The API server sends the items of a list of a built-in kind without their type. */
function withoutType(object: KubeObject): KubeObject {
  const { apiVersion: _, kind: __, ...rest } = object
  return rest as KubeObject
}

function targetOf(kind: Kind, namespace: string | undefined): Target {
  return {
    resource: kind.resource,
    ...(kind.namespaced && namespace !== undefined ? { namespace } : {}),
    ...(kind.isVersioned === true ? { version: kind.version } : {}),
  }
}

function nameOf({ metadata }: ClientObject): string {
  if (metadata?.name === undefined || metadata.name === '') throw new Error('Required spec property name is not set')
  return metadata.name
}

function written(dryRun: string | undefined, fieldManager: string | undefined) {
  return {
    ...(dryRun === undefined ? {} : { dryRun: true }),
    ...(fieldManager === undefined ? {} : { fieldManager }),
  }
}

function patchOf(object: KubeObject, type = 'application/strategic-merge-patch+json', force?: boolean): Patch {
  const patch = object as unknown as JsonObject
  switch (type) {
    case 'application/merge-patch+json':
      return { kind: 'merge', patch }
    case 'application/apply-patch+yaml':
      return { kind: 'apply', object: patch, ...(force === undefined ? {} : { force }) }
    case 'application/strategic-merge-patch+json':
      return { kind: 'strategic', patch }
    default:
      throw new Error(`unknown type of patch ${JSON.stringify(type)}`)
  }
}
