import type { KubeObject } from '../../api/objects/meta.ts'
import { controllerOf } from '../../api/owner-references.ts'

/** `namespace/name` of the workload of a pod: for a pod of a Deployment, of the Deployment. */
export function workloadKey(pod: KubeObject): string {
  const { namespace = 'default', name, labels } = pod.metadata
  const owner = controllerOf(pod)
  if (owner === undefined) return `${namespace}/${name}`
  const hash = labels?.['pod-template-hash']
  const isOfDeployment = owner.kind === 'ReplicaSet' && hash !== undefined && owner.name.endsWith(`-${hash}`)
  return `${namespace}/${isOfDeployment ? owner.name.slice(0, -hash.length - 1) : owner.name}`
}
