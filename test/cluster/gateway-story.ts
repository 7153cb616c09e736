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

/** In the manner of Gateway API: lists with keys, rules over them, fields that may not change. */
const gateway = crd('gateway.example.com', 'Portal', [
  {
    name: 'v1',
    served: true,
    storage: true,
    subresources: { status: {} },
    additionalPrinterColumns: [
      { name: 'Class', type: 'string', jsonPath: '.spec.className' },
      { name: 'Address', type: 'string', jsonPath: '.status.addresses[*].value' },
      { name: 'Ready', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].status' },
      { name: 'Listeners', type: 'integer', jsonPath: '.spec.listeners[0].port', priority: 1 },
      { name: 'Since', type: 'date', jsonPath: '.status.conditions[0].lastTransition' },
      { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
    ],
    selectableFields: [{ jsonPath: '.spec.className' }],
    schema: {
      openAPIV3Schema: {
        type: 'object',
        required: ['spec'],
        'x-kubernetes-validations': [
          { rule: 'self.metadata.name.size() <= 20', message: 'name too long' },
          { rule: "self.metadata.name != 'forbidden'", reason: 'FieldValueForbidden', fieldPath: '.spec.className' },
        ],
        properties: {
          spec: {
            type: 'object',
            required: ['className', 'listeners'],
            'x-kubernetes-validations': [
              { rule: '!has(oldSelf.ref) || has(self.ref)', message: 'ref cannot be removed' },
              {
                rule: "self.listeners.all(l, l.protocol != 'TLS' || has(l.tls))",
                messageExpression: "'tls must be set for listeners of ' + self.className",
              },
            ],
            properties: {
              className: {
                type: 'string',
                minLength: 1,
                maxLength: 63,
                'x-kubernetes-validations': [{ rule: 'self == oldSelf', message: 'className is immutable' }],
              },
              ref: { type: 'object', properties: { name: { type: 'string', maxLength: 63 } } },
              listeners: {
                type: 'array',
                minItems: 1,
                maxItems: 16,
                'x-kubernetes-list-type': 'map',
                'x-kubernetes-list-map-keys': ['name'],
                'x-kubernetes-validations': [
                  {
                    rule: 'self.all(a, self.exists_one(b, a.port == b.port && a.protocol == b.protocol))',
                    message: 'Combination of port and protocol must be unique',
                  },
                ],
                items: {
                  type: 'object',
                  required: ['name', 'port'],
                  'x-kubernetes-validations': [{ rule: 'self.port >= oldSelf.port', message: 'ports only grow' }],
                  properties: {
                    name: { type: 'string', maxLength: 63, pattern: '^[a-z0-9]([-a-z0-9]*[a-z0-9])?$' },
                    port: { type: 'integer', format: 'int32', minimum: 1, maximum: 65535 },
                    protocol: { type: 'string', maxLength: 10, default: 'HTTP', enum: ['HTTP', 'HTTPS', 'TLS'] },
                    hostname: { type: 'string', maxLength: 253 },
                    tls: {
                      type: 'object',
                      default: {},
                      nullable: true,
                      properties: { mode: { type: 'string', default: 'Terminate' } },
                    },
                    routes: { type: 'array', 'x-kubernetes-list-type': 'set', items: text },
                  },
                },
              },
            },
          },
          status: {
            type: 'object',
            default: { addresses: [] },
            properties: {
              conditions,
              addresses: { type: 'array', items: { type: 'object', properties: { value: text } } },
              observedGeneration: { type: 'integer', format: 'int64' },
            },
          },
        },
      },
    },
  },
])

export const portals = '/apis/gateway.example.com/v1/namespaces/default/portals'
const portal = (name: string, spec: unknown, more: Json = {}) => ({
  apiVersion: 'gateway.example.com/v1',
  kind: 'Portal',
  metadata: { name },
  spec,
  ...more,
})
const good = { className: 'a', listeners: [{ name: 'one', port: 80 }] }

export const gatewayStory: readonly CustomStep[] = [
  ['POST', `${crds}?${by}`, gateway],
  ['GET', '/apis/gateway.example.com/v1'],
  ['GET', '/apis/gateway.example.com'],
  ['POST', `${portals}?${by}`, portal('a', good)],
  ['POST', `${portals}?${by}`, portal('a', good)],
  ['POST', `${portals}?${by}`, portal('forbidden', good)],
  ['POST', `${portals}?${by}`, portal('a-name-that-is-much-too-long', good)],
  ['POST', `${portals}?${by}`, portal('b', {})],
  ['POST', `${portals}?${by}`, portal('b', { className: '', listeners: [] })],
  [
    'POST',
    `${portals}?${by}`,
    portal('b', { className: 'x', listeners: [{ name: 'A_', port: 0, protocol: 'FTP', hostname: 3, tls: [] }] }),
  ],
  [
    'POST',
    `${portals}?${by}`,
    portal('b', {
      className: 'x',
      listeners: [
        { name: 'a', port: 1 },
        { name: 'a', port: 2 },
      ],
    }),
  ],
  [
    'POST',
    `${portals}?${by}`,
    portal('b', {
      className: 'x',
      listeners: [
        { name: 'a', port: 1 },
        { name: 'b', port: 1 },
      ],
    }),
  ],
  [
    'POST',
    `${portals}?${by}`,
    portal('b', { className: 'x', listeners: [{ name: 'a', port: 1, routes: ['x', 'x'] }] }),
  ],
  ['POST', `${portals}?${by}`, portal('b', { className: 'x', listeners: 'none' })],
  ['POST', `${portals}?${by}`, portal('b', { className: 7, listeners: [{ name: 'a', port: 1.5 }] })],
  ['POST', `${portals}?${by}`, portal('b', null)],
  [
    'POST',
    `${portals}?${by}&fieldValidation=Strict`,
    portal('b', { ...good, extra: 1, listeners: [{ name: 'x', port: 1, more: { a: 1 } }] }, { odd: 1 }),
  ],
  [
    'POST',
    `${portals}?${by}&fieldValidation=Warn`,
    portal('b', { ...good, extra: 1, listeners: [{ name: 'x', port: 1, more: { a: 1 } }] }, { odd: 1 }),
  ],
  ['POST', `${portals}?${by}&fieldValidation=Ignore`, portal('c', { ...good, extra: 1 })],
  ['POST', `${portals}?${by}`, portal('Bad_Name', good)],
  ['POST', `${portals}?${by}`, { ...portal('d', good), metadata: { name: 'd', finalizers: ['odd', 'a.b', 'x.y/z'] } }],
  ['PATCH', `${portals}/d?${by}`, { metadata: { finalizers: null } }, merge],
  ['PATCH', `${portals}/a?${by}`, { spec: { className: 'b' } }, merge],
  ['PATCH', `${portals}/a?${by}`, { spec: { ref: { name: 'x' } } }, merge],
  ['PATCH', `${portals}/a?${by}`, { spec: { ref: null } }, merge],
  ['PATCH', `${portals}/a?${by}`, { spec: { listeners: [{ name: 'one', port: 79 }] } }, merge],
  [
    'PATCH',
    `${portals}/a?${by}`,
    {
      spec: {
        listeners: [
          { name: 'one', port: 81 },
          { name: 'two', port: 82, protocol: 'TLS', tls: null },
        ],
      },
    },
    merge,
  ],
  ['PATCH', `${portals}/a?${by}`, [{ op: 'add', path: '/spec/listeners/-', value: { name: 'three', port: 90 } }], json],
  [
    'PATCH',
    `${portals}/a/status?${by}`,
    {
      spec: { className: 'q' },
      status: { conditions: [{ type: 'Ready', status: 'True', lastTransition: '2020-01-01T00:00:00Z' }] },
    },
    merge,
  ],
  [
    'PATCH',
    `${portals}/a/status?${by}`,
    { status: { conditions: [{ type: 'Ready', status: 'Maybe', lastTransition: 'yesterday' }] } },
    merge,
  ],
  ['PATCH', `${portals}/a/status?${by}`, { status: { conditions: [{ type: 'Ready' }] } }, merge],
  ['PATCH', `${portals}/a/status?${by}`, { status: 7 }, merge],
  ['GET', `${portals}/a/status`],
  ['GET', `${portals}/a/scale`],
  [
    'PATCH',
    `${portals}/ssa?fieldManager=one`,
    portal('ssa', { className: 'a', listeners: [{ name: 'l1', port: 1, routes: ['r1'] }] }),
    apply,
  ],
  [
    'PATCH',
    `${portals}/ssa?fieldManager=two`,
    portal('ssa', {
      listeners: [
        { name: 'l1', routes: ['r2'] },
        { name: 'l2', port: 2 },
      ],
    }),
    apply,
  ],
  [
    'PATCH',
    `${portals}/ssa?fieldManager=two`,
    portal('ssa', { className: 'b', listeners: [{ name: 'l1', port: 5 }] }),
    apply,
  ],
  [
    'PATCH',
    `${portals}/ssa?fieldManager=two&force=true`,
    portal('ssa', { listeners: [{ name: 'l1', port: 5, routes: ['r2'] }] }),
    apply,
  ],
  [
    'PATCH',
    `${portals}/ssa?fieldManager=one`,
    portal('ssa', { className: 'a', listeners: [{ name: 'l2', port: 9 }] }),
    apply,
  ],
  ['PATCH', `${portals}/ssa?fieldManager=one`, portal('ssa', { className: 'a', listeners: [{ port: 9 }] }), apply],
  [
    'PATCH',
    `${portals}/ssa?fieldManager=one`,
    portal('ssa', { className: 'a', unknown: 1, listeners: [{ name: 'l2', port: 9 }] }),
    apply,
  ],
  ['GET', `${portals}?fieldSelector=spec.className%3Da&limit=1`],
  ['GET', `${portals}?fieldSelector=spec.other%3Da`],
  ['PUT', `${portals}/a?${by}`, portal('a', good)],
  ['PUT', `${portals}/zzz?${by}`, portal('zzz', good)],
  // The schema becomes stricter: existing objects stay, new ones must be valid.
  [
    'PATCH',
    `${crds}/portals.gateway.example.com?${by}`,
    [
      {
        op: 'replace',
        path: '/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/listeners/items/properties/port/minimum',
        value: 1000,
      },
    ],
    json,
  ],
  ['PATCH', `${portals}/a?${by}`, { metadata: { labels: { x: 'y' } } }, merge],
  ['PATCH', `${portals}/a?${by}`, [{ op: 'replace', path: '/spec/listeners/0/hostname', value: 'h' }], json],
  [
    'PATCH',
    `${portals}/a?${by}`,
    [{ op: 'add', path: '/spec/listeners/-', value: { name: 'four', port: 5000 } }],
    json,
  ],
  ['PATCH', `${portals}/a?${by}`, [{ op: 'add', path: '/spec/listeners/-', value: { name: 'five', port: 6 } }], json],
  [
    'PATCH',
    `${crds}/portals.gateway.example.com?${by}`,
    { spec: { scope: 'Cluster', names: { kind: 'Door' }, group: 'x.example.com' } },
    merge,
  ],
  ['PATCH', `${crds}/portals.gateway.example.com?${by}`, { spec: { names: { shortNames: ['pt'] } } }, merge],
  ['DELETE', `${portals}/a`],
  ['DELETE', `${portals}?labelSelector=none`],
]
