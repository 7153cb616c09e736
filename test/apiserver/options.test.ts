import { describe, expect, it } from 'vitest'
import { serving } from './serving.ts'

const maps = '/api/v1/namespaces/default/configmaps'
const configMap = (name: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { a: '1' } })
const merge = { 'content-type': 'application/merge-patch+json' }
const apply = { 'content-type': 'application/apply-patch+yaml' }

function cluster() {
  const { ask, registry } = serving()
  const exists = () => registry.store.get('configmaps', 'default/x') !== undefined
  return { ask, exists, ready: () => ask('POST', maps, configMap('x')) }
}

describe('invalid options in the query', () => {
  const long = 'm'.repeat(129)
  const unknownDryRun = (kind: string, value: string) =>
    `${kind}.meta.k8s.io "" is invalid: dryRun: Unsupported value: ["${value}"]: supported values: "All"`
  it.each([
    ['DELETE', `${maps}/x?dryRun=all`, unknownDryRun('DeleteOptions', 'all')],
    ['DELETE', `${maps}/x?dryRun=`, unknownDryRun('DeleteOptions', '')],
    ['DELETE', `${maps}/x?dryRun=All&dryRun=foo`, /dryRun: Unsupported value: \["All","foo"\]/],
    ['DELETE', `${maps}?dryRun=all`, unknownDryRun('DeleteOptions', 'all')],
    [
      'DELETE',
      `${maps}/x?propagationPolicy=foo`,
      /Unsupported value: "foo": supported values: "Foreground", "Background", "Orphan", "nil"/,
    ],
    [
      'DELETE',
      `${maps}/x?propagationPolicy=Orphan&orphanDependents=1`,
      /orphanDependents and deletionPropagation cannot be both set/,
    ],
    ['DELETE', `${maps}/x?gracePeriodSeconds=x`, 'strconv.ParseInt: parsing "x": invalid syntax'],
    ['DELETE', `${maps}/x?gracePeriodSeconds=`, 'strconv.ParseInt: parsing "": invalid syntax'],
    ['DELETE', `${maps}/x?uid=other`, /the UID in the precondition \(other\) does not match/],
    ['DELETE', `${maps}/x?resourceVersion=1`, /the ResourceVersion in the precondition \(1\) does not match/],
    ['DELETE', `${maps}?limit=x`, 'strconv.ParseInt: parsing "x": invalid syntax'],
    ['DELETE', `${maps}?resourceVersionMatch=Exact`, /ListOptions.meta.k8s.io "" is invalid/],
    ['DELETE', `${maps}?labelSelector=a%3D%3D%3Db`, /unable to parse requirement/],
    ['POST', `${maps}?dryRun=true`, unknownDryRun('CreateOptions', 'true')],
    [
      'POST',
      `${maps}?fieldManager=${long}`,
      'CreateOptions.meta.k8s.io "" is invalid: fieldManager: Too long: may not be more than 128 bytes',
    ],
    [
      'POST',
      `${maps}?fieldManager=a%0Ab`,
      'CreateOptions.meta.k8s.io "" is invalid: fieldManager: Invalid value: "a\\nb": invalid character U+000A (at position 1)',
    ],
    [
      'POST',
      `${maps}?fieldValidation=strict`,
      /UpdateOptions|CreateOptions.meta.k8s.io "" is invalid: fieldValidation: Unsupported value: "strict": supported values: "", "Ignore", "Strict", "Warn"/,
    ],
    [
      'POST',
      `${maps}?dryRun=x&fieldValidation=y`,
      /is invalid: \[dryRun: Unsupported value: \["x"\].*, fieldValidation: Unsupported value: "y"/,
    ],
    ['PUT', `${maps}/x?dryRun=all`, unknownDryRun('UpdateOptions', 'all')],
    ['PATCH', `${maps}/x?dryRun=all`, unknownDryRun('PatchOptions', 'all')],
    [
      'PATCH',
      `${maps}/x?force=false`,
      'PatchOptions.meta.k8s.io "" is invalid: force: Forbidden: may not be specified for non-apply patch',
    ],
    [
      'APPLY',
      `${maps}/x?dryRun=all`,
      /is invalid: \[fieldManager: Required value: is required for apply patch, dryRun: Unsupported value/,
    ],
    ['GET', `${maps}?limit=`, 'strconv.ParseInt: parsing "": invalid syntax'],
    [
      'GET',
      `${maps}?limit=99999999999999999999`,
      'strconv.ParseInt: parsing "99999999999999999999": value out of range',
    ],
    ['GET', `${maps}?timeoutSeconds=soon`, 'strconv.ParseInt: parsing "soon": invalid syntax'],
    ['GET', `${maps}?sendInitialEvents=true`, /sendInitialEvents is forbidden for list/],
    [
      'GET',
      `${maps}?resourceVersionMatch=Some&resourceVersion=1`,
      /resourceVersionMatch: Unsupported value: "Some": supported values: "Exact", "NotOlderThan", ""/,
    ],
    [
      'GET',
      `${maps}?watch=1&resourceVersionMatch=Exact`,
      /is invalid: \[resourceVersionMatch: Forbidden: .*, resourceVersionMatch: Unsupported value: "Exact": supported values: "NotOlderThan"\]/,
    ],
    ['GET', `${maps}/x?export=1`, 'the export parameter, deprecated since v1.14, is no longer supported'],
  ])('rejects the query options of %s %s, and changes nothing', async (verb, path, message) => {
    const { ask, exists, ready } = cluster()
    await ready()
    const before = (await ask('GET', `${maps}/x`)).text
    const method = verb === 'APPLY' ? 'PATCH' : verb
    const headers = verb === 'APPLY' ? apply : verb === 'PATCH' ? merge : { 'content-type': 'application/json' }
    const body = ['POST', 'PUT', 'PATCH', 'APPLY'].includes(verb) ? configMap(verb === 'POST' ? 'y' : 'x') : undefined
    const answer = await ask(method, path, body, headers)
    expect(answer.code).toBeGreaterThanOrEqual(400)
    if (typeof message === 'string') expect(answer.body.message).toBe(message)
    else expect(answer.body.message).toMatch(message)
    expect(exists()).toBe(true)
    expect((await ask('GET', `${maps}/x`)).text).toBe(before)
    expect((await ask('GET', `${maps}/y`)).code).toBe(404)
  })
})

describe('invalid DeleteOptions in the body', () => {
  it.each([
    ['{"dryRun":["all"]}', 422, /dryRun: Unsupported value: \["all"\]/],
    [
      '{"dryRun":"All"}',
      400,
      'json: cannot unmarshal string into Go struct field DeleteOptions.dryRun of type []string',
    ],
    [
      '{"preconditions":5}',
      400,
      'json: cannot unmarshal number into Go struct field DeleteOptions.preconditions of type v1.Preconditions',
    ],
    [
      '{"preconditions":{"uid":5}}',
      400,
      /cannot unmarshal number into Go struct field Preconditions.preconditions.uid of type types.UID/,
    ],
    ['{"preconditions":{"uid":"x"}}', 409, /the UID in the precondition \(x\) does not match/],
    [
      '{"gracePeriodSeconds":"5"}',
      400,
      'json: cannot unmarshal string into Go struct field DeleteOptions.gracePeriodSeconds of type int64',
    ],
    ['{"propagationPolicy":"orphan"}', 422, /propagationPolicy: Unsupported value: "orphan"/],
    ['{"orphanDependents":true,"propagationPolicy":"Orphan"}', 422, /cannot be both set/],
    [
      '{"orphanDependents":"true"}',
      400,
      /cannot unmarshal string into Go struct field DeleteOptions.orphanDependents of type bool/,
    ],
    ['{"kind":"Pod","apiVersion":"v1"}', 400, /no kind "Pod" is registered for version "v1"/],
    ['{"kind":"CreateOptions"}', 400, 'converting (v1.CreateOptions) to (v1.DeleteOptions): unknown conversion'],
    [
      '{"kind":"CreateOptions","dryRun":[5]}',
      400,
      'json: cannot unmarshal number into Go struct field CreateOptions.dryRun of type string',
    ],
    ['[]', 400, /couldn't get version\/kind; json parse error: json: cannot unmarshal array into Go value/],
    ['{', 400, /couldn't get version\/kind; json parse error: unexpected end of JSON input/],
  ])('rejects DeleteOptions with %s, and deletes nothing', async (body, code, message) => {
    for (const path of [`${maps}/x`, maps]) {
      const { ask, exists, ready } = cluster()
      await ready()
      const answer = await ask('DELETE', path, body, { 'content-type': 'application/json' })
      expect(answer.code).toBe(code)
      if (typeof message === 'string') expect(answer.body.message).toBe(message)
      else expect(answer.body.message).toMatch(message)
      expect(exists()).toBe(true)
    }
  })
})

describe('valid options', () => {
  it.each([
    ['?dryRun=All', undefined, true],
    ['?dryRun=All&dryRun=All', undefined, true],
    ['', '{"dryRun":["All"]}', true],
    // With a body, the query is ignored.
    ['?dryRun=All', '{}', false],
    ['?dryRun=all', 'null', false],
    ['', '{"kind":"DeleteOptions","apiVersion":"apps/v1"}', false],
    ['?propagationPolicy=Background', undefined, false],
    ['?orphanDependents=false', undefined, false],
  ])('accepts DELETE %s %s, keeps the object: %s', async (query, body, kept) => {
    const { ask, exists, ready } = cluster()
    await ready()
    const headers = { 'content-type': 'application/json' }
    expect((await ask('DELETE', `${maps}/x${query}`, body, headers)).code).toBe(200)
    expect(exists()).toBe(kept)
  })
})

/** The protobuf form of DeleteOptions in the envelope of a request. */
function protobufOptions(...fields: readonly (readonly number[])[]): Uint8Array {
  const bytes = (number: number, content: readonly number[]) => [number * 8 + 2, content.length, ...content]
  const text = (number: number, value: string) => bytes(number, [...Buffer.from(value)])
  const type = bytes(1, [...text(1, 'v1'), ...text(2, 'DeleteOptions')])
  return Uint8Array.from([0x6b, 0x38, 0x73, 0x00, ...type, ...bytes(2, fields.flat())])
}

describe('DeleteOptions in protobuf', () => {
  const text = (number: number, value: string) => [number * 8 + 2, value.length, ...Buffer.from(value)]
  const send = async (...fields: readonly (readonly number[])[]) => {
    const { ask, exists, ready } = cluster()
    await ready()
    const headers = { 'content-type': 'application/vnd.kubernetes.protobuf' }
    const answer = await ask('DELETE', `${maps}/x`, protobufOptions(...fields), headers)
    return { code: answer.code, message: answer.body.message, exists: exists() }
  }

  it.each([
    ['preconditions are field 2', [18, 3, 10, 1, 0x78], /the UID in the precondition \(x\) does not match/],
    ['orphanDependents is field 3, propagationPolicy is field 4', [24, 1, ...text(4, 'Orphan')], /cannot be both set/],
    ['propagationPolicy is field 4', text(4, 'foo'), /propagationPolicy: Unsupported value: "foo"/],
    ['dryRun is field 5', text(5, 'all'), /dryRun: Unsupported value: \["all"\]/],
  ])('reads DeleteOptions in protobuf: %s', async (_, field, message) => {
    const answer = await send(field)
    expect(answer.message).toMatch(message)
    expect(answer.exists).toBe(true)
  })

  it('does not delete with dryRun in protobuf', async () => {
    expect(await send(text(5, 'All'))).toMatchObject({ code: 200, exists: true })
  })

  it('reads gracePeriodSeconds as field 1', async () => {
    const { ask, registry } = serving()
    const pods = '/api/v1/namespaces/default/pods'
    await ask('POST', '/api/v1/nodes', { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n' } })
    await ask('POST', '/api/v1/namespaces/default/serviceaccounts', { metadata: { name: 'default' } })
    const created = await ask('POST', pods, {
      ...{ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' } },
      spec: { nodeName: 'n', containers: [{ name: 'c', image: 'i' }] },
    })
    expect(created.code).toBe(201)
    const headers = { 'content-type': 'application/vnd.kubernetes.protobuf' }
    await ask('DELETE', `${pods}/p`, protobufOptions([8, 7]), headers)
    expect(registry.store.get('pods', 'default/p')?.metadata.deletionGracePeriodSeconds).toBe(7)
  })
})
