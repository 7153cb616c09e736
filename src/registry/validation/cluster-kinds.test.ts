import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../api/objects/meta.ts'
import { defaultRelease } from '../../api/releases/release-of.ts'
import { decodeObject, withDefaults } from '../decode/decode-object.ts'
import { builtinKindsOf } from '../kinds/kinds.ts'
import { noErrors, type Obj } from './reader.ts'
import { validators } from './validators.ts'

/** Validation errors of an object as `field: message`, after decoding and defaulting as in a server. */
function problems(resource: string, object: JsonObject, old?: JsonObject): readonly string[] {
  const kind = builtinKindsOf(defaultRelease).find((one) => one.resource === resource)
  const validator = validators[resource]
  if (kind === undefined || validator === undefined) throw new Error(`no ${resource}`)
  const read = (given: JsonObject): Obj => {
    const metadata = {
      name: 'x',
      ...(kind.namespaced ? { namespace: 'default' } : {}),
      ...(given['metadata'] as object),
    }
    const decoded = decodeObject(kind, { ...given, metadata } as never, 'Strict')
    if ('ok' in decoded) throw new Error(decoded.status.message)
    return withDefaults(kind, decoded.object) as unknown as Obj
  }
  const errors = noErrors(defaultRelease)
  if (old === undefined) validator.create(errors, read(object))
  else {
    const version = { metadata: { resourceVersion: '1' } }
    validator.update(errors, read({ ...version, ...object }), read({ ...version, ...old }))
  }
  return errors.map(({ field, message }) => `${field}: ${message}`)
}

type Case = readonly [sentence: string, object: JsonObject, problems: readonly string[], old?: JsonObject]

const cases = (resource: string, table: readonly Case[]): void => {
  describe(resource, () => {
    for (const [sentence, object, wanted, old] of table) {
      it(sentence, () => {
        expect(problems(resource, object, old)).toEqual(wanted)
      })
    }
  })
}

const rbac = 'rbac.authorization.k8s.io'
const role = { apiGroup: rbac, kind: 'Role', name: 'r' }

cases('roles.rbac.authorization.k8s.io', [
  [
    'requires verbs, groups and resources in the rules of a Role',
    { rules: [{ verbs: [] }] },
    [
      'rules[0].verbs: Required value: verbs must contain at least one value',
      'rules[0].apiGroups: Required value: resource rules must supply at least one api group',
      'rules[0].resources: Required value: resource rules must supply at least one resource',
    ],
  ],
  [
    'refuses non-resource URLs in a Role',
    { rules: [{ verbs: ['get'], nonResourceURLs: ['/x'] }] },
    ['rules[0].nonResourceURLs: Invalid value: ["/x"]: namespaced rules cannot apply to non-resource URLs'],
  ],
])

cases('clusterroles.rbac.authorization.k8s.io', [
  [
    'refuses resources and non-resource URLs in one rule of a ClusterRole',
    {
      rules: [{ verbs: ['get'], nonResourceURLs: ['/x'], apiGroups: [''] }],
    },
    [
      'rules[0].nonResourceURLs: Invalid value: ["/x"]: rules cannot apply to both regular resources and non-resource URLs',
    ],
  ],
  [
    'requires a selector in the aggregation rule of a ClusterRole',
    { aggregationRule: {}, rules: [] },
    [
      'aggregationRule.clusterRoleSelectors: Required value: at least one clusterRoleSelector required if aggregationRule is non-nil',
    ],
  ],
])

