import type { CreateCall, Failure, Outcome } from '../../api/call.ts'
import type { KubeObject } from '../../api/objects/meta.ts'
import type { Pod } from '../../api/objects/pod.ts'
import { failure, notFound } from '../../api/status.ts'
import { formatTime } from '../../api/time.ts'
import { withWarnings } from '../../registry/backend.ts'
import type { Caller } from '../../registry/contract.ts'
import { decodeObject } from '../../registry/decode/decode-object.ts'
import { type FieldError, invalid, invalidObject } from '../../registry/errors/field-error.ts'
import type { Kind } from '../../registry/kinds/kind.ts'
import { inGoOrder } from '../../registry/write/go-order.ts'
import type { Store } from '../../store/contract.ts'
import { signToken } from './json-web-token.ts'
import { keyIdOf, type TokenSettings } from './signing-keys.ts'

export interface TokenRequestPorts {
  readonly settings: TokenSettings
  readonly store: Store
  /** Wall time. */
  readonly now: () => number
  /** The id of a token: a UUID. */
  readonly newId: () => string
  /** Refuses some requests of a caller. Absent: no restriction. */
  readonly restrict?: (kind: Kind, call: CreateCall, request: KubeObject, caller: Caller) => Failure | undefined
}

interface TokenRequest extends KubeObject {
  readonly spec?: {
    readonly audiences?: readonly string[]
    readonly expirationSeconds?: number
    readonly boundObjectRef?: BoundObjectReference
  }
}

interface BoundObjectReference {
  readonly kind?: string
  readonly apiVersion?: string
  readonly name?: string
  readonly uid?: string
}

const resource = 'tokenrequests.authentication.k8s.io'

/** The part of a kind that decoding needs. The subresource has no kind. */
const tokenRequestKind = ({ release }: Pick<Kind, 'release'>): Kind =>
  ({
    resource,
    group: 'authentication.k8s.io',
    version: 'v1',
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    shape: release.api.shapeOfKind('authentication.k8s.io', 'v1', 'TokenRequest'),
    release,
  }) as unknown as Kind

const defaultExpirationSeconds = 3600
/**
 * Tokens with this lifetime are mounted into pods. They are valid for a year, so that clients that never reload them
 * keep working.
 */
const mountedTokenSeconds = 3607
const extendedSeconds = 365 * 24 * 3600

/** POST serviceaccounts/token (v1.36, registry/core/serviceaccount/storage, TokenREST). */
export function createTokenRequests(
  ports: TokenRequestPorts,
): (account: Kind, call: CreateCall, caller: Caller) => Outcome {
  const keyId = keyIdOf(ports.settings.signingKey)
  return (account, call, caller) => {
    const kind = tokenRequestKind(account)
    const decoded = decodeObject(kind, call.object, call.fieldValidation)
    if ('ok' in decoded) return decoded
    const refused = ports.restrict?.(account, call, decoded.object, caller)
    if (refused !== undefined) return withWarnings(refused, decoded.warnings)
    return withWarnings(issue(ports, { keyId, kind }, decoded.object as TokenRequest, call), decoded.warnings)
  }
}

function issue(
  ports: TokenRequestPorts,
  { keyId, kind }: { readonly keyId: string; readonly kind: Kind },
  request: TokenRequest,
  call: CreateCall,
): Outcome {
  const { settings, store } = ports
  const { name = '', namespace = '' } = call
  const { metadata } = request
  const misnamed = nameErrors(request, name, namespace)
  if (misnamed.length > 0) return invalidObject('TokenRequest', resource, name, misnamed)
  const account = store.get('serviceaccounts', `${namespace}/${name}`)
  if (account === undefined) return notFound('serviceaccounts', name)
  const uid = account.metadata.uid ?? ''
  if ((metadata.uid ?? '') !== '' && metadata.uid !== uid) {
    const why = `the UID in the token request (${metadata.uid}) does not match the UID of the service account (${uid})`
    return conflict('TokenRequest.authentication.k8s.io', name, why)
  }
  const nowMs = ports.now()
  const sent = request.spec?.expirationSeconds ?? defaultExpirationSeconds
  const errors = expirationErrors(sent)
  if (errors.length > 0) return invalidObject('TokenRequest', resource, '', errors)
  const bound = boundObject(store, request.spec?.boundObjectRef, name, namespace)
  if ('ok' in bound) return bound
  const isShortened = settings.maxExpirationSeconds > 0 && sent > settings.maxExpirationSeconds
  const expirationSeconds = isShortened ? settings.maxExpirationSeconds : sent
  const own = request.spec?.audiences ?? []
  const audiences = own.length === 0 ? settings.audiences : own
  const isExtended =
    settings.extendsExpiration &&
    bound.pod !== undefined &&
    expirationSeconds === mountedTokenSeconds &&
    audiences.every((one) => settings.audiences.includes(one))
  const iat = Math.floor(nowMs / 1000)
  const token = signToken(
    {
      iss: settings.issuers[0],
      sub: `system:serviceaccount:${namespace}:${name}`,
      aud: audiences,
      iat,
      nbf: iat,
      exp: iat + (isExtended ? extendedSeconds : expirationSeconds),
      jti: ports.newId(),
      'kubernetes.io': {
        namespace,
        serviceaccount: { name, uid },
        ...bound,
        ...(isExtended ? { warnafter: iat + expirationSeconds } : {}),
      },
    },
    settings.signingKey,
    keyId,
  )
  const answer = {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    metadata: { ...metadata, name, namespace, uid, creationTimestamp: formatTime(nowMs) },
    spec: { audiences, expirationSeconds, boundObjectRef: request.spec?.boundObjectRef ?? null },
    status: { token, expirationTimestamp: formatTime(nowMs + expirationSeconds * 1000) },
  } as unknown as KubeObject
  const object = inGoOrder(answer, kind.shape)
  const shortened = `requested expiration of ${sent} seconds shortened to ${expirationSeconds} seconds`
  return { ok: true, kind: 'object', created: true, object, ...(isShortened ? { warnings: [shortened] } : {}) }
}

