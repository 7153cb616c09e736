type PublishedSchema = Readonly<Record<string, unknown>>

const isObject = (value: unknown): value is PublishedSchema =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/**
 * Whether OpenAPI v2 omits the fields of a custom resource, because clients would reject fields that it does not list.
 */
export const isOpen = (schema: PublishedSchema | undefined): boolean =>
  schema === undefined || schema['x-kubernetes-preserve-unknown-fields'] === true

/**
 * The part of the schema of a custom resource that OpenAPI v2 can express and kubectl reads (apiextensions-apiserver
 * v1.36, pkg/controller/openapi/v2 ToStructuralOpenAPIV2).
 */
export function publishedV2(schema: PublishedSchema): PublishedSchema {
  const { allOf: _a, oneOf: _o, anyOf: _n, not: _t, nullable, default: _d, ...kept } = schema
  const out: Record<string, unknown> = { ...kept }
  const isPreserving = out['x-kubernetes-preserve-unknown-fields'] === true
  if (nullable === true || isPreserving) {
    delete out['items']
    delete out['properties']
  }
  if (nullable === true || (isPreserving && out['type'] === 'object')) delete out['type']
  if (out['items'] === undefined && out['type'] === 'array') delete out['type']
  const properties = out['properties']
  if (isObject(properties)) {
    const isNullable = (name: unknown): boolean => {
      const property = properties[String(name)]
      return isObject(property) && property['nullable'] === true
    }
    const required = ((out['required'] ?? []) as readonly unknown[]).filter((name) => !isNullable(name))
    if (required.length > 0) out['required'] = required
    else delete out['required']
    out['properties'] = Object.fromEntries(
      Object.entries(properties).map(([name, property]) => [
        name,
        isObject(property) ? publishedV2(property) : property,
      ]),
    )
  }
  for (const field of ['items', 'additionalProperties']) {
    const inner = out[field]
    if (isObject(inner)) out[field] = publishedV2(inner)
  }
  return out
}
