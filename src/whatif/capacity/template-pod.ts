import type { KubeObject } from '../../api/objects/meta.ts'
import type { Pod } from '../../api/objects/pod.ts'
import type { KubernetesRelease } from '../../api/releases/kubernetes-release.ts'
import { podDefaults } from '../../registry/defaults/pod-defaults.ts'

/** A pod as the API server stores it when the controller of the workload creates it: requests from limits, for example. */
export function podOfTemplate(workload: KubeObject, release: KubernetesRelease): Pod {
  const { apiVersion = '', kind = '', metadata } = workload
  const { namespace = 'default', name, uid = name } = metadata
  const { template } = (workload as { readonly spec?: unknown }).spec as {
    readonly template: Pick<Pod, 'metadata' | 'spec'>
  }
  const owner = { apiVersion, kind, name, uid, controller: true }
  const pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { ...template.metadata, name, namespace, ownerReferences: [owner] },
    spec: { schedulerName: 'default-scheduler', ...template.spec },
  }
  return podDefaults(pod, release) as unknown as Pod
}
