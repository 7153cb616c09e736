import type { Call, Outcome } from '../api/call.ts'

/** One line for logs and error messages: `patch pods/status default/web-0`. */
export function describeCall(call: Call): string {
  const own = call.verb === 'create' ? (call.name ?? call.object.metadata.name) : 'name' in call ? call.name : '*'
  const what = call.subresource === undefined ? call.resource : `${call.resource}/${call.subresource}`
  return `${call.verb} ${what} ${call.namespace === undefined ? own : `${call.namespace}/${own}`}`
}

export function describeOutcome(outcome: Outcome): string {
  return outcome.ok ? 'ok' : `${outcome.status.reason}: ${outcome.status.message ?? ''}`
}
