import type { MetricRegistry } from '../../base/metrics.ts'
import type { ServerLoad } from './state.ts'

/** The current state of the server, under upstream's metric names where they exist. */
export function registerServerMetrics(metrics: MetricRegistry, load: () => ServerLoad): void {
  const gauge = (name: string, help: string, label: string, read: (load: ServerLoad) => Record<string, number>) =>
    metrics.gaugeFrom({ name, help, labels: [label] }, () =>
      Object.entries(read(load())).map(([value, count]) => ({ labelValues: [value], value: count })),
    )
  gauge(
    'apiserver_current_inflight_requests',
    'Requests that are being handled, by kind.',
    'request_kind',
    ({ readsInFlight, writesInFlight }) => ({ readOnly: readsInFlight, mutating: writesInFlight }),
  )
  gauge(
    'apiserver_current_inqueue_requests',
    'Requests that wait to be handled, by kind.',
    'request_kind',
    ({ readsInQueue, writesInQueue }) => ({ readOnly: readsInQueue, mutating: writesInQueue }),
  )
  gauge(
    'berth_apiserver_connections',
    'Open connections. Unproven connections have no accepted request yet.',
    'state',
    ({ connections, unprovenConnections }) => ({
      proven: connections - unprovenConnections,
      unproven: unprovenConnections,
    }),
  )
  const single = (name: string, help: string, read: (load: ServerLoad) => number) =>
    metrics.gaugeFrom({ name, help }, () => [{ labelValues: [], value: read(load()) }])
  single(
    'berth_apiserver_bytes_in_flight',
    'Bytes of responses, request bodies and watch events that wait for clients.',
    ({ bytesInFlight }) => bytesInFlight,
  )
  metrics.counterFrom(
    {
      name: 'apiserver_flowcontrol_rejected_requests_total',
      help: 'Requests that were answered with 429, by reason.',
      labels: ['reason'],
    },
    () => Object.entries(load().rejected).map(([reason, value]) => ({ labelValues: [reason], value })),
  )
  metrics.counterFrom(
    {
      name: 'berth_apiserver_cut_off_clients_total',
      help: 'Clients that were disconnected because they did not read or send, to stay within the limit of bytes in flight.',
    },
    () => [{ labelValues: [], value: load().cutOff }],
  )
}
