// The notation is explained in parse-types.ts.

/** storage.k8s.io/v1 (v1.36). */
export const storageTypes = `
= s FSGroupPolicy VolumeLifecycleMode VolumeBindingMode
CSIDriver ...TypeMeta metadata:meta.ObjectMeta spec:CSIDriverSpec!
CSIDriverSpec attachRequired:*b podInfoOnMount:*b volumeLifecycleModes:[VolumeLifecycleMode]= storageCapacity:*b
  fsGroupPolicy:*FSGroupPolicy tokenRequests:[TokenRequest] requiresRepublish:*b seLinuxMount:*b
  nodeAllocatableUpdatePeriodSeconds:*l serviceAccountTokenInSecrets:*b preventPodSchedulingIfMissing:*b
TokenRequest audience:s! expirationSeconds:*l
CSINode ...TypeMeta metadata:meta.ObjectMeta spec:CSINodeSpec!
CSINodeSpec drivers:[CSINodeDriver]!@name~
CSINodeDriver name:s! nodeID:s! topologyKeys:[s]! allocatable:*VolumeNodeResources
VolumeNodeResources count:*i
CSIStorageCapacity ...TypeMeta metadata:meta.ObjectMeta nodeTopology:*meta.LabelSelector storageClassName:s!
  capacity:*q maximumVolumeSize:*q
StorageClass ...TypeMeta metadata:meta.ObjectMeta provisioner:s! parameters:{s}
  reclaimPolicy:*core.PersistentVolumeReclaimPolicy mountOptions:[s] allowVolumeExpansion:*b
  volumeBindingMode:*VolumeBindingMode allowedTopologies:[core.TopologySelectorTerm]
VolumeAttachment ...TypeMeta metadata:meta.ObjectMeta spec:VolumeAttachmentSpec! status:VolumeAttachmentStatus
VolumeAttachmentSpec attacher:s! source:VolumeAttachmentSource! nodeName:s!
VolumeAttachmentSource persistentVolumeName:*s inlineVolumeSpec:*core.PersistentVolumeSpec
VolumeAttachmentStatus attached:b! attachmentMetadata:{s} attachError:*VolumeError detachError:*VolumeError
VolumeError time:t message:s errorCode:*i
VolumeAttributesClass ...TypeMeta metadata:meta.ObjectMeta driverName:s! parameters:{s}
`

/** events.k8s.io/v1 (v1.36). */
export const eventsTypes = `
Event ...TypeMeta metadata:meta.ObjectMeta! eventTime:mt! series:*EventSeries reportingController:s
  reportingInstance:s action:s reason:s regarding:core.ObjectReference related:*core.ObjectReference note:s type:s
  deprecatedSource:core.EventSource deprecatedFirstTimestamp:t deprecatedLastTimestamp:t deprecatedCount:i
EventSeries count:i! lastObservedTime:mt!
`

/** discovery.k8s.io/v1 (v1.36). */
export const discoveryTypes = `
= s AddressType
EndpointSlice ...TypeMeta metadata:meta.ObjectMeta addressType:AddressType! endpoints:[Endpoint]!
  ports:[EndpointPort]!
Endpoint addresses:[s]!= conditions:EndpointConditions hostname:*s targetRef:*core.ObjectReference
  deprecatedTopology:{s} nodeName:*s zone:*s hints:*EndpointHints
EndpointConditions ready:*b serving:*b terminating:*b
EndpointHints forZones:[ForZone] forNodes:[ForNode]
ForNode name:s!
ForZone name:s!
EndpointPort# name:*s protocol:*core.Protocol port:*i appProtocol:*s
`

/** networking.k8s.io/v1 (v1.36). */
export const networkingTypes = `
= s PathType PolicyType
IngressClass ...TypeMeta metadata:meta.ObjectMeta spec:IngressClassSpec
IngressClassSpec controller:s parameters:*IngressClassParametersReference
IngressClassParametersReference apiGroup:*s kind:s! name:s! scope:*s! namespace:*s
Ingress ...TypeMeta metadata:meta.ObjectMeta spec:IngressSpec status:IngressStatus
IngressSpec ingressClassName:*s defaultBackend:*IngressBackend tls:[IngressTLS] rules:[IngressRule]
IngressBackend service:*IngressServiceBackend resource:*core.TypedLocalObjectReference
IngressServiceBackend name:s! port:ServiceBackendPort
ServiceBackendPort# name:s number:i
IngressRule host:s ...IngressRuleValue
IngressRuleValue http:*HTTPIngressRuleValue
HTTPIngressRuleValue paths:[HTTPIngressPath]!
HTTPIngressPath path:s pathType:*PathType! backend:IngressBackend!
IngressTLS hosts:[s] secretName:s
IngressStatus loadBalancer:IngressLoadBalancerStatus
IngressLoadBalancerStatus ingress:[IngressLoadBalancerIngress]
IngressLoadBalancerIngress ip:s hostname:s ports:[IngressPortStatus]
IngressPortStatus port:i! protocol:core.Protocol! error:*s
IPAddress ...TypeMeta metadata:meta.ObjectMeta spec:IPAddressSpec
IPAddressSpec parentRef:*ParentReference
ParentReference group:s resource:s namespace:s name:s
NetworkPolicy ...TypeMeta metadata:meta.ObjectMeta spec:NetworkPolicySpec
NetworkPolicySpec podSelector:meta.LabelSelector! ingress:[NetworkPolicyIngressRule]
  egress:[NetworkPolicyEgressRule] policyTypes:[PolicyType]
NetworkPolicyEgressRule ports:[NetworkPolicyPort] to:[NetworkPolicyPeer]
NetworkPolicyPeer podSelector:*meta.LabelSelector namespaceSelector:*meta.LabelSelector ipBlock:*IPBlock
IPBlock cidr:s! except:[s]
NetworkPolicyPort protocol:*core.Protocol port:*is endPort:*i
NetworkPolicyIngressRule ports:[NetworkPolicyPort] from:[NetworkPolicyPeer]
ServiceCIDR ...TypeMeta metadata:meta.ObjectMeta spec:ServiceCIDRSpec status:ServiceCIDRStatus
ServiceCIDRSpec cidrs:[s]
ServiceCIDRStatus conditions:[meta.Condition]@type~
`

