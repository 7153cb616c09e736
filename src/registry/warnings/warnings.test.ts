import { expect, it } from 'vitest'
import type { JsonObject, KubeObject } from '../../api/objects/meta.ts'
import { defaultRelease } from '../../api/releases/release-of.ts'
import { builtinKindsOf } from '../kinds/kinds.ts'
import { warningsOf } from './warnings.ts'

const said = (resource: string, object: JsonObject, old?: JsonObject): readonly string[] => {
  const kind = builtinKindsOf(defaultRelease).find((one) => one.resource === resource)
  if (kind === undefined) throw new Error(`no ${resource}`)
  const whole = (given: JsonObject) => ({ metadata: { name: 'x' }, ...given }) as unknown as KubeObject
  return warningsOf(kind, whole(object), old === undefined ? undefined : whole(old), undefined)
}

const pod = (spec: JsonObject, metadata: JsonObject = { name: 'x' }): JsonObject => ({ metadata, spec })

it.each<[string, string, JsonObject, readonly string[]]>([
  ['a pod without problems', 'pods', pod({ containers: [{ name: 'c' }] }), []],
  [
    'a deprecated node label',
    'pods',
    pod({ nodeSelector: { 'beta.kubernetes.io/os': 'linux' } }),
    ['spec.nodeSelector[beta.kubernetes.io/os]: deprecated since v1.14; use "kubernetes.io/os" instead'],
  ],
  [
    'a topology spread constraint that matches nothing',
    'pods',
    pod({ topologySpreadConstraints: [{ topologyKey: 'zone' }] }),
    ['spec.topologySpreadConstraints[0].labelSelector: a null labelSelector results in matching no pod'],
  ],
  [
    'a duplicate environment variable, and a variable that uses it',
    'pods',
    pod({
      containers: [{ name: 'c', env: [{ name: 'A' }, { name: 'A', value: '$(A)1' }, { name: 'A', value: '2' }] }],
    }),
    ['spec.containers[0].env[2]: hides previous definition of "A", which may be dropped when using apply'],
  ],
  [
    'duplicate ports',
    'pods',
    pod({
      containers: [
        { name: 'a', ports: [{ name: 'p', containerPort: 80, protocol: 'TCP' }] },
        { name: 'b', ports: [{ name: 'p', containerPort: 80, protocol: 'TCP' }] },
      ],
    }),
    [
      'spec.containers[1].ports[0]: duplicate port definition with spec.containers[0].ports[0]',
      'spec.containers[1].ports[0]: duplicate port name "p" with spec.containers[0].ports[0], services and probes that select ports by name will use spec.containers[0].ports[0]',
    ],
  ],
  [
    'a fraction of a byte',
    'pods',
    pod({ containers: [{ name: 'c', resources: { limits: { memory: '500m' } } }] }),
    ['spec.containers[0].resources.limits[memory]: fractional byte value "500m" is invalid, must be an integer'],
  ],
  [
    'files with overlapping paths',
    'pods',
    pod({ volumes: [{ name: 'v', configMap: { name: 'm', items: [{ path: 'a' }, { path: 'a/b' }] } }] }),
    ['volume "v" (ConfigMap "m"): overlapping paths: "a/b" with "a"'],
  ],
  [
    'a pod name that is not a host name',
    'pods',
    pod({}, { name: 'a.b' }),
    [
      "metadata.name: this is used in the Pod's hostname, which can result in surprising behavior; a DNS label is recommended: [must not contain dots]",
    ],
  ],
  [
    'a template of a workload, by its path',
    'deployments.apps',
    { spec: { template: pod({ terminationGracePeriodSeconds: -1 }) } },
    [
      'spec.template.spec.terminationGracePeriodSeconds: must be >= 0; negative values are invalid and will be treated as 1',
    ],
  ],
  [
    'a headless service with fields that it cannot have',
    'services',
    { spec: { type: 'ClusterIP', clusterIP: 'None', sessionAffinity: 'ClientIP', externalIPs: ['1.2.3.4'] } },
    ['spec.externalIPs is ignored for headless services', 'spec.SessionAffinity is ignored for headless services'],
  ],
  [
    'addresses in a non-standard form',
    'services',
    { spec: { type: 'LoadBalancer', loadBalancerIP: '2001:DB8::1', loadBalancerSourceRanges: ['10.0.0.1/8'] } },
    [
      'spec.loadBalancerIP: IPv6 address "2001:DB8::1" should be in RFC 5952 canonical format ("2001:db8::1")',
      'spec.loadBalancerSourceRanges[0]: CIDR value "10.0.0.1/8" is ambiguous in this context (should be "10.0.0.0/8" or "10.0.0.1/32"?)',
    ],
  ],
  [
    'a quota whose requests exceed its limits',
    'resourcequotas',
    { spec: { hard: { cpu: '2', 'limits.cpu': '1' } } },
    ['ResourceQuota cpu (2) should be less than limits.cpu (1)'],
  ],
  [
    'an invalid certificate',
    'secrets',
    { type: 'kubernetes.io/tls', data: { 'tls.crt': 'aGVsbG8=', 'tls.key': 'aGVsbG8=' } },
    ['tls: failed to find any PEM data in certificate input'],
  ],
  [
    'a deprecated reclaim policy',
    'persistentvolumes',
    { spec: { persistentVolumeReclaimPolicy: 'Recycle' } },
    [
      'spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated. Instead, the recommended approach is to use dynamic provisioning.',
    ],
  ],
  [
    'an ingress class in an annotation',
    'ingresses.networking.k8s.io',
    { metadata: { name: 'x', annotations: { 'kubernetes.io/ingress.class': 'nginx' } } },
    [`annotation "kubernetes.io/ingress.class" is deprecated, please use 'spec.ingressClassName' instead`],
  ],
])('returns the warnings about %s', (_, resource, object, wanted) => {
  expect(said(resource, object)).toEqual(wanted)
})

it('does not check a workload again whose spec did not change', () => {
  const bad = { spec: { template: pod({ terminationGracePeriodSeconds: -1 }) } }
  const at = (generation: number): JsonObject => ({ ...bad, metadata: { name: 'x', generation } })
  expect(said('deployments.apps', at(1), at(1))).toEqual([])
  expect(said('deployments.apps', at(2), at(1))).toHaveLength(1)
})
