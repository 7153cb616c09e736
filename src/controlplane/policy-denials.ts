import type { Outcome } from '../api/call.ts'
import type { Registry } from '../registry/contract.ts'

export interface PolicyDenial {
  readonly policy: string
  requests: number
  /** The message of the last denial. */
  message: string
}

const denied = /ValidatingAdmissionPolicy '([^']*)' with binding '[^']*' denied request: (.*)/s

/** Counts the requests that admission policies deny. */
export class PolicyDenials {
  private readonly counted = new Map<string, PolicyDenial>()

  all(): readonly PolicyDenial[] {
    return [...this.counted.values()]
  }

  /** Returns the registry with counted outcomes. */
  observing(registry: Registry): Registry {
    return {
      ...registry,
      call: (call, caller, guard) => {
        const outcome = registry.call(call, caller, guard)
        if (!outcome.ok) this.note(outcome)
        return outcome
      },
    }
  }

  private note(outcome: Extract<Outcome, { readonly ok: false }>): void {
    const [, policy, message = ''] = denied.exec(outcome.status.message ?? '') ?? []
    if (policy === undefined) return
    const known = this.counted.get(policy) ?? { policy, requests: 0, message }
    known.requests++
    known.message = message
    this.counted.set(policy, known)
  }
}
