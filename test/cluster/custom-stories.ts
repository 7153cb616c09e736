import {
  apply,
  by,
  type CustomStep,
  conditions,
  crd,
  crds,
  type Json,
  json,
  merge,
  text,
} from './custom-story-parts.ts'
import { gatewayStory, portals } from './gateway-story.ts'

/** In the manner of cert-manager: durations, sets, choices, columns by condition. */
const certificate = crd('cert.example.com', 'Certificate', [
  {
    name: 'v1',
    served: true,
    storage: true,
    subresources: { status: {} },
    additionalPrinterColumns: [
      { name: 'Ready', type: 'string', jsonPath: '.status.conditions[?(@.type == "Ready")].status' },
      { name: 'Secret', type: 'string', jsonPath: '.spec.secretName' },
      { name: 'Names', type: 'string', jsonPath: '.spec.dnsNames' },
      { name: 'Key', type: 'integer', jsonPath: '.spec.privateKey.size', priority: 1 },
      { name: 'CA', type: 'boolean', jsonPath: '.spec.isCA' },
      { name: 'Ratio', type: 'number', jsonPath: '.spec.ratio' },
    ],
    schema: {
      openAPIV3Schema: {
        type: 'object',
        properties: {
          spec: {
            type: 'object',
            required: ['secretName'],
            oneOf: [{ required: ['dnsNames'] }, { required: ['commonName'] }],
            'x-kubernetes-validations': [
              {
                rule: '!has(self.duration) || !has(self.renewBefore) || self.renewBefore < self.duration',
                message: 'renewBefore must be less than duration',
                fieldPath: '.renewBefore',
              },
              { rule: "!has(self.dnsNames) || self.dnsNames.all(n, !n.startsWith('*') || n.startsWith('*.'))" },
              { rule: "!has(self.port) || type(self.port) == int || self.port.endsWith('%')" },
              { rule: "self.budget.isLessThan(quantity('1'))" },
            ].slice(0, 3),
            properties: {
              secretName: { type: 'string', maxLength: 253 },
              commonName: { type: 'string', maxLength: 64 },
              dnsNames: {
                type: 'array',
                maxItems: 100,
                'x-kubernetes-list-type': 'set',
                items: { type: 'string', maxLength: 253 },
              },
              duration: { type: 'string', format: 'duration' },
              renewBefore: { type: 'string', format: 'duration' },
              port: {
                'x-kubernetes-int-or-string': true,
                maxLength: 10,
                anyOf: [{ type: 'integer' }, { type: 'string' }],
              },
              isCA: { type: 'boolean' },
              ratio: { type: 'number', minimum: 0, exclusiveMinimum: true, maximum: 1, multipleOf: 0.25 },
              privateKey: {
                type: 'object',
                properties: {
                  algorithm: { type: 'string', enum: ['RSA', 'ECDSA'], default: 'RSA' },
                  size: { type: 'integer', format: 'int64', default: 2048 },
                },
              },
              usages: {
                type: 'object',
                additionalProperties: { type: 'string', maxLength: 5 },
                maxProperties: 2,
                minProperties: 1,
              },
              email: { type: 'string', format: 'email' },
              id: { type: 'string', format: 'uuid' },
              when: { type: 'string', format: 'date' },
              at: { type: 'string', format: 'date-time' },
              address: { type: 'string', format: 'ipv4' },
              six: { type: 'string', format: 'ipv6' },
              range: { type: 'string', format: 'cidr' },
              link: { type: 'string', format: 'uri' },
              host: { type: 'string', format: 'hostname' },
              bytes: { type: 'string', format: 'byte' },
              mac: { type: 'string', format: 'mac' },
              small: { type: 'integer', format: 'int32' },
              odd: { type: 'string', format: 'nonsense' },
              not: { type: 'integer', not: { minimum: 5 } },
              any: { type: 'integer', anyOf: [{ minimum: 10 }, { maximum: 2 }] },
            },
          },
          status: { type: 'object', properties: { conditions } },
        },
      },
    },
  },
])