cases('rolebindings.rbac.authorization.k8s.io', [
  [
    'accepts three kinds of subjects in a RoleBinding',
    { roleRef: role, subjects: [{ kind: 'Robot', name: 'x' }] },
    ['subjects[0].kind: Unsupported value: "Robot": supported values: "ServiceAccount", "User", "Group"'],
  ],
  [
    'requires a complete role reference in a RoleBinding',
    { roleRef: { apiGroup: 'x', kind: 'X', name: '' } },
    [
      'roleRef.apiGroup: Unsupported value: "x": supported values: "rbac.authorization.k8s.io"',
      'roleRef.kind: Unsupported value: "X": supported values: "Role", "ClusterRole"',
      'roleRef.name: Required value',
    ],
  ],
  [
    'refuses to change the role of a RoleBinding',
    { roleRef: { ...role, name: 'other' } },
    [
      'roleRef: Invalid value: {"APIGroup":"rbac.authorization.k8s.io","Kind":"Role","Name":"other"}: field is immutable',
    ],
    { roleRef: role },
  ],
])

cases('clusterrolebindings.rbac.authorization.k8s.io', [
  [
    'requires a namespace for service accounts in a ClusterRoleBinding',
    {
      roleRef: { ...role, kind: 'ClusterRole' },
      subjects: [{ kind: 'ServiceAccount', name: 'a', apiGroup: 'x' }],
    },
    ['subjects[0].apiGroup: Unsupported value: "x": supported values: ""', 'subjects[0].namespace: Required value'],
  ],
])

cases('endpoints', [
  [
    'requires addresses in the subsets of Endpoints',
    { subsets: [{ ports: [{ port: 80 }] }] },
    ['subsets[0]: Required value: must specify `addresses` or `notReadyAddresses`'],
  ],
  [
    'validates the addresses and ports of Endpoints',
    { subsets: [{ addresses: [{ ip: '127.0.0.1' }], ports: [{ port: 0 }, { port: 1, name: 'b' }] }] },
    [
      'subsets[0].addresses[0].ip: Invalid value: "127.0.0.1": may not be in the loopback range (127.0.0.0/8, ::1/128)',
      'subsets[0].ports[0].name: Required value',
      'subsets[0].ports[0].port: Invalid value: 0: must be between 1 and 65535, inclusive',
    ],
  ],
])

const slice = { addressType: 'IPv4', endpoints: [], ports: [] }
cases('endpointslices.discovery.k8s.io', [
  [
    'requires that the addresses of an EndpointSlice have its address type',
    { ...slice, endpoints: [{ addresses: ['2001:db8::1'] }, { addresses: [] }] },
    [
      'endpoints[0].addresses: Invalid value: "2001:db8::1": must be an IPv4 address',
      'endpoints[1].addresses: Required value: must contain at least 1 address',
    ],
  ],
  [
    'requires distinct names of the ports of an EndpointSlice',
    {
      ...slice,
      ports: [
        { name: 'a', port: 1 },
        { name: 'a', port: 2 },
      ],
    },
    ['ports[1].name: Duplicate value: "a"'],
  ],
  [
    'refuses to change the address type of an EndpointSlice',
    { ...slice, addressType: 'IPv6' },
    ['addressType: Invalid value: "IPv6": field is immutable'],
    slice,
  ],
  [
    'requires fully qualified names in an EndpointSlice of type FQDN',
    { ...slice, addressType: 'FQDN', endpoints: [{ addresses: ['web'] }] },
    [
      'endpoints[0].addresses[0]: Invalid value: "web": should be a domain with at least two segments separated by dots',
    ],
  ],
])

const backend = { service: { name: 'svc', port: { number: 80 } } }
cases('ingresses.networking.k8s.io', [
  [
    'requires a default backend or rules in an Ingress',
    { spec: {} },
    ['spec: Invalid value: null: either `defaultBackend` or `rules` must be specified'],
  ],
  [
    'validates the hosts and paths of an Ingress',
    {
      spec: {
        rules: [{ host: '10.0.0.1', http: { paths: [{ path: 'a//b', pathType: 'Exact', backend }, { backend }] } }],
      },
    },
    [
      'spec.rules[0].host: Invalid value: "10.0.0.1": must be a DNS name, not an IP address',
      'spec.rules[0].http.paths[0].path: Invalid value: "a//b": must be an absolute path',
      `spec.rules[0].http.paths[0].path: Invalid value: "a//b": must not contain '//'`,
      'spec.rules[0].http.paths[1].pathType: Required value: pathType must be specified',
    ],
  ],
  [
    'refuses a resource and a service in one backend of an Ingress',
    {
      spec: { defaultBackend: { ...backend, resource: { kind: 'B', name: 'b' } } },
    },
    ['spec.defaultBackend: Invalid value: "": cannot set both resource and service backends'],
  ],
  [
    'refuses a name and a number in one port of an Ingress',
    {
      spec: { defaultBackend: { service: { name: 'svc', port: { name: 'a', number: 1 } } } },
    },
    ['spec.defaultBackend: Invalid value: "": cannot set both port name & port number'],
  ],
])

