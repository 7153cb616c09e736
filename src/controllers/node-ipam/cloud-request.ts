import type { Answer, Ask } from '../../runtime/controller.ts'

/** What the cloud allocators ask of a cloud. Who answers is chosen where the control plane is put together. */
export type CloudRequest =
  /** Answered with the CIDRs of the instance's alias ranges, in order: an array of texts. */
  | { readonly kind: 'alias-ranges'; readonly providerId: string }
  /** Answered when the instance has the alias. */
  | { readonly kind: 'add-alias'; readonly providerId: string; readonly cidr: string }

const deadlineMs = 60_000

export function askCloud(id: number, request: CloudRequest, now: number): Ask {
  return { id, deadlineAt: now + deadlineMs, request: { kind: 'cloud', request } }
}

/** Why an answer is none, or undefined when it is one. */
export function troubleIn(outcome: Answer['outcome']): string | undefined {
  switch (outcome.kind) {
    case 'ok':
      return undefined
    case 'failed':
      return outcome.message
    case 'timeout':
      return 'the cloud did not answer in time'
    case 'skipped':
      return 'there is no cloud here'
  }
}
