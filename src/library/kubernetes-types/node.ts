// Written by `npx vitest run test/library/kubernetes-types.test.ts -u`; do not edit.

import type { V1Toleration } from './core-from-v1-session-affinity-config.ts'
import type { V1ObjectMeta } from './meta.ts'

export interface V1Overhead {
  readonly podFixed?: { readonly [key: string]: string }
}

export interface V1RuntimeClass {
  readonly kind?: string
  readonly apiVersion?: string
  readonly metadata: V1ObjectMeta
  readonly handler: string
  readonly overhead?: V1Overhead
  readonly scheduling?: V1Scheduling
}

export interface V1Scheduling {
  readonly nodeSelector?: { readonly [key: string]: string }
  readonly tolerations?: readonly V1Toleration[]
}