const certificates = '/apis/cert.example.com/v1/namespaces/default/certificates'
const cert = (name: string, spec: Json) => ({
  apiVersion: 'cert.example.com/v1',
  kind: 'Certificate',
  metadata: { name },
  spec: { secretName: 's', ...spec },
})
const bad: readonly Json[] = [
  { commonName: 'x', duration: '1h', renewBefore: '2h' },
  { commonName: 'x', duration: 'soon' },
  { commonName: 'x', dnsNames: ['a'] },
  {},
  { dnsNames: ['*a'] },
  { dnsNames: ['a', 'a'] },
  { commonName: 'x', port: 'a' },
  { commonName: 'x', port: 1.5 },
  { commonName: 'x', port: true },
  { commonName: 'x', isCA: 'yes' },
  { commonName: 'x', ratio: 0 },
  { commonName: 'x', ratio: 1.5 },
  { commonName: 'x', ratio: 0.3 },
  { commonName: 'x', ratio: '1' },
  { commonName: 'x', privateKey: { algorithm: 'X' } },
  { commonName: 'x', privateKey: null },
  { commonName: null },
  { commonName: 'x', usages: {} },
  { commonName: 'x', usages: { a: 'a', b: 'b', c: 'c' } },
  { commonName: 'x', usages: { a: 'too long' } },
  { commonName: 'x', usages: { a: null } },
  { commonName: 'x', email: 'invalid' },
  { commonName: 'x', id: 'z' },
  { commonName: 'x', when: '2020-13-01' },
  { commonName: 'x', at: 'now' },
  { commonName: 'x', address: '1.2.3' },
  { commonName: 'x', six: '1.2.3.4' },
  { commonName: 'x', range: '1.2.3.4' },
  { commonName: 'x', link: 'no link' },
  { commonName: 'x', host: '_' },
  { commonName: 'x', bytes: '!' },
  { commonName: 'x', mac: '1' },
  { commonName: 'x', small: 3000000000 },
  { commonName: 'x', odd: 'anything' },
  { commonName: 'x', not: 7 },
  { commonName: 'x', any: 5 },
  { commonName: 'x'.repeat(65), dnsNames: 7, secretName: {} },
]

const certificateStory: readonly CustomStep[] = [
  ['POST', `${crds}?${by}`, certificate],
  [
    'POST',
    `${certificates}?${by}`,
    cert('one', {
      dnsNames: ['a', '*.b'],
      duration: '2h',
      renewBefore: '1h',
      port: '50%',
      isCA: true,
      ratio: 0.25,
      privateKey: {},
    }),
  ],
  [
    'POST',
    `${certificates}?${by}`,
    cert('two', {
      commonName: 'x',
      port: 80,
      email: 'a@b.c',
      id: '123e4567-e89b-12d3-a456-426614174000',
      when: '2020-02-29',
      at: '2020-01-01T00:00:00.5+01:00',
      address: '1.2.3.4',
      six: '::1',
      range: '10.0.0.0/8',
      link: 'https://a/b',
      host: 'a.example',
      bytes: 'aGk=',
      mac: '00:00:5e:00:53:01',
    }),
  ],
  ...bad.map((spec): CustomStep => ['POST', `${certificates}?${by}&dryRun=All`, cert('bad', spec)]),
  [
    'PATCH',
    `${certificates}/one/status?${by}`,
    { status: { conditions: [{ type: 'Ready', status: 'False', lastTransition: '2020-01-01T00:00:00Z' }] } },
    merge,
  ],
  ['PATCH', `${certificates}/one?${by}`, { spec: { dnsNames: ['*.b', 'a'] } }, merge],
]

/** In the manner of the Prometheus operator: a scale, embedded objects, unknown fields kept, two versions. */
const monitorSchema = (more: Json): Json => ({
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      properties: {
        replicas: { type: 'integer', format: 'int32', minimum: 0, default: 1 },
        template: {
          type: 'object',
          'x-kubernetes-embedded-resource': true,
          'x-kubernetes-preserve-unknown-fields': true,
          properties: { spec: { type: 'object', properties: { image: text } } },
        },
        free: { 'x-kubernetes-preserve-unknown-fields': true },
        half: {
          type: 'object',
          'x-kubernetes-preserve-unknown-fields': true,
          properties: { known: { type: 'object', properties: { a: text } } },
        },
        labels: { type: 'object', additionalProperties: text },
        limit: { type: 'integer', nullable: true, default: 5 },
        plain: { type: 'integer', nullable: true },
        atomic: { type: 'object', 'x-kubernetes-map-type': 'atomic', properties: { a: text, b: text } },
        ...more,
      },
    },
    status: { type: 'object', properties: { replicas: { type: 'integer' }, selector: text } },
  },
})
const monitorVersion = (name: string, more: Json, flags: Json): Json => ({
  name,
  served: true,
  schema: { openAPIV3Schema: monitorSchema(more) },
  subresources: {
    status: {},
    scale: {
      specReplicasPath: '.spec.replicas',
      statusReplicasPath: '.status.replicas',
      labelSelectorPath: '.status.selector',
    },
  },
  ...flags,
})
const monitor = crd(
  'monitor.example.com',
  'Monitor',
  [
    monitorVersion('v1', { only: text }, { storage: true }),
    monitorVersion('v1beta1', { gone: text }, { storage: false, deprecated: true }),
    monitorVersion('v1alpha1', {}, { storage: false, deprecated: true, deprecationWarning: 'alpha is over' }),
  ],
  { shortNames: ['mon'] },
)

