import type { Call, Failure, Outcome } from '../api/call.ts'
import type { Cidr } from '../api/cidr.ts'
import type { KubeObject } from '../api/objects/meta.ts'
import type { KubernetesRelease } from '../api/releases/kubernetes-release.ts'
import { defaultRelease } from '../api/releases/release-of.ts'
import { failure } from '../api/status.ts'
import type { Random } from '../base/random.ts'
import type { Store } from '../store/contract.ts'
import type { PodSecuritySettings } from './admission/pod-security/settings.ts'
import { AwaitingAnswers, type WebhookAnswer, type WebhookAsk, WriteAttempt } from './attempt.ts'
import { type Backend, inProcessCaller, storeKey, writeContextOf } from './backend.ts'
import type { Caller, Guard, Pending, PendingCall, Registry, Unstored } from './contract.ts'
import { ConversionFailed, convertStored, withConversion } from './custom/conversion-webhook.ts'
import { accessAuthorizer } from './dynamic/access-authorizer.ts'
import { DynamicAdmission, isGoverned } from './dynamic/dynamic-admission.ts'
import type { WebhookServices } from './dynamic/webhook-target.ts'
import type { Kind, KindTable, ManagedFieldsMode, ServiceAccountMode } from './kinds/kind.ts'
import { createKindTable } from './kinds/kinds.ts'
import { LargeObjects } from './large-objects.ts'
import { ListedVersions } from './read/listed-versions.ts'
import { getObject, listObjects } from './read/read.ts'
import { RequestParts } from './request-parts.ts'
import { subresourceCall } from './subresources/subresources.ts'
import { governUnstored } from './write/governed.ts'
import { createObject, deleteCollection, deleteObject, patchObject, updateObject } from './write/pipeline.ts'

export interface RegistryOptions {
  /** The release that determines the served API and the rules. */
  readonly release?: KubernetesRelease
  /** Default: `named`. Controllers in the same process do not name a manager, so their writes are not recorded. */
  readonly managedFields?: ManagedFieldsMode
  /** Disabled admission plugins, by upstream's names: `Priority`, `TaintNodesByCondition`. */
  readonly disabledAdmission?: readonly string[]
  /** Turns the admission plugin ServiceAccount on. Default: off. */
  readonly serviceAccounts?: ServiceAccountMode
  /**
   * Stores the members of objects in Go's order, so that a server sends them as kube-apiserver does. Default: false.
   */
  readonly goOrder?: boolean
  /** The admission plugin PodSecurity. Absent: it is off. */
  readonly podSecurity?: PodSecuritySettings
  /** The admission plugin NodeRestriction. Default: off. */
  readonly restrictsNodes?: boolean
  /** --service-cluster-ip-range. Absent: the range of the ServiceCIDR `kubernetes`, or else upstream's default. */
  readonly serviceRanges?: readonly Cidr[]
  /** The addresses of the services of webhooks: `namespace/name` or `namespace/name:port` to `host:port`. */
  readonly webhookServices?: ReadonlyMap<string, string>
  /** Answers webhooks for callers that cannot wait, as in virtual time. Absent: such calls fail. */
  readonly answerWebhook?: (ask: WebhookAsk) => WebhookAnswer
}

export interface RegistryPorts {
  readonly store: Store
  readonly clock: { now(): number }
  readonly random: Random
  readonly options?: RegistryOptions
}

export function createRegistry({ store, clock, random, options = {} }: RegistryPorts): Registry {
  const { release = defaultRelease } = options
  const kinds = createKindTable(store, release)
  const disabledAdmission = new Set(options.disabledAdmission ?? [])
  if (options.serviceAccounts === undefined) disabledAdmission.add('ServiceAccount')
  const versions = new ListedVersions()
  const largeObjects = new LargeObjects()
  const backend: Backend = { store, clock, random, kinds, versions, release, options, disabledAdmission, largeObjects }
  const begin = (
    call: Call,
    caller: Caller = inProcessCaller,
    guard?: Guard,
    unstored?: Unstored,
    inTurns = false,
  ): Outcome | PendingCall => {
    const kind = kindOf(kinds, call)
    if (kind === undefined) return noSuchResource()
    // Calls in the same process have no guard and are always stored.
    const isPlain = guard === undefined && unstored === undefined
    const guarded = isPlain ? backend : withPorts(backend, guard, unstored)
    const isLong = inTurns || changesLarge(backend, kind, call)
    if (kind.custom?.conversion === undefined && (isRead(call) || !(isLong || isGoverned(store)))) {
      return dispatch(guarded, kind, call, caller)
    }
    return runAttempt(guarded, call, caller, new WriteAttempt(random, clock, isLong ? new RequestParts() : undefined))
  }
  const convert = (
    kind: Kind,
    objects: readonly KubeObject[],
    attempt = new WriteAttempt(random, clock),
  ): Pending<readonly KubeObject[] | Failure> | readonly KubeObject[] | Failure => {
    const late = attempt.begin()
    if (late !== undefined) return late
    const services = servicesOf(backend)
    return withAnswers(
      attempt,
      () => {
        convertStored(kind, objects, attempt, services)
        const { fromStorage } = withConversion(kind, attempt, services)
        return fromStorage === undefined ? objects : objects.map(fromStorage)
      },
      () => convert(kind, objects, attempt),
    )
  }
  return {
    store,
    kinds,
    release,
    begin,
    isLarge: (object) => largeObjects.has(object),
    convert: (kind, objects) => convert(kind, objects),
    call(call, caller, guard, unstored) {
      let outcome = begin(call, caller, guard, unstored)
      while ('asks' in outcome) outcome = outcome.resume(outcome.asks.map(options.answerWebhook ?? unanswered))
      return outcome
    },
  }
}

