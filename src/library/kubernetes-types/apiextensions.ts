// Written by `npx vitest run test/library/kubernetes-types.test.ts -u`; do not edit.

import type { V1ObjectMeta } from './meta.ts'

export interface ApiextensionsV1ServiceReference {
  readonly namespace: string
  readonly name: string
  readonly path?: string
  readonly port?: number
}

export interface ApiextensionsV1WebhookClientConfig {
  readonly url?: string
  readonly service?: ApiextensionsV1ServiceReference
  readonly caBundle?: string
}

export interface V1CustomResourceColumnDefinition {
  readonly name: string
  readonly type: string
  readonly format?: string
  readonly description?: string
  readonly priority?: number
  readonly jsonPath: string
}

export interface V1CustomResourceConversion {
  readonly strategy: string
  readonly webhook?: V1WebhookConversion
}

export interface V1CustomResourceDefinition {
  readonly kind?: string
  readonly apiVersion?: string
  readonly metadata: V1ObjectMeta
  readonly spec: V1CustomResourceDefinitionSpec
  readonly status?: V1CustomResourceDefinitionStatus
}

export interface V1CustomResourceDefinitionCondition {
  readonly type: string
  readonly status: string
  readonly lastTransitionTime?: string
  readonly reason?: string
  readonly message?: string
  readonly observedGeneration?: number
}

export interface V1CustomResourceDefinitionNames {
  readonly plural: string
  readonly singular?: string
  readonly shortNames?: readonly string[]
  readonly kind: string
  readonly listKind?: string
  readonly categories?: readonly string[]
}

export interface V1CustomResourceDefinitionSpec {
  readonly group: string
  readonly names: V1CustomResourceDefinitionNames
  readonly scope: string
  readonly versions: readonly V1CustomResourceDefinitionVersion[]
  readonly conversion?: V1CustomResourceConversion
  readonly preserveUnknownFields?: boolean
}

export interface V1CustomResourceDefinitionStatus {
  readonly conditions?: readonly V1CustomResourceDefinitionCondition[]
  readonly acceptedNames?: V1CustomResourceDefinitionNames
  readonly storedVersions?: readonly string[]
  readonly observedGeneration?: number
}

export interface V1CustomResourceDefinitionVersion {
  readonly name: string
  readonly served: boolean
  readonly storage: boolean
  readonly deprecated?: boolean
  readonly deprecationWarning?: string
  readonly schema?: V1CustomResourceValidation
  readonly subresources?: V1CustomResourceSubresources
  readonly additionalPrinterColumns?: readonly V1CustomResourceColumnDefinition[]
  readonly selectableFields?: readonly V1SelectableField[]
}

export interface V1CustomResourceSubresourceScale {
  readonly specReplicasPath: string
  readonly statusReplicasPath: string
  readonly labelSelectorPath?: string
}

export interface V1CustomResourceSubresourceStatus {
}

export interface V1CustomResourceSubresources {
  readonly status?: V1CustomResourceSubresourceStatus
  readonly scale?: V1CustomResourceSubresourceScale
}

export interface V1CustomResourceValidation {
  readonly openAPIV3Schema?: V1JSONSchemaProps
}

export interface V1ExternalDocumentation {
  readonly description?: string
  readonly url?: string
}

export interface V1JSONSchemaProps {
  readonly id?: string
  readonly $schema?: string
  readonly $ref?: string
  readonly description?: string
  readonly type?: string
  readonly format?: string
  readonly title?: string
  readonly default?: unknown
  readonly maximum?: number
  readonly exclusiveMaximum?: boolean
  readonly minimum?: number
  readonly exclusiveMinimum?: boolean
  readonly maxLength?: number
  readonly minLength?: number
  readonly pattern?: string
  readonly maxItems?: number
  readonly minItems?: number
  readonly uniqueItems?: boolean
  readonly multipleOf?: number
  readonly enum?: readonly unknown[]
  readonly maxProperties?: number
  readonly minProperties?: number
  readonly required?: readonly string[]
  readonly items?: V1JSONSchemaProps | readonly V1JSONSchemaProps[]
  readonly allOf?: readonly V1JSONSchemaProps[]
  readonly oneOf?: readonly V1JSONSchemaProps[]
  readonly anyOf?: readonly V1JSONSchemaProps[]
  readonly not?: V1JSONSchemaProps
  readonly properties?: { readonly [key: string]: V1JSONSchemaProps }
  readonly additionalProperties?: V1JSONSchemaProps | boolean
  readonly patternProperties?: { readonly [key: string]: V1JSONSchemaProps }
  readonly dependencies?: { readonly [key: string]: V1JSONSchemaProps | readonly string[] }
  readonly additionalItems?: V1JSONSchemaProps | boolean
  readonly definitions?: { readonly [key: string]: V1JSONSchemaProps }
  readonly externalDocs?: V1ExternalDocumentation
  readonly example?: unknown
  readonly nullable?: boolean
  readonly 'x-kubernetes-preserve-unknown-fields'?: boolean
  readonly 'x-kubernetes-embedded-resource'?: boolean
  readonly 'x-kubernetes-int-or-string'?: boolean
  readonly 'x-kubernetes-list-map-keys'?: readonly string[]
  readonly 'x-kubernetes-list-type'?: string
  readonly 'x-kubernetes-map-type'?: string
  readonly 'x-kubernetes-validations'?: readonly V1ValidationRule[]
}

export interface V1SelectableField {
  readonly jsonPath: string
}

export interface V1ValidationRule {
  readonly rule: string
  readonly message?: string
  readonly messageExpression?: string
  readonly reason?: 'FieldValueDuplicate' | 'FieldValueForbidden' | 'FieldValueInvalid' | 'FieldValueRequired'
  readonly fieldPath?: string
  readonly optionalOldSelf?: boolean
}

export interface V1WebhookConversion {
  readonly clientConfig?: ApiextensionsV1WebhookClientConfig
  readonly conversionReviewVersions: readonly string[]
}
