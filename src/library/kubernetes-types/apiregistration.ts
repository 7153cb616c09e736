// Written by `npx vitest run test/library/kubernetes-types.test.ts -u`; do not edit.

import type { V1ObjectMeta } from './meta.ts'

export interface ApiregistrationV1ServiceReference {
  readonly namespace?: string
  readonly name?: string
  readonly port?: number
}

export interface V1APIService {
  readonly kind?: string
  readonly apiVersion?: string
  readonly metadata: V1ObjectMeta
  readonly spec: V1APIServiceSpec
  readonly status?: V1APIServiceStatus
}

export interface V1APIServiceCondition {
  readonly type: string
  readonly status: string
  readonly lastTransitionTime?: string
  readonly reason?: string
  readonly message?: string
}

export interface V1APIServiceSpec {
  readonly service?: ApiregistrationV1ServiceReference
  readonly group?: string
  readonly version?: string
  readonly insecureSkipTLSVerify?: boolean
  readonly caBundle?: string
  readonly groupPriorityMinimum: number
  readonly versionPriority: number
}

export interface V1APIServiceStatus {
  readonly conditions?: readonly V1APIServiceCondition[]
}
