import type { Call } from '../../api/call.ts'
import type { KubeObject } from '../../api/objects/meta.ts'
import type { EventNote } from '../event-note.ts'

/** What to do next about a claim or a volume. One write at a time: the next is decided on what the first one made. */
export interface BinderDecision {
  readonly call?: Call
  readonly notes?: readonly AboutObject[]
  /** To be looked at again with the next round, though nothing may change. */
  readonly isUnsettled?: boolean
  /** Something that should not be: to be tried again soon. */
  readonly retry?: boolean
}

export interface AboutObject {
  readonly about: KubeObject
  readonly kind: 'PersistentVolume' | 'PersistentVolumeClaim'
  readonly note: EventNote
  /** Who says so; absent: the volume binder. */
  readonly component?: string
}

export const settled: BinderDecision = {}

export function normal(reason: string, message: string): EventNote {
  return { type: 'Normal', reason, message }
}

export function warning(reason: string, message: string): EventNote {
  return { type: 'Warning', reason, message }
}