/** node.k8s.io/v1 (v1.36). */
export const nodeTypes = `
RuntimeClass ...TypeMeta metadata:meta.ObjectMeta handler:s! overhead:*Overhead scheduling:*Scheduling
Overhead podFixed:core.ResourceList
Scheduling nodeSelector:{s}# tolerations:[core.Toleration]
`

/** rbac.authorization.k8s.io/v1 (v1.36). */
export const rbacTypes = `
ClusterRole ...TypeMeta metadata:meta.ObjectMeta rules:[PolicyRule]! aggregationRule:*AggregationRule
AggregationRule clusterRoleSelectors:[meta.LabelSelector]
PolicyRule verbs:[s]! apiGroups:[s] resources:[s] resourceNames:[s] nonResourceURLs:[s]
ClusterRoleBinding ...TypeMeta metadata:meta.ObjectMeta subjects:[Subject] roleRef:RoleRef!
RoleRef# apiGroup:s! kind:s! name:s!
Subject# kind:s! apiGroup:s name:s! namespace:s
Role ...TypeMeta metadata:meta.ObjectMeta rules:[PolicyRule]!
RoleBinding ...TypeMeta metadata:meta.ObjectMeta subjects:[Subject] roleRef:RoleRef!
`

/** authentication.k8s.io/v1 (v1.36). */
export const authenticationTypes = `
= [s] ExtraValue
SelfSubjectReview ...TypeMeta metadata:meta.ObjectMeta status:SelfSubjectReviewStatus
SelfSubjectReviewStatus userInfo:UserInfo
UserInfo username:s uid:s groups:[s] extra:{ExtraValue}
TokenReview ...TypeMeta metadata:meta.ObjectMeta spec:TokenReviewSpec! status:TokenReviewStatus
TokenReviewSpec token:s audiences:[s]
TokenReviewStatus authenticated:b user:UserInfo audiences:[s] error:s
TokenRequest ...TypeMeta metadata:meta.ObjectMeta spec:TokenRequestSpec! status:TokenRequestStatus
TokenRequestSpec audiences:[s]! expirationSeconds:*l! boundObjectRef:*BoundObjectReference!
BoundObjectReference kind:s apiVersion:s name:s uid:types.UID
TokenRequestStatus token:s! expirationTimestamp:t!
`

/** authorization.k8s.io/v1 (v1.36). */
export const authorizationTypes = `
= [s] ExtraValue
LocalSubjectAccessReview ...TypeMeta metadata:meta.ObjectMeta spec:SubjectAccessReviewSpec!
  status:SubjectAccessReviewStatus
SubjectAccessReviewSpec resourceAttributes:*ResourceAttributes nonResourceAttributes:*NonResourceAttributes user:s
  groups:[s] extra:{ExtraValue} uid:s
NonResourceAttributes path:s verb:s
ResourceAttributes namespace:s verb:s group:s version:s resource:s subresource:s name:s
  fieldSelector:*FieldSelectorAttributes labelSelector:*LabelSelectorAttributes
FieldSelectorAttributes rawSelector:s requirements:[meta.FieldSelectorRequirement]
LabelSelectorAttributes rawSelector:s requirements:[meta.LabelSelectorRequirement]
SubjectAccessReviewStatus allowed:b! denied:b reason:s evaluationError:s
SelfSubjectAccessReview ...TypeMeta metadata:meta.ObjectMeta spec:SelfSubjectAccessReviewSpec!
  status:SubjectAccessReviewStatus
SelfSubjectAccessReviewSpec resourceAttributes:*ResourceAttributes nonResourceAttributes:*NonResourceAttributes
SelfSubjectRulesReview ...TypeMeta metadata:meta.ObjectMeta spec:SelfSubjectRulesReviewSpec!
  status:SubjectRulesReviewStatus
SelfSubjectRulesReviewSpec namespace:s
SubjectRulesReviewStatus resourceRules:[ResourceRule]! nonResourceRules:[NonResourceRule]! incomplete:b!
  evaluationError:s
NonResourceRule verbs:[s]! nonResourceURLs:[s]
ResourceRule verbs:[s]! apiGroups:[s] resources:[s] resourceNames:[s]
SubjectAccessReview ...TypeMeta metadata:meta.ObjectMeta spec:SubjectAccessReviewSpec!
  status:SubjectAccessReviewStatus
`
