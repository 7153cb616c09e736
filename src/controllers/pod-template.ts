import type { KubeObject, OwnerReference } from '../api/objects/meta.ts'
import type { Pod, PodTemplateSpec } from '../api/objects/pod.ts'

/** A pod as a controller creates it: the server generates the name. */
export function podFromTemplate(template: PodTemplateSpec, owner: KubeObject, reference: OwnerReference): Pod {
  const { labels, annotations, finalizers } = template.metadata ?? {}
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: '',
      generateName: podNamePrefix(owner.metadata.name),
      ...(owner.metadata.namespace === undefined ? {} : { namespace: owner.metadata.namespace }),
      ...(labels === undefined ? {} : { labels }),
      ...(annotations === undefined ? {} : { annotations }),
      ...(finalizers === undefined || finalizers.length === 0 ? {} : { finalizers }),
      ownerReferences: [reference],
    },
    spec: template.spec,
  }
}

const maxNameLength = 253

/** The dash is omitted if the name would be too long (v1.36, pkg/controller getPodsPrefix). */
export function podNamePrefix(ownerName: string): string {
  return ownerName.length < maxNameLength ? `${ownerName}-` : ownerName
}
