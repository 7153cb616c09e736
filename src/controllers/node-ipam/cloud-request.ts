import type { Answer, Ask } from '../../runtime/controller.ts'

/** The requests of the cloud allocators. The control plane selects the implementation. */
export type CloudRequest =
  /** The answer is the list of CIDRs of the instance's alias ranges, in order, as strings. */
  | { readonly kind: 'alias-ranges'; readonly providerId: string }
  /** Answered when the instance has the alias. */
  | { readonly kind: 'add-alias'; readonly providerId: string; readonly cidr: string }

const deadlineMs = 60_000

export function askCloud(id: number, request: CloudRequest, now: number): Ask {
  return { id, deadlineAt: now + deadlineMs, request: { kind: 'cloud', request } }
}

/** The reason why an answer is invalid; undefined if it is valid. */
export function troubleIn(outcome: Answer['outcome']): string | undefined {
  switch (outcome.kind) {
    case 'ok':
      return undefined
    case 'failed':
      return outcome.message
    case 'timeout':
      return 'the cloud did not answer in time'
    case 'skipped':
      return 'no cloud is configured'
  }
}
