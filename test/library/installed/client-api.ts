// Compiled by tsc with skipLibCheck, because the declarations of the client need those of other packages.
import { CoreV1Api, KubernetesObjectApi, ListWatch, type V1Pod } from '@kubernetes/client-node'
import type { Cluster } from 'kubeberth'

/** The classes of the client accept the cluster. */
export function client(cluster: Cluster): ListWatch<V1Pod> {
  const core = cluster.makeApiClient(CoreV1Api)
  const objects: KubernetesObjectApi = cluster.makeApiClient(KubernetesObjectApi)
  const same: Pick<KubernetesObjectApi, 'create' | 'read' | 'list' | 'patch' | 'delete'> = cluster.client
  return objects === same
    ? new ListWatch('/api/v1/pods', cluster.watcher, () => core.listPodForAllNamespaces())
    : new ListWatch('/api/v1/pods', cluster.watcher, () => core.listNamespacedPod({ namespace: 'default' }), false)
}
