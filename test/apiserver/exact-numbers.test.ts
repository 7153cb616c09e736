import { expect, test } from 'vitest'
import { serving } from './serving.ts'

const json = { 'content-type': 'application/json' }
const big = '9007199254740993'
const pods = '/api/v1/namespaces/default/pods'
const maps = '/api/v1/namespaces/default/configmaps'
const widgets = '/apis/example.com/v1/namespaces/default/widgets'

async function world() {
  const server = serving()
  await server.ask('POST', '/api/v1/namespaces', { metadata: { name: 'default' } }, json)
  const schema = {
    type: 'object',
    properties: {
      spec: {
        type: 'object',
        properties: {
          count: { type: 'integer', format: 'int64', maximum: 9007199254740992 },
          exact: { type: 'integer', format: 'int64', multipleOf: 3 },
          small: { type: 'integer', format: 'int32' },
          free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
        },
      },
    },
  }
  const columns = [{ name: 'Exact', type: 'integer', jsonPath: '.spec.exact' }]
  const definition = {
    metadata: { name: 'widgets.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' },
      versions: [
        {
          ...{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema } },
          additionalPrinterColumns: columns,
        },
      ],
    },
  }
  await server.ask('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', definition, json)
  return server
}

const pod = (grace: string) =>
  `{"metadata":{"name":"a"},"spec":{"terminationGracePeriodSeconds":${grace},"containers":[{"name":"a","image":"b"}]}}`
const widget = (spec: string) =>
  `{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"a"},"spec":${spec}}`

test.each([
  ['JSON', json, pod(big)],
  ['YAML', { 'content-type': 'application/yaml' }, pod(big)],
])('keeps the digits of an integer beyond 2^53 of a built-in kind in %s', async (_, headers, body) => {
  const server = await world()
  const created = await server.ask('POST', pods, body, headers)
  expect(created.text).toContain(`"terminationGracePeriodSeconds":${big}`)
  for (const url of [`${pods}/a`, pods]) {
    expect((await server.ask('GET', url)).text).toContain(`"terminationGracePeriodSeconds":${big}`)
  }
  const pretty = await server.ask('GET', `${pods}/a?pretty=true`)
  expect(pretty.text).toContain(`"terminationGracePeriodSeconds": ${big},`)
  const yaml = await server.ask('GET', `${pods}/a`, undefined, { accept: 'application/yaml' })
  expect(yaml.text).toContain(`terminationGracePeriodSeconds: ${big}\n`)
  const watched = await server.raw('GET', `${pods}?watch=1`)
  if (watched.kind !== 'stream') throw new Error('not a stream')
  let text = ''
  const sink = { isFull: false, onDrain() {}, keep() {}, unkeep() {}, end() {} }
  const write = (chunk: string | Uint8Array) => {
    text += chunk
    return true
  }
  watched.start({ ...sink, write })()
  expect(text).toContain(`"terminationGracePeriodSeconds":${big}`)
})

const patchTypes = {
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  json: 'application/json-patch+json',
  apply: 'application/apply-patch+yaml',
}

test.each([
  ['merge', `{"metadata":{"labels":{"x":"y"}}}`],
  ['strategic', `{"metadata":{"labels":{"x":"y"}}}`],
  ['json', `[{"op":"add","path":"/metadata/labels","value":{"x":"y"}}]`],
] as const)('a %s patch leaves the digits of other fields as they are', async (type, patch) => {
  const server = await world()
  await server.ask('POST', pods, pod(big), json)
  const patched = await server.ask('PATCH', `${pods}/a`, patch, { 'content-type': patchTypes[type] })
  expect([patched.code, patched.text]).toEqual([200, expect.stringContaining(`PeriodSeconds":${big}`)])
})

