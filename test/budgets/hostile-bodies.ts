import {
  configMap,
  container,
  type HostileBody,
  json,
  maps,
  members,
  nested,
  pod,
  pods,
  post,
  protobuf,
  text,
  times,
  widget,
  widgets,
  yaml,
} from './hostile-parts.ts'
import { hostileOwnership, hostilePatches } from './hostile-patches.ts'

export { type HostileBody, widgetDefinition } from './hostile-parts.ts'

const decoding: readonly HostileBody[] = [
  post(pods, json, 'unknown fields of a pod', (n) => text({ ...pod({}), ...members(n, 'x') })),
  post(pods, json, 'unknown fields of a spec', (n) => text(pod(members(n, 'x')))),
  post(pods, json, 'unknown fields of containers', (n) =>
    text(pod({ containers: times(n, (i) => ({ ...container(i), x: 1 })) })),
  ),
  post(maps, json, 'data of a config map', (n) => text(configMap({ data: members(n, 'k', 'v') }))),
  post(maps, json, 'data with escapes', (n) => `{"metadata":{"name":"a"},"data":{"a":"${'\\u0041'.repeat(n)}"}}`),
  post(
    maps,
    json,
    'one name, many times',
    (n) => `{"metadata":{"name":"a"},"data":{${times(n, () => '"a":"b"').join()}}}`,
  ),
  post(
    maps,
    json,
    'names twice',
    (n) => `{"metadata":{"name":"a"},"data":{${times(n, (i) => `"a${i >> 1}":"b"`).join()}}}`,
  ),
  post(pods, json, 'empty containers, up to the limit of bytes', (n) =>
    text(pod({ containers: times(50 * n, () => ({})) })),
  ),
  post(pods, json, 'null containers, up to the limit of bytes', (n) =>
    text(pod({ containers: times(30 * n, () => null) })),
  ),
  post(pods, json, 'spec, many times', (n) => `{"metadata":{"name":"a"},${times(n, () => '"spec":{}').join()}}`),
  post(maps, json, 'deep lists', (n) => nested(n, '[', '', ']')),
  post(maps, json, 'deep objects', (n) => nested(n, '{"a":', '1', '}')),
  post(
    widgets,
    json,
    'deep objects that are kept',
    (n) =>
      `{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"a"},"spec":{"free":${nested(Math.min(n, 400), '{"a":', '1', '}')}}}`,
  ),
  post(maps, json, 'long numbers', (n) => `{"metadata":{"name":"a","generation":${'9'.repeat(n)}}}`),
  post(widgets, json, 'numbers beyond 2^53', (n) =>
    text(widget({ spec: { free: { a: 0 } } })).replace(
      '"a":0',
      `"a":[${times(n, (i) => `90071992547409${i + 100000}`).join()}]`,
    ),
  ),
  post(maps, json, 'spaces', (n) => `{${' '.repeat(n)}"metadata"${' '.repeat(n)}:{"name":"a"}}`),
  post(maps, yaml, 'a YAML alias bomb', (n) =>
    times(Math.min(n, 64), (i) => `a${i}: &a${i} [${i === 0 ? 'x' : times(9, () => `*a${i - 1}`).join()}]`).join('\n'),
  ),
  post(maps, yaml, 'YAML aliases of a long text', (n) => `a: &a ${'x'.repeat(n)}\nb: [${'*a,'.repeat(n)}]`),
  post(maps, yaml, 'YAML members', (n) => `metadata: {name: a}\ndata:\n${times(n, (i) => `  k${i}: "v"`).join('\n')}`),
  post(
    maps,
    yaml,
    'YAML anchors',
    (n) => `metadata: {name: a}\ndata:\n${times(n, (i) => `  k${i}: &a${i} "v"`).join('\n')}`,
  ),
  post(maps, yaml, 'deep YAML lists', (n) => nested(n, '[', '', ']')),
  post(maps, yaml, 'deep YAML blocks', (n) => `${'- '.repeat(n)}a`),
  post(maps, yaml, 'YAML keys that are mappings', (n) => `${'? '.repeat(n)}a`),
  post(maps, protobuf, 'deep protobuf groups', (n) => Buffer.concat([Buffer.from('k8s\0'), Buffer.alloc(n, 0x0b)])),
  post(maps, protobuf, 'deep protobuf messages', (n) => deepProtobuf(Math.min(n, 4000))),
]

