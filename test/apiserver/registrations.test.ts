import { describe, expect, it } from 'vitest'
import { createCredentials } from '../../src/apiserver/certificates.ts'
import { serving } from './serving.ts'

const scalers = (version: string) => `/apis/autoscaling/${version}/namespaces/default/horizontalpodautoscalers`
const target = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' }

describe('a horizontal pod autoscaler is one object in two versions', () => {
  it('sets the defaults of an autoscaler that is created as v1, and reads it as v2', async () => {
    const { ask } = serving()
    const created = await ask('POST', scalers('v1'), {
      metadata: { name: 'web' },
      spec: { scaleTargetRef: target, maxReplicas: 5, targetCPUUtilizationPercentage: 60 },
    })
    expect(created.code).toBe(201)
    expect(created.body.spec).toEqual({
      scaleTargetRef: target,
      minReplicas: 1,
      maxReplicas: 5,
      targetCPUUtilizationPercentage: 60,
    })
    const { body } = await ask('GET', `${scalers('v2')}/web`)
    expect(body.apiVersion).toBe('autoscaling/v2')
    expect(body.spec.metrics).toEqual([
      { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 60 } } },
    ])
  })

  it('stores fields that v1 does not have in annotations, and loses nothing when v1 writes them back', async () => {
    const { ask } = serving()
    const metrics = [
      { type: 'Pods', pods: { metric: { name: 'qps' }, target: { type: 'AverageValue', averageValue: '10' } } },
    ]
    const spec = { scaleTargetRef: target, minReplicas: 2, maxReplicas: 5, metrics, behavior: { scaleDown: {} } }
    const created = await ask('POST', scalers('v2'), { metadata: { name: 'web' }, spec })
    expect(created.code).toBe(201)
    const shown = await ask('GET', `${scalers('v1')}/web`)
    expect(shown.body.metadata.annotations).toEqual({
      'autoscaling.alpha.kubernetes.io/metrics':
        '[{"type":"Pods","pods":{"metricName":"qps","targetAverageValue":"10"}}]',
      'autoscaling.alpha.kubernetes.io/behavior': expect.stringContaining('"StabilizationWindowSeconds":0'),
    })
    const back = await ask('PUT', `${scalers('v1')}/web`, {
      ...shown.body,
      spec: { ...shown.body.spec, maxReplicas: 9 },
    })
    expect(back.code).toBe(200)
    const { body } = await ask('GET', `${scalers('v2')}/web`)
    expect(body.spec).toEqual({ ...created.body.spec, maxReplicas: 9 })
    expect(body.metadata.annotations).toBeUndefined()
  })
})

// A PKCS #10 request in PEM, in base64.
const request =
  'LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0KTUlIZU1JR0VBZ0VBTUNJeEVEQU9CZ05WQkFNTUIzTnZiV1Z2Ym1V' +
  'eERqQU1CZ05WQkFvTUJXZHliM1Z3TUZrdwpFd1lIS29aSXpqMENBUVlJS29aSXpqMERBUWNEUWdBRWNiUmNpZzR0S2loczJXaW1E' +
  'a3JGaFFGZitPZzRaNlhiClE3TUNJWEFWYW9UTCsxVUNJbWZ0L2JCOExPaTAvV0FyYUNIb3hoM05HVHZkblN1cGZHUEsxYUFBTUFv' +
  'R0NDcUcKU000OUJBTUNBMGtBTUVZQ0lRRFhSVnM4MW9CemtVbjUxYnNId3l3RmdjOWNyZmRoSlFXQUN5dVRQV3EweFFJaApBS0k2' +
  'c09pRHQ4OHk0RkE1NStqeWNySm15VFF1N2NJQkVJUGVyMmw4SlhPNwotLS0tLUVORCBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0K'

describe('certificate signing requests', () => {
  const path = '/apis/certificates.k8s.io/v1/certificatesigningrequests'
  it('accepts decisions about certificate requests only through approval, and records the name of the caller', async () => {
    const { ask } = serving()
    const object = {
      metadata: { name: 'csr' },
      spec: { request, signerName: 'example.com/signer', usages: ['client auth'], username: 'somebody-else' },
      status: { conditions: [{ type: 'Approved', status: 'True' }] },
    }
    const created = await ask('POST', path, object)
    expect(created.code).toBe(201)
    expect(created.body.spec.username).not.toBe('somebody-else')
    expect(created.body.status).toEqual({})
    const approved = { ...created.body, status: { conditions: [{ type: 'Approved', status: 'True', reason: 'x' }] } }
    expect((await ask('PUT', `${path}/csr`, approved)).body.status).toEqual({})
    const answer = await ask('PUT', `${path}/csr/approval`, approved)
    expect(answer.body.status.conditions[0]).toMatchObject({ type: 'Approved', reason: 'x' })
    expect(answer.body.status.conditions[0].lastTransitionTime).toMatch(/Z$/)
  })
})

