import { describe, expect, it } from 'vitest'
import { serving } from './serving.ts'

const configMap = (name: string, data: Record<string, string> = { a: '1' }) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name },
  data,
})
const maps = '/api/v1/namespaces/default/configmaps'
const pods = '/api/v1/namespaces/default/pods'
const pod = (name: string, nodeName?: string) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name },
  spec: { containers: [{ name: 'c', image: 'i' }], ...(nodeName === undefined ? {} : { nodeName }) },
})
const jsonType = { 'content-type': 'application/json' }

describe('invalid requests', () => {
  const { ask } = serving()
  const cases: readonly [string, () => ReturnType<typeof ask>, number, string | RegExp | undefined][] = [
    ['a path that leads nowhere', () => ask('GET', '/api/v1/nonsense/x'), 404, undefined],
    ['an unknown resource', () => ask('GET', '/apis/apps/v1/namespaces/default/gadgets'), 404, undefined],
    ['an unknown group', () => ask('GET', '/apis/example.com/v1/widgets'), 404, undefined],
    ['a subresource that does not exist', () => ask('GET', `${maps}/x/scale`), 404, undefined],
    ['an object that does not exist', () => ask('GET', `${maps}/x`), 404, 'configmaps "x" not found'],
    [
      'a method that is not served',
      () => ask('PUT', maps, configMap('x')),
      405,
      'the server does not allow this method on the requested resource',
    ],
    [
      'an unknown method',
      () => ask('BREW', maps),
      405,
      'the server does not allow this method on the requested resource',
    ],
    [
      'JSON that ends early',
      () => ask('POST', maps, '{"kind":"ConfigMap"', jsonType),
      400,
      /the object provided is unrecognized \(must be of type ConfigMap\)/,
    ],
    ['a body that is a list', () => ask('POST', maps, '[]', jsonType), 400, /cannot unmarshal array/],
    [
      'a body of another kind',
      () => ask('POST', maps, { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'x' } }),
      400,
      /cannot be handled as a ConfigMap/,
    ],
    [
      'a body of another version',
      () => ask('POST', maps, { ...configMap('x'), apiVersion: 'v2' }),
      400,
      /cannot be handled as a ConfigMap/,
    ],
    [
      'metadata that is a text',
      () => ask('POST', maps, { kind: 'ConfigMap', apiVersion: 'v1', metadata: 'x' }),
      400,
      /cannot unmarshal string/,
    ],
    ['an unknown media type', () => ask('POST', maps, 'x', { 'content-type': 'text/csv' }), 415, /unknown format/],
    [
      'an Accept that cannot be met',
      () => ask('GET', maps, undefined, { accept: 'image/png' }),
      406,
      /application\/json/,
    ],
    [
      'invalid protobuf',
      () => ask('POST', maps, 'rubbish', { 'content-type': 'application/vnd.kubernetes.protobuf' }),
      400,
      /protobuf/,
    ],
    [
      'a limit that is not a number',
      () => ask('GET', `${maps}?limit=many`),
      400,
      /strconv\.ParseInt: parsing "many": invalid syntax/,
    ],
    ['an unknown dryRun', () => ask('POST', `${maps}?dryRun=Some`, configMap('x')), 422, /dryRun/],
    [
      'an unknown fieldValidation',
      () => ask('POST', `${maps}?fieldValidation=Loose`, configMap('x')),
      422,
      /fieldValidation/,
    ],
    ['a label selector that cannot be parsed', () => ask('GET', `${maps}?labelSelector=a%3D%3D%3Db`), 400, undefined],
    [
      'a field that cannot be selected by',
      () => ask('GET', '/api/v1/pods?fieldSelector=bogus%3D1'),
      400,
      /field label not supported: bogus/,
    ],
    ['a patch of no known type', () => ask('PATCH', `${maps}/x`, '{}', jsonType), 415, '415: Unsupported Media Type'],
    [
      'an apply without a manager',
      () => ask('PATCH', `${maps}/x`, '{}', { 'content-type': 'application/apply-patch+yaml' }),
      422,
      /fieldManager: Required value: is required for apply patch/,
    ],
    [
      'an unknown propagation policy',
      () => ask('DELETE', `${maps}/x?propagationPolicy=Sideways`),
      422,
      /propagationPolicy/,
    ],
    [
      'logs of a pod that does not exist',
      () => ask('GET', '/api/v1/namespaces/default/pods/x/log'),
      404,
      'pods "x" not found',
    ],
    [
      'exec in a pod without a node',
      async () => {
        await ask('POST', pods, pod('waiting'))
        return ask('POST', `${pods}/waiting/exec`)
      },
      400,
      'pod waiting does not have a host assigned',
    ],
    [
      'logs of a hollow pod',
      async () => {
        await ask('POST', pods, pod('placed', 'n1'))
        return ask('GET', `${pods}/placed/log`)
      },
      400,
      /hollow/,
    ],
    [
      'a namespace that must stay',
      () => ask('DELETE', '/api/v1/namespaces/kube-system'),
      403,
      'namespaces "kube-system" is forbidden: this namespace may not be deleted',
    ],
    [
      'a version that is not a number',
      () => ask('GET', `${maps}?resourceVersion=abc`),
      400,
      'invalid resource version: resourceVersion: Invalid value: "abc": strconv.ParseUint: parsing "abc": invalid syntax',
    ],
    [
      'a continue token of another user',
      () => ask('GET', `${maps}?continue=abc`),
      400,
      "invalid continue token: continue key is not valid: invalid character 'i' looking for beginning of value",
    ],
    [
      'initial events of a list',
      () => ask('GET', `${maps}?sendInitialEvents=true`),
      422,
      'ListOptions.meta.k8s.io "" is invalid: sendInitialEvents: Forbidden: sendInitialEvents is forbidden for list',
    ],
    [
      'a time that is not a number',
      () => ask('GET', `${maps}?timeoutSeconds=x`),
      400,
      'strconv.ParseInt: parsing "x": invalid syntax',
    ],
  ]
  it.each(cases)('answers like kube-apiserver: %s', async (_what, request, code, message) => {
    const answer = await request()
    expect(answer.code).toBe(code)
    if (typeof message === 'string')
      expect(answer.body).toMatchObject({ kind: 'Status', status: 'Failure', message, code })
    else if (message !== undefined) expect(answer.body.message).toMatch(message)
  })

  it('stores no keys with a meaning in JavaScript', async () => {
    const created = await ask(
      'POST',
      maps,
      '{"metadata":{"name":"proto","__proto__":{"polluted":"yes"}},"data":{"__proto__":"x","constructor":"y"}}',
      jsonType,
    )
    expect(created.code).toBe(201)
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined()
    const read = await ask('GET', `${maps}/proto`)
    expect(read.text).toContain('"constructor":"y"')
  })

  it('rejects excessive nesting', async () => {
    const deep = `{"metadata":{"name":"deep"},"data":${'{"a":'.repeat(2000)}1${'}'.repeat(2000)}}`
    expect((await ask('POST', maps, deep, jsonType)).code).toBe(400)
  })
})