cases('ingressclasses.networking.k8s.io', [
  [
    'requires the namespace of namespaced parameters of an IngressClass',
    {
      spec: { controller: 'a.io/b', parameters: { kind: 'P', name: 'p', scope: 'Namespace' } },
    },
    ["spec.parameters.namespace: Required value: `parameters.scope` is set to 'Namespace'"],
  ],
  [
    'refuses to change the controller of an IngressClass',
    { spec: { controller: 'a.io/c' } },
    ['spec.controller: Invalid value: "a.io/c": field is immutable'],
    { spec: { controller: 'a.io/b' } },
  ],
])

const policy = (rule: JsonObject): JsonObject => ({ spec: { podSelector: {}, ingress: [rule] } })
cases('networkpolicies.networking.k8s.io', [
  [
    'refuses an empty peer in a NetworkPolicy',
    policy({ from: [{}] }),
    ['spec.ingress[0].from[0]: Required value: must specify a peer'],
  ],
  [
    'requires that an exception in a NetworkPolicy is inside its block',
    policy({ from: [{ ipBlock: { cidr: '10.0.0.0/8', except: ['11.0.0.0/16'] } }] }),
    ['spec.ingress[0].from[0].ipBlock.except[0]: Invalid value: "11.0.0.0/16": must be a strict subset of `cidr`'],
  ],
  [
    'validates the range of ports in a NetworkPolicy',
    policy({ ports: [{ port: 'http', endPort: 90 }, { endPort: 1 }, { port: 9, endPort: 8 }] }),
    [
      'spec.ingress[0].ports[0].endPort: Invalid value: 90: may not be specified when `port` is non-numeric',
      'spec.ingress[0].ports[1].endPort: Invalid value: 1: may not be specified when `port` is not specified',
      'spec.ingress[0].ports[2].endPort: Invalid value: 9: must be greater than or equal to `port`',
    ],
  ],
  [
    'accepts two policy types in a NetworkPolicy',
    { spec: { podSelector: {}, policyTypes: ['Ingress', 'Sideways'] } },
    ['spec.policyTypes[1]: Unsupported value: "Sideways": supported values: "Ingress", "Egress"'],
  ],
  [
    'accepts an existing CIDR in an update of a NetworkPolicy',
    policy({ from: [{ ipBlock: { cidr: '10.0.0.1/8' } }] }),
    [],
    policy({ from: [{ ipBlock: { cidr: '10.0.0.1/8' } }] }),
  ],
])

cases('ipaddresses.networking.k8s.io', [
  [
    'requires a canonical name and a parent of an IPAddress',
    { metadata: { name: '010.0.0.1' } },
    ['metadata.name: Invalid value: "010.0.0.1": must not have leading 0s', 'spec.parentRef: Required value'],
  ],
])

cases('servicecidrs.networking.k8s.io', [
  [
    'accepts at most one CIDR for each family in a ServiceCIDR',
    { spec: { cidrs: ['10.0.0.0/24', '10.1.0.0/24'] } },
    [
      'spec.cidrs: Invalid value: ["10.0.0.0/24","10.1.0.0/24"]: may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64',
    ],
  ],
  [
    'refuses to change the CIDR of a ServiceCIDR',
    { spec: { cidrs: ['10.1.0.0/24'] } },
    ['spec.cidrs[0]: Invalid value: "10.1.0.0/24": field is immutable'],
    { spec: { cidrs: ['10.0.0.0/24'] } },
  ],
])

