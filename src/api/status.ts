import type { Outcome } from './call.ts'
import type { Status, StatusDetails } from './objects/meta.ts'

/** The failures of the Kubernetes API by reason, with their HTTP status codes (apimachinery api/errors). */
export const statusCodes = {
  BadRequest: 400,
  Unauthorized: 401,
  Forbidden: 403,
  NotFound: 404,
  MethodNotAllowed: 405,
  NotAcceptable: 406,
  AlreadyExists: 409,
  Conflict: 409,
  Gone: 410,
  Expired: 410,
  RequestEntityTooLarge: 413,
  UnsupportedMediaType: 415,
  Invalid: 422,
  TooManyRequests: 429,
  InternalError: 500,
  ServiceUnavailable: 503,
  ServerTimeout: 504,
  Timeout: 504,
} as const

export type StatusReason = keyof typeof statusCodes

export function failure(
  reason: StatusReason,
  message: string,
  details?: StatusDetails,
): { readonly ok: false; readonly status: Status } {
  const status: Status = {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message,
    reason,
    ...(details === undefined ? {} : { details }),
    code: statusCodes[reason],
  }
  return { ok: false, status }
}

/** An error that upstream returns unchanged: a 500 without a reason (apiserver, responsewriters, ErrorToAPIStatus). */
export function plainError(message: string): { readonly ok: false; readonly status: Status } {
  return {
    ok: false,
    status: { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, code: 500 },
  }
}

/** Splits `pods` or `deployments.apps` into resource and group. */
export function splitResource(resource: string): { readonly plural: string; readonly group: string } {
  const dot = resource.indexOf('.')
  return dot < 0 ? { plural: resource, group: '' } : { plural: resource.slice(0, dot), group: resource.slice(dot + 1) }
}

function detailsOf(resource: string, name: string): StatusDetails {
  const { plural, group } = splitResource(resource)
  return { name, ...(group === '' ? {} : { group }), kind: plural }
}

export const notFound = (resource: string, name: string) =>
  failure('NotFound', `${resource} "${name}" not found`, detailsOf(resource, name))

export const alreadyExists = (resource: string, name: string) =>
  failure('AlreadyExists', `${resource} "${name}" already exists`, detailsOf(resource, name))

export const conflict = (
  resource: string,
  name: string,
  why = 'the object has been modified; please apply your changes to the latest version and try again',
) => failure('Conflict', `Operation cannot be fulfilled on ${resource} "${name}": ${why}`, detailsOf(resource, name))

export function failedWith(outcome: Outcome, reason: StatusReason): boolean {
  return !outcome.ok && outcome.status.reason === reason
}
