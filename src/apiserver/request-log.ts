import type { Clock } from '../base/clock.ts'
import type { Logger } from '../base/log.ts'
import { type Admit, type ApiResponse, type RequestAdmission, type RequestHead, whenAnswered } from './exchange.ts'
import { parseRoute } from './route.ts'

/** Requests that take longer than this are logged, except watches. */
export const slowRequestMs = 1000

export interface RequestLogPorts {
  readonly clock: Clock
  readonly log: Logger
  /** Identifies a request in the log and to its client. */
  readonly newAuditId: () => string
}

/**
 * Adds an Audit-Id to each response, either the Audit-Id of the request or a new one (v1.36, apiserver,
 * endpoints/filters, WithAuditInit), and logs internal errors and slow requests under it. The log has the path but not
 * the query, the headers or the body, which may contain secrets.
 */
export function logged(admit: Admit, { clock, log, newAuditId }: RequestLogPorts): Admit {
  const note = (head: RequestHead, { auditId, user, startedAt }: LoggedRequest, response: ApiResponse): void => {
    const latencyMs = clock.now() - startedAt
    const isSlow = latencyMs > slowRequestMs && response.kind !== 'stream'
    if (response.code < 500 && !isSlow) return
    const fields = {
      auditId,
      ...(user === undefined ? {} : { user }),
      verb: verbOf(head),
      path: head.path,
      code: response.code,
      latencyMs,
    }
    if (response.code >= 500) log.error(fields, 'request failed')
    else log.warn(fields, 'request was slow')
  }
  return (head): RequestAdmission => {
    const startedAt = clock.now()
    const given = head.headers['audit-id']
    const auditId = given === undefined || given === '' ? newAuditId() : given
    const admission = admit(head)
    const { route } = admission
    if (admission.kind === 'refused') {
      note(head, { auditId, user: undefined, startedAt }, admission.response)
      return { kind: 'refused', route, auditId, response: admission.response }
    }
    const { flow, answer } = admission
    const noted = (response: ApiResponse): ApiResponse => {
      note(head, { auditId, user: flow.user, startedAt }, response)
      return response
    }
    return { kind: 'admitted', route, auditId, flow, answer: (body) => whenAnswered(answer(body), noted) }
  }
}

interface LoggedRequest {
  readonly auditId: string
  readonly user: string | undefined
  readonly startedAt: number
}

function verbOf({ method, path, query }: RequestHead): string {
  const route = parseRoute(method, path, query)
  return route.kind === 'resource' ? route.verb : method.toLowerCase()
}
