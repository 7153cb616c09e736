import type { KubeObject } from '../api/objects/meta.ts'
import { fileLimits, loadYaml, type YamlLimits } from '../base/yaml.ts'

/** Objects from YAML or JSON text with any number of documents. Lists are flattened. */
export function parseManifests(text: string, limits: YamlLimits = fileLimits): readonly KubeObject[] {
  const objects: KubeObject[] = []
  for (const document of loadYaml(text, limits)) if (document !== null) collect(document, objects)
  return objects
}

function collect(value: unknown, objects: KubeObject[]): void {
  const object = value as {
    readonly kind?: unknown
    readonly apiVersion?: unknown
    readonly items?: readonly unknown[]
  }
  if (typeof value !== 'object' || typeof object.kind !== 'string' || typeof object.apiVersion !== 'string') {
    throw new Error('a manifest must have apiVersion and kind')
  }
  if (object.kind.endsWith('List') && Array.isArray(object.items))
    for (const item of object.items) collect(item, objects)
  else objects.push(value as KubeObject)
}
