import type { AccessCheck, CelAuthorizer } from '../../cel/value.ts'
import type { Caller, Guard } from '../contract.ts'
import type { AdmissionRequest } from './admission-request.ts'

/** The authorizer of CEL expressions. Without a guard, everything is allowed. */
export function accessAuthorizer(guard: Guard | undefined): (request: AdmissionRequest) => CelAuthorizer {
  return ({ caller }) =>
    (check) => {
      if (guard === undefined) return { allowed: true, reason: '' }
      return guard.access(callerOf(check, caller), { ...check, verb: check.verb ?? '' })
    }
}

/** The caller, or the service account that an expression names, with the groups that it always has. */
function callerOf({ user }: AccessCheck, caller: Caller): Caller {
  if (user === undefined) return caller
  const [, , namespace = ''] = user.split(':')
  const groups = ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated']
  return { name: user, groups }
}
