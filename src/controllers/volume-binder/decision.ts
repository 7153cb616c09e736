import type { Call } from '../../api/call.ts'
import type { KubeObject } from '../../api/objects/meta.ts'
import type { EventNote } from '../event-note.ts'

/** The next action on a claim or a volume. One write at a time: the next decision uses its result. */
export interface BinderDecision {
  readonly call?: Call
  readonly notes?: readonly AboutObject[]
  /** The object must be checked again in the next round, even if nothing changes. */
  readonly isUnsettled?: boolean
  /** The state is unexpected, so the object is retried soon. */
  readonly retry?: boolean
}

export interface AboutObject {
  readonly about: KubeObject
  readonly kind: 'PersistentVolume' | 'PersistentVolumeClaim'
  readonly note: EventNote
  /** The reporting component. Default: the volume binder. */
  readonly component?: string
}

export const settled: BinderDecision = {}

export function normal(reason: string, message: string): EventNote {
  return { type: 'Normal', reason, message }
}

export function warning(reason: string, message: string): EventNote {
  return { type: 'Warning', reason, message }
}
