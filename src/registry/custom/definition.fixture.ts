import type { JsonObject, KubeObject } from '../../api/objects/meta.ts'

/** Defines a kind of the group example.com with these names. The first version is stored. */
export function definitionOf(names: JsonObject, versions: readonly JsonObject[], more: JsonObject = {}): KubeObject {
  const object = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${names['plural']}.example.com` },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names,
      versions: versions.map((version, i) => ({ name: 'v1', served: true, storage: i === 0, ...version })),
      ...more,
    },
  }
  return object as unknown as KubeObject
}
