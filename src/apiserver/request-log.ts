import type { Clock } from '../base/clock.ts'
import type { Logger } from '../base/log.ts'
import type { Admission, Admit, ApiResponse, RequestHead } from './exchange.ts'
import { parseRoute } from './route.ts'

/** Requests that take longer are logged. Watches are not: they last by design. */
export const slowRequestMs = 1000

export interface RequestLogPorts {
  readonly clock: Clock
  readonly log: Logger
  /** Identifies a request in the log and to its client. */
  readonly newAuditId: () => string
}

/**
 * Answers each request with an Audit-Id, the one that the client sent or a new one (v1.36, apiserver, endpoints/filters,
 * WithAuditInit), and logs internal errors and slow requests under it. The log names the path but not the query, the headers
 * or the body, which may hold secrets.
 */
export function logged(admit: Admit, { clock, log, newAuditId }: RequestLogPorts): Admit {
  const note = <Response extends ApiResponse>(
    head: RequestHead,
    about: { readonly auditId: string; readonly user: string | undefined; readonly startedAt: number },
    response: Response,
  ): Response => {
    const latencyMs = clock.now() - about.startedAt
    const isSlow = latencyMs > slowRequestMs && response.kind !== 'stream'
    if (response.code >= 500 || isSlow) {
      const fields = {
        auditId: about.auditId,
        ...(about.user === undefined ? {} : { user: about.user }),
        verb: verbOf(head),
        path: head.path,
        code: response.code,
        latencyMs,
      }
      if (response.code >= 500) log.error(fields, 'request failed')
      else log.warn(fields, 'request was slow')
    }
    return { ...response, headers: { ...response.headers, 'audit-id': about.auditId } }
  }
  return (head): Admission => {
    const startedAt = clock.now()
    const given = head.headers['audit-id']
    const auditId = given === undefined || given === '' ? newAuditId() : given
    const admission = admit(head)
    if (admission.kind === 'refused') {
      const response = note(head, { auditId, user: undefined, startedAt }, admission.response)
      return { ...admission, response }
    }
    const about = { auditId, user: admission.flow.user, startedAt }
    return { ...admission, answer: async (body) => note(head, about, await admission.answer(body)) }
  }
}

function verbOf({ method, path, query }: RequestHead): string {
  const route = parseRoute(method, path, query)
  return route.kind === 'resource' ? route.verb : method.toLowerCase()
}
