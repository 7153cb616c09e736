import type { DriverVolume } from '../../../api/csi-migration.ts'
import { requirementColumns } from '../../columns/derived-columns.ts'
import type { ColumnSources, PluginColumn, PluginColumns } from '../../columns/plugin-columns.ts'
import { errorStatus } from '../../columns/status-table.ts'
import type { ParsedPod, Status } from '../../contract/contract.ts'
import { isAttachable, isProblem, isToCome, volumesOf } from './attached-volumes.ts'
import { attachedTo, limitedDrivers, limitsOf } from './node-limits.ts'
import type { PlacedVolumes } from './placed-volumes.ts'

/**
 * Volumes that no pod uses yet are as good as any others of their drivers, so pods that bring as many share an answer.
 * The cache sees to it that a row is asked again when what is attached to the node may have changed.
 */
export function nodeVolumeLimitsColumns(placed: PlacedVolumes, full: Status): PluginColumns {
  return requirementColumns(newVolumes, (wanted, _pod, sources) => openCounts(wanted, placed, full, sources))
}

/** The number of volumes by driver. */
type VolumeCounts = readonly (readonly [driver: string, count: number])[]

/**
 * How many volumes the pod brings to any node, by driver: nothing that is counted, some of drivers with limits, perhaps
 * of none (then the pods on a node are counted all the same), or it hangs on the node.
 */
function newVolumes(
  { pod, shape }: ParsedPod,
  { objects, claimInUse, volumeUsers }: ColumnSources,
): '' | 'live' | VolumeCounts {
  const volumes = pod.spec.volumes ?? []
  if (!volumes.some(isAttachable)) return ''
  const wanted = volumesOf(pod, { objects, hasDrivers: true, isPlaced: false })
  if (isProblem(wanted)) return 'live'
  const limited = limitedDrivers(objects)
  if (wanted.length === 0 || limited.size === 0) return ''
  const counted = wanted.filter(({ driver }) => limited.has(driver))
  if (counted.length > 0 && mayShare(shape.claims, counted)) return 'live'
  const counts = new Map<string, number>()
  for (const { driver } of counted.sort((a, b) => (a.driver < b.driver ? -1 : 1))) {
    counts.set(driver, (counts.get(driver) ?? 0) + 1)
  }
  return [...counts]

  /** Whether another pod may have one of the volumes: they can be the same by whatever way a pod came to them. */
  function mayShare(claims: readonly string[], own: readonly DriverVolume[]): boolean {
    if (volumeUsers.hasInline || new Set(claims).size < claims.length) return true
    if (volumes.some((volume) => volume.persistentVolumeClaim === undefined && isAttachable(volume))) return true
    if (claims.some((claim) => claimInUse(claim) || volumeUsers.isClaimEphemeral(claim))) return true
    return own.some((one) => !isToCome(one) && !volumeUsers.isSingle(one.name))
  }
}

function openCounts(
  wanted: VolumeCounts,
  placed: PlacedVolumes,
  full: Status,
  { objects, table, statuses, volumeUsers }: ColumnSources,
): PluginColumn {
  const rejection = statuses.idOf('NodeVolumeLimits', full)
  return {
    // They may have the very volumes that the pod has, or that another pod of its shape has.
    dependsOnNominated: true,
    filterRow(row) {
      // Where all volumes can be counted, only those of the wanted drivers need be.
      if (wanted.length === 0 && !volumeUsers.hasInline && !volumeUsers.hasUncertain) return 0
      const node = table.rows[row]
      const csiNode = node === undefined ? undefined : objects.get('csinodes.storage.k8s.io', node.name)
      if (node === undefined || csiNode === undefined) return 0
      const limits = limitsOf(csiNode)
      if (limits.size === 0) return 0
      placed.look(objects)
      const present = new Map<string, string>()
      for (const { pod } of node.pods) {
        const volumes = placed.of(pod, true)
        if (isProblem(volumes)) return errorStatus
        for (const { name, driver } of volumes) present.set(name, driver)
      }
      for (const { name, driver } of attachedTo(node.name, objects)) present.set(name, driver)
      for (const [driver, count] of wanted) {
        const limit = limits.get(driver)
        if (limit === undefined) continue
        let sum = count
        for (const other of present.values()) if (other === driver) sum++
        if (sum > limit) return rejection
      }
      return 0
    },
  }
}
