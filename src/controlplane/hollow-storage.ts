import type { StorageClass } from '../api/objects/storage.ts'
import { annotations } from '../api/well-known.ts'

/** The default storage class: volumes in the zone of the first pod that uses them. No storage is provisioned. */
export const standardStorageClass: StorageClass = {
  apiVersion: 'storage.k8s.io/v1',
  kind: 'StorageClass',
  metadata: { name: 'standard', annotations: { [annotations.defaultStorageClass]: 'true' } },
  provisioner: 'hollow.berth.dev',
  reclaimPolicy: 'Delete',
  volumeBindingMode: 'WaitForFirstConsumer',
}
