// Words that Go writes in capitals where the JSON name begins with them.
import { lookupTable } from '../../base/lookup-table.ts'

const initialisms = new Set(
  'api aws csi dns fc fs gce gmsa grpc http ip iqn iscsi nfs os rbd se ssl tcp tty uid'.split(' '),
)

/** Fields that Go calls otherwise than JSON does, by type and JSON name (v1.36, core/v1). */
const others = lookupTable<string>({
  'PodTemplateSpec.metadata': 'ObjectMeta',
  'PersistentVolumeClaimTemplate.metadata': 'ObjectMeta',
  'PodSpec.serviceAccount': 'DeprecatedServiceAccount',
  'VolumeSource.cephfs': 'CephFS',
  'VolumeSource.storageos': 'StorageOS',
  'AzureDiskVolumeSource.diskURI': 'DataDiskURI',
  'FCVolumeSource.wwids': 'WWIDs',
  'GCEPersistentDiskVolumeSource.pdName': 'PDName',
  'GlusterfsVolumeSource.endpoints': 'EndpointsName',
  'ISCSIVolumeSource.chapAuthDiscovery': 'DiscoveryCHAPAuth',
  'ISCSIVolumeSource.chapAuthSession': 'SessionCHAPAuth',
  'RBDVolumeSource.image': 'RBDImage',
  'RBDVolumeSource.monitors': 'CephMonitors',
  'RBDVolumeSource.pool': 'RBDPool',
  'RBDVolumeSource.user': 'RadosUser',
})

/** The name in Go of a field of a type that a pod template is made of. */
export function goFieldName(type: string, field: string): string {
  const other = others[`${type}.${field}`]
  if (other !== undefined) return other
  const [word = ''] = /^[a-z]+/.exec(field) ?? []
  const start = initialisms.has(word) ? word.toUpperCase() : `${word.charAt(0).toUpperCase()}${word.slice(1)}`
  return `${start}${field.slice(word.length)}`
}
