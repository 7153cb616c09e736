import type { Call, Outcome } from '../api/call.ts'
import type { MetricRegistry } from '../base/metrics.ts'

export interface DriverMetrics {
  stepped(controller: string): void
  called(controller: string, call: Call, outcome: Outcome): void
}

const uncounted: DriverMetrics = { stepped() {}, called() {} }

export function createDriverMetrics(metrics: MetricRegistry | undefined): DriverMetrics {
  if (metrics === undefined) return uncounted
  const steps = metrics.counter({
    name: 'berth_controller_steps_total',
    help: 'Number of steps of each controller',
    labels: ['controller'],
  })
  const calls = metrics.counter({
    name: 'berth_controller_calls_total',
    help: 'Number of calls of each controller, by verb, resource and status code',
    labels: ['controller', 'verb', 'resource', 'code'],
  })
  return {
    stepped: (controller) => steps.inc(1, controller),
    called(controller, call, outcome) {
      const resource = call.subresource === undefined ? call.resource : `${call.resource}/${call.subresource}`
      calls.inc(1, controller, call.verb, resource, codeOf(outcome))
    },
  }
}

function codeOf(outcome: Outcome): string {
  if (!outcome.ok) return String(outcome.status.code)
  return outcome.kind === 'object' && outcome.created === true ? '201' : '200'
}
