import type { Pod, Volume } from '../../../api/objects/pod.ts'
import type { KubernetesRelease } from '../../../api/releases/kubernetes-release.ts'
import { type ColumnarPlugin, type ColumnSources, defineColumnarPlugin } from '../../columns/plugin-columns.ts'
import { type NodeState, ok, type ParsedPod, skip, unresolvable, unschedulable } from '../../contract/contract.ts'
import { claimNotFound } from '../volume-binding/pod-claims.ts'
import { volumeRestrictionsWake, volumesConflict } from './wake.ts'

interface Restrictions {
  /** Inline disks that only one pod per node can write. */
  readonly disks: readonly Volume[]
  /** Names of the pod's ReadWriteOncePod claims. */
  readonly exclusive: ReadonlySet<string>
  /** The number of uses of these claims by other pods. */
  uses: number
}

const diskTaken = unschedulable('node(s) had no available disk')
const claimTaken = unschedulable(
  'node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod',
)

/** Disks that cannot be shared, and ReadWriteOncePod claims (v1.36, plugins/volumerestrictions). */
export function createVolumeRestrictions(release: KubernetesRelease): ColumnarPlugin<Restrictions, undefined> {
  return defineColumnarPlugin<Restrictions>({
    name: 'VolumeRestrictions',
    withoutPreFilter: 'cannot read "PreFilterVolumeRestrictions" from cycleState',
    preFilter({ pod }, cluster) {
      const volumes = pod.spec.volumes ?? []
      const disks = volumes.filter(isExclusiveDisk)
      const namespace = pod.metadata.namespace ?? ''
      const exclusive = new Set<string>()
      for (const { persistentVolumeClaim } of volumes) {
        if (persistentVolumeClaim === undefined) continue
        const name = persistentVolumeClaim.claimName
        const claim = cluster.objects.get('persistentvolumeclaims', `${namespace}/${name}`)
        if (claim === undefined) return unresolvable(claimNotFound(name))
        if (claim.spec.accessModes?.includes('ReadWriteOncePod') === true) exclusive.add(name)
      }
      let uses = 0
      for (const name of exclusive) if (cluster.claimInUse(`${namespace}/${name}`)) uses++
      return disks.length === 0 && uses === 0 ? skip : { state: { disks, exclusive, uses } }
    },
    filter(_pod, node, { disks, uses }) {
      if (disks.length > 0 && isTaken(disks, node)) return diskTaken
      return uses > 0 ? claimTaken : ok
    },
    preFilterAddPod(_pod, { pod }, _node, state) {
      state.uses += usesOf(pod, state)
    },
    preFilterRemovePod(_pod, { pod }, _node, state) {
      state.uses -= usesOf(pod, state)
    },
    cloneState: (state) => ({ ...state }),
    wakeOn: volumeRestrictionsWake(release),
    columns: {
      keyOf: (pod, sources) => (isRestricted(pod, sources) ? 'live' : ''),
      open: (pod, sources) => (isRestricted(pod, sources) ? 'live' : undefined),
    },
  })
}

/** Reports whether the plugin may reject a node for the pod. Few pods are restricted. */
function isRestricted({ pod, shape }: ParsedPod, { objects, claimInUse }: ColumnSources): boolean {
  if (pod.spec.volumes?.some(isExclusiveDisk) === true) return true
  return shape.claims.some((key) => {
    const claim = objects.get('persistentvolumeclaims', key)
    return claim === undefined || (claim.spec.accessModes?.includes('ReadWriteOncePod') === true && claimInUse(key))
  })
}

function isExclusiveDisk({ gcePersistentDisk, awsElasticBlockStore, rbd, iscsi }: Volume): boolean {
  return (
    gcePersistentDisk !== undefined || awsElasticBlockStore !== undefined || rbd !== undefined || iscsi !== undefined
  )
}

function isTaken(disks: readonly Volume[], { pods }: NodeState): boolean {
  return pods.some(({ pod }) =>
    (pod.spec.volumes ?? []).some((held) => disks.some((wanted) => volumesConflict(wanted, held))),
  )
}

/** Compares only the claim name, as upstream: pods in other namespaces with a claim of that name count too. */
function usesOf({ spec }: Pod, { exclusive }: Restrictions): number {
  let uses = 0
  for (const { persistentVolumeClaim } of spec.volumes ?? []) {
    if (persistentVolumeClaim !== undefined && exclusive.has(persistentVolumeClaim.claimName)) uses++
  }
  return uses
}
