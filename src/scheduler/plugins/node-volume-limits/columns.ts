import type { ColumnSources, PluginColumn, PluginColumns } from '../../framework/columnar/column.ts'
import type { ParsedPod, Status } from '../../framework/contract.ts'
import { isAttachable, isProblem, volumesOf } from './attached-volumes.ts'
import { attachedTo, limitedDrivers, limitsOf } from './node-limits.ts'
import type { PlacedVolumes } from './placed-volumes.ts'

/**
 * Volumes that no pod uses yet are as good as any others of their drivers, so pods that bring as many share an answer.
 * The cache sees to it that a row is asked again when what is attached to the node may have changed.
 */
export function nodeVolumeLimitsColumns(placed: PlacedVolumes, full: Status): PluginColumns {
  return {
    keyOf(pod, sources) {
      const wanted = newVolumes(pod, sources)
      return typeof wanted === 'string' ? wanted : JSON.stringify([...wanted])
    },
    open(pod, sources) {
      const wanted = newVolumes(pod, sources)
      if (wanted === '') return undefined
      return wanted === 'live' ? 'live' : openCounts(wanted, placed, full, sources)
    },
  }
}

/** How many volumes the pod brings to any node, by driver: none that are limited, some, or it hangs on the node. */
function newVolumes(
  { pod, shape }: ParsedPod,
  { objects, claimInUse, hasInlineDisks }: ColumnSources,
): '' | 'live' | ReadonlyMap<string, number> {
  const volumes = pod.spec.volumes ?? []
  if (!volumes.some(isAttachable)) return ''
  const wanted = volumesOf(pod, { objects, hasDrivers: true, isPlaced: false })
  if (isProblem(wanted)) return 'live'
  const limited = limitedDrivers(objects)
  // A disk that no driver can take over is an error on any node where volumes are counted.
  if (!wanted.some(({ driver }) => limited.has(driver))) {
    return wanted.length > 0 && limited.size > 0 && hasInlineDisks() ? 'live' : ''
  }
  // Disks can be the same by whatever way a pod came to them.
  const hasOthers =
    hasInlineDisks() || volumes.some((volume) => volume.persistentVolumeClaim === undefined && isAttachable(volume))
  if (hasOthers || new Set(shape.claims).size < shape.claims.length || shape.claims.some(claimInUse)) return 'live'
  const counts = new Map<string, number>()
  for (const { driver } of [...wanted].sort((a, b) => (a.driver < b.driver ? -1 : 1))) {
    if (limited.has(driver)) counts.set(driver, (counts.get(driver) ?? 0) + 1)
  }
  return counts
}

function openCounts(
  wanted: ReadonlyMap<string, number>,
  placed: PlacedVolumes,
  full: Status,
  { objects, table, statuses }: ColumnSources,
): PluginColumn {
  const rejection = statuses.idOf('NodeVolumeLimits', full)
  return {
    filterRow(row) {
      const node = table.rows[row]
      const csiNode = node === undefined ? undefined : objects.get('csinodes.storage.k8s.io', node.name)
      if (node === undefined || csiNode === undefined) return 0
      const limits = limitsOf(csiNode)
      placed.look(objects)
      const present = new Map<string, string>()
      for (const { pod } of node.pods) {
        const volumes = placed.of(pod, true)
        if (!isProblem(volumes)) for (const { name, driver } of volumes) present.set(name, driver)
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
