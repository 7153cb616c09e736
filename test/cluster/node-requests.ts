import type { RandomStream } from '../../src/base/random.ts'
import type { AccessQuestion } from './access-servers.ts'
import { container, inA, named, pod, slice } from './node-objects.ts'

/** `{{PATH}}` in a body: the uid of the object at the path, which differs from server to server. */
export const uidAt = (path: string): string => `{{${path}}}`

type Draft = readonly [method: string, path: string, body?: object | string, type?: string]

const merge = 'application/merge-patch+json'
const base = '/api/v1'
const names = ['busy', 'plain', 'waiting', 'mirror', 'gone'] as const
const nodes = ['n1', 'n2', 'n3'] as const

const mirrored = (random: RandomStream): Draft => {
  const node = random.pick(nodes)
  const owner = {
    apiVersion: random.pick(['v1', 'v1', 'v1', 'v2']),
    kind: random.pick(['Node', 'Node', 'Node', 'Pod']),
    name: random.pick(['n1', 'n1', 'n2']),
    uid: random.pick([uidAt(`${base}/nodes/n1`), uidAt(`${base}/nodes/n1`), 'other']),
    ...random.pick([{ controller: true }, { controller: true }, { controller: true, blockOwnerDeletion: true }, {}]),
  }
  const spec = random.pick<object>([
    {},
    {},
    { serviceAccountName: 'robot' },
    { imagePullSecrets: [{ name: 'x' }] },
    { containers: [{ ...container, envFrom: [{ configMapRef: { name: 'x' } }] }] },
    { resourceClaims: [{ name: 'a', resourceClaimName: 'x' }] },
    { volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'x' } }] },
    { volumes: [{ name: 'v', hostPath: { path: '/x' } }] },
    { volumes: [{ name: 'v', csi: { driver: 'x.example.com' } }] },
    {
      volumes: [
        { name: 'v', projected: { sources: [{ downwardAPI: { items: [] } }, { serviceAccountToken: { path: 'x' } }] } },
      ],
    },
  ])
  const metadata = {
    annotations: random.pick<object>([
      { 'kubernetes.io/config.mirror': 'x' },
      { 'kubernetes.io/config.mirror': 'x' },
      {},
    ]),
    ownerReferences: random.pick<readonly object[]>([
      [owner],
      [owner],
      [owner],
      [],
      [owner, { ...owner, uid: 'second' }],
    ]),
  }
  const made = pod('made', random.pick([node, 'n1', 'n1']), spec, metadata)
  return ['POST', `${inA}/pods?dryRun=All`, made]
}

const tokenRequest = (random: RandomStream): Draft => {
  const name = random.pick(names)
  const boundObjectRef = random.pick<object | undefined>([
    { kind: 'Pod', apiVersion: 'v1', name, uid: uidAt(`${inA}/pods/${name}`) },
    { kind: 'Pod', apiVersion: 'v1', name: 'busy', uid: uidAt(`${inA}/pods/busy`) },
    { kind: 'Pod', apiVersion: 'v1', name: 'busy', uid: uidAt(`${inA}/pods/busy`) },
    { kind: 'Pod', apiVersion: 'v1', name },
    { kind: 'Pod', apiVersion: 'v1', name, uid: 'other' },
    { kind: 'Node', apiVersion: 'v1', name: 'n1' },
    undefined,
  ])
  const audiences = random.pick([[], ['vault'], ['csi'], ['strange'], ['a', 'b']])
  const account = random.pick(['robot', 'robot', 'idle', 'none'])
  return ['POST', `${inA}/serviceaccounts/${account}/token`, { spec: { audiences, boundObjectRef } }]
}

const labels = [
  'example.com/x',
  'kubernetes.io/os',
  'kubernetes.io/role',
  'node.kubernetes.io/pool',
  'x.kubelet.kubernetes.io/y',
  'a.node-restriction.kubernetes.io/b',
  'k8s.io/x',
  'topology.kubernetes.io/zone',
]

