import type { Clock } from '../base/clock.ts'
import { exponentialBuckets, type MetricRegistry } from '../base/metrics.ts'
import { type Admit, type ApiResponse, type RequestAdmission, type RequestHead, whenAnswered } from './exchange.ts'
import { parseRoute, type Route } from './route.ts'

/** Counts requests under upstream's metric names. */
export function instrument(admit: Admit, ports: { readonly metrics: MetricRegistry; readonly clock: Clock }): Admit {
  const requests = ports.metrics.counter({
    name: 'apiserver_request_total',
    help: 'Requests by verb, group, version, resource, subresource and HTTP code.',
    labels: ['code', 'group', 'resource', 'subresource', 'verb', 'version'],
  })
  const durations = ports.metrics.histogram({
    name: 'apiserver_request_duration_seconds',
    help: 'Duration of requests, except watches.',
    labels: ['group', 'resource', 'verb', 'version'],
    buckets: exponentialBuckets(0.0005, 2, 16),
  })
  const watchers = ports.metrics.gauge({
    name: 'apiserver_longrunning_requests',
    help: 'Watches in progress.',
    labels: ['resource'],
  })
  const count = (request: RequestHead, route: Route, startedAt: number, response: ApiResponse): ApiResponse => {
    // Unknown paths would create one series each.
    const named =
      route.kind === 'resource' && response.code !== 404
        ? route
        : { group: '', plural: '', version: '', subresource: '', verb: request.method }
    const { group, plural, version } = named
    const verb = named.verb.toUpperCase()
    requests.inc(1, String(response.code), group, plural, named.subresource ?? '', verb, version)
    if (response.kind !== 'stream') {
      durations.observe((ports.clock.now() - startedAt) / 1000, group, plural, verb, version)
      return response
    }
    return {
      ...response,
      start(sink) {
        watchers.add(1, plural)
        const stop = response.start(sink)
        let stopped = false
        return () => {
          if (!stopped) watchers.add(-1, plural)
          stopped = true
          stop()
        }
      },
    }
  }
  return (head): RequestAdmission => {
    const startedAt = ports.clock.now()
    const admission = admit(head)
    const route = admission.route ?? parseRoute(head.method, head.path, head.query)
    if (admission.kind === 'refused') {
      count(head, route, startedAt, admission.response)
      return admission
    }
    const { flow, answer } = admission
    const counted = (response: ApiResponse) => count(head, route, startedAt, response)
    return { kind: 'admitted', route, flow, answer: (body) => whenAnswered(answer(body), counted) }
  }
}
