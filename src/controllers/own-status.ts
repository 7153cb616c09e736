import { deepEqual } from '../api/equality.ts'
import type { KubeObject } from '../api/objects/meta.ts'

interface Reported extends KubeObject {
  readonly spec?: unknown
  readonly status?: unknown
}

/**
 * Reports whether a change contains only the status that the controller sent last. Another pass would then have nothing
 * to do. Each sent status counts for one change.
 */
export function takeOwnStatus<T extends Reported>(
  known: { sent: T['status'] | undefined },
  { before, after }: { readonly before?: T; readonly after?: T },
): boolean {
  const { sent } = known
  known.sent = undefined
  return (
    sent !== undefined &&
    before !== undefined &&
    after !== undefined &&
    before.metadata.uid === after.metadata.uid &&
    before.spec === after.spec &&
    before.metadata.deletionTimestamp === after.metadata.deletionTimestamp &&
    deepEqual(after.status, sent)
  )
}