const nodeWrite = (random: RandomStream): Draft => {
  const name = random.pick(['n1', 'n1', 'n1', 'n2'])
  const label = { metadata: { labels: { [random.pick(labels)]: 'x', [random.pick(labels)]: 'y' } } }
  const patch = random.pick<object>([
    label,
    label,
    { spec: { taints: [{ key: 'a', effect: 'NoSchedule' }] } },
    { spec: { unschedulable: true } },
    { metadata: { ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name: 'x', uid: 'x' }] } },
    { metadata: { annotations: { a: 'b' } } },
  ])
  const own = { name: random.pick(['n3', 'n1', 'n1', 'n4', '']) }
  const created = { apiVersion: 'v1', kind: 'Node', metadata: { ...own, ...label.metadata } }
  return random.pick<Draft>([
    ['PATCH', `${base}/nodes/${name}?dryRun=All`, patch, merge],
    ['PATCH', `${base}/nodes/${name}?dryRun=All`, patch, merge],
    ['PATCH', `${base}/nodes/${name}/status?dryRun=All`, { status: { phase: 'Running' } }, merge],
    ['POST', `${base}/nodes?dryRun=All`, created],
    ['DELETE', `${base}/nodes/${name}?dryRun=All`],
  ])
}

const podWrite = (random: RandomStream): Draft => {
  const path = `${inA}/pods/${random.pick(names)}`
  const status = random.pick<object>([
    { status: { message: 'x' } },
    { status: { message: 'x' } },
    { metadata: { labels: { a: 'b' } } },
    { status: { resourceClaimStatuses: [{ name: 'gpu', resourceClaimName: 'x' }] } },
  ])
  const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: path.split('/').at(-1) } }
  return random.pick<Draft>([
    ['PATCH', `${path}/status?dryRun=All`, status, merge],
    ['PATCH', `${path}/status?dryRun=All`, status, merge],
    ['DELETE', `${path}?dryRun=All`],
    ['POST', `${path}/eviction?dryRun=All`, eviction],
    ['PATCH', `${path}?dryRun=All`, { metadata: { labels: { a: 'b' } } }, merge],
    ['PATCH', `${path}/ephemeralcontainers?dryRun=All`, {}, merge],
  ])
}

const reads = (random: RandomStream): Draft => {
  const home = random.pick([inA, inA, `${base}/namespaces/a2`])
  const secret = random.pick([
    'pull',
    'env',
    'from',
    'volume',
    'projected',
    'publish',
    'stage',
    'control',
    'other',
    'gone',
  ])
  const selected = random.pick(['', `?fieldSelector=metadata.name%3D${secret}`, '?watch=true'])
  const drafts: readonly Draft[] = [
    ['GET', `${home}/secrets/${secret}`],
    ['GET', `${home}/secrets/${secret}`],
    ['GET', `${home}/configmaps/${secret}`],
    ['GET', `${home}/${random.pick(['secrets', 'configmaps'])}${selected}`],
    ['GET', `${base}/secrets`],
    ['GET', `${home}/serviceaccounts/${random.pick(['robot', 'idle', 'gone'])}`],
    ['GET', `${home}/persistentvolumeclaims/${random.pick(['data', 'other', 'busy-e', 'gone'])}`],
    ['GET', `${base}/persistentvolumes/${random.pick(['volume-data', 'volume-other', 'volume-e', 'gone'])}`],
    ['GET', `/apis/resource.k8s.io/v1/namespaces/a1/resourceclaims/${random.pick(['gpu', 'gone'])}`],
    ['GET', `/apis/storage.k8s.io/v1/volumeattachments/attached-${random.pick(nodes)}`],
    ['GET', `${inA}/pods/${random.pick(names)}`],
    ['GET', `${random.pick([inA, base])}/pods?fieldSelector=spec.nodeName%3D${random.pick(nodes)}`],
    ['GET', `${inA}/pods?fieldSelector=metadata.name%3D${random.pick(names)}`],
    ['GET', `${base}/pods`],
    ['GET', `${base}/nodes${random.pick(['', '/n1', '/n2', '/n3'])}`],
    ['GET', `${base}/services`],
    ['GET', `${base}/namespaces`],
    ['GET', `/apis/node.k8s.io/v1/runtimeclasses`],
    ['GET', `/apis/storage.k8s.io/v1/csinodes${random.pick(['', '/n1', '/n2'])}`],
    [
      'GET',
      `/apis/coordination.k8s.io/v1/namespaces/${random.pick(['a1', 'kube-node-lease'])}/leases${random.pick(['', '/n1', '/n2'])}`,
    ],
    [
      'GET',
      `/apis/resource.k8s.io/v1/resourceslices${random.pick(['', '/slice-n1', '/slice-n2', '?fieldSelector=spec.nodeName%3Dn1'])}`,
    ],
    ['GET', random.pick(['/version', '/metrics', '/healthz', '/api'])],
  ]
  return random.pick(drafts)
}

