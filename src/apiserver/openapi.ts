import { createHash } from 'node:crypto'
import type { KubernetesRelease } from '../api/releases/kubernetes-release.ts'
import type { Field, LooseShape, ScalarKind, Shape, StructShape } from '../api/schema/shape.ts'
import type { Kind, KindTable } from '../registry/kinds/kind.ts'
import type { ApiRequest, FullResponse } from './exchange.ts'
import { json } from './exchange.ts'
import { defaultOf, unionOf, zeroOf } from './openapi-defaults.ts'
import { encodeOpenApiDocument } from './protobuf/openapi-document.ts'
import { isOpen, publishedV2 } from './published-schema.ts'

type OpenApiSchema = { readonly [key: string]: unknown }

/** Descriptions for `kubectl explain`: `{ V1PodSpec: ["description", { field: "description" }] }`. */
export type Descriptions = Readonly<Record<string, readonly [string, Readonly<Record<string, string>>]>>

export interface OpenApiOptions {
  readonly release: KubernetesRelease
  readonly kinds: KindTable
  readonly descriptions: () => Descriptions
  /** The schema of a custom resource, from its definition. */
  readonly customSchema: (kind: Kind) => OpenApiSchema | undefined
}

/** /openapi/v2, /openapi/v3 and /openapi/v3/… : enough for explain, apply, diff and client-side validation. */
export function createOpenApi(options: OpenApiOptions): (request: ApiRequest) => FullResponse | undefined {
  return ({ path, headers }) => {
    if (path === '/openapi/v3') return json(200, { paths: v3Index(options.kinds) })
    if (path.startsWith('/openapi/v3/')) return v3Document(options, path.slice('/openapi/v3/'.length))
    if (path !== '/openapi/v2') return undefined
    if ((headers['accept'] ?? '').includes('openapi.spec.v2')) return protobufDocument(options)
    return json(200, v2Document(options))
  }
}

