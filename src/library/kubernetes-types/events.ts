// Written by `npx vitest run test/library/kubernetes-types.test.ts -u`; do not edit.

import type { V1EventSource } from './core-from-core-v1-endpoint-port.ts'
import type { V1ObjectReference } from './core-from-v1-grpcaction.ts'
import type { V1ObjectMeta } from './meta.ts'

export interface EventsV1Event {
  readonly kind?: string
  readonly apiVersion?: string
  readonly metadata: V1ObjectMeta
  readonly eventTime: string
  readonly series?: EventsV1EventSeries
  readonly reportingController?: string
  readonly reportingInstance?: string
  readonly action?: string
  readonly reason?: string
  readonly regarding?: V1ObjectReference
  readonly related?: V1ObjectReference
  readonly note?: string
  readonly type?: string
  readonly deprecatedSource?: V1EventSource
  readonly deprecatedFirstTimestamp?: string
  readonly deprecatedLastTimestamp?: string
  readonly deprecatedCount?: number
}

export interface EventsV1EventSeries {
  readonly count: number
  readonly lastObservedTime: string
}