function nameErrors({ metadata }: TokenRequest, name: string, namespace: string): readonly FieldError[] {
  const wrong = (field: 'name' | 'namespace', given: string) =>
    invalid(`metadata.${field}`, given, `must match the service account ${field} if specified`)
  if ((metadata.name ?? '') !== '' && metadata.name !== name) return [wrong('name', metadata.name)]
  const { namespace: given = '' } = metadata
  return given !== '' && given !== namespace ? [wrong('namespace', given)] : []
}

function expirationErrors(seconds: number): readonly FieldError[] {
  const field = 'spec.expirationSeconds'
  if (seconds < 600) return [invalid(field, seconds, 'may not specify a duration less than 10 minutes')]
  if (seconds > 2 ** 32) return [invalid(field, seconds, 'may not specify a duration larger than 2^32 seconds')]
  return []
}

interface NamedUid {
  readonly name: string
  readonly uid?: string
}

interface BoundTo {
  readonly pod?: NamedUid
  readonly node?: NamedUid
  readonly secret?: NamedUid
}

const referenceTo = ({ metadata }: KubeObject): NamedUid => ({
  name: metadata.name,
  ...(metadata.uid === undefined ? {} : { uid: metadata.uid }),
})

const conflict = (kind: string, name: string, why: string) => {
  const [first = '', ...rest] = kind.split('.')
  const group = rest.join('.')
  const message = `Operation cannot be fulfilled on ${kind} "${name}": ${why}`
  return failure('Conflict', message, { name, ...(group === '' ? {} : { group }), kind: first })
}

/** The claims about the object to which the token is bound; for a pod also its node. */
function boundObject(
  store: Store,
  reference: BoundObjectReference | undefined,
  account: string,
  namespace: string,
): BoundTo | Extract<Outcome, { ok: false }> {
  if (reference === undefined || reference === null) return {}
  const { kind = '', apiVersion = '', name = '', uid = '' } = reference
  const slash = apiVersion.indexOf('/')
  const [group, version] = slash < 0 ? ['', apiVersion] : [apiVersion.slice(0, slash), apiVersion.slice(slash + 1)]
  const isKnown = group === '' && (kind === 'Pod' || kind === 'Node' || kind === 'Secret')
  if (!isKnown) {
    const shown = kind === '' && apiVersion === '' ? '/, Kind=' : `${group}/${version}, Kind=${kind}`
    return failure('BadRequest', `cannot bind token to object of type ${shown}`)
  }
  const plural = kind === 'Pod' ? 'pods' : kind === 'Node' ? 'nodes' : 'secrets'
  const object = store.get(plural, kind === 'Node' ? name : `${namespace}/${name}`)
  if (object === undefined) return notFound(plural, name)
  if (kind === 'Pod' && (object as Pod).spec.serviceAccountName !== account) {
    const why = `cannot bind token for serviceaccount "${account}" to pod running with different serviceaccount name.`
    return failure('BadRequest', why)
  }
  if (uid !== '' && uid !== object.metadata.uid) {
    const why = `the UID in the bound object reference (${uid}) does not match the UID in record. The object might have been deleted and then recreated`
    return conflict(kind, name, why)
  }
  if (kind === 'Secret') return { secret: referenceTo(object) }
  if (kind === 'Node') return { node: referenceTo(object) }
  const nodeName = (object as Pod).spec.nodeName ?? ''
  if (nodeName === '') return { pod: referenceTo(object) }
  const node = store.get('nodes', nodeName)
  return { pod: referenceTo(object), node: node === undefined ? { name: nodeName } : referenceTo(node) }
}
