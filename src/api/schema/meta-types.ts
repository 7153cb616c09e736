// The notation is explained in parse-types.ts.

/** What all kinds share (v1.36, meta/v1). */
export const metaTypes = `
= s ManagedFieldsOperationType LabelSelectorOperator ConditionStatus DeletionPropagation FieldSelectorOperator StatusReason
ObjectMeta name:s generateName:s namespace:s selfLink:s uid:types.UID resourceVersion:s generation:l
  creationTimestamp:t? deletionTimestamp:*t deletionGracePeriodSeconds:*l labels:{s} annotations:{s}
  ownerReferences:[OwnerReference]@uid~ finalizers:[s]=~ managedFields:[ManagedFieldsEntry]
ManagedFieldsEntry manager:s operation:ManagedFieldsOperationType apiVersion:s time:*t fieldsType:s fieldsV1:*j
  subresource:s
OwnerReference# apiVersion:s! kind:s! name:s! uid:types.UID! controller:*b blockOwnerDeletion:*b
LabelSelector# matchLabels:{s} matchExpressions:[LabelSelectorRequirement]
LabelSelectorRequirement key:s! operator:LabelSelectorOperator! values:[s]
Condition type:s! status:ConditionStatus! observedGeneration:l lastTransitionTime:t! reason:s! message:s!
DeleteOptions ...TypeMeta gracePeriodSeconds:*l preconditions:*Preconditions orphanDependents:*b
  propagationPolicy:*DeletionPropagation dryRun:[s] ignoreStoreReadErrorWithClusterBreakingPotential:*b
Preconditions uid:*types.UID resourceVersion:*s
CreateOptions ...TypeMeta dryRun:[s] fieldManager:s fieldValidation:s
UpdateOptions ...TypeMeta dryRun:[s] fieldManager:s fieldValidation:s
FieldSelectorRequirement key:s! operator:FieldSelectorOperator! values:[s]
Status ...TypeMeta metadata:ListMeta status:s message:s reason:s details:*StatusDetails code:i
StatusDetails name:s group:s kind:s uid:types.UID causes:[StatusCause] retryAfterSeconds:i
StatusCause reason:s message:s field:s
ListMeta selfLink:s resourceVersion:s continue:s remainingItemCount:*l
`
