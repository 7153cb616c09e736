import { describe, expect, it } from 'vitest'
import { releaseOf } from '../../src/api/releases/release-of.ts'
import { must } from '../../src/base/result.ts'
import { serving } from './serving.ts'

const deployments = '/apis/apps/v1/namespaces/default/deployments'
const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const apply = { 'content-type': 'application/apply-patch+yaml' }
const labels = { app: 'web' }
const deployment = (more: object = {}) => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web' },
  spec: {
    replicas: 1,
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'i' }] } },
  },
  ...more,
})

function definition(versions: readonly object[]) {
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } }
  return {
    metadata: { name: 'widgets.example.com' },
    spec: {
      group: 'example.com',
      names: { plural: 'widgets', kind: 'Widget' },
      scope: 'Namespaced',
      versions: versions.map((version, i) => ({ served: true, storage: i === 0, schema, ...version })),
    },
  }
}

describe('strict validation', () => {
  it('reports unknown and duplicate fields of JSON together, in the order of the text', async () => {
    const { ask } = serving()
    const body = JSON.stringify(deployment())
      .replace('"replicas":1', '"replicas":1,"replicas":2,"other":1')
      .replace('"image":"i"', '"image":"i","image":"j","bogus":1')
    const answer = await ask('POST', `${deployments}?fieldValidation=Strict`, body)
    expect(answer.code).toBe(400)
    expect(answer.body.message).toBe(
      'Deployment in version "v1" cannot be handled as a Deployment: strict decoding error: ' +
        'duplicate field "spec.replicas", unknown field "spec.other", ' +
        'duplicate field "spec.template.spec.containers[0].image", unknown field "spec.template.spec.containers[0].bogus"',
    )
  })

  it('reports duplicate YAML keys with the message of go-yaml, and uses the last one otherwise', async () => {
    const { ask } = serving()
    const yaml = `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: x\ndata:\n  a: "1"\n  a: "2"\nunknown: 1\n`
    const path = '/api/v1/namespaces/default/configmaps'
    const headers = { 'content-type': 'application/yaml' }
    const strict = await ask('POST', `${path}?fieldValidation=Strict`, yaml, headers)
    expect(strict.body.message).toBe(
      'ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: ' +
        'yaml: unmarshal errors:\n  line 7: key "a" already set in map, unknown field "unknown"',
    )
    const ignoring = await ask('POST', `${path}?fieldValidation=Ignore`, yaml, headers)
    expect(ignoring.body.data).toEqual({ a: '2' })
  })
})

describe('server-side apply', () => {
  it('does not make the manager of the main endpoint an owner of the status', async () => {
    const { ask } = serving()
    const status = { conditions: [{ type: 'MyStatus', status: 'True' }] }
    const first = await ask('PATCH', `${deployments}/web?fieldManager=one`, deployment({ status }), apply)
    expect(first.code).toBe(201)
    expect(JSON.stringify(first.body.metadata.managedFields)).not.toContain('f:status')
    const config = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web' }, status }
    const two = await ask('PATCH', `${deployments}/web/status?fieldManager=two`, config, apply)
    expect(two.code).toBe(200)
    expect((await ask('PATCH', `${deployments}/web?fieldManager=one`, deployment({ status: {} }), apply)).code).toBe(
      200,
    )
    const other = { ...config, status: { conditions: [{ type: 'MyStatus', status: 'False' }] } }
    expect((await ask('PATCH', `${deployments}/web/status?fieldManager=two`, other, apply)).code).toBe(200)
  })

  it('applies a Scale with its own owner', async () => {
    const { ask } = serving()
    await ask('POST', `${deployments}?fieldManager=creator`, deployment())
    const scale = { apiVersion: 'autoscaling/v1', kind: 'Scale', metadata: { name: 'web' }, spec: { replicas: 5 } }
    const path = `${deployments}/web/scale?fieldManager=scaler`
    const conflict = await ask('PATCH', path, scale, apply)
    expect(conflict.code).toBe(409)
    const answer = await ask('PATCH', `${path}&force=true`, scale, apply)
    expect(answer.body).toMatchObject({ kind: 'Scale', spec: { replicas: 5 } })
    const { body } = await ask('GET', `${deployments}/web`)
    expect(body.spec.replicas).toBe(5)
    expect(body.metadata.managedFields).toContainEqual(
      expect.objectContaining({
        manager: 'scaler',
        operation: 'Apply',
        subresource: 'scale',
        fieldsV1: { 'f:spec': { 'f:replicas': {} } },
      }),
    )
  })
})