describe('reading and writing', () => {
  it('reports duplicate fields, as a warning or as an error', async () => {
    const { ask } = serving()
    const twice = '{"metadata":{"name":"twice"},"data":{"a":"1","a":"2"}}'
    const strict = await ask('POST', `${maps}?fieldValidation=Strict`, twice, jsonType)
    expect(strict).toMatchObject({ code: 400, body: { message: expect.stringContaining('duplicate field "data.a"') } })
    const warned = await ask('POST', `${maps}?fieldValidation=Warn`, twice, jsonType)
    expect(warned.code).toBe(201)
    expect(warned.headers['warning']).toEqual(['299 - "duplicate field \\"data.a\\""'])
  })

  it('reads YAML and writes YAML', async () => {
    const { ask } = serving()
    const created = await ask('POST', maps, 'metadata:\n  name: why\ndata:\n  k: v\n', {
      'content-type': 'application/yaml',
      accept: 'application/yaml',
    })
    expect(created.code).toBe(201)
    expect(created.text).toContain('kind: ConfigMap')
  })

  it('serves tables and bare metadata', async () => {
    const { ask } = serving()
    await ask('POST', maps, configMap('one'))
    const table = await ask('GET', maps, undefined, {
      accept: 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json',
    })
    expect(table.body).toMatchObject({
      kind: 'Table',
      apiVersion: 'meta.k8s.io/v1',
      rows: [{ cells: expect.arrayContaining(['one']), object: { kind: 'PartialObjectMetadata' } }],
    })
    const partial = await ask('GET', maps, undefined, {
      accept: 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io',
    })
    expect(partial.body).toMatchObject({ kind: 'PartialObjectMetadataList', items: [{ metadata: { name: 'one' } }] })
    expect(partial.body.items[0].data).toBeUndefined()
  })

  it('answers discovery in both forms', async () => {
    const { ask } = serving()
    expect((await ask('GET', '/api')).body).toMatchObject({ kind: 'APIVersions', versions: ['v1'] })
    expect((await ask('GET', '/apis/apps/v1')).body.resources.map((each: { name: string }) => each.name)).toContain(
      'deployments/scale',
    )
    const aggregated = await ask('GET', '/apis', undefined, {
      accept: 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList',
    })
    expect(aggregated.body).toMatchObject({ kind: 'APIGroupDiscoveryList', apiVersion: 'apidiscovery.k8s.io/v2' })
    expect((await ask('GET', '/version')).body).toMatchObject({ major: '1', minor: '37' })
    expect((await ask('GET', '/readyz?verbose')).text).toContain('[+]ping ok')
  })

  it('describes every built-in kind in OpenAPI', async () => {
    const { ask } = serving()
    const index = await ask('GET', '/openapi/v3')
    expect(Object.keys(index.body.paths)).toContain('apis/apps/v1')
    const core = await ask('GET', '/openapi/v3/api/v1')
    const pod = core.body.components.schemas['io.k8s.api.core.v1.PodSpec']
    expect(pod.properties.containers).toMatchObject({ type: 'array', 'x-kubernetes-patch-merge-key': 'name' })
    const references = [...core.text.matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g)].map(([, name]) => name!)
    for (const name of new Set(references)) expect(core.body.components.schemas, name).toHaveProperty([name])
  })

  it('describes defaults, enums of converted constants, and unions in OpenAPI v3', async () => {
    const { ask } = serving()
    const schemasOf = async (path: string) => (await ask('GET', `/openapi/v3/${path}`)).body.components.schemas
    const core = await schemasOf('api/v1')
    const { properties } = core['io.k8s.api.core.v1.ServicePort']
    expect(properties.protocol).toMatchObject({ type: 'string', default: 'TCP', enum: ['SCTP', 'TCP', 'UDP'] })
    expect(properties.port).toMatchObject({ type: 'integer', default: 0 })
    expect(properties.name).not.toHaveProperty('default')
    const pod = core['io.k8s.api.core.v1.PodSpec'].properties
    expect(pod.containers.items).toMatchObject({ default: {}, allOf: [expect.anything()] })
    expect(pod.affinity).not.toHaveProperty('default')
    expect(core['io.k8s.api.core.v1.SeccompProfile']['x-kubernetes-unions']).toEqual([
      { discriminator: 'type', 'fields-to-discriminateBy': { localhostProfile: 'LocalhostProfile' } },
    ])
    const networking = await schemasOf('apis/networking.k8s.io/v1')
    expect(networking['io.k8s.api.networking.v1.HTTPIngressPath'].properties.pathType.enum).toEqual([
      'Exact',
      'ImplementationSpecific',
      'Prefix',
    ])
    const claims = (await schemasOf('apis/apps/v1'))['io.k8s.api.core.v1.PersistentVolumeClaim']
    expect(claims['x-kubernetes-group-version-kind']).toEqual([
      { group: '', version: 'v1', kind: 'PersistentVolumeClaim' },
    ])
    const reviews = await schemasOf('apis/authorization.k8s.io/v1')
    expect(reviews).not.toHaveProperty(['io.k8s.api.authorization.v1.SubjectAccessReviewList'])
  })

  it('describes in OpenAPI v2 what kubectl checks before it sends a list', async () => {
    const { ask } = serving()
    const { definitions } = (await ask('GET', '/openapi/v2')).body
    const inApiextensions = (name: string) => `io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.${name}`
    const { properties } = definitions[inApiextensions('JSONSchemaProps')]
    const reference = (name: string) => ({ $ref: `#/definitions/${inApiextensions(name)}` })
    expect(properties.default).toMatchObject(reference('JSON'))
    expect(properties.enum.items).toMatchObject(reference('JSON'))
    expect(properties.items).toMatchObject(reference('JSONSchemaPropsOrArray'))
    expect(properties.additionalProperties).toMatchObject(reference('JSONSchemaPropsOrBool'))
    for (const name of ['JSON', 'JSONSchemaPropsOrArray', 'JSONSchemaPropsOrBool', 'JSONSchemaPropsOrStringArray'])
      expect(definitions[inApiextensions(name)]).not.toHaveProperty('type')
    expect(definitions['io.k8s.api.apps.v1.ControllerRevision'].properties.data).toMatchObject({
      $ref: '#/definitions/io.k8s.apimachinery.pkg.runtime.RawExtension',
    })
    expect(definitions['io.k8s.api.core.v1.PodSpec'].properties.restartPolicy).toMatchObject({
      type: 'string',
      enum: ['Always', 'Never', 'OnFailure'],
    })
    expect(definitions['io.k8s.api.core.v1.PodList'].properties.metadata).toMatchObject({
      $ref: '#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta',
    })
  })
})

