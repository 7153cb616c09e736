import type { Call, Outcome } from '../../src/api/call.ts'
import type { KubeObject } from '../../src/api/objects/meta.ts'
import type { Pod } from '../../src/api/objects/pod.ts'
import type { PersistentVolume, PersistentVolumeClaim } from '../../src/api/objects/storage.ts'

/** A claim and a volume bound to each other, and a pod that uses them (upstream CreatePodWithPersistentVolume). */
export async function createPodWithVolume(
  call: (call: Call) => Promise<Outcome>,
  wish: {
    readonly pod: KubeObject
    readonly claim: KubeObject
    readonly volume: KubeObject
    readonly namespace: string
    readonly index: number
  },
): Promise<void> {
  const { namespace, index } = wish
  const claimName = `pvc-${index}`
  const volumeName = `${namespace}-vol-${index}`
  const claimTemplate = wish.claim as PersistentVolumeClaim
  const claim: PersistentVolumeClaim = {
    ...claimTemplate,
    metadata: { ...claimTemplate.metadata, name: claimName, namespace },
    spec: { ...claimTemplate.spec, volumeName },
    status: { phase: 'Bound' },
  }
  await call({ verb: 'create', resource: 'persistentvolumeclaims', namespace, object: claim })
  await call({
    verb: 'update',
    resource: 'persistentvolumeclaims',
    namespace,
    name: claimName,
    subresource: 'status',
    object: claim,
  })
  const { spec } = wish.volume as PersistentVolume
  const volume: PersistentVolume = {
    ...(wish.volume as PersistentVolume),
    metadata: { ...wish.volume.metadata, name: volumeName },
    spec: {
      ...spec,
      ...(spec.csi === undefined ? {} : { csi: { ...spec.csi, volumeHandle: volumeName } }),
      ...(spec.awsElasticBlockStore === undefined
        ? {}
        : { awsElasticBlockStore: { ...spec.awsElasticBlockStore, volumeID: `vol-${index}` } }),
      claimRef: { kind: 'PersistentVolumeClaim', namespace, name: claimName, apiVersion: 'v1' },
    },
    status: { phase: 'Bound' },
  }
  await call({ verb: 'create', resource: 'persistentvolumes', object: volume })
  await call({ verb: 'update', resource: 'persistentvolumes', name: volumeName, subresource: 'status', object: volume })
  const pod = wish.pod as Pod
  const volumes = [{ name: 'vol', persistentVolumeClaim: { claimName } }]
  await call({ verb: 'create', resource: 'pods', namespace, object: { ...pod, spec: { ...pod.spec, volumes } } as Pod })
}