function withPorts(backend: Backend, guard: Guard | undefined, unstored: Unstored | undefined): Backend {
  return {
    ...backend,
    ...(guard === undefined ? {} : { guard }),
    ...(unstored === undefined ? {} : { unstored }),
  }
}

const isRead = ({ verb }: Call): boolean => verb === 'get' || verb === 'list'

function changesLarge({ store, largeObjects }: Backend, kind: Kind, call: Call): boolean {
  if (call.verb !== 'update' && call.verb !== 'patch') return false
  const stored = store.get(kind.storage, storeKey(kind, call.namespace, call.name))
  return stored !== undefined && largeObjects.has(stored)
}

const noSuchResource = (): Outcome => failure('NotFound', 'the server could not find the requested resource')

const unanswered = (): WebhookAnswer => ({ kind: 'failed', message: 'webhooks cannot be called from here' })

/** Runs a request until it is done or needs answers. */
function runAttempt(backend: Backend, call: Call, caller: Caller, attempt: WriteAttempt): Outcome | PendingCall {
  const late = attempt.begin()
  if (late !== undefined) return late
  const found = kindOf(backend.kinds, call)
  if (found === undefined) return noSuchResource()
  const { store, kinds, guard } = backend
  const services = servicesOf(backend)
  const kind = withConversion(found, attempt, services)
  const surroundings = { store, kinds, services, authorizer: accessAuthorizer(guard) }
  const dynamic = new DynamicAdmission(attempt, surroundings, backend.disabledAdmission)
  const clock = { now: () => attempt.nowMs }
  const governed = isGoverned(store) ? { dynamic } : {}
  return withAnswers(
    attempt,
    () => {
      if (call.verb === 'list' || call.verb === 'deletecollection') {
        const { namespace } = call
        const objects =
          found.custom === undefined ? [] : store.list(found.storage, namespace === undefined ? {} : { namespace })
        convertStored(found, objects, attempt, services)
      }
      const own = { ...backend, ...governed, attempt, clock, random: attempt.random }
      return withNotes(dispatch(own, kind, call, caller), attempt)
    },
    () => runAttempt(backend, call, caller, attempt),
  )
}

/** Runs a function that may throw questions to webhooks. When they are answered, `again` runs it from the beginning. */
function withAnswers<T>(attempt: WriteAttempt, run: () => T, again: () => T | Pending<T>): T | Pending<T> | Failure {
  try {
    return run()
  } catch (error) {
    if (error instanceof ConversionFailed) return error.failure
    if (!(error instanceof AwaitingAnswers)) throw error
    const { asks } = error
    return {
      asks: asks.map(({ ask }) => ({ ...ask, timeoutMs: Math.min(ask.timeoutMs, attempt.leftMs()) })),
      resume(answers) {
        attempt.answer(asks, answers)
        return again()
      },
    }
  }
}

function servicesOf({ store, options }: Backend): WebhookServices {
  const addresses = options.webhookServices ?? noAddresses
  return options.answerWebhook === undefined ? { store, addresses } : { store, addresses, asksUnresolved: true }
}

const noAddresses: ReadonlyMap<string, string> = new Map()

/** The outcome with additional warnings, and with the annotations of its audit event. */
function withNotes(outcome: Outcome, attempt: WriteAttempt): Outcome {
  const more = attempt.takeWarnings()
  const noted = attempt.notes.size === 0 ? outcome : { ...outcome, notes: attempt.notes }
  if (more.length === 0 || (noted.ok && noted.kind === 'list')) return noted
  return { ...noted, warnings: [...('warnings' in noted ? (noted.warnings ?? []) : []), ...more] }
}

function kindOf(kinds: KindTable, { resource, version }: Call): Kind | undefined {
  const kind = kinds.find(resource)
  if (version === undefined || kind === undefined || kind.version === version) return kind
  return kinds.served(kind.group, version, kind.plural)
}

function dispatch(backend: Backend, kind: Kind, call: Call, caller: Caller): Outcome {
  if (backend.unstored !== undefined && call.verb === 'create') {
    return governUnstored(kind, writeContextOf(backend, caller, call), call, backend.unstored)
  }
  if (call.subresource !== undefined && call.subresource !== '') return subresourceCall(backend, kind, call, caller)
  if (!kind.verbs.includes(call.verb)) return methodNotAllowed(kind)
  if (kind.ephemeral === true) return ephemeralCall(backend, kind, call, caller)
  switch (call.verb) {
    case 'get':
      return getObject(backend, kind, call)
    case 'list':
      return listObjects(backend, kind, call)
    case 'create':
      return createObject(backend, kind, call, caller)
    case 'update':
      return updateObject(backend, kind, call, caller)
    case 'patch':
      return patchObject(backend, kind, call, caller)
    case 'delete':
      return deleteObject(backend, kind, call, caller)
    case 'deletecollection':
      return deleteCollection(backend, kind, call, caller)
  }
}

/** Kinds that are not stored. The API server answers reviews itself. */
function ephemeralCall(backend: Backend, kind: Kind, call: Call, caller: Caller): Outcome {
  if (call.verb !== 'create') return methodNotAllowed(kind)
  if (kind.resource === 'bindings') {
    const pods = backend.kinds.find('pods')
    if (pods !== undefined) {
      const name = call.object.metadata?.name ?? ''
      return subresourceCall(backend, pods, { ...call, resource: 'pods', subresource: 'binding', name }, caller)
    }
  }
  return methodNotAllowed(kind)
}

export function methodNotAllowed(kind: Kind): Outcome {
  return failure('MethodNotAllowed', 'the server does not allow this method on the requested resource', {
    ...(kind.group === '' ? {} : { group: kind.group }),
    kind: kind.plural,
  })
}
