// The notation is explained in parse-types.ts.

/** apiextensions.k8s.io/v1 (v1.36). */
export const apiextensionsTypes = `
= s ConversionStrategyType JSONSchemaURL ResourceScope ConditionStatus CustomResourceDefinitionConditionType
= {JSONSchemaProps} JSONSchemaDefinitions
= {|JSONSchemaProps} JSONSchemaDependencies
= [ValidationRule] ValidationRules
CustomResourceDefinition ...TypeMeta metadata:meta.ObjectMeta spec:CustomResourceDefinitionSpec!
  status:CustomResourceDefinitionStatus
CustomResourceDefinitionSpec group:s! names:CustomResourceDefinitionNames! scope:ResourceScope!
  versions:[CustomResourceDefinitionVersion]! conversion:*CustomResourceConversion preserveUnknownFields:b
CustomResourceConversion strategy:ConversionStrategyType! webhook:*WebhookConversion
WebhookConversion clientConfig:*WebhookClientConfig conversionReviewVersions:[s]!
WebhookClientConfig url:*s service:*ServiceReference caBundle:by
ServiceReference namespace:s! name:s! path:*s port:*i
CustomResourceDefinitionNames plural:s! singular:s shortNames:[s] kind:s! listKind:s categories:[s]
CustomResourceDefinitionVersion name:s! served:b! storage:b! deprecated:b deprecationWarning:*s
  schema:*CustomResourceValidation subresources:*CustomResourceSubresources
  additionalPrinterColumns:[CustomResourceColumnDefinition] selectableFields:[SelectableField]
CustomResourceColumnDefinition name:s! type:s! format:s description:s priority:i jsonPath:s!
CustomResourceSubresources status:*CustomResourceSubresourceStatus scale:*CustomResourceSubresourceScale
CustomResourceSubresourceScale specReplicasPath:s! statusReplicasPath:s! labelSelectorPath:*s
CustomResourceSubresourceStatus
CustomResourceValidation openAPIV3Schema:*JSONSchemaProps
JSONSchemaProps id:s $schema:JSONSchemaURL $ref:*s description:s type:s format:s title:s default:*j maximum:*f
  exclusiveMaximum:b minimum:*f exclusiveMinimum:b maxLength:*l minLength:*l pattern:s maxItems:*l minItems:*l
  uniqueItems:b multipleOf:*f enum:[j] maxProperties:*l minProperties:*l required:[s] items:*|JSONSchemaProps
  allOf:[JSONSchemaProps] oneOf:[JSONSchemaProps] anyOf:[JSONSchemaProps] not:*JSONSchemaProps
  properties:{JSONSchemaProps} additionalProperties:*|JSONSchemaProps patternProperties:{JSONSchemaProps}
  dependencies:JSONSchemaDependencies additionalItems:*|JSONSchemaProps definitions:JSONSchemaDefinitions
  externalDocs:*ExternalDocumentation example:*j nullable:b x-kubernetes-preserve-unknown-fields:*b
  x-kubernetes-embedded-resource:b x-kubernetes-int-or-string:b x-kubernetes-list-map-keys:[s]
  x-kubernetes-list-type:*s x-kubernetes-map-type:*s x-kubernetes-validations:ValidationRules@rule~
ExternalDocumentation description:s url:s
SelectableField jsonPath:s!
CustomResourceDefinitionStatus conditions:[CustomResourceDefinitionCondition]!@type
  acceptedNames:CustomResourceDefinitionNames! storedVersions:[s]! observedGeneration:l
CustomResourceDefinitionCondition type:CustomResourceDefinitionConditionType! status:ConditionStatus!
  lastTransitionTime:t reason:s message:s observedGeneration:l
ValidationRule rule:s! message:s messageExpression:s reason:*s fieldPath:s optionalOldSelf:*b
`