cases('resourcequotas', [
  [
    'validates the limits of a ResourceQuota',
    { spec: { hard: { nonsense: '1', pods: '1.5', 'requests.cpu': '-1' } } },
    [
      'spec.hard[nonsense]: Invalid value: "nonsense": must be a standard resource type or fully qualified',
      'spec.hard[nonsense]: Invalid value: "nonsense": must be a standard resource for quota',
      'spec.hard[pods]: Invalid value: "1500m": must be an integer',
      'spec.hard[requests.cpu]: Invalid value: "-1": must be greater than or equal to 0',
    ],
  ],
  [
    'refuses scopes of a ResourceQuota that do not fit the resources or exclude each other',
    { spec: { hard: { services: '1' }, scopes: ['BestEffort', 'NotBestEffort'] } },
    [
      'spec.scopes: Invalid value: ["BestEffort","NotBestEffort"]: unsupported scope applied to resource',
      'spec.scopes: Invalid value: ["BestEffort","NotBestEffort"]: unsupported scope applied to resource',
      'spec.scopes: Invalid value: ["BestEffort","NotBestEffort"]: conflicting scopes',
    ],
  ],
  [
    'requires values for the operator In in the scope selector of a ResourceQuota',
    {
      spec: { scopeSelector: { matchExpressions: [{ scopeName: 'PriorityClass', operator: 'In' }] } },
    },
    [
      "spec.scopeSelector.matchExpressions.values: Required value: must be at least one value when `operator` is 'In' or 'NotIn' for scope selector",
    ],
  ],
  [
    'refuses to change the scopes of a ResourceQuota',
    { spec: { hard: {}, scopes: ['BestEffort'] } },
    ['spec.scopes: Invalid value: ["BestEffort"]: field is immutable'],
    { spec: { hard: {} } },
  ],
])

cases('serviceaccounts', [
  [
    'requires that the name of a ServiceAccount is a subdomain',
    { metadata: { name: 'Robot' } },
    [
      `metadata.name: Invalid value: "Robot": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')`,
    ],
  ],
])

cases('apiservices.apiregistration.k8s.io', [
  [
    'requires that the name of an APIService consists of version and group',
    {
      metadata: { name: 'x', generateName: 'a/b' },
      spec: { group: 'example.com', version: 'v1', groupPriorityMinimum: 1, versionPriority: 1 },
    },
    [
      'metadata.generateName: Invalid value: "a/b": may not contain \'/\'',
      'metadata.name: Invalid value: "x": must be `spec.version+"."+spec.group`: "v1.example.com"',
    ],
  ],
])

const onNodes = (...keys: readonly string[]) => ({
  spec: {
    capacity: { storage: '1Gi' },
    accessModes: ['ReadWriteOnce'],
    csi: { driver: 'd', volumeHandle: 'v' },
    nodeAffinity: {
      required: {
        nodeSelectorTerms: [{ matchExpressions: keys.map((key) => ({ key, operator: 'In', values: ['a'] })) }],
      },
    },
  },
})

cases('persistentvolumes', [
  [
    'accepts the renaming of a single label in the node affinity of a PersistentVolume',
    onNodes('kubernetes.io/os', 'beta.kubernetes.io/arch'),
    [],
    onNodes('beta.kubernetes.io/os', 'beta.kubernetes.io/arch'),
  ],
  [
    'refuses an empty key in the node affinity of a PersistentVolume without an immutability error',
    onNodes(''),
    [
      'spec.nodeAffinity.required.nodeSelectorTerms[0].matchExpressions[0].key: Invalid value: "": name part must be non-empty',
      expect.stringContaining('name part must consist of alphanumeric characters'),
    ],
    onNodes('zone'),
  ],
  [
    'refuses other changes of the node affinity of a PersistentVolume',
    onNodes('zone'),
    [expect.stringContaining('nodeAffinity: Invalid value')],
    onNodes('rack'),
  ],
])
