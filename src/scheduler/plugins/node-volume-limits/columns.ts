import type { DriverVolume } from '../../../api/csi-migration.ts'
import { requirementColumns } from '../../columns/derived-columns.ts'
import type { ColumnSources, PluginColumn, PluginColumns } from '../../columns/plugin-columns.ts'
import { errorStatus } from '../../columns/status-table.ts'
import type { ParsedPod, PluginStatus } from '../../contract/contract.ts'
import { isAttachable, isProblem, isToCome, volumesOf } from './attached-volumes.ts'
import { attachedTo, limitedDrivers, limitsOf } from './node-limits.ts'
import type { LimitRules } from './node-volume-limits.ts'
import type { PlacedVolumes } from './placed-volumes.ts'

const portworxDriver = 'pxd.portworx.com'

/**
 * Volumes that no pod uses yet are interchangeable within a driver, so pods with the same number of new volumes per
 * driver share a column. The cache marks a row when the volumes attached to its node may have changed.
 */
export function nodeVolumeLimitsColumns(placed: PlacedVolumes, full: PluginStatus, rules: LimitRules): PluginColumns {
  return requirementColumns(
    (pod, sources) => newVolumes(pod, sources, rules),
    (wanted, _pod, sources) => openCounts(wanted, placed, full, rules, sources),
  )
}

/** The number of volumes by driver. */
type VolumeCounts = readonly (readonly [driver: string, count: number])[]

/**
 * The number of new volumes that the pod adds to any node, by limited driver. It may be empty; the pods of each node
 * are then still checked. `live` when the number depends on the node.
 */
function newVolumes(
  { pod, shape }: ParsedPod,
  { objects, claimInUse, volumeUsers }: ColumnSources,
  { missingDriver }: LimitRules,
): '' | 'live' | VolumeCounts {
  const volumes = pod.spec.volumes ?? []
  if (!volumes.some(isAttachable)) return ''
  const wanted = volumesOf(pod, { objects, hasDrivers: true, migratesPortworx: true, isPlaced: false })
  if (isProblem(wanted)) return 'live'
  // Whether a driver is missing, or Portworx is migrated, depends on the node.
  if (wanted.some(({ driver }) => driver === portworxDriver || missingDriver?.(driver, undefined, objects) === true)) {
    return 'live'
  }
  const limited = limitedDrivers(objects)
  if (wanted.length === 0 || limited.size === 0) return ''
  const counted = wanted.filter(({ driver }) => limited.has(driver))
  if (counted.length > 0 && mayShare(shape.claims, counted)) return 'live'
  const counts = new Map<string, number>()
  for (const { driver } of counted.sort((a, b) => (a.driver < b.driver ? -1 : 1))) {
    counts.set(driver, (counts.get(driver) ?? 0) + 1)
  }
  return [...counts]

  /** Reports whether another pod may use one of the volumes, under the same or another name. */
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
  full: PluginStatus,
  { migratesPortworx }: LimitRules,
  { objects, table, statuses, volumeUsers }: ColumnSources,
): PluginColumn {
  const rejection = statuses.idOf('NodeVolumeLimits', full)
  return {
    // Nominated pods may use the same volumes as the pod or another pod of its shape.
    dependsOnNominated: true,
    filterRow(row) {
      // When all volumes are countable, only the volumes of the wanted drivers matter.
      if (wanted.length === 0 && !volumeUsers.hasInline && !volumeUsers.hasUncertain) return 0
      const node = table.rows[row]
      const csiNode = node === undefined ? undefined : objects.get('csinodes.storage.k8s.io', node.name)
      if (node === undefined || csiNode === undefined) return 0
      const limits = limitsOf(csiNode)
      if (limits.size === 0) return 0
      placed.look(objects)
      const present = new Map<string, string>()
      for (const { pod } of node.pods) {
        const volumes = placed.of(pod, migratesPortworx(csiNode))
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
