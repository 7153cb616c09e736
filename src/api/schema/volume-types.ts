// The notation is explained in parse-types.ts.

/** Volumes, claims and their sources (v1.36, core/v1). */
export const volumeTypes = `
PersistentVolumeClaim ...TypeMeta metadata:meta.ObjectMeta spec:PersistentVolumeClaimSpec
  status:PersistentVolumeClaimStatus
PersistentVolumeClaimSpec accessModes:[PersistentVolumeAccessMode] selector:*meta.LabelSelector
  resources:VolumeResourceRequirements volumeName:s storageClassName:*s volumeMode:*PersistentVolumeMode
  dataSource:*TypedLocalObjectReference dataSourceRef:*TypedObjectReference volumeAttributesClassName:*s
TypedLocalObjectReference# apiGroup:*s! kind:s! name:s!
TypedObjectReference apiGroup:*s! kind:s! name:s! namespace:*s
VolumeResourceRequirements limits:ResourceList requests:ResourceList
PersistentVolumeClaimStatus phase:PersistentVolumeClaimPhase accessModes:[PersistentVolumeAccessMode]
  capacity:ResourceList conditions:[PersistentVolumeClaimCondition]@type~ allocatedResources:ResourceList
  allocatedResourceStatuses:{ClaimResourceStatus} currentVolumeAttributesClassName:*s
  modifyVolumeStatus:*ModifyVolumeStatus
ModifyVolumeStatus targetVolumeAttributesClassName:s status:PersistentVolumeClaimModifyVolumeStatus!
PersistentVolumeClaimCondition type:PersistentVolumeClaimConditionType! status:ConditionStatus! lastProbeTime:t
  lastTransitionTime:t reason:s message:s
PersistentVolume ...TypeMeta metadata:meta.ObjectMeta spec:PersistentVolumeSpec status:PersistentVolumeStatus
PersistentVolumeSpec capacity:ResourceList ...PersistentVolumeSource accessModes:[PersistentVolumeAccessMode]
  claimRef:*ObjectReference^ persistentVolumeReclaimPolicy:PersistentVolumeReclaimPolicy storageClassName:s
  mountOptions:[s] volumeMode:*PersistentVolumeMode nodeAffinity:*VolumeNodeAffinity volumeAttributesClassName:*s
PersistentVolumeSource gcePersistentDisk:*GCEPersistentDiskVolumeSource
  awsElasticBlockStore:*AWSElasticBlockStoreVolumeSource hostPath:*HostPathVolumeSource
  glusterfs:*GlusterfsPersistentVolumeSource nfs:*NFSVolumeSource rbd:*RBDPersistentVolumeSource
  iscsi:*ISCSIPersistentVolumeSource cinder:*CinderPersistentVolumeSource cephfs:*CephFSPersistentVolumeSource
  fc:*FCVolumeSource flocker:*FlockerVolumeSource flexVolume:*FlexPersistentVolumeSource
  azureFile:*AzureFilePersistentVolumeSource vsphereVolume:*VsphereVirtualDiskVolumeSource
  quobyte:*QuobyteVolumeSource azureDisk:*AzureDiskVolumeSource
  photonPersistentDisk:*PhotonPersistentDiskVolumeSource portworxVolume:*PortworxVolumeSource
  scaleIO:*ScaleIOPersistentVolumeSource local:*LocalVolumeSource storageos:*StorageOSPersistentVolumeSource
  csi:*CSIPersistentVolumeSource
AWSElasticBlockStoreVolumeSource volumeID:s! fsType:s partition:i readOnly:b
AzureDiskVolumeSource diskName:s! diskURI:s! cachingMode:*AzureDataDiskCachingMode fsType:*s readOnly:*b
  kind:*AzureDataDiskKind
AzureFilePersistentVolumeSource secretName:s! shareName:s! readOnly:b secretNamespace:*s!
CSIPersistentVolumeSource driver:s! volumeHandle:s! readOnly:b fsType:s volumeAttributes:{s}
  controllerPublishSecretRef:*SecretReference nodeStageSecretRef:*SecretReference
  nodePublishSecretRef:*SecretReference controllerExpandSecretRef:*SecretReference
  nodeExpandSecretRef:*SecretReference
SecretReference# name:s namespace:s
CephFSPersistentVolumeSource monitors:[s]! path:s user:s secretFile:s secretRef:*SecretReference readOnly:b
CinderPersistentVolumeSource volumeID:s! fsType:s readOnly:b secretRef:*SecretReference
FCVolumeSource targetWWNs:[s] lun:*i fsType:s readOnly:b wwids:[s]
FlexPersistentVolumeSource driver:s! fsType:s secretRef:*SecretReference readOnly:b options:{s}
FlockerVolumeSource datasetName:s datasetUUID:s
GCEPersistentDiskVolumeSource pdName:s! fsType:s partition:i readOnly:b
GlusterfsPersistentVolumeSource endpoints:s! path:s! readOnly:b endpointsNamespace:*s
HostPathVolumeSource path:s! type:*HostPathType
ISCSIPersistentVolumeSource targetPortal:s! iqn:s! lun:i! iscsiInterface:s fsType:s readOnly:b portals:[s]
  chapAuthDiscovery:b chapAuthSession:b secretRef:*SecretReference initiatorName:*s
LocalVolumeSource path:s! fsType:*s
NFSVolumeSource server:s! path:s! readOnly:b
PhotonPersistentDiskVolumeSource pdID:s! fsType:s
PortworxVolumeSource volumeID:s! fsType:s readOnly:b
QuobyteVolumeSource registry:s! volume:s! readOnly:b user:s group:s tenant:s
RBDPersistentVolumeSource monitors:[s]! image:s! fsType:s pool:s user:s keyring:s secretRef:*SecretReference
  readOnly:b
ScaleIOPersistentVolumeSource gateway:s! system:s! secretRef:*SecretReference! sslEnabled:b protectionDomain:s
  storagePool:s storageMode:s volumeName:s fsType:s readOnly:b
StorageOSPersistentVolumeSource volumeName:s volumeNamespace:s fsType:s readOnly:b secretRef:*ObjectReference
VsphereVirtualDiskVolumeSource volumePath:s! fsType:s storagePolicyName:s storagePolicyID:s
VolumeNodeAffinity required:*NodeSelector
PersistentVolumeStatus phase:PersistentVolumePhase message:s reason:s lastPhaseTransitionTime:*t
Volume name:s! ...VolumeSource
VolumeSource hostPath:*HostPathVolumeSource emptyDir:*EmptyDirVolumeSource
  gcePersistentDisk:*GCEPersistentDiskVolumeSource awsElasticBlockStore:*AWSElasticBlockStoreVolumeSource
  gitRepo:*GitRepoVolumeSource secret:*SecretVolumeSource nfs:*NFSVolumeSource iscsi:*ISCSIVolumeSource
  glusterfs:*GlusterfsVolumeSource persistentVolumeClaim:*PersistentVolumeClaimVolumeSource rbd:*RBDVolumeSource
  flexVolume:*FlexVolumeSource cinder:*CinderVolumeSource cephfs:*CephFSVolumeSource flocker:*FlockerVolumeSource
  downwardAPI:*DownwardAPIVolumeSource fc:*FCVolumeSource azureFile:*AzureFileVolumeSource
  configMap:*ConfigMapVolumeSource vsphereVolume:*VsphereVirtualDiskVolumeSource quobyte:*QuobyteVolumeSource
  azureDisk:*AzureDiskVolumeSource photonPersistentDisk:*PhotonPersistentDiskVolumeSource
  projected:*ProjectedVolumeSource portworxVolume:*PortworxVolumeSource scaleIO:*ScaleIOVolumeSource
  storageos:*StorageOSVolumeSource csi:*CSIVolumeSource ephemeral:*EphemeralVolumeSource image:*ImageVolumeSource
AzureFileVolumeSource secretName:s! shareName:s! readOnly:b
CSIVolumeSource driver:s! readOnly:*b fsType:*s volumeAttributes:{s} nodePublishSecretRef:*LocalObjectReference
CephFSVolumeSource monitors:[s]! path:s user:s secretFile:s secretRef:*LocalObjectReference readOnly:b
CinderVolumeSource volumeID:s! fsType:s readOnly:b secretRef:*LocalObjectReference
ConfigMapVolumeSource ...LocalObjectReference items:[KeyToPath] defaultMode:*i optional:*b
KeyToPath key:s! path:s! mode:*i
DownwardAPIVolumeSource items:[DownwardAPIVolumeFile] defaultMode:*i
DownwardAPIVolumeFile path:s! fieldRef:*ObjectFieldSelector resourceFieldRef:*ResourceFieldSelector mode:*i
EmptyDirVolumeSource medium:StorageMedium sizeLimit:*q
EphemeralVolumeSource volumeClaimTemplate:*PersistentVolumeClaimTemplate
PersistentVolumeClaimTemplate metadata:meta.ObjectMeta spec:PersistentVolumeClaimSpec!
FlexVolumeSource driver:s! fsType:s secretRef:*LocalObjectReference readOnly:b options:{s}
GitRepoVolumeSource repository:s! revision:s directory:s
GlusterfsVolumeSource endpoints:s! path:s! readOnly:b
ISCSIVolumeSource targetPortal:s! iqn:s! lun:i! iscsiInterface:s fsType:s readOnly:b portals:[s] chapAuthDiscovery:b
  chapAuthSession:b secretRef:*LocalObjectReference initiatorName:*s
ImageVolumeSource reference:s pullPolicy:PullPolicy
PersistentVolumeClaimVolumeSource claimName:s! readOnly:b
ProjectedVolumeSource sources:[VolumeProjection]! defaultMode:*i
VolumeProjection secret:*SecretProjection downwardAPI:*DownwardAPIProjection configMap:*ConfigMapProjection
  serviceAccountToken:*ServiceAccountTokenProjection clusterTrustBundle:*ClusterTrustBundleProjection
  podCertificate:*PodCertificateProjection
ClusterTrustBundleProjection name:*s signerName:*s labelSelector:*meta.LabelSelector optional:*b path:s!
ConfigMapProjection ...LocalObjectReference items:[KeyToPath] optional:*b
DownwardAPIProjection items:[DownwardAPIVolumeFile]
PodCertificateProjection signerName:s keyType:s maxExpirationSeconds:*i credentialBundlePath:s keyPath:s
  certificateChainPath:s userAnnotations:{s}
SecretProjection ...LocalObjectReference items:[KeyToPath] optional:*b
ServiceAccountTokenProjection audience:s expirationSeconds:*l path:s!
RBDVolumeSource monitors:[s]! image:s! fsType:s pool:s user:s keyring:s secretRef:*LocalObjectReference readOnly:b
ScaleIOVolumeSource gateway:s! system:s! secretRef:*LocalObjectReference! sslEnabled:b protectionDomain:s
  storagePool:s storageMode:s volumeName:s fsType:s readOnly:b
SecretVolumeSource secretName:s items:[KeyToPath] defaultMode:*i optional:*b
StorageOSVolumeSource volumeName:s volumeNamespace:s fsType:s readOnly:b secretRef:*LocalObjectReference
ImageVolumeStatus imageRef:s
`