const monitors = (version: string) => `/apis/monitor.example.com/${version}/namespaces/default/monitors`
const monitorOf = (name: string, spec: Json, version = 'v1') => ({
  apiVersion: `monitor.example.com/${version}`,
  kind: 'Monitor',
  metadata: { name },
  spec,
})

const monitorStory: readonly CustomStep[] = [
  ['POST', `${crds}?${by}`, monitor],
  ['GET', '/apis/monitor.example.com'],
  ['GET', '/apis/monitor.example.com/v1'],
  ['GET', '/apis/monitor.example.com/v1alpha1'],
  [
    'POST',
    `${monitors('v1')}?${by}`,
    monitorOf('m', {
      free: { any: [1, { b: null }] },
      half: { other: 1, known: { a: 'x', z: 1 } },
      template: {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: 'x', odd: 1 },
        spec: { image: 'i', extra: 1 },
        more: 1,
      },
      labels: { a: 'b' },
      limit: null,
      plain: null,
      dropped: 1,
    }),
  ],
  [
    'POST',
    `${monitors('v1')}?${by}&fieldValidation=Strict`,
    monitorOf('n', { template: { apiVersion: 'v1', kind: 'Pod', metadata: { odd: 1 } }, half: { known: { z: 1 } } }),
  ],
  ['POST', `${monitors('v1')}?${by}`, monitorOf('n', { template: {} })],
  [
    'POST',
    `${monitors('v1')}?${by}`,
    monitorOf('n', { template: { apiVersion: '', kind: 'a b', metadata: { name: 'A/B', labels: { '-': 'x' } } } }),
  ],
  ['POST', `${monitors('v1')}?${by}`, monitorOf('n', { replicas: -1 })],
  ['GET', `${monitors('v1')}/m/scale`],
  ['PATCH', `${monitors('v1')}/m/scale?${by}`, { spec: { replicas: 3 } }, merge],
  ['PATCH', `${monitors('v1')}/m/scale?${by}`, { spec: { replicas: -3 } }, merge],
  ['PATCH', `${monitors('v1')}/m/status?${by}`, { status: { replicas: 2, selector: 'a=b' } }, merge],
  ['GET', `${monitors('v1')}/m/scale`],
  ['GET', `${monitors('v1beta1')}/m`],
  ['GET', `${monitors('v1alpha1')}/m`],
  ['POST', `${monitors('v1beta1')}?${by}`, monitorOf('old', { gone: 'x', only: 'y' }, 'v1beta1')],
  ['GET', `${monitors('v1')}/old`],
  ['GET', `${monitors('v1beta1')}/old`],
  [
    'PATCH',
    `${monitors('v1')}/at?fieldManager=one`,
    monitorOf('at', { atomic: { a: '1' }, labels: { x: '1' } }),
    apply,
  ],
  [
    'PATCH',
    `${monitors('v1')}/at?fieldManager=two`,
    monitorOf('at', { atomic: { b: '1' }, labels: { y: '1' } }),
    apply,
  ],
  ['PATCH', `${monitors('v1beta1')}/at?fieldManager=two`, monitorOf('at', { labels: { y: '2' } }, 'v1beta1'), apply],
  [
    'PATCH',
    `${crds}/monitors.monitor.example.com?${by}`,
    [
      { op: 'replace', path: '/spec/versions/0/storage', value: false },
      { op: 'replace', path: '/spec/versions/1/storage', value: true },
    ],
    json,
  ],
  ['PATCH', `${crds}/monitors.monitor.example.com?${by}`, [{ op: 'remove', path: '/spec/versions/0' }], json],
  ['PATCH', `${monitors('v1')}/m?${by}`, { metadata: { finalizers: ['x.y/z'] } }, merge],
  ['DELETE', `${monitors('v1')}/m`],
  ['PATCH', `${monitors('v1')}/m?${by}`, { metadata: { finalizers: null } }, merge],
  ['GET', `${monitors('v1')}/m`],
]

export const stories: Readonly<Record<string, readonly CustomStep[]>> = {
  'a gateway': gatewayStory,
  'a certificate': certificateStory,
  'a monitor': monitorStory,
}

/** The resources of `kubectl get` at the end of a story. */
export const tables: Readonly<Record<string, string>> = {
  'a gateway': portals,
  'a certificate': certificates,
  'a monitor': monitors('v1'),
}
