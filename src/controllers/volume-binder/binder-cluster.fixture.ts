import type { PersistentVolume, PersistentVolumeClaim } from '../../api/objects/storage.ts'
import { createClaimProtection, createVolumeProtection } from '../storage-protection/controller.ts'
import { WorkloadCluster, type WorkloadClusterOptions } from '../workload-cluster.fixture.ts'
import { createVolumeBinder } from './controller.ts'

/** A cluster with volumes and claims, and their controllers. */
export class BinderCluster extends WorkloadCluster {
  constructor(options: Partial<WorkloadClusterOptions> = {}) {
    super({
      controllers: [
        createVolumeBinder(),
        createClaimProtection(options.release === undefined ? {} : { release: options.release }),
        createVolumeProtection(),
      ],
      kubelet: 'none',
      ...options,
    })
  }

  addClaim(name: string, spec: object = {}, metadata: object = {}): PersistentVolumeClaim {
    return this.create('persistentvolumeclaims', {
      metadata: { name, namespace: 'default', ...metadata },
      spec: {
        accessModes: ['ReadWriteOnce'],
        storageClassName: '',
        resources: { requests: { storage: '5Gi' } },
        ...spec,
      },
    })
  }

  addVolume(name: string, spec: object = {}, metadata: object = {}): PersistentVolume {
    const hasSource = 'local' in spec
    return this.create('persistentvolumes', {
      metadata: { name, ...metadata },
      spec: {
        capacity: { storage: '5Gi' },
        accessModes: ['ReadWriteOnce'],
        persistentVolumeReclaimPolicy: 'Retain',
        ...(hasSource ? {} : { hostPath: { path: '/tmp/x' } }),
        ...spec,
      },
    })
  }

  addClass(name: string, more: object = {}): void {
    this.create('storageclasses.storage.k8s.io', { metadata: { name }, provisioner: 'csi.example.com', ...more })
  }

  addPod(name: string, claim: string, nodeName?: string): void {
    this.create('pods', {
      metadata: { name, namespace: 'default' },
      spec: {
        containers: [{ name: 'c', image: 'i' }],
        volumes: [{ name: 'd', persistentVolumeClaim: { claimName: claim } }],
        ...(nodeName === undefined ? {} : { nodeName }),
      },
    })
  }

  claim(name = 'data'): PersistentVolumeClaim | undefined {
    return this.get('persistentvolumeclaims', `default/${name}`)
  }

  volume(name: string): PersistentVolume | undefined {
    return this.get('persistentvolumes', name)
  }

  /** The volume that a provisioner created. */
  made(): PersistentVolume | undefined {
    return this.list('persistentvolumes').find(({ metadata }) => metadata.name.startsWith('pvc-'))
  }

  /** The phase of a claim and its volume. */
  has(name = 'data'): string {
    return `${this.claim(name)?.status?.phase} ${this.claim(name)?.spec.volumeName ?? '-'}`
  }

  /** The phase of a volume and its claim. */
  holds(name: string): string {
    return `${this.volume(name)?.status?.phase} ${this.volume(name)?.spec.claimRef?.name ?? '-'}`
  }

  reasons(about: string): readonly string[] {
    return this.events(about).map((text) => text.split(':')[0] as string)
  }
}
