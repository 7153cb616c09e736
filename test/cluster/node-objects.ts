/** The objects of a small cluster with two kubelets, for requests of nodes. */
export interface PlantedObject {
  readonly path: string
  readonly object: object
}

const core = '/api/v1'
const inA = `${core}/namespaces/a1`
const inB = `${core}/namespaces/a2`

const named = (kind: string, name: string, more: object = {}, apiVersion = 'v1') => ({
  ...{ apiVersion, kind },
  metadata: { name },
  ...more,
})

const container = { name: 'c', image: 'x' }

const pod = (name: string, nodeName: string | undefined, spec: object, metadata: object = {}) => ({
  ...{ apiVersion: 'v1', kind: 'Pod' },
  metadata: { name, ...metadata },
  spec: { containers: [container], ...(nodeName === undefined ? {} : { nodeName }), ...spec },
})

const everything = {
  serviceAccountName: 'robot',
  imagePullSecrets: [{ name: 'pull' }],
  containers: [
    {
      ...container,
      env: [
        { name: 'A', valueFrom: { secretKeyRef: { name: 'env', key: 'k' } } },
        { name: 'B', valueFrom: { configMapKeyRef: { name: 'env', key: 'k' } } },
      ],
      envFrom: [{ secretRef: { name: 'from' } }, { configMapRef: { name: 'from' } }],
    },
  ],
  volumes: [
    { name: 's', secret: { secretName: 'volume' } },
    { name: 'm', configMap: { name: 'volume' } },
    { name: 'p', projected: { sources: [{ secret: { name: 'projected' } }, { configMap: { name: 'projected' } }] } },
    { name: 't', projected: { sources: [{ serviceAccountToken: { audience: 'vault', path: 't' } }] } },
    { name: 'd', persistentVolumeClaim: { claimName: 'data' } },
    { name: 'e', ephemeral: { volumeClaimTemplate: { spec: claimSpec() } } },
    { name: 'i', csi: { driver: 'inline.example.com', nodePublishSecretRef: { name: 'publish' } } },
  ],
  resourceClaims: [{ name: 'gpu', resourceClaimName: 'gpu' }],
}

function claimSpec(volumeName?: string): object {
  const base = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, storageClassName: '' }
  return volumeName === undefined ? base : { ...base, volumeName }
}

const volume = (name: string, claim: string, more: object) => ({
  path: `${core}/persistentvolumes`,
  object: named('PersistentVolume', name, {
    spec: {
      accessModes: ['ReadWriteOnce'],
      capacity: { storage: '1Gi' },
      claimRef: { namespace: 'a1', name: claim, kind: 'PersistentVolumeClaim', apiVersion: 'v1' },
      ...more,
    },
  }),
})

const secrets = ['pull', 'env', 'from', 'volume', 'projected', 'publish', 'stage', 'control', 'other']
const maps = ['env', 'from', 'volume', 'projected', 'other']

export const plantedObjects: readonly PlantedObject[] = [
  ...['a1', 'a2', 'kube-node-lease'].map((name) => ({ path: `${core}/namespaces`, object: named('Namespace', name) })),
  ...['n1', 'n2'].map((name) => ({ path: `${core}/nodes`, object: named('Node', name) })),
  ...[inA, inB].flatMap((home) => [
    ...secrets.map((name) => ({ path: `${home}/secrets`, object: named('Secret', name) })),
    ...maps.map((name) => ({ path: `${home}/configmaps`, object: named('ConfigMap', name) })),
    ...['robot', 'idle'].map((name) => ({ path: `${home}/serviceaccounts`, object: named('ServiceAccount', name) })),
  ]),
  {
    path: '/apis/storage.k8s.io/v1/csidrivers',
    object: named(
      'CSIDriver',
      'inline.example.com',
      { spec: { tokenRequests: [{ audience: 'csi' }], volumeLifecycleModes: ['Ephemeral'] } },
      'storage.k8s.io/v1',
    ),
  },
  {
    path: '/apis/storage.k8s.io/v1/csidrivers',
    object: named('CSIDriver', 'disk.example.com', { spec: {} }, 'storage.k8s.io/v1'),
  },
  ...['data', 'other'].map((name) => ({
    path: `${inA}/persistentvolumeclaims`,
    object: named('PersistentVolumeClaim', name, { spec: claimSpec(`volume-${name}`) }),
  })),
  {
    path: `${inA}/persistentvolumeclaims`,
    object: named('PersistentVolumeClaim', 'busy-e', { spec: claimSpec('volume-e') }),
  },
  ...['data', 'other'].map((claim) =>
    volume(`volume-${claim}`, claim, {
      csi: {
        ...{ driver: 'disk.example.com', volumeHandle: 'h' },
        nodeStageSecretRef: { name: 'stage', namespace: 'a1' },
        controllerPublishSecretRef: { name: 'control', namespace: 'a1' },
      },
    }),
  ),
  volume('volume-e', 'busy-e', { hostPath: { path: '/x' } }),
  {
    path: '/apis/resource.k8s.io/v1/namespaces/a1/resourceclaims',
    object: named('ResourceClaim', 'gpu', { spec: {} }, 'resource.k8s.io/v1'),
  },
  { path: `${inA}/pods`, object: pod('busy', 'n1', everything) },
  { path: `${inA}/pods`, object: pod('plain', 'n2', { serviceAccountName: 'idle' }) },
  { path: `${inA}/pods`, object: pod('waiting', undefined, { imagePullSecrets: [{ name: 'other' }] }) },
  {
    path: `${inA}/pods`,
    object: pod('mirror', 'n1', {}, { annotations: { 'kubernetes.io/config.mirror': 'x' } }),
  },
  ...['n1', 'n2'].map((node) => ({
    path: '/apis/storage.k8s.io/v1/volumeattachments',
    object: named(
      'VolumeAttachment',
      `attached-${node}`,
      { spec: { attacher: 'disk.example.com', nodeName: node, source: { persistentVolumeName: 'volume-data' } } },
      'storage.k8s.io/v1',
    ),
  })),
  ...['n1', 'n2'].map((node) => ({
    path: '/apis/resource.k8s.io/v1/resourceslices',
    object: slice(`slice-${node}`, node),
  })),
  ...['n1', 'n2'].map((name) => ({
    path: '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases',
    object: named('Lease', name, { spec: {} }, 'coordination.k8s.io/v1'),
  })),
  ...['n1', 'n2'].map((name) => ({
    path: '/apis/storage.k8s.io/v1/csinodes',
    object: named('CSINode', name, { spec: { drivers: [] } }, 'storage.k8s.io/v1'),
  })),
]

export function slice(name: string, nodeName: string): object {
  const spec = { driver: 'gpu.example.com', nodeName, pool: { name: 'p', generation: 1, resourceSliceCount: 1 } }
  return named('ResourceSlice', name, { spec: { ...spec, devices: [{ name: 'd' }] } }, 'resource.k8s.io/v1')
}

export { container, inA, named, pod }
