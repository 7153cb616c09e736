import type { Failure } from '../api/call.ts'
import { failure } from '../api/status.ts'
import { quoteValue } from '../registry/errors/field-error.ts'
import { type Attributes, forbiddenMessage } from './rbac.ts'

/** The 403 response to a request for which the caller has no right. */
export function refusalOf(attributes: Attributes, reason: string): Failure {
  const { group, plural, name = '', path } = attributes
  const message = forbiddenMessage(attributes, reason)
  if (path !== undefined || (plural === '' && group === ''))
    return failure('Forbidden', `forbidden: ${message}`, detailsOf(attributes))
  const resource = group === '' ? plural : `${plural}.${group}`
  const subject = name === '' ? resource : `${resource} ${quoteValue(name)}`
  return failure('Forbidden', `${subject} is forbidden: ${message}`, detailsOf(attributes))
}

function detailsOf({ group, plural, name = '', path }: Attributes) {
  if (path !== undefined) return {}
  return {
    ...(name === '' ? {} : { name }),
    ...(group === '' ? {} : { group }),
    ...(plural === '' ? {} : { kind: plural }),
  }
}
