// Written by `npx vitest run test/library/kubernetes-types.test.ts -u`; do not edit.

export interface V1Condition {
  readonly type: string
  readonly status: string
  readonly observedGeneration?: number
  readonly lastTransitionTime: string
  readonly reason: string
  readonly message: string
}

export interface V1LabelSelector {
  readonly matchLabels?: { readonly [key: string]: string }
  readonly matchExpressions?: readonly V1LabelSelectorRequirement[]
}

export interface V1LabelSelectorRequirement {
  readonly key: string
  readonly operator: string
  readonly values?: readonly string[]
}

export interface V1ManagedFieldsEntry {
  readonly manager?: string
  readonly operation?: string
  readonly apiVersion?: string
  readonly time?: string
  readonly fieldsType?: string
  readonly fieldsV1?: unknown
  readonly subresource?: string
}

export interface V1ObjectMeta {
  readonly name: string
  readonly generateName?: string
  readonly namespace?: string
  readonly selfLink?: string
  readonly uid?: string
  readonly resourceVersion?: string
  readonly generation?: number
  readonly creationTimestamp?: string
  readonly deletionTimestamp?: string
  readonly deletionGracePeriodSeconds?: number
  readonly labels?: { readonly [key: string]: string }
  readonly annotations?: { readonly [key: string]: string }
  readonly ownerReferences?: readonly V1OwnerReference[]
  readonly finalizers?: readonly string[]
  readonly managedFields?: readonly V1ManagedFieldsEntry[]
}

export interface V1OwnerReference {
  readonly apiVersion: string
  readonly kind: string
  readonly name: string
  readonly uid: string
  readonly controller?: boolean
  readonly blockOwnerDeletion?: boolean
}