const otherWrites = (random: RandomStream): Draft => {
  const node = random.pick(['n1', 'n1', 'n2'])
  const lease = '/apis/coordination.k8s.io/v1/namespaces'
  const claim = random.pick(['data', 'other', 'busy-e'])
  return random.pick<Draft>([
    [
      'POST',
      `${lease}/${random.pick(['kube-node-lease', 'a1'])}/leases?dryRun=All`,
      named('Lease', 'n3', { spec: {} }, 'coordination.k8s.io/v1'),
    ],
    ['PATCH', `${lease}/kube-node-lease/leases/${node}?dryRun=All`, { spec: { holderIdentity: 'x' } }, merge],
    ['DELETE', `${lease}/kube-node-lease/leases/${node}?dryRun=All`],
    [
      'POST',
      '/apis/storage.k8s.io/v1/csinodes?dryRun=All',
      named('CSINode', random.pick(['n3', 'n4']), { spec: { drivers: [] } }, 'storage.k8s.io/v1'),
    ],
    ['DELETE', `/apis/storage.k8s.io/v1/csinodes/${node}?dryRun=All`],
    ['POST', '/apis/resource.k8s.io/v1/resourceslices?dryRun=All', slice('made', node)],
    [
      'PATCH',
      `/apis/resource.k8s.io/v1/resourceslices/slice-${node}?dryRun=All`,
      { metadata: { labels: { a: 'b' } } },
      merge,
    ],
    ['DELETE', `/apis/resource.k8s.io/v1/resourceslices/slice-${node}?dryRun=All`],
    ['DELETE', `/apis/resource.k8s.io/v1/resourceslices?dryRun=All&fieldSelector=spec.nodeName%3D${node}`],
    ['DELETE', '/apis/resource.k8s.io/v1/resourceslices?dryRun=All'],
    [
      'PATCH',
      `${inA}/persistentvolumeclaims/${claim}/status?dryRun=All`,
      { status: { capacity: { storage: '2Gi' } } },
      merge,
    ],
    ['PATCH', `${inA}/persistentvolumeclaims/${claim}?dryRun=All`, { metadata: { labels: { a: 'b' } } }, merge],
    ['POST', `${inA}/events?dryRun=All`, named('Event', 'made', { involvedObject: { namespace: 'a1' } })],
    ['POST', `${inA}/configmaps?dryRun=All`, named('ConfigMap', 'made')],
    ['POST', `${inA}/secrets?dryRun=All`, named('Secret', 'made')],
  ])
}

const reviews = (random: RandomStream): Draft => {
  const group = '/apis/authorization.k8s.io/v1'
  const resourceAttributes = {
    verb: random.pick(['get', 'list', 'watch', 'create', 'delete', 'patch']),
    resource: random.pick(['pods', 'secrets', 'nodes', 'leases', 'services']),
    ...random.pick<object>([{}, { name: 'n1' }, { name: 'pull' }]),
    ...random.pick<object>([{}, { namespace: 'a1' }]),
    ...random.pick<object>([
      {},
      { fieldSelector: { rawSelector: 'spec.nodeName=n1' } },
      { fieldSelector: { requirements: [{ key: 'spec.nodeName', operator: 'In', values: ['n1'] }] } },
      { fieldSelector: { requirements: [{ key: 'spec.nodeName', operator: 'NotIn', values: ['n1'] }] } },
    ]),
  }
  return random.pick<Draft>([
    ['POST', `${group}/selfsubjectaccessreviews`, { spec: { resourceAttributes } }],
    ['POST', `${group}/selfsubjectrulesreviews`, { spec: { namespace: 'a1' } }],
  ])
}

const drafts = [reads, reads, reads, podWrite, mirrored, tokenRequest, nodeWrite, otherWrites, reviews]

/** A random request of a user, with `{{PATH}}` for uids. */
export function nodeRequest(random: RandomStream, tokens: readonly string[]): AccessQuestion {
  const [method, path, body, type = 'application/json'] = random.pick(drafts)(random)
  const headers = { authorization: `Bearer ${random.pick(tokens)}`, 'content-type': type }
  return { method, path, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) }
}
