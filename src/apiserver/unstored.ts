import type { Call, CreateCall, Outcome } from '../api/call.ts'
import type { KubeObject } from '../api/objects/meta.ts'
import { failure } from '../api/status.ts'
import { withWarnings } from '../registry/backend.ts'
import type { Caller, Unstored } from '../registry/contract.ts'
import { decodeObject } from '../registry/decode/decode-object.ts'
import type { Kind } from '../registry/kinds/kind.ts'
import { methodNotAllowed } from './exchange.ts'

/** The answers to requests whose objects are not stored. */
export interface UnstoredAnswers {
  /** Access and token reviews; undefined for other kinds. */
  readonly review: (
    kind: Kind,
    object: KubeObject,
    caller: Caller,
    namespace: string | undefined,
  ) => Outcome | undefined
  /** Absent: the server has no key to sign tokens with. */
  readonly issueToken?: (kind: Kind, call: CreateCall, caller: Caller) => Outcome
}

/** A review or a TokenRequest, and the function that answers it after admission; undefined for every other request. */
export function unstoredRequest(
  { review, issueToken }: UnstoredAnswers,
  kind: Kind,
  call: Call,
  caller: Caller,
  namespace: string | undefined,
): { readonly call: CreateCall; readonly answer: Unstored } | Outcome | undefined {
  if (call.verb !== 'create') return undefined
  if (kind.resource === 'serviceaccounts' && call.subresource === 'token') {
    if (issueToken === undefined) return failure('BadRequest', 'the server cannot issue tokens: it has no signing key')
    return { call, answer: (object) => issueToken(kind, { ...call, object }, caller) }
  }
  if (kind.ephemeral !== true || kind.resource === 'bindings') return undefined
  const decoded = decodeObject(kind, call.object, call.fieldValidation)
  if ('ok' in decoded) return decoded
  const answer: Unstored = (object) => {
    const outcome = review(kind, object, caller, namespace) ?? methodNotAllowed
    return withWarnings(outcome, decoded.warnings)
  }
  return { call: { ...call, object: decoded.object }, answer }
}