/** Messages in messages, as many as the length prefixes allow. */
function deepProtobuf(n: number): Uint8Array {
  let inner = Buffer.alloc(0)
  for (let i = 0; i < n; i++) inner = Buffer.concat([Buffer.from([0x12]), varint(inner.length), inner])
  return Buffer.concat([Buffer.from('k8s\0'), inner])
}

function varint(value: number): Buffer {
  const bytes: number[] = []
  let left = value
  for (; left > 127; left = Math.floor(left / 128)) bytes.push((left % 128) + 128)
  bytes.push(left)
  return Buffer.from(bytes)
}

const lists: readonly [string, (n: number) => object][] = [
  ['containers', (n) => ({ containers: times(n, container) })],
  ['empty containers', (n) => ({ containers: times(n, () => ({})) })],
  ['containers of one name', (n) => ({ containers: times(n, () => container(0)) })],
  ['init containers', (n) => ({ initContainers: times(n, container) })],
  [
    'ports',
    (n) => ({
      containers: [{ ...container(0), ports: times(n, (i) => ({ containerPort: (i % 65535) + 1, name: `p${i}` })) }],
    }),
  ],
  [
    'host ports',
    (n) => ({
      containers: [
        { ...container(0), ports: times(n, (i) => ({ containerPort: (i % 65535) + 1, hostPort: (i % 65535) + 1 })) },
      ],
    }),
  ],
  [
    'ports of one number',
    (n) => ({ containers: [{ ...container(0), ports: times(n, () => ({ containerPort: 80 })) }] }),
  ],
  [
    'environment',
    (n) => ({ containers: [{ ...container(0), env: times(n, (i) => ({ name: `E${i}`, value: '$(E0)' })) }] }),
  ],
  [
    'variables of one name',
    (n) => ({ containers: [{ ...container(0), env: times(n, () => ({ name: 'E', value: '' })) }] }),
  ],
  ['variables from nowhere', (n) => ({ containers: [{ ...container(0), envFrom: times(n, () => ({})) }] })],
  ['volumes', (n) => ({ volumes: times(n, (i) => ({ name: `v${i}`, emptyDir: {} })) })],
  ['volumes of one name', (n) => ({ volumes: times(n, () => ({ name: 'v', emptyDir: {} })) })],
  [
    'mounts',
    (n) => ({
      volumes: [{ name: 'v', emptyDir: {} }],
      containers: [{ ...container(0), volumeMounts: times(n, (i) => ({ name: 'v', mountPath: `/m${i}` })) }],
    }),
  ],
  [
    'projected sources',
    (n) => ({
      volumes: [
        {
          name: 'v',
          projected: { sources: times(n, (i) => ({ configMap: { name: 'a', items: [{ key: 'a', path: `p${i}` }] } })) },
        },
      ],
    }),
  ],
  [
    'projected sources of one path',
    (n) => ({
      volumes: [
        {
          name: 'v',
          projected: { sources: times(n, () => ({ secret: { name: 'a', items: [{ key: 'a', path: 'p' }] } })) },
        },
      ],
    }),
  ],
  [
    'config map items',
    (n) => ({
      volumes: [{ name: 'v', configMap: { name: 'a', items: times(n, (i) => ({ key: 'a', path: `${i}/a` })) } }],
    }),
  ],
  ['tolerations', (n) => ({ tolerations: times(n, (i) => ({ key: `k${i}`, operator: 'Exists' })) })],
  [
    'affinity terms',
    (n) => ({
      affinity: {
        podAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: times(n, () => ({
            topologyKey: 'a',
            labelSelector: { matchLabels: { a: 'b' } },
          })),
        },
      },
    }),
  ],
  [
    'node selector terms',
    (n) => ({
      affinity: {
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: {
            nodeSelectorTerms: times(n, () => ({ matchExpressions: [{ key: 'a', operator: 'In', values: ['b'] }] })),
          },
        },
      },
    }),
  ],
  [
    'spread constraints',
    (n) => ({
      topologySpreadConstraints: times(n, (i) => ({
        maxSkew: 1,
        topologyKey: `k${i}`,
        whenUnsatisfiable: 'DoNotSchedule',
        labelSelector: {},
      })),
    }),
  ],
  ['scheduling gates', (n) => ({ schedulingGates: times(n, (i) => ({ name: `g${i}` })) })],
  [
    'host aliases',
    (n) => ({
      hostAliases: times(n, (i) => ({ ip: `10.${(i >> 16) & 255}.${(i >> 8) & 255}.${i & 255}`, hostnames: ['a'] })),
    }),
  ],
  ['pull secrets', (n) => ({ imagePullSecrets: times(n, (i) => ({ name: `s${i}` })) })],
  ['sysctls', (n) => ({ securityContext: { sysctls: times(n, (i) => ({ name: `net.a${i}`, value: '1' })) } })],
  ['resource claims', (n) => ({ resourceClaims: times(n, (i) => ({ name: `r${i}`, resourceClaimName: 'a' })) })],
  [
    'resources',
    (n) => ({ containers: [{ ...container(0), resources: { limits: members(n, 'example.com/r', '1') } }] }),
  ],
  ['a node selector', (n) => ({ nodeSelector: members(n, 'k', 'v') })],
  ['name servers', (n) => ({ dnsPolicy: 'None', dnsConfig: { nameservers: times(n, () => '1.1.1.1') } })],
]