/** Go clients request version 2 only in gnostic's protobuf. They do not read its paths. */
function protobufDocument(options: OpenApiOptions): FullResponse {
  const { definitions, info } = v2Document(options)
  return {
    kind: 'full',
    code: 200,
    headers: { 'content-type': 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf' },
    body: encodeOpenApiDocument(info.version, definitions),
  }
}

const pathOf = (group: string, version: string) => (group === '' ? `api/${version}` : `apis/${group}/${version}`)

function v3Index(kinds: KindTable) {
  const paths: Record<string, { serverRelativeURL: string }> = {}
  for (const kind of kinds.all()) {
    const path = pathOf(kind.group, kind.version)
    const hash = createHash('sha256').update(`${path} ${kind.resource} ${kind.kind}`).digest('hex').slice(0, 32)
    paths[path] ??= { serverRelativeURL: `/openapi/v3/${path}?hash=${hash.toUpperCase()}` }
  }
  return paths
}

function v3Document(options: OpenApiOptions, path: string): FullResponse {
  const kinds = options.kinds.all().filter((kind) => pathOf(kind.group, kind.version) === path)
  if (kinds.length === 0) return json(404, {})
  const schemas = new Definitions('#/components/schemas/', options)
  for (const kind of kinds) schemas.addKind(kind)
  return json(200, {
    openapi: '3.0.0',
    info: { title: 'Kubernetes', version: `v${options.release.version}` },
    paths: Object.assign({}, ...kinds.map((kind) => pathsOf(kind, 'v3'))),
    components: { schemas: schemas.all() },
  })
}

function v2Document(options: OpenApiOptions) {
  const definitions = new Definitions('#/definitions/', options)
  for (const kind of options.kinds.all()) definitions.addKind(kind)
  return {
    swagger: '2.0',
    info: { title: 'Kubernetes', version: `v${options.release.version}` },
    paths: Object.assign({}, ...options.kinds.all().map((kind) => pathsOf(kind, 'v2'))),
    definitions: definitions.all(),
  }
}

const gvkOf = (kind: Kind) => ({ group: kind.group, version: kind.version, kind: kind.kind })

const patchMediaTypes = [
  'application/json-patch+json',
  'application/merge-patch+json',
  'application/strategic-merge-patch+json',
  'application/apply-patch+yaml',
]

/** The operations that kubectl reads: which kind a path serves, and whether the server can validate writes. */
function pathsOf(kind: Kind, form: 'v2' | 'v3') {
  const root = `/${pathOf(kind.group, kind.version)}/${kind.namespaced ? 'namespaces/{namespace}/' : ''}${kind.plural}`
  const custom = kind.shape === undefined
  const parameters = ['dryRun', 'fieldManager', 'fieldValidation'].map((name) =>
    form === 'v3'
      ? { name, in: 'query', schema: { type: 'string', uniqueItems: true } }
      : { name, in: 'query', type: 'string', uniqueItems: true },
  )
  const operation = (action: string, types: readonly string[]) => ({
    'x-kubernetes-action': action,
    'x-kubernetes-group-version-kind': gvkOf(kind),
    parameters,
    ...(form === 'v3'
      ? { requestBody: { content: Object.fromEntries(types.map((type) => [type, {}])) } }
      : { consumes: types }),
    responses: { '200': { description: 'OK' } },
  })
  const media = custom ? patchMediaTypes.filter((type) => !type.includes('strategic')) : patchMediaTypes
  const read = {
    'x-kubernetes-action': 'get',
    'x-kubernetes-group-version-kind': gvkOf(kind),
    responses: { '200': { description: 'OK' } },
  }
  return {
    [root]: { post: operation('post', ['*/*']), get: { ...read, 'x-kubernetes-action': 'list' } },
    [`${root}/{name}`]: { get: read, put: operation('put', ['*/*']), patch: operation('patch', media) },
  }
}

const capitalized = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1)}`

/** Schemas by name, each once, with all schemas that they reference. */
class Definitions {
  private readonly found = new Map<string, OpenApiSchema>()
  private readonly prefix: string
  private readonly options: OpenApiOptions

  constructor(prefix: string, options: OpenApiOptions) {
    this.prefix = prefix
    this.options = options
  }

  private get isV3(): boolean {
    return this.prefix.includes('components')
  }

  all(): Readonly<Record<string, OpenApiSchema>> {
    return Object.fromEntries([...this.found].sort(([a], [b]) => (a < b ? -1 : 1)))
  }

  addKind(kind: Kind): void {
    const { shape } = kind
    if (shape !== undefined) {
      const name = this.add(shape)
      // Reviews and bindings are only created.
      if (!kind.verbs.includes('list')) return
      const list = {
        type: 'object',
        required: ['items'],
        properties: {
          apiVersion: { type: 'string' },
          kind: { type: 'string' },
          items: { type: 'array', items: this.element(shape, this.reference(name)) },
          ...this.listMetadata(),
        },
        'x-kubernetes-group-version-kind': [{ ...gvkOf(kind), kind: kind.listKind }],
      }
      this.found.set(`${name}List`, list)
      return
    }
    const name = [...kind.group.split('.').reverse(), kind.version, kind.kind].join('.')
    this.found.set(name, { ...this.customSchemaOf(kind), 'x-kubernetes-group-version-kind': [gvkOf(kind)] })
  }

  private listMetadata(): Readonly<Record<string, OpenApiSchema>> {
    const shape = this.options.release.api.types.get('meta.ListMeta')
    if (shape === undefined) return {}
    const reference = this.reference(this.add(shape))
    return { metadata: this.element(shape, reference) }
  }

  private customSchemaOf(kind: Kind): OpenApiSchema {
    const given = this.options.customSchema(kind)
    const isV2 = !this.isV3
    if (given === undefined || (isV2 && isOpen(given))) return { type: 'object' }
    const schema = isV2 ? publishedV2(given) : given
    const { types } = this.options.release.api
    const meta = types.get('meta.ObjectMeta')
    const described = types.get('core.ConfigMap')
    // The common fields have the same description in every kind.
    const about = described === undefined ? {} : this.describe(described)[1]
    const text = (field: string) => (about[field] === undefined ? {} : { description: about[field] })
    const properties: Record<string, OpenApiSchema> = {
      ...(schema['properties'] as Record<string, OpenApiSchema> | undefined),
      apiVersion: { type: 'string', ...text('apiVersion') },
      kind: { type: 'string', ...text('kind') },
    }
    if (meta !== undefined) {
      const reference = this.reference(this.add(meta))
      const metadata =
        "Standard object's metadata. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata"
      properties['metadata'] = isV2
        ? { ...reference, description: metadata }
        : { allOf: [reference], description: metadata }
    }
    return { ...schema, properties }
  }

  private reference(name: string): OpenApiSchema {
    return { $ref: `${this.prefix}${name}` }
  }

  private add(shape: StructShape): string {
    const name = this.options.release.api.openApiName(shape)
    if (this.found.has(name)) return name
    // Registered before its fields, because types may refer to themselves.
    this.found.set(name, {})
    const [about, fields] = this.describe(shape)
    const properties: Record<string, OpenApiSchema> = {}
    const required: string[] = []
    for (const field of shape.fields.values()) {
      properties[field.name] = this.property(shape, field, fields[field.name])
      if (field.required) required.push(field.name)
    }
    this.found.set(name, {
      ...(about === '' ? {} : { description: about }),
      type: 'object',
      ...(shape.fields.size === 0 ? {} : { properties }),
      ...(required.length === 0 ? {} : { required }),
      ...(shape.atomic ? { 'x-kubernetes-map-type': 'atomic' } : {}),
      ...unionOf(shape),
      // Also for a kind of another group version that a field contains, such as the claims of a StatefulSet.
      ...this.kindOf(shape),
    })
    return name
  }

  private kindOf(shape: StructShape): OpenApiSchema {
    const kind = this.options.kinds.all().find((one) => one.shape === shape)
    return kind === undefined ? {} : { 'x-kubernetes-group-version-kind': [gvkOf(kind)] }
  }

  private describe(shape: StructShape): Descriptions[string] {
    const descriptions = this.options.descriptions()
    const [group = '', version = 'v1'] = shape.id.slice(0, shape.id.indexOf('.')).split('/')
    const prefix = capitalized(version)
    const prefixes = [prefix, `${capitalized(group)}${prefix}`]
    for (const start of prefixes) {
      const found = descriptions[`${start}${shape.name}`]
      if (found !== undefined) return found
    }
    return ['', {}]
  }

  private property(owner: StructShape, field: Field, description: string | undefined): OpenApiSchema {
    // Fields with a named type have no description in the source, so they use the description of the type.
    const said = description ?? (field.shape.is === 'struct' ? this.describe(field.shape)[0] : '')
    const about = said === '' ? {} : { description: said }
    const extensions = {
      ...(field.shape.is !== 'list'
        ? {}
        : field.list.kind === 'map'
          ? { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': field.list.keys }
          : { 'x-kubernetes-list-type': field.list.kind }),
      // The type of other JSON implies that it is replaced as a whole.
      ...(field.atomic && field.shape.is !== 'scalar' ? { 'x-kubernetes-map-type': 'atomic' } : {}),
      ...(field.granular ? { 'x-kubernetes-map-type': 'granular' } : {}),
      ...(field.merge === undefined
        ? {}
        : {
            'x-kubernetes-patch-strategy': field.retainKeys ? 'merge,retainKeys' : 'merge',
            ...(field.merge.key === undefined ? {} : { 'x-kubernetes-patch-merge-key': field.merge.key }),
          }),
      ...(field.merge === undefined && field.retainKeys ? { 'x-kubernetes-patch-strategy': 'retainKeys' } : {}),
      ...(field.replaces ? { 'x-kubernetes-patch-strategy': 'replace' } : {}),
    }
    const schema = this.schemaOf(field.shape, () => this.anyJson(owner, field))
    const more = { ...(this.isV3 ? defaultOf(owner, field) : {}), ...about, ...extensions }
    // In OpenAPI 3.0, a reference has no siblings; they are added with allOf.
    if ('$ref' in schema && this.isV3) return { allOf: [schema], ...more }
    return { ...schema, ...more }
  }

  /** A value in a list or a map, which is not a pointer. */
  private element(shape: Shape, schema: OpenApiSchema): OpenApiSchema {
    if (!this.isV3) return schema
    const zero = zeroOf(shape)
    if (zero.default === undefined) return schema
    return '$ref' in schema ? { allOf: [schema], ...zero } : { ...schema, ...zero }
  }

  private schemaOf(shape: Shape, anyJson: () => OpenApiSchema): OpenApiSchema {
    switch (shape.is) {
      case 'struct':
        return this.reference(this.add(shape))
      case 'list':
        return { type: 'array', items: this.element(shape.of, this.schemaOf(shape.of, anyJson)) }
      case 'map':
        return { type: 'object', additionalProperties: this.element(shape.of, this.schemaOf(shape.of, anyJson)) }
      case 'loose': {
        const { suffix, description } = looseForms[shape.form]
        return this.named(`${this.options.release.api.openApiName(shape.of)}${suffix}`, { description })
      }
      case 'scalar': {
        if (shape.kind === 'json') return anyJson()
        const named = namedScalars[shape.kind]
        if (named === undefined)
          return { ...scalarSchemas[shape.kind], ...(shape.values === undefined ? {} : { enum: shape.values }) }
        const { name, alternatives, ...schema } = named
        const oneOf = { oneOf: alternatives?.map((type) => ({ type })) }
        const inVersion3 = alternatives !== undefined && this.isV3
        return this.named(name, { ...(inVersion3 ? oneOf : { type: 'string' }), ...schema })
      }
    }
  }

  /** Values in the schemas of CustomResourceDefinitions have any type; other JSON is an object of any kind. */
  private anyJson(owner: StructShape, field: Field): OpenApiSchema {
    if (owner.name === 'JSONSchemaProps') {
      const name = this.options.release.api.openApiName(owner)
      return this.named(`${name.slice(0, name.lastIndexOf('.'))}.JSON`, {
        description: 'Any JSON value: null, a boolean, a number, a string, a list or an object.',
      })
    }
    return field.name === 'fieldsV1'
      ? this.named('io.k8s.apimachinery.pkg.apis.meta.v1.FieldsV1', {
          description:
            'A set of fields as a tree, with f:NAME for a field, k:KEYS for an item by its keys, and v:VALUE by its value.',
          type: 'object',
        })
      : this.named('io.k8s.apimachinery.pkg.runtime.RawExtension', {
          description: 'An object of any kind, which the API server stores unchanged.',
          type: 'object',
        })
  }

  private named(name: string, schema: OpenApiSchema): OpenApiSchema {
    this.found.set(name, schema)
    return this.reference(name)
  }
}

/** These forms have no type, because a value is either an object or something else. */
const looseForms: Readonly<Record<LooseShape['form'], { readonly suffix: string; readonly description: string }>> = {
  array: { suffix: 'OrArray', description: 'A schema, or a list of schemas.' },
  bool: { suffix: 'OrBool', description: 'A schema, or a boolean: true allows all values, false forbids them.' },
  strings: { suffix: 'OrStringArray', description: 'A schema, or a list of field names.' },
}

interface NamedScalar {
  readonly name: string
  readonly description: string
  readonly format?: string
  /** OpenAPI v2 has no such types and uses `string`. */
  readonly alternatives?: readonly string[]
}

/** Scalars with their own name, which `kubectl explain` prints as their type. */
const namedScalars: Readonly<Partial<Record<ScalarKind, NamedScalar>>> = {
  quantity: {
    name: 'io.k8s.apimachinery.pkg.api.resource.Quantity',
    description:
      'A quantity: a number with an optional suffix such as m, k, M, G, Ki, Mi or Gi, for example 100m, 1.5 or 64Mi.',
    alternatives: ['string', 'number'],
  },
  'int-or-string': {
    name: 'io.k8s.apimachinery.pkg.util.intstr.IntOrString',
    description: 'An integer, or a string such as a name or a percentage.',
    format: 'int-or-string',
    alternatives: ['integer', 'string'],
  },
  time: {
    name: 'io.k8s.apimachinery.pkg.apis.meta.v1.Time',
    description: 'A time with a precision of one second, in the format of RFC 3339.',
    format: 'date-time',
  },
  'micro-time': {
    name: 'io.k8s.apimachinery.pkg.apis.meta.v1.MicroTime',
    description: 'A time with a precision of one microsecond, in the format of RFC 3339.',
    format: 'date-time',
  },
}

const scalarSchemas: Readonly<Record<Exclude<ScalarKind, 'json'>, OpenApiSchema>> = {
  string: { type: 'string' },
  int32: { type: 'integer', format: 'int32' },
  int64: { type: 'integer', format: 'int64' },
  bool: { type: 'boolean' },
  float64: { type: 'number', format: 'double' },
  quantity: { type: 'string' },
  time: { type: 'string', format: 'date-time' },
  'micro-time': { type: 'string', format: 'date-time' },
  'int-or-string': { type: 'string', format: 'int-or-string' },
  bytes: { type: 'string', format: 'byte' },
  duration: { type: 'string' },
}