describe('defaults of registrations', () => {
  it('sets the defaults of a webhook and counts its generations', async () => {
    const { ask } = serving()
    const path = '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations'
    const webhook = {
      name: 'a.example.com',
      clientConfig: { service: { namespace: 'default', name: 'hook' } },
      rules: [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['pods'] }],
      sideEffects: 'None',
      admissionReviewVersions: ['v1'],
    }
    const created = await ask('POST', path, { metadata: { name: 'hooks' }, webhooks: [webhook] })
    expect(created.code).toBe(201)
    expect(created.body.metadata.generation).toBe(1)
    expect(created.body.webhooks[0]).toEqual({
      ...webhook,
      clientConfig: { service: { namespace: 'default', name: 'hook', port: 443 } },
      rules: [{ ...webhook.rules[0], scope: '*' }],
      failurePolicy: 'Fail',
      matchPolicy: 'Equivalent',
      namespaceSelector: {},
      objectSelector: {},
      timeoutSeconds: 10,
      reinvocationPolicy: 'Never',
    })
  })

  it('marks an API that this server serves as available', async () => {
    const { ask } = serving()
    const created = await ask('GET', '/apis/apiregistration.k8s.io/v1/apiservices/v1.apps')
    expect(created.body.status.conditions).toMatchObject([{ type: 'Available', status: 'True', reason: 'Local' }])
  })
})

describe('objects that exist from the first start', () => {
  it('has the flow schemas, priority levels and local APIs of upstream', async () => {
    const { ask } = serving()
    const names = async (path: string): Promise<string[]> =>
      (await ask('GET', path)).body.items.map(({ metadata }: { metadata: { name: string } }) => metadata.name)
    const flows = '/apis/flowcontrol.apiserver.k8s.io/v1'
    expect(await names(`${flows}/flowschemas`)).toHaveLength(11)
    expect(await names(`${flows}/prioritylevelconfigurations`)).toHaveLength(8)
    const services = await names('/apis/apiregistration.k8s.io/v1/apiservices')
    expect(services).toContain('v1.')
    expect(services).toContain('v2.autoscaling')
    expect(services).not.toContain('v1.apiregistration.k8s.io')
  })

  it('publishes the authority of client certificates for other components', async () => {
    const credentials = createCredentials({ now: 0, hosts: ['127.0.0.1'], adminToken: 'secret' })
    const { ask } = serving({ credentials })
    const path = '/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication'
    const { body } = await ask('GET', path, undefined, { authorization: 'Bearer secret' })
    expect(body.data).toEqual({ 'client-ca-file': credentials.caCertificate })
  })

  it('reports its components and its checks', async () => {
    const { ask } = serving()
    const { body } = await ask('GET', '/api/v1/componentstatuses')
    expect(body.items.map(({ metadata }: { metadata: { name: string } }) => metadata.name)).toContain('etcd-0')
    expect((await ask('GET', '/api/v1/componentstatuses/nope')).code).toBe(404)
    const checks = (await ask('GET', '/readyz?verbose')).text
    expect(checks).toContain('[+]poststarthook/storage-readiness ok\n')
    expect(checks).toContain('[+]autoregister-completion ok\n')
    expect((await ask('GET', '/metrics/slis')).text).toContain('kubernetes_healthcheck{name="ping",type="readyz"} 1\n')
  })
})

describe('validation', () => {
  it('rejects an autoscaler of any version with the message of upstream', async () => {
    const { ask } = serving()
    const v2 = await ask('POST', scalers('v2'), {
      metadata: { name: 'web' },
      spec: { scaleTargetRef: { kind: 'Deployment', name: 'web' }, minReplicas: 5, maxReplicas: 2, metrics: [{}] },
    })
    expect(v2.code).toBe(422)
    expect(v2.body.details.causes.map(({ field }: { field: string }) => field)).toEqual([
      'spec.maxReplicas',
      'spec.scaleTargetRef.apiVersion',
      'spec.metrics[0].type',
      'spec.metrics[0].type',
    ])
    const v1 = await ask('POST', scalers('v1'), { metadata: { name: 'web' }, spec: { scaleTargetRef: target } })
    expect(v1.body.message).toBe(
      'HorizontalPodAutoscaler.autoscaling "web" is invalid: [spec.maxReplicas: Required value: must be set and greater than 0, ' +
        'spec.maxReplicas: Invalid value: 0: must be greater than or equal to `minReplicas`]',
    )
  })

  it('gives an ingress the newest default class', async () => {
    const { ask } = serving()
    const path = '/apis/networking.k8s.io/v1'
    for (const name of ['b', 'a']) {
      const annotations = { 'ingressclass.kubernetes.io/is-default-class': 'true' }
      await ask('POST', `${path}/ingressclasses`, { metadata: { name, annotations }, spec: { controller: 'x.io/y' } })
    }
    const backend = { service: { name: 's', port: { number: 80 } } }
    const ingress = { metadata: { name: 'i' }, spec: { defaultBackend: backend } }
    const { body } = await ask('POST', `${path}/namespaces/default/ingresses`, ingress)
    expect(body.spec.ingressClassName).toBe('a')
  })
})
