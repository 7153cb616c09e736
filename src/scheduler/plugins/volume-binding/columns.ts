import { inTreePluginOf, migratedAffinity, volumeHandle } from '../../../api/csi-migration.ts'
import type { NodeSelector } from '../../../api/objects/node.ts'
import type { CSINode, PersistentVolume } from '../../../api/objects/storage.ts'
import { isFullyBound, reachableFrom } from '../../../api/persistent-volumes.ts'
import { annotations } from '../../../api/well-known.ts'
import { requirementColumns } from '../../columns/derived-columns.ts'
import { memoNumber } from '../../columns/memo.ts'
import type { ColumnSources, PluginColumns } from '../../columns/plugin-columns.ts'
import { LabelClasses } from '../../columns/table/label-classes.ts'
import type { ObjectReader, ParsedPod } from '../../contract/contract.ts'
import { claimProblem } from './claims.ts'
import { nodeConflict } from './find-volumes.ts'
import { claimOf } from './pod-claims.ts'

/**
 * Bound claims only require that their volumes are reachable. Most volumes are reachable from every node, and pods with
 * equal requirements share a column. All other pods are evaluated one by one.
 */
export const volumeBindingColumns: PluginColumns = requirementColumns(
  requirementOf,
  (required, _pod, { table, statuses }) => {
    const classes = new LabelClasses(table, required.flatMap(labelsOf))
    const rejection = statuses.idOf('VolumeBinding', nodeConflict)
    const answer = (row: number): number => {
      const labels = table.rows[row]?.node.metadata.labels
      return required.every((selector) => reachableFrom({ required: selector }, labels)) ? 0 : rejection
    }
    return { filterRow: memoNumber((row) => classes.of(row), answer) }
  },
)

/** The node selectors of the pod's bound volumes. */
function requirementOf({ pod, shape }: ParsedPod, { objects }: ColumnSources): '' | 'live' | readonly NodeSelector[] {
  const volumes = pod.spec.volumes ?? []
  if (shape.claims.length === 0 && !volumes.some(({ ephemeral }) => ephemeral !== undefined)) return ''
  if (claimProblem(pod, objects) !== undefined) return 'live'
  const wanted: NodeSelector[] = []
  for (const one of volumes) {
    const name = claimOf(pod, one)
    if (name === undefined) continue
    const claim = objects.get('persistentvolumeclaims', `${pod.metadata.namespace ?? ''}/${name}`)
    if (claim === undefined || !isFullyBound(claim)) return 'live'
    const volume = objects.get('persistentvolumes', claim.spec.volumeName ?? '')
    if (volume === undefined) return 'live'
    if (hangsOnDriver(volume, objects)) return 'live'
    const required = volume.spec.nodeAffinity?.required
    if (required !== undefined) wanted.push(required)
  }
  return wanted.length === 0 ? '' : wanted
}

/** Reports whether CSI migration changes the node affinity of the volume. */
function hangsOnDriver(volume: PersistentVolume, objects: ObjectReader): boolean {
  const plugin = inTreePluginOf(volume.spec)
  if (plugin === undefined || !migratedAnywhere(objects).has(plugin.name)) return false
  return !volumeHandle(plugin, volume).ok || migratedAffinity(plugin, volume) !== volume.spec.nodeAffinity
}

const migrated = new WeakMap<readonly CSINode[], ReadonlySet<string>>()

/** The in-tree plugins that are migrated on a node. */
function migratedAnywhere(objects: ObjectReader): ReadonlySet<string> {
  const all = objects.list('csinodes.storage.k8s.io')
  let names = migrated.get(all)
  if (names === undefined) {
    names = new Set(
      all.flatMap(({ metadata }) => metadata.annotations?.[annotations.migratedPlugins]?.split(',') ?? []),
    )
    migrated.set(all, names)
  }
  return names
}

function labelsOf({ nodeSelectorTerms }: NodeSelector): readonly string[] {
  return (nodeSelectorTerms ?? []).flatMap(({ matchExpressions = [] }) => matchExpressions.map(({ key }) => key))
}
