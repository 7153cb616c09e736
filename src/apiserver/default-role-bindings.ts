/** Roles, each in its namespace, in the form of `clusterRoles`. */
export const roles = `
kube-public system:controller:bootstrap-signer
  read core: configmaps
  update core: configmaps = cluster-info
  create,patch,update core,events.k8s.io: events
kube-system extension-apiserver-authentication-reader
  read core: configmaps = extension-apiserver-authentication
kube-system system::leader-locking-kube-controller-manager
  @1.34- watch core: configmaps
  @1.34- get,update core: configmaps = kube-controller-manager
  create,get,list,update,watch coordination.k8s.io: leases
  create,get,list,update,watch coordination.k8s.io: leasecandidates
kube-system system::leader-locking-kube-scheduler
  @1.34- watch core: configmaps
  @1.34- get,update core: configmaps = kube-scheduler
  create,get,list,update,watch coordination.k8s.io: leases
  create,get,list,update,watch coordination.k8s.io: leasecandidates
kube-system system:controller:bootstrap-signer
  read core: secrets
kube-system system:controller:cloud-provider
  create,get,list,watch core: configmaps
kube-system system:controller:token-cleaner
  delete,get,list,watch core: secrets
  create,patch,update core,events.k8s.io: events
`

/**
 * The subjects of the cluster role of the same name. In addition, `system:controller:X` is bound to the service account
 * X.
 */
export const clusterRoleBindings = `
cluster-admin: group system:masters
system:basic-user: group system:authenticated
@ClusterTrustBundle system:cluster-trust-bundle-discovery: group system:serviceaccounts
system:discovery: group system:authenticated
system:kube-controller-manager: user system:kube-controller-manager
system:kube-dns: account kube-system/kube-dns
system:kube-scheduler: user system:kube-scheduler
system:monitoring: group system:monitoring
system:node:
system:node-proxier: user system:kube-proxy
system:public-info-viewer: group system:authenticated, group system:unauthenticated
system:service-account-issuer-discovery: group system:serviceaccounts
system:volume-scheduler: user system:kube-scheduler
`

/** Namespace, name, role if its name differs, and subjects. */
export const roleBindings = `
kube-public system:controller:bootstrap-signer: account kube-system/bootstrap-signer
kube-system system::extension-apiserver-authentication-reader extension-apiserver-authentication-reader: user system:kube-controller-manager, user system:kube-scheduler
kube-system system::leader-locking-kube-controller-manager: user system:kube-controller-manager, account kube-system/kube-controller-manager, account kube-system/leader-election-controller
kube-system system::leader-locking-kube-scheduler: user system:kube-scheduler, account kube-system/kube-scheduler
kube-system system:controller:bootstrap-signer: account kube-system/bootstrap-signer
kube-system system:controller:cloud-provider: account kube-system/cloud-provider
kube-system system:controller:token-cleaner: account kube-system/token-cleaner
`