test.each([
  ['merge', `{"spec":{"free":{"a":${big}}}}`],
  [
    'json',
    `[{"op":"add","path":"/spec/free/a","value":${big}},{"op":"test","path":"/spec/free/a","value":${big}},{"op":"copy","from":"/spec/free/a","path":"/spec/free/b"}]`,
  ],
  ['apply', widget(`{"free":{"a":${big}},"exact":${big}}`)],
] as const)('a %s patch writes such an integer into a custom resource', async (type, patch) => {
  const server = await world()
  expect((await server.ask('POST', widgets, widget('{"free":{}}'), json)).code).toBe(201)
  const headers = { 'content-type': patchTypes[type] }
  const patched = await server.ask('PATCH', `${widgets}/a?fieldManager=m`, patch, headers)
  expect([patched.code, patched.text]).toEqual([200, expect.stringContaining(`"a":${big}`)])
})

test('keeps, compares, divides and prints such integers exactly in custom resources', async () => {
  const server = await world()
  const create = (spec: string) => server.ask('POST', widgets, widget(spec), json)
  const refused = await create(`{"count":${big},"exact":9007199254740994,"small":${big}}`)
  expect(refused.body.message).toBe(
    'Widget.example.com "a" is invalid: [' +
      `spec.count: Invalid value: ${big}: spec.count in body should be less than or equal to 9007199254740992, ` +
      'spec.exact: Invalid value: 9007199254740994: spec.exact in body should be a multiple of 3, ' +
      '<nil>: Invalid value: "": Checked value must be of type integer with format int32 in spec.small]',
  )
  const created = await create(`{"exact":${big},"free":{"a":[${big},-${big}],"b":1.0,"c":1e3}}`)
  expect(created.text).toContain(`"free":{"a":[${big},-${big}],"b":1,"c":1000}`)
  const table = await server.ask('GET', widgets, undefined, { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' })
  expect(table.text).toContain(`"cells":["a",${big}]`)
})

test.each([
  ['9223372036854775808', 'int64'],
  ['-9223372036854775809', 'int64'],
  ['1.0', 'int64'],
  ['1e3', 'int64'],
  ['1e400', 'int64'],
  ['0.50', 'int64'],
])('rejects %s as an integer of a built-in kind', async (number, type) => {
  const server = await world()
  const refused = await server.ask('POST', pods, pod(number), json)
  expect(refused.body.message).toBe(
    `Pod in version "v1" cannot be handled as a Pod: json: cannot unmarshal number ${number} into Go struct field PodSpec.spec.terminationGracePeriodSeconds of type ${type}`,
  )
})

test('rejects integers that do not fit into fields of 32 bits', async () => {
  const server = await world()
  for (const number of ['2147483648', big, '1.0']) {
    const body = pod('1').replace('"image":"b"', `"image":"b","ports":[{"containerPort":${number}}]`)
    expect((await server.ask('POST', pods, body, json)).body.message).toContain(
      `json: cannot unmarshal number ${number} into Go struct field ContainerPort.spec.containers.ports.containerPort of type int32`,
    )
  }
})

test('keeps the lowest and the highest 64-bit integer, and reads negative zero as zero', async () => {
  const server = await world()
  expect((await server.ask('POST', pods, pod('9223372036854775807'), json)).text).toContain('9223372036854775807')
  expect((await server.ask('POST', `${pods}?dryRun=All`, pod('-0').replace('"a"', '"z"'), json)).text).toContain(
    '"terminationGracePeriodSeconds":0',
  )
})

test('rejects a number outside of the range of doubles in a custom resource', async () => {
  const server = await world()
  const refused = await server.ask('POST', widgets, widget('{"free":{"a":1e400}}'), json)
  expect([refused.code, refused.body.message]).toEqual([
    400,
    expect.stringContaining('json: cannot unmarshal number 1e400 into Go value of type float64'),
  ])
})

test('rejects a number of any size as a string', async () => {
  const server = await world()
  const refused = await server.ask('POST', maps, `{"metadata":{"name":"a"},"data":{"a":${big}}}`, json)
  expect(refused.body.message).toContain(
    'json: cannot unmarshal number into Go struct field ConfigMap.data of type string',
  )
})
