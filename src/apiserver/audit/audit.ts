import type { Clock } from '../../base/clock.ts'
import { encodeJson, parseJson } from '../../base/exact-json.ts'
import type { Caller } from '../../registry/contract.ts'
import { type Admit, type ApiResponse, type RequestAdmission, type RequestHead, whenAnswered } from '../exchange.ts'
import type { Route } from '../route.ts'
import { type AuditChoice, type AuditPolicy, type AuditStage, auditChoice, includes } from './policy.ts'

export interface AuditPorts {
  readonly policy: AuditPolicy
  readonly clock: Clock
  /** Takes one event as a line of JSON. */
  readonly write: (line: string) => void
}

type Loose = Readonly<Record<string, unknown>>

/** The data of a request that its audit event needs. */
interface AuditedExchange {
  readonly head: RequestHead
  readonly route: Route | undefined
  readonly auditId: string
  readonly choice: AuditChoice
  readonly caller: Caller
  readonly impersonated: Caller | undefined
  readonly receivedMs: number
}

/** Gives every request an Audit-Id before anything else sees it. */
export function identified(admit: Admit, newAuditId: () => string): Admit {
  return (head) => {
    const given = head.headers['audit-id']
    if (given !== undefined && given !== '') return admit(head)
    return admit({ ...head, headers: { ...head.headers, 'audit-id': newAuditId() } })
  }
}

/** Records requests as kube-apiserver does with a policy file (v1.36, endpoints/filters, WithAudit). */
export function audited(admit: Admit, ports: AuditPorts): Admit {
  const { clock } = ports
  return (head): RequestAdmission => {
    const auditId = head.headers['audit-id'] ?? ''
    const receivedMs = clock.wall()
    const admission = admit(head)
    const { route, identity } = admission
    const caller = identity?.authenticated ?? anonymous
    const impersonated = identity === undefined || identity.caller === caller ? undefined : identity.caller
    const choice = auditChoice(ports.policy, requestOf(head, route, impersonated ?? caller))
    if (choice.level === 'None') return admission
    const exchange: AuditedExchange = { head, route, auditId, choice, caller, impersonated, receivedMs }
    const decision = identity?.decision
    const annotations: Record<string, string> =
      decision === undefined
        ? {}
        : {
            'authorization.k8s.io/decision': decision.allowed ? 'allow' : 'forbid',
            'authorization.k8s.io/reason': decision.reason,
          }
    record(ports, exchange, 'RequestReceived', {})
    if (admission.kind === 'refused') {
      const stage = identity === undefined ? 'ResponseStarted' : 'ResponseComplete'
      record(ports, exchange, stage, { ...responseFields(exchange, undefined, admission.response), annotations })
      return admission
    }
    return {
      ...admission,
      answer: (body) =>
        whenAnswered(admission.answer(body), (response) => {
          const notes = response.notes ?? noNotes
          for (const [key, { value, level }] of notes) if (includes(choice.level, level)) annotations[key] = value
          const fields = { ...responseFields(exchange, body, response), annotations }
          if (response.kind !== 'stream') {
            record(ports, exchange, 'ResponseComplete', fields)
            return response
          }
          record(ports, exchange, 'ResponseStarted', fields)
          return {
            ...response,
            start: (sink) => {
              const stop = response.start(sink)
              return () => {
                record(ports, exchange, 'ResponseComplete', fields)
                stop()
              }
            },
          }
        }),
    }
  }
}

const noNotes: NonNullable<ApiResponse['notes']> = new Map()
const anonymous: Caller = { name: '', groups: [] }

function requestOf({ method, path }: RequestHead, route: Route | undefined, caller: Caller) {
  if (route?.kind !== 'resource') return { caller, verb: method.toLowerCase(), path }
  const { group, plural, subresource, scope: namespace, name, verb } = route
  return { caller, verb, path, resource: { group, plural, subresource, namespace, name } }
}

