/**
 * The roles of v1.34 to v1.37 (plugin/pkg/auth/authorizer/rbac/bootstrappolicy), one block for each role: its name, and
 * one line for each rule. `read core,apps: pods = web` is verbs, groups, resources, and names; a rule for paths has no
 * groups. `read` is get, list and watch; `write` is create, delete, deletecollection, patch and update. `(in edit; of
 * view)`: it is part of edit, and made of the roles that are part of view. `@1.35+` is a line since v1.35, `@1.34-` one
 * up to v1.34, `@Gate` one of releases with that gate.
 */
export const clusterRoles = `
admin (of admin)
cluster-admin
  * *: *
  * *
edit (in admin; of edit)
system:aggregate-to-admin (in admin)
  create authorization.k8s.io: localsubjectaccessreviews
  create,delete,deletecollection,get,list,patch,update,watch rbac.authorization.k8s.io: rolebindings roles
system:aggregate-to-edit (in edit)
  read core: pods/attach pods/exec pods/portforward pods/proxy secrets services/proxy
  impersonate core: serviceaccounts
  write core: pods pods/attach pods/exec pods/portforward pods/proxy
  create core: pods/eviction
  @1.34- write core: configmaps events persistentvolumeclaims replicationcontrollers replicationcontrollers/scale
      secrets serviceaccounts services services/proxy
  @1.35+ write core: configmaps persistentvolumeclaims replicationcontrollers replicationcontrollers/scale secrets
      serviceaccounts services services/proxy
  create core: serviceaccounts/token
  @1.35+ write core,events.k8s.io: events
  write apps: daemonsets deployments deployments/rollback deployments/scale replicasets replicasets/scale
      statefulsets statefulsets/scale
  write autoscaling: horizontalpodautoscalers
  write batch: cronjobs jobs
  write extensions: daemonsets deployments deployments/rollback deployments/scale ingresses networkpolicies
      replicasets replicasets/scale replicationcontrollers/scale
  write policy: poddisruptionbudgets
  write networking.k8s.io: ingresses networkpolicies
  create,delete,deletecollection,get,list,patch,update,watch coordination.k8s.io: leases
  write resource.k8s.io: resourceclaims resourceclaimtemplates
  @1.36+ @GenericWorkload write scheduling.k8s.io: podgroups workloads
  @CompositePodGroup write scheduling.k8s.io: compositepodgroups
  @EvictionRequestAPI write lifecycle.k8s.io: evictionrequests
system:aggregate-to-view (in view)
  read core: configmaps endpoints persistentvolumeclaims persistentvolumeclaims/status pods replicationcontrollers
      replicationcontrollers/scale serviceaccounts services services/status
  @1.34- read core: bindings events limitranges namespaces/status pods/log pods/status replicationcontrollers/status
      resourcequotas resourcequotas/status
  @1.35+ read core: bindings limitranges namespaces/status pods/log pods/status replicationcontrollers/status
      resourcequotas resourcequotas/status
  read core: namespaces
  @1.35+ read core,events.k8s.io: events
  read discovery.k8s.io: endpointslices
  read apps: controllerrevisions daemonsets daemonsets/status deployments deployments/scale deployments/status
      replicasets replicasets/scale replicasets/status statefulsets statefulsets/scale statefulsets/status
  read autoscaling: horizontalpodautoscalers horizontalpodautoscalers/status
  read batch: cronjobs cronjobs/status jobs jobs/status
  read extensions: daemonsets daemonsets/status deployments deployments/scale deployments/status ingresses
      ingresses/status networkpolicies replicasets replicasets/scale replicasets/status replicationcontrollers/scale
  read policy: poddisruptionbudgets poddisruptionbudgets/status
  read networking.k8s.io: ingresses ingresses/status networkpolicies
  read resource.k8s.io: resourceclaims resourceclaims/status resourceclaimtemplates
  @1.36+ @GenericWorkload read scheduling.k8s.io: podgroups podgroups/status workloads
  @CompositePodGroup read scheduling.k8s.io: compositepodgroups compositepodgroups/status
  @EvictionRequestAPI read lifecycle.k8s.io: evictionrequests evictions
system:auth-delegator
  create authentication.k8s.io: tokenreviews
  create authorization.k8s.io: subjectaccessreviews
system:basic-user
  create authorization.k8s.io: selfsubjectaccessreviews selfsubjectrulesreviews
  create authentication.k8s.io: selfsubjectreviews
system:certificates.k8s.io:certificatesigningrequests:nodeclient
  create certificates.k8s.io: certificatesigningrequests/nodeclient
system:certificates.k8s.io:certificatesigningrequests:selfnodeclient
  create certificates.k8s.io: certificatesigningrequests/selfnodeclient
system:certificates.k8s.io:kube-apiserver-client-approver
  approve certificates.k8s.io: signers = kubernetes.io/kube-apiserver-client
system:certificates.k8s.io:kube-apiserver-client-kubelet-approver
  approve certificates.k8s.io: signers = kubernetes.io/kube-apiserver-client-kubelet
system:certificates.k8s.io:kubelet-serving-approver
  approve certificates.k8s.io: signers = kubernetes.io/kubelet-serving
system:certificates.k8s.io:legacy-unknown-approver
  approve certificates.k8s.io: signers = kubernetes.io/legacy-unknown
@ClusterTrustBundle system:cluster-trust-bundle-discovery
  read certificates.k8s.io: clustertrustbundles
system:controller:attachdetach-controller
  list,watch core: persistentvolumeclaims persistentvolumes
  read core: nodes
  patch,update core: nodes/status
  list,watch core: pods
  create,patch,update core,events.k8s.io: events
  create,delete,get,list,watch storage.k8s.io: volumeattachments
  read storage.k8s.io: csidrivers
  read storage.k8s.io: csinodes
system:controller:certificate-controller
  delete,get,list,watch certificates.k8s.io: certificatesigningrequests
  update certificates.k8s.io: certificatesigningrequests/approval certificatesigningrequests/status
  approve certificates.k8s.io: signers = kubernetes.io/kube-apiserver-client-kubelet
  sign certificates.k8s.io: signers = kubernetes.io/kube-apiserver-client
      kubernetes.io/kube-apiserver-client-kubelet kubernetes.io/kubelet-serving kubernetes.io/legacy-unknown
  create authorization.k8s.io: subjectaccessreviews
  create,patch,update core,events.k8s.io: events
system:controller:clusterrole-aggregation-controller
  escalate,get,list,patch,update,watch rbac.authorization.k8s.io: clusterroles
system:controller:cronjob-controller
  get,list,update,watch batch: cronjobs
  create,delete,get,list,patch,update,watch batch: jobs
  update batch: cronjobs/status
  update batch: cronjobs/finalizers
  delete,list,watch core: pods
  create,patch,update core,events.k8s.io: events
system:controller:daemon-set-controller
  read apps,extensions: daemonsets
  update apps,extensions: daemonsets/status
  update apps,extensions: daemonsets/finalizers
  list,watch core: nodes
  create,delete,list,patch,watch core: pods
  create core: pods/binding
  create,delete,get,list,patch,update,watch apps: controllerrevisions
  create,patch,update core,events.k8s.io: events
system:controller:deployment-controller
  get,list,update,watch apps,extensions: deployments
  update apps,extensions: deployments/status
  update apps,extensions: deployments/finalizers
  create,delete,get,list,patch,update,watch apps,extensions: replicasets
  get,list,update,watch core: pods
  create,patch,update core,events.k8s.io: events
@DRADeviceTaints system:controller:device-taint-eviction-controller
  delete,get,list,watch core: pods
  patch,update core: pods/status
  read resource.k8s.io: resourceclaims
  read resource.k8s.io: resourceslices
  read resource.k8s.io: deviceclasses
  @1.34- read resource.k8s.io: devicetaintrules
  create,patch,update core,events.k8s.io: events
  @DRADeviceTaintRules patch,update resource.k8s.io: devicetaintrules/status
  @DRADeviceTaintRules read resource.k8s.io: devicetaintrules
system:controller:disruption-controller
  read apps,extensions: deployments
  read apps,extensions: replicasets
  read core: replicationcontrollers
  read policy: poddisruptionbudgets
  read apps: statefulsets
  update policy: poddisruptionbudgets/status
  patch,update core: pods/status
  get *: */scale
  create,patch,update core,events.k8s.io: events
system:controller:endpoint-controller
  read core: pods services
  create,delete,get,list,update,watch core: endpoints
  create core: endpoints/restricted
  create,patch,update core,events.k8s.io: events
system:controller:endpointslice-controller
  read core: nodes pods services
  update core: services/finalizers
  create,delete,get,list,update,watch discovery.k8s.io: endpointslices
  create,patch,update core,events.k8s.io: events
system:controller:endpointslicemirroring-controller
  read core: endpoints services
  update core: services/finalizers
  update core: endpoints/finalizers
  create,delete,get,list,update,watch discovery.k8s.io: endpointslices
  create,patch,update core,events.k8s.io: events
system:controller:ephemeral-volume-controller
  read core: pods
  update core: pods/finalizers
  create,get,list,watch core: persistentvolumeclaims
  create,patch,update core,events.k8s.io: events
system:controller:expand-controller
  get,list,patch,update,watch core: persistentvolumes
  patch,update core: persistentvolumeclaims/status
  read core: persistentvolumeclaims
  create,patch,update core,events.k8s.io: events
  @1.35- get core: services
system:controller:generic-garbage-collector
  delete,get,list,patch,update,watch *: *
  create,patch,update core,events.k8s.io: events
system:controller:horizontal-pod-autoscaler
  read autoscaling: horizontalpodautoscalers
  update autoscaling: horizontalpodautoscalers/status
  get,update *: */scale
  list,watch core: pods
  list,watch metrics.k8s.io: pods
  read custom.metrics.k8s.io: *
  read external.metrics.k8s.io: *
  create,patch,update core,events.k8s.io: events
system:controller:job-controller
  get,list,patch,update,watch batch: jobs
  update batch: jobs/status
  update batch: jobs/finalizers
  create,delete,list,patch,watch core: pods
  create,patch,update core,events.k8s.io: events
  @WorkloadWithJob @1.36- create,get,list,watch scheduling.k8s.io: podgroups workloads
  @WorkloadWithJob @1.37+ create,get,list,patch,update,watch scheduling.k8s.io: podgroups workloads
@ClusterTrustBundle system:controller:kube-apiserver-serving-clustertrustbundle-publisher
  attest certificates.k8s.io: signers = kubernetes.io/kube-apiserver-serving
  create,delete,list,update,watch certificates.k8s.io: clustertrustbundles
  create,patch,update core,events.k8s.io: events
system:controller:legacy-service-account-token-cleaner
  get core: configmaps = kube-apiserver-legacy-service-account-token-tracking
  delete,patch core: secrets
system:controller:namespace-controller
  delete,get,list,watch core: namespaces
  update core: namespaces/finalize namespaces/status
  delete,deletecollection,get,list,watch *: *
system:controller:node-controller
  delete,get,list,patch,update,watch core: nodes
  patch,update core: nodes/status
  patch,update core: pods/status
  delete,get,list,watch core: pods
  @1.37+ read coordination.k8s.io: leases
  create,patch,update core,events.k8s.io: events
system:controller:persistent-volume-binder
  create,delete,get,list,update,watch core: persistentvolumes
  update core: persistentvolumes/status
  get,list,update,watch core: persistentvolumeclaims
  update core: persistentvolumeclaims/status
  create,delete,get,list,watch core: pods
  read storage.k8s.io: storageclasses
  list,watch core: nodes
  create,patch,update core,events.k8s.io: events
  watch core: events
  @1.35- get core: services
system:controller:pod-garbage-collector
  delete,list,watch core: pods
  read core: nodes
  patch core: pods/status
@PodCertificateRequest system:controller:podcertificaterequestcleaner
  delete,get,list,watch certificates.k8s.io: podcertificaterequests
system:controller:pv-protection-controller
  get,list,update,watch core: persistentvolumes
  create,patch,update core,events.k8s.io: events
system:controller:pvc-protection-controller
  get,list,update,watch core: persistentvolumeclaims
  @1.36+ update core: persistentvolumeclaims/status
  read core: pods
  create,patch,update core,events.k8s.io: events
system:controller:replicaset-controller
  get,list,update,watch apps,extensions: replicasets
  update apps,extensions: replicasets/status
  update apps,extensions: replicasets/finalizers
  create,delete,list,patch,watch core: pods
  create,patch,update core,events.k8s.io: events
system:controller:replication-controller
  get,list,update,watch core: replicationcontrollers
  update core: replicationcontrollers/status
  update core: replicationcontrollers/finalizers
  create,delete,list,patch,watch core: pods
  create,patch,update core,events.k8s.io: events
system:controller:resource-claim-controller
  read core: pods
  update core: pods/finalizers
  create,delete,get,list,watch resource.k8s.io: resourceclaims
  patch,update resource.k8s.io: resourceclaims resourceclaims/status
  patch,update core: pods/status
  create,patch,update core,events.k8s.io: events
  @DRAWorkloadResourceClaims read scheduling.k8s.io: podgroups
  @DRAWorkloadResourceClaims patch,update scheduling.k8s.io: podgroups/status
  @DRAResourceClaimGranularStatusAuthorization patch,update resource.k8s.io: resourceclaims/binding
system:controller:resourcequota-controller
  list,watch *: *
  update core: resourcequotas/status
  create,patch,update core,events.k8s.io: events
system:controller:root-ca-cert-publisher
  create,update core: configmaps
  create,patch,update core,events.k8s.io: events
system:controller:route-controller
  list,watch core: nodes
  patch core: nodes/status
  create,patch,update core,events.k8s.io: events
system:controller:selinux-warning-controller
  create,patch,update core,events.k8s.io: events
  read core: persistentvolumes
  read core: persistentvolumeclaims
  read core: pods
  read storage.k8s.io: csidrivers
system:controller:service-account-controller
  create core: serviceaccounts
  create,patch,update core,events.k8s.io: events
system:controller:service-cidrs-controller
  get,list,patch,update,watch networking.k8s.io: servicecidrs
  patch,update networking.k8s.io: servicecidrs/finalizers
  patch,update networking.k8s.io: servicecidrs/status
  read networking.k8s.io: ipaddresses
  create,patch,update core,events.k8s.io: events
system:controller:service-controller
  read core: services
  patch,update core: services/status
  list,watch core: nodes
  create,patch,update core,events.k8s.io: events
system:controller:statefulset-controller
  list,watch core: pods
  read apps: statefulsets
  update apps: statefulsets/status
  update apps: statefulsets/finalizers
  create,delete,get,patch,update core: pods
  create,delete,get,list,patch,update,watch apps: controllerrevisions
  create,get,list,watch core: persistentvolumeclaims
  @1.34- create,patch,update core,events.k8s.io: events
  delete,update core: persistentvolumeclaims
  update core: pods/finalizers
  @1.35+ create,patch,update core,events.k8s.io: events
@StorageVersionMigrator system:controller:storage-version-migrator-controller
  @1.34- create,list,patch,watch *: *
  @1.35+ @1.36- create,list,patch *: *
  @1.37+ list,patch *: *
  @1.36+ get apiextensions.k8s.io: customresourcedefinitions
  @1.36+ patch apiextensions.k8s.io: customresourcedefinitions/status
  update storagemigration.k8s.io: storageversionmigrations/status
system:controller:ttl-after-finished-controller
  delete,get,list,watch batch: jobs
  create,patch,update core,events.k8s.io: events
system:controller:ttl-controller
  list,patch,update,watch core: nodes
  create,patch,update core,events.k8s.io: events
system:controller:validatingadmissionpolicy-status-controller
  read admissionregistration.k8s.io: validatingadmissionpolicies
  get,patch,update admissionregistration.k8s.io: validatingadmissionpolicies/status
  create,patch,update core,events.k8s.io: events
system:controller:volumeattributesclass-protection-controller
  read core: persistentvolumeclaims
  read core: persistentvolumes
  get,list,update,watch storage.k8s.io: volumeattributesclasses
  create,patch,update core,events.k8s.io: events
system:discovery
  get /api /api/* /apis /apis/* /healthz /livez /openapi /openapi/* /readyz /version /version/
system:heapster
  read core: events namespaces nodes pods
  read extensions: deployments
system:kube-aggregator
  read core: endpoints services
system:kube-controller-manager
  create,patch,update core,events.k8s.io: events
  create coordination.k8s.io: leases
  get,update coordination.k8s.io: leases = kube-controller-manager
  create core: secrets serviceaccounts
  delete core: secrets
  get core: configmaps namespaces secrets serviceaccounts
  update core: secrets serviceaccounts
  create authentication.k8s.io: tokenreviews
  create authorization.k8s.io: subjectaccessreviews
  list,watch *: *
  create core: serviceaccounts/token
system:kube-dns
  list,watch core: endpoints services
system:kube-scheduler
  create,patch,update core,events.k8s.io: events
  create coordination.k8s.io: leases
  get,list,update,watch coordination.k8s.io: leases = kube-scheduler
  create,delete,deletecollection,get,list,patch,update,watch coordination.k8s.io: leasecandidates
  read core: nodes
  delete,get,list,watch core: pods
  create core: bindings pods/binding
  patch,update core: pods/status
  read core: replicationcontrollers services
  read apps,extensions: replicasets
  read apps: statefulsets
  read policy: poddisruptionbudgets
  read core: persistentvolumeclaims persistentvolumes
  create authentication.k8s.io: tokenreviews
  create authorization.k8s.io: subjectaccessreviews
  read storage.k8s.io: csinodes
  read storage.k8s.io: volumeattachments
  read core: namespaces
  read storage.k8s.io: csidrivers
  read storage.k8s.io: csistoragecapacities
  read resource.k8s.io: deviceclasses
  get,list,patch,update,watch resource.k8s.io: resourceclaims
  get,list,patch,update,watch resource.k8s.io: resourceclaims/status
  update core: pods/finalizers
  read resource.k8s.io: resourceslices
  @DRAExtendedResource create,delete resource.k8s.io: resourceclaims
  @1.34- @DRADeviceTaints read resource.k8s.io: devicetaintrules
  @DRADeviceTaintRules read resource.k8s.io: devicetaintrules
  @DRAResourceClaimGranularStatusAuthorization patch,update resource.k8s.io: resourceclaims/binding
  @1.35- @GenericWorkload read scheduling.k8s.io: workloads
  @1.36+ @GenericWorkload read scheduling.k8s.io: podgroups
  @1.36+ @GenericWorkload patch,update scheduling.k8s.io: podgroups/status
  @CompositePodGroup read scheduling.k8s.io: compositepodgroups
  @CompositePodGroup patch,update scheduling.k8s.io: compositepodgroups/status
system:kubelet-api-admin
  read core: nodes
  proxy core: nodes
  * core: nodes/log nodes/metrics nodes/proxy nodes/stats
  * core: nodes/configz nodes/healthz nodes/pods
system:monitoring
  @1.35- get /healthz /healthz/* /livez /livez/* /metrics /metrics/slis /readyz /readyz/*
  @1.36+ get /flagz /healthz /healthz/* /livez /livez/* /metrics /metrics/slis /readyz /readyz/* /statusz
  get core: nodes/metrics
system:node
  create authentication.k8s.io: tokenreviews
  create authorization.k8s.io: localsubjectaccessreviews subjectaccessreviews
  read core: services
  create,get,list,watch core: nodes
  patch,update core: nodes/status
  patch,update core: nodes
  @1.34- create,patch,update core: events
  @1.35+ create,patch,update core,events.k8s.io: events
  read core: pods
  create,delete core: pods
  patch,update core: pods/status
  create core: pods/eviction
  read core: configmaps secrets
  get core: persistentvolumeclaims persistentvolumes
  get core: endpoints
  create,get,list,watch certificates.k8s.io: certificatesigningrequests
  create,delete,get,patch,update coordination.k8s.io: leases
  get storage.k8s.io: volumeattachments
  create core: serviceaccounts/token
  get,patch,update core: persistentvolumeclaims/status
  read storage.k8s.io: csidrivers
  create,delete,get,patch,update storage.k8s.io: csinodes
  read node.k8s.io: runtimeclasses
  @CSIVolumeHealth @1.37+ get,patch,update storage.k8s.io: csinodes/status
  get resource.k8s.io: resourceclaims
  deletecollection resource.k8s.io: resourceslices
  @ClusterTrustBundle read certificates.k8s.io: clustertrustbundles
  get core: serviceaccounts
  @PodCertificateRequest create,get,list,watch certificates.k8s.io: podcertificaterequests
system:node-bootstrapper
  create,get,list,watch certificates.k8s.io: certificatesigningrequests
system:node-problem-detector
  get core: nodes
  patch core: nodes/status
  create,patch,update core,events.k8s.io: events
system:node-proxier
  list,watch core: endpoints services
  read core: nodes
  create,patch,update core,events.k8s.io: events
  list,watch networking.k8s.io: servicecidrs
  list,watch discovery.k8s.io: endpointslices
system:persistent-volume-provisioner
  create,delete,get,list,watch core: persistentvolumes
  get,list,update,watch core: persistentvolumeclaims
  read storage.k8s.io: storageclasses
  watch core: events
  create,patch,update core,events.k8s.io: events
system:public-info-viewer
  get /healthz /livez /readyz /version /version/
system:service-account-issuer-discovery
  get /.well-known/openid-configuration /.well-known/openid-configuration/ /openid/v1/jwks /openid/v1/jwks/
system:volume-scheduler
  get,list,patch,update,watch core: persistentvolumes
  read storage.k8s.io: storageclasses
  get,list,patch,update,watch core: persistentvolumeclaims
view (in edit; of view)
`
