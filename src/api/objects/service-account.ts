import type { KubeObject } from './meta.ts'

interface NamedReference {
  readonly name?: string
}

export interface ServiceAccount extends KubeObject {
  readonly secrets?: readonly NamedReference[]
  readonly imagePullSecrets?: readonly NamedReference[]
  readonly automountServiceAccountToken?: boolean
}

export interface Secret extends KubeObject {
  readonly type?: string
  /** Base64. */
  readonly data?: Readonly<Record<string, string>>
  readonly immutable?: boolean
}
