import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { KubeObject } from '../../../src/api/objects/meta.ts'
import type { KubernetesRelease } from '../../../src/api/releases/kubernetes-release.ts'
import { createDeviceTaintEviction } from '../../../src/controllers/device-taint-eviction/controller.ts'
import { createJobController } from '../../../src/controllers/job/controller.ts'
import { createPodGroupProtection } from '../../../src/controllers/pod-group-protection/controller.ts'
import { createResourceClaimController } from '../../../src/controllers/resource-claim/controller.ts'
import { WorkloadCluster } from '../../../src/controllers/workload-cluster.fixture.ts'
import { createScheduler } from '../../../src/scheduler/scheduler.ts'
import type { RealCluster } from '../real-parts.ts'

/** A change of the cluster that both sides get. */
export type Told =
  | { readonly kind: 'create'; readonly resource: string; readonly object: object }
  | {
      readonly kind: 'patch'
      readonly resource: string
      readonly name: string
      readonly patch: object
      readonly status?: true
    }
  | { readonly kind: 'delete'; readonly resource: string; readonly name: string }
  /** Time passes. */
  | { readonly kind: 'wait'; readonly ms: number }

export interface ToldSide {
  tell(told: Told): Promise<void>
  list(resource: string): readonly KubeObject[]
  settle(): Promise<void>
}

const namespaced = (resource: string): boolean =>
  !/^(nodes|priorityclasses|deviceclasses|resourceslices)/.test(resource)

/** kube-apiserver, kube-scheduler and kube-controller-manager, through kubectl. */
export function realSideOf(cluster: RealCluster): ToldSide {
  let files = 0
  const inNamespace = (resource: string) => (namespaced(resource) ? ['-n', 'default'] : [])
  const list = (resource: string): readonly KubeObject[] =>
    JSON.parse(cluster.kubectl('get', resource, ...inNamespace(resource), '-o', 'json')).items
  return {
    list,
    async tell(told) {
      if (told.kind === 'wait') return pause(told.ms)
      const { resource } = told
      if (told.kind === 'create') {
        const file = join(cluster.folder, `told-${files++}.json`)
        writeFileSync(file, JSON.stringify(told.object))
        cluster.kubectl('create', '-f', file)
      } else if (told.kind === 'patch') {
        const sub = told.status === true ? ['--subresource=status'] : []
        const patch = JSON.stringify(told.patch)
        cluster.kubectl('patch', resource, told.name, ...inNamespace(resource), '--type=merge', '-p', patch, ...sub)
      } else {
        cluster.kubectl(
          'delete',
          resource,
          told.name,
          ...inNamespace(resource),
          '--force',
          '--grace-period=0',
          '--wait=false',
        )
      }
      // Informers of different kinds do not wait for each other.
      await pause(300)
    },
    settle: () => pause(4_000),
  }
}

const pause = (ms: number): Promise<void> => new Promise((next) => setTimeout(next, ms))

/** berth's scheduler and controllers in virtual time. */
export function berthSideOf(release: KubernetesRelease): ToldSide {
  const cluster = new WorkloadCluster({
    controllers: [
      createResourceClaimController(),
      createDeviceTaintEviction(),
      createPodGroupProtection(),
      createJobController({ release }),
      createScheduler({ release }),
    ],
    kubelet: 'none',
    release,
  })
  cluster.settle()
  const keyOf = (resource: string, name: string): string => (namespaced(resource) ? `default/${name}` : name)
  return {
    list: (resource) => cluster.list(resource),
    async tell(told) {
      if (told.kind === 'wait') cluster.advance(told.ms)
      else if (told.kind === 'create') cluster.create(told.resource, told.object)
      else if (told.kind === 'patch')
        cluster.patch(told.resource, keyOf(told.resource, told.name), told.patch, told.status && 'status')
      else cluster.delete(told.resource, keyOf(told.resource, told.name), { gracePeriodSeconds: 0 })
      cluster.settle()
    },
    async settle() {
      cluster.advance(4_000)
    },
  }
}
