import { attackNamespace } from './attack.ts'

/** A request whose body grows with `n`, up to the server's own limit of 3 MiB. */
export interface HostileBody {
  readonly name: string
  readonly method: string
  readonly path: string
  readonly type: string
  /** Objects that must exist before, by path. */
  readonly needs?: readonly { readonly path: string; readonly object: (n: number) => unknown }[]
  readonly body: (n: number) => string | Uint8Array
  /** The largest n whose body is accepted by the server's limit, or that is worth trying. */
  readonly maxN?: number
}

export const pods = `/api/v1/namespaces/${attackNamespace}/pods`
export const maps = `/api/v1/namespaces/${attackNamespace}/configmaps`
export const deployments = `/apis/apps/v1/namespaces/${attackNamespace}/deployments`
export const widgets = `/apis/example.com/v1/namespaces/${attackNamespace}/widgets`

export const json = 'application/json'
export const yaml = 'application/yaml'
export const merge = 'application/merge-patch+json'
export const strategic = 'application/strategic-merge-patch+json'
export const jsonPatch = 'application/json-patch+json'
export const apply = 'application/apply-patch+yaml'
export const protobuf = 'application/vnd.kubernetes.protobuf'

export const times = <T>(n: number, make: (i: number) => T): T[] => Array.from({ length: n }, (_, i) => make(i))
export const members = (n: number, prefix: string, value: unknown = 1) =>
  Object.fromEntries(times(n, (i) => [`${prefix}${i}`, value]))
export const nested = (n: number, open: string, inner: string, close: string) =>
  open.repeat(n) + inner + close.repeat(n)
export const text = (value: unknown) => JSON.stringify(value)

export const container = (i: number) => ({ name: `c${i}`, image: 'a' })
export const pod = (spec: object, metadata: object = {}) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'hostile', ...metadata },
  spec: { containers: [container(0)], ...spec },
})
export const configMap = (more: object, metadata: object = {}) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'hostile', ...metadata },
  ...more,
})
export const deployment = (containers: readonly object[]) => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'hostile' },
  spec: {
    selector: { matchLabels: { a: 'b' } },
    template: { metadata: { labels: { a: 'b' } }, spec: { containers } },
  },
})
export const widget = (more: object) => ({
  apiVersion: 'example.com/v1',
  kind: 'Widget',
  metadata: { name: 'hostile' },
  ...more,
})

/** The definitions for the bodies of custom resources. */
export const widgetDefinition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: {
                type: 'object',
                properties: {
                  keyed: {
                    type: 'array',
                    'x-kubernetes-list-type': 'map',
                    'x-kubernetes-list-map-keys': ['name'],
                    items: {
                      type: 'object',
                      required: ['name'],
                      properties: { name: { type: 'string' }, value: { type: 'integer', format: 'int64' } },
                    },
                  },
                  set: { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'string' } },
                  chosen: { type: 'array', items: { type: 'string', enum: times(500, (i) => `value-${i}`) } },
                  free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
                  map: { type: 'object', additionalProperties: { type: 'integer' } },
                },
              },
            },
          },
        },
      },
    ],
  },
}

export const post = (path: string, type: string, name: string, body: HostileBody['body']): HostileBody => ({
  name,
  method: 'POST',
  path: `${path}?dryRun=All`,
  type,
  body,
})

export const patch = (
  path: string,
  type: string,
  name: string,
  object: (n: number) => unknown,
  body: HostileBody['body'],
): HostileBody => ({
  name,
  method: 'PATCH',
  path: `${path}/hostile?dryRun=All&fieldManager=hostile`,
  type,
  needs: [{ path, object }],
  body,
})