const metadata: readonly [string, (n: number) => object][] = [
  ['labels', (n) => ({ labels: members(n, 'k', 'v') })],
  ['annotations', (n) => ({ annotations: members(n, 'k', 'v') })],
  ['finalizers', (n) => ({ finalizers: times(n, (i) => `example.com/f${i}`) })],
  [
    'owners',
    (n) => ({ ownerReferences: times(n, (i) => ({ apiVersion: 'v1', kind: 'Pod', name: `o${i}`, uid: `${i}` })) }),
  ],
  [
    'managed fields',
    (n) => ({
      managedFields: times(n, (i) => ({
        manager: `m${i}`,
        operation: 'Update',
        apiVersion: 'v1',
        fieldsType: 'FieldsV1',
        fieldsV1: { 'f:data': { [`f:k${i}`]: {} } },
      })),
    }),
  ],
  [
    'managed fields of one manager',
    (n) => ({
      managedFields: times(n, () => ({
        manager: 'm',
        operation: 'Apply',
        apiVersion: 'v1',
        fieldsType: 'FieldsV1',
        fieldsV1: {},
      })),
    }),
  ],
  [
    'one set of managed fields',
    (n) => ({
      managedFields: [
        {
          manager: 'm',
          operation: 'Update',
          apiVersion: 'v1',
          fieldsType: 'FieldsV1',
          fieldsV1: { 'f:data': members(n, 'f:k', {}) },
        },
      ],
    }),
  ],
]

const validation: readonly HostileBody[] = [
  ...lists.map(([name, spec]) => post(pods, json, `a pod with many ${name}`, (n) => text(pod(spec(n))))),
  ...metadata.map(([name, more]) => post(maps, json, `many ${name}`, (n) => text(configMap({}, more(n))))),
  post(widgets, json, 'a custom resource with many keyed elements', (n) =>
    text(widget({ spec: { keyed: times(n, (i) => ({ name: `k${i}`, value: i })) } })),
  ),
  post(widgets, json, 'a custom resource with elements of one key', (n) =>
    text(widget({ spec: { keyed: times(n, () => ({ name: 'k' })) } })),
  ),
  post(widgets, json, 'a custom resource with a large set', (n) =>
    text(widget({ spec: { set: times(n, (i) => `k${i}`) } })),
  ),
  post(widgets, json, 'a custom resource with a set of one value', (n) =>
    text(widget({ spec: { set: times(n, () => 'k') } })),
  ),
  post(widgets, json, 'values that an enum does not have', (n) =>
    text(widget({ spec: { chosen: times(n, () => 'x') } })),
  ),
  post(widgets, json, 'values at the end of an enum', (n) =>
    text(widget({ spec: { chosen: times(n, () => 'value-499') } })),
  ),
  post(widgets, json, 'unknown fields of a custom resource', (n) => text(widget({ spec: members(n, 'x') }))),
  post(widgets, json, 'values of a wrong type', (n) => text(widget({ spec: { map: members(n, 'x', 'y') } }))),
]

/** Bombs, deep and wide values, duplicates, long numbers and patches. Parsers, mergers and validators must be linear in them. */
export const hostileBodies: readonly HostileBody[] = [
  ...decoding,
  ...validation,
  ...hostilePatches,
  ...hostileOwnership,
]
