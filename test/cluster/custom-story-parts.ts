/** Requests to which two API servers must give the same answers, in this order. */
export type CustomStep = readonly [method: string, path: string, body?: unknown, type?: string]

export type Json = Readonly<Record<string, unknown>>

export const merge = 'application/merge-patch+json'
export const json = 'application/json-patch+json'
export const apply = 'application/apply-patch+yaml'
export const crds = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
export const text = { type: 'string' }
export const conditions = {
  type: 'array',
  maxItems: 8,
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': ['type'],
  items: {
    type: 'object',
    required: ['type', 'status', 'lastTransition'],
    properties: {
      type: { type: 'string', maxLength: 316 },
      status: { type: 'string', enum: ['True', 'False', 'Unknown'] },
      reason: text,
      lastTransition: { type: 'string', format: 'date-time' },
    },
  },
}

export function crd(group: string, kind: string, versions: readonly Json[], more: Json = {}): Json {
  const plural = `${kind.toLowerCase()}s`
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: { group, scope: 'Namespaced', names: { plural, kind, categories: ['all-of-it'], ...more }, versions },
  }
}

/** The managers that write in the stories. */
export const by = 'fieldManager=story'
