import { readdirSync, readFileSync } from 'node:fs'
import { loadAll } from 'js-yaml'
import type { KubeObject } from '../../src/api/objects/meta.ts'
import type { Pod } from '../../src/api/objects/pod.ts'
import { type Connection, pod } from './connection.ts'
import { type AuditEvent, eventually } from './real-parts.ts'

// krew.yaml is read by kubectl's plugin manager, not by an API server.
export const manifests = readdirSync('deploy').filter((name) => name.endsWith('.yaml') && name !== 'krew.yaml')
/** The controllers of Kubernetes that a manifest replaces. */
export const replacements = manifests
  .map((name) => name.replace('.yaml', ''))
  .filter((name) => name !== 'clustercidr-crd')

/** The arguments of berth in a manifest, without the addresses that it serves. */
export function argumentsIn(name: string): readonly string[] {
  const objects = loadAll(readFileSync(`deploy/${name}.yaml`, 'utf8')) as readonly KubeObject[]
  const deployment = objects.find(({ kind }) => kind === 'Deployment') as KubeObject & {
    readonly spec: {
      readonly template: { readonly spec: { readonly containers: readonly { readonly args: string[] }[] } }
    }
  }
  const args = deployment.spec.template.spec.containers[0]?.args ?? []
  return args.slice(1).filter((arg) => !arg.startsWith('--metrics-bind-address'))
}

/** `verb resource` for everything that the roles of a manifest allow. */
export function grantsOf(name: string): readonly string[] {
  const objects = loadAll(readFileSync(`deploy/${name}.yaml`, 'utf8')) as readonly (KubeObject & {
    readonly rules?: readonly Record<'apiGroups' | 'resources' | 'verbs', readonly string[]>[]
  })[]
  const all = objects
    .flatMap(({ rules = [] }) => rules)
    .flatMap(({ apiGroups, resources, verbs }) =>
      apiGroups.flatMap((group) =>
        resources.flatMap((resource) => verbs.map((verb) => `${verb} ${group === '' ? '' : `${group}/`}${resource}`)),
      ),
    )
  return [...new Set(all)].sort()
}

export function resourceOf(asked: AuditEvent['objectRef']): string {
  const { apiGroup = '', resource = '', subresource = '' } = asked ?? {}
  return `${apiGroup === '' ? '' : `${apiGroup}/`}${resource}${subresource === '' ? '' : `/${subresource}`}`
}

const claims = 'resource.k8s.io/resourceclaims'

/** Rights that are not used here: after lost answers, for provisioners, with other flags, or for repeated events. */
export const grantedForOthers: Readonly<Record<string, readonly string[]>> = {
  scheduler: [
    ...[
      'get nodes',
      'get pods',
      'update persistentvolumeclaims',
      'patch events.k8s.io/events',
      'update pods/finalizers',
    ],
    // For pods with devices, of which there are none here.
    ...['get', 'create', 'update', 'delete'].map((verb) => `${verb} ${claims}`),
    ...['update', 'patch'].flatMap((verb) => ['status', 'binding'].map((part) => `${verb} ${claims}/${part}`)),
  ],
  'node-ipam': [
    ...['get nodes', 'patch nodes/status', 'create events'],
    ...['list', 'watch', 'create', 'update'].map((verb) => `${verb} networking.x-k8s.io/clustercidrs`),
  ],
  'node-lifecycle': ['update pods/status'],
  'taint-eviction': ['delete pods', 'get pods', 'patch nodes', 'patch pods/status'],
}

/** Everything a scheduler writes: binds, refusals, preemptions, volumes. */
export async function putToWork(hands: Connection): Promise<void> {
  const mine = { schedulerName: 'berth' }
  const tolerate = (key: string) => ({ key, operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 1 }) as const
  const tolerations = [tolerate('node.kubernetes.io/unreachable'), tolerate('node.kubernetes.io/not-ready')]
  await hands.create('storageclasses.storage.k8s.io', {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'StorageClass',
    metadata: { name: 'local' },
    provisioner: 'kubernetes.io/no-provisioner',
    volumeBindingMode: 'WaitForFirstConsumer',
  } as KubeObject)
  const terms = [{ matchExpressions: [{ key: 'kubernetes.io/hostname', operator: 'In', values: ['n0', 'n1', 'n2'] }] }]
  await hands.create('persistentvolumes', {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name: 'disk' },
    spec: {
      capacity: { storage: '1Gi' },
      accessModes: ['ReadWriteOnce'],
      storageClassName: 'local',
      local: { path: '/disk' },
      nodeAffinity: { required: { nodeSelectorTerms: terms } },
    },
  } as KubeObject)
  // What kube-controller-manager reports about an unclaimed volume.
  await hands.merge('persistentvolumes', 'disk', { status: { phase: 'Available' } }, 'status')
  await hands.create('persistentvolumeclaims', {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name: 'claim', namespace: 'default' },
    spec: {
      accessModes: ['ReadWriteOnce'],
      storageClassName: 'local',
      resources: { requests: { storage: '1Gi' } },
    },
  } as KubeObject)
  await hands.create('priorityclasses.scheduling.k8s.io', {
    apiVersion: 'scheduling.k8s.io/v1',
    kind: 'PriorityClass',
    metadata: { name: 'high' },
    value: 1000,
  } as KubeObject)
  const large = [{ name: 'c', image: 'pause', resources: { requests: { cpu: '1500m' } } }]
  for (const name of ['first', 'second', 'third'])
    await hands.create('pods', pod(name, { app: 'low' }, { ...mine, tolerations, containers: large }))
  await hands.allBound('app=low', 3)
  await hands.create('pods', pod('high', { app: 'high' }, { ...mine, priorityClassName: 'high', containers: large }))
  await hands.allBound('app=high', 1)
  await hands.create('pods', pod('waits', { app: 'waits' }, { ...mine, nodeSelector: { no: 'such' } }))
  const volumes = [{ name: 'v', persistentVolumeClaim: { claimName: 'claim' } }]
  await hands.create('pods', pod('stateful', { app: 'stateful' }, { ...mine, volumes, tolerations }))
  await eventually(
    'the volume is given to the claim',
    () => hands.get<KubeObject>('persistentvolumes', 'disk'),
    (disk) => JSON.stringify(disk).includes('"claimRef"'),
  )
  await eventually(
    'one is told why it waits',
    () => hands.get<Pod>('pods', 'waits', 'default'),
    (waits) => waits?.status?.conditions?.[0]?.reason === 'Unschedulable',
  )
}
