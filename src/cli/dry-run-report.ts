import type { Call } from '../api/call.ts'
import type { KubeObject } from '../api/objects/meta.ts'
import { describeCall } from '../runtime/call-text.ts'

/** One line of `berth run --dry-run`: the request that would be sent, and the decision that it contains. */
export type DryRunLine = { readonly time: string; readonly would: string } & Readonly<Record<string, unknown>>

export function dryRunLine(call: Call, now: number): DryRunLine {
  return { time: new Date(now).toISOString(), would: describeCall(call), ...decisionIn(call) }
}

function decisionIn(call: Call): Readonly<Record<string, unknown>> {
  switch (call.verb) {
    case 'create':
      return inCreated(call.subresource, call.object)
    case 'patch': {
      const { patch } = call
      return { patch: patch.kind === 'json' ? patch.operations : patch.kind === 'apply' ? patch.object : patch.patch }
    }
    case 'update': {
      const { status, spec } = call.object as KubeObject & { readonly status?: unknown; readonly spec?: unknown }
      return call.subresource === 'status' ? { status } : { spec }
    }
    default:
      return {}
  }
}

interface WrittenObject extends KubeObject {
  readonly target?: { readonly name?: string }
  readonly reason?: string
  readonly note?: string
  readonly message?: string
}

function inCreated(subresource: string | undefined, object: KubeObject): Readonly<Record<string, unknown>> {
  const { target, reason, note, message, kind } = object as WrittenObject
  if (subresource === 'binding') return { node: target?.name }
  return kind === 'Event' ? { reason, message: note ?? message } : {}
}