describe('watching', () => {
  it('sends the state, then changes, and DELETED for objects that no longer match', async () => {
    const { ask, watch } = serving()
    await ask('POST', maps, { ...configMap('a'), metadata: { name: 'a', labels: { tier: 'x' } } })
    const { events, stop } = await watch(`${maps}?watch=true&labelSelector=tier%3Dx`)
    await ask('PATCH', `${maps}/a`, { data: { a: '2' } }, { 'content-type': 'application/merge-patch+json' })
    await ask(
      'PATCH',
      `${maps}/a`,
      { metadata: { labels: { tier: 'y' } } },
      { 'content-type': 'application/merge-patch+json' },
    )
    await ask('POST', maps, configMap('other'))
    expect(events.map((event) => `${event.type} ${event.object.metadata.name}`)).toEqual([
      'ADDED a',
      'MODIFIED a',
      'DELETED a',
    ])
    stop()
  })

  it('streams a list, marks its end, and sends bookmarks', async () => {
    const { ask, watch, clock } = serving()
    await ask('POST', maps, configMap('a'))
    const { events } = await watch(
      `${maps}?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true`,
    )
    expect(events.map((event) => event.type)).toEqual(['ADDED', 'BOOKMARK'])
    expect(events[1].object.metadata.annotations).toEqual({ 'k8s.io/initial-events-end': 'true' })
    clock.advanceTo(clock.now() + 61_000)
    expect(events.at(-1)).toMatchObject({ type: 'BOOKMARK', object: { kind: 'ConfigMap' } })
  })

  it('answers 410 for a compacted version, and 504 for a future one', async () => {
    const { ask, watch, registry } = serving()
    await ask('POST', maps, configMap('a'))
    const before = registry.store.revision
    await ask('POST', maps, configMap('b'))
    registry.store.compact(before + 1)
    const { events } = await watch(`${maps}?watch=1&resourceVersion=${before - 1}`)
    expect(events).toMatchObject([{ type: 'ERROR', object: { kind: 'Status', code: 410, reason: 'Expired' } }])
    expect((await ask('GET', `${maps}?resourceVersion=99999`)).code).toBe(504)
  })

  it('ends a watch at its timeout', async () => {
    const { watch, clock } = serving()
    const { ended } = await watch(`${maps}?watch=1&timeoutSeconds=5`)
    clock.advanceTo(clock.now() + 5000)
    expect(ended()).toBe(true)
  })
})