function record(ports: AuditPorts, exchange: AuditedExchange, stage: AuditStage, fields: Loose): void {
  const { head, route, auditId, choice, caller, impersonated, receivedMs } = exchange
  if (choice.omitStages.has(stage)) return
  const { objectRef, responseStatus, requestObject, responseObject, annotations } = fields
  const has = annotations !== undefined && Object.keys(annotations as object).length > 0
  const query = head.query.toString()
  const isResource = route?.kind === 'resource'
  ports.write(
    encodeJson({
      kind: 'Event',
      apiVersion: 'audit.k8s.io/v1',
      level: choice.level,
      auditID: auditId,
      stage,
      requestURI: query === '' ? head.path : `${head.path}?${query}`,
      verb: isResource ? route.verb : head.method.toLowerCase(),
      user: userOf(caller),
      ...(impersonated === undefined ? {} : { impersonatedUser: userOf(impersonated) }),
      sourceIPs: sourcesOf(head),
      ...(head.headers['user-agent'] === undefined ? {} : { userAgent: head.headers['user-agent'] }),
      ...(isResource ? { objectRef: objectRef ?? referenceOf(route, undefined) } : {}),
      ...(responseStatus === undefined ? {} : { responseStatus }),
      ...(requestObject === undefined ? {} : { requestObject }),
      ...(responseObject === undefined ? {} : { responseObject }),
      requestReceivedTimestamp: microTime(receivedMs),
      stageTimestamp: microTime(ports.clock.wall()),
      ...(has ? { annotations } : {}),
    }),
  )
}

const microTime = (ms: number): string => new Date(ms).toISOString().replace('Z', '000Z')

function userOf({ name, uid, groups, extra }: Caller): Loose {
  return {
    ...(name === '' ? {} : { username: name }),
    ...(uid === undefined ? {} : { uid }),
    ...(groups.length === 0 ? {} : { groups }),
    ...(extra === undefined ? {} : { extra }),
  }
}

/** The addresses of the proxies that the request reports, followed by the address of the sender. */
function sourcesOf({ headers, remoteAddress }: RequestHead): readonly string[] {
  const forwarded = (headers['x-forwarded-for'] ?? '').split(',').map((one) => one.trim())
  const all = [...forwarded, headers['x-real-ip'] ?? '', remoteAddress?.() ?? ''].filter((one) => one !== '')
  return [...new Set(all)]
}

function referenceOf(route: Extract<Route, { readonly kind: 'resource' }>, object: Loose | undefined): Loose {
  const metadata = (object?.['metadata'] ?? {}) as Loose
  const { plural, group, version, subresource } = route
  const name = route.name ?? metadata['name']
  const namespace = route.scope ?? metadata['namespace']
  return {
    resource: plural,
    ...(namespace === undefined ? {} : { namespace }),
    ...(name === undefined || name === '' ? {} : { name }),
    ...(metadata['uid'] === undefined ? {} : { uid: metadata['uid'] }),
    ...(group === '' ? {} : { apiGroup: group }),
    apiVersion: version,
    ...(metadata['resourceVersion'] === undefined ? {} : { resourceVersion: metadata['resourceVersion'] }),
    ...(subresource === undefined ? {} : { subresource }),
  }
}

const changes = new Set(['create', 'update', 'patch', 'delete', 'deletecollection'])

function responseFields({ route, choice, head }: AuditedExchange, body: Uint8Array | undefined, response: ApiResponse) {
  const isChange = route?.kind === 'resource' && changes.has(route.verb)
  const sent =
    isChange && body !== undefined && body.length > 0 ? parsed(Buffer.from(body).toString('utf8')) : undefined
  const isFailure = response.code >= 400
  const wantsObject = includes(choice.level, 'RequestResponse')
  const answer =
    response.kind === 'full' && (isFailure || wantsObject)
      ? parsed(Buffer.from(response.body as string).toString('utf8'))
      : undefined
  const isObject = !(head.headers['content-type'] ?? '').includes('patch')
  return {
    ...(route?.kind === 'resource' ? { objectRef: referenceOf(route, isObject ? sent : undefined) } : {}),
    responseStatus: statusOf(response.code, answer),
    ...(includes(choice.level, 'Request') && sent !== undefined ? { requestObject: shown(sent, choice) } : {}),
    ...(wantsObject && answer !== undefined ? { responseObject: shown(answer, choice) } : {}),
  }
}

function parsed(text: string): Loose | undefined {
  try {
    return parseJson(text) as Loose
  } catch {
    return undefined
  }
}

function statusOf(code: number, answer: Loose | undefined): Loose {
  if (answer?.['kind'] !== 'Status') return { metadata: {}, code }
  const { status, message, reason, details } = answer
  return {
    metadata: {},
    ...(status === undefined ? {} : { status }),
    ...(message === undefined ? {} : { message }),
    ...(reason === undefined ? {} : { reason }),
    ...(details === undefined ? {} : { details }),
    code,
  }
}

function shown(object: Loose, { omitManagedFields }: AuditChoice): Loose {
  const metadata = object['metadata'] as Loose | undefined
  if (!omitManagedFields || metadata?.['managedFields'] === undefined) return object
  const { managedFields: _, ...rest } = metadata
  return { ...object, metadata: rest }
}