describe('a Scale', () => {
  const merge = { 'content-type': 'application/merge-patch+json' }
  const start = async (version: string) => {
    const { ask } = serving({ registryOptions: { release: must(releaseOf(version)) } })
    await ask('POST', `${deployments}?fieldManager=creator`, deployment())
    const scale = (metadata: object, spec: object) => ({ apiVersion: 'autoscaling/v1', kind: 'Scale', metadata, spec })
    return { ask, scale, path: `${deployments}/web/scale` }
  }

  it('an applied Scale scales to zero', async () => {
    const { ask, path, scale } = await start('1.36')
    const config = scale({ name: 'web' }, { replicas: 0 })
    const refused = await ask('PATCH', `${path}?fieldManager=scaler`, config, apply)
    expect(refused.body.message).toBe(
      'Apply failed with 1 conflict: conflict with "creator" using autoscaling/v1: .spec.replicas',
    )
    const forced = await ask('PATCH', `${path}?fieldManager=scaler&force=true`, config, apply)
    expect(forced.body).toMatchObject({ kind: 'Scale', spec: {} })
    expect((await ask('GET', `${deployments}/web`)).body.spec.replicas).toBe(0)
  })

  it('a Scale has the name and the namespace of the path', async () => {
    const { ask, path, scale } = await start('1.36')
    const spec = { replicas: 1 }
    expect((await ask('PUT', path, scale({ name: 'other' }, spec))).body.message).toBe(
      'the name of the object (other) does not match the name on the URL (web)',
    )
    const elsewhere = await ask('PATCH', path, { metadata: { namespace: 'other' }, spec }, merge)
    expect(elsewhere.code).toBe(400)
    const uid = await ask('PATCH', path, { metadata: { uid: 'x' }, spec }, merge)
    expect(uid.body).toMatchObject({ code: 409, details: { group: 'apps', kind: 'deployments/scale' } })
  })

  it('a Scale with unknown fields causes a warning, or an error with strict validation', async () => {
    const { ask, path } = await start('1.36')
    const patch = { spec: { replicas: 1, size: 2 } }
    const warned = await ask('PATCH', path, patch, merge)
    expect(String(warned.headers['warning'])).toContain('unknown field \\"spec.size\\"')
    const strict = await ask('PATCH', `${path}?fieldValidation=Strict`, patch, merge)
    expect(strict.body.details.causes[0].message).toContain('strict decoding error: unknown field "spec.size"')
  })

  it.each([
    ['1.34', 422],
    ['1.36', 422],
    ['1.37', 200],
  ])('metadata of a Scale is checked in v%s: code %i', async (version, code) => {
    const { ask, path } = await start(version)
    const answer = await ask('PATCH', path, { metadata: { labels: { a: 'not/valid' } } }, merge)
    expect(answer.code).toBe(code)
    if (code === 422) expect(answer.body.details.causes[0].field).toBe('metadata.labels')
  })
})

describe('custom resources', () => {
  it('lists the highest version of a custom resource first in discovery', async () => {
    const { ask } = serving()
    await ask('POST', definitions, definition([{ name: 'v1alpha1' }, { name: 'v1' }, { name: 'v2beta1' }]))
    const { body } = await ask('GET', '/apis/example.com')
    expect(body.preferredVersion.version).toBe('v1')
    expect(body.versions.map(({ version }: { version: string }) => version)).toEqual(['v1', 'v2beta1', 'v1alpha1'])
  })

  it('prints columns whose path contains a slash', async () => {
    const { ask } = serving()
    const column = { name: 'Team', type: 'string', jsonPath: '.metadata.labels.example\\.com/team' }
    await ask('POST', definitions, definition([{ name: 'v1', additionalPrinterColumns: [column] }]))
    const path = '/apis/example.com/v1/namespaces/default/widgets'
    await ask('POST', path, {
      apiVersion: 'example.com/v1',
      kind: 'Widget',
      metadata: { name: 'w', labels: { 'example.com/team': 'blue' } },
    })
    const { body } = await ask('GET', path, undefined, { accept: 'application/json;as=Table;g=meta.k8s.io;v=v1' })
    expect(body.rows[0].cells).toEqual(['w', 'blue'])
  })
})
