import type { StorageClass } from '../api/objects/storage.ts'
import { annotations } from '../api/well-known.ts'

/** What claims get that name no class: volumes in the zone of the first pod that wants them, made by nobody and holding nothing. */
export const standardStorageClass: StorageClass = {
  apiVersion: 'storage.k8s.io/v1',
  kind: 'StorageClass',
  metadata: { name: 'standard', annotations: { [annotations.defaultStorageClass]: 'true' } },
  provisioner: 'hollow.berth.dev',
  reclaimPolicy: 'Delete',
  volumeBindingMode: 'WaitForFirstConsumer',
}
