import type { ResourceName } from '../../api/objects/resources.ts'
import type { AnyPlugin, ClusterState, ObjectReader, ParsedPod, Plugin } from '../contract/contract.ts'
import type { DeviceInventory } from '../devices/device-inventory.ts'
import { deriveColumns } from './derived-columns.ts'
import type { DirtyRows } from './dirty-rows.ts'
import type { PodCounter } from './domain-counter.ts'
import type { StatusTable } from './status-table.ts'
import type { NodeTable } from './table/node-table.ts'
import type { VolumeUsers } from './table/volume-users.ts'

/** The inputs of columns. */
export interface ColumnSources {
  readonly table: NodeTable
  readonly objects: ObjectReader
  readonly statuses: StatusTable
  cluster(): ClusterState
  /** Increases with every change of an object of that resource. */
  versionOf(resource: ResourceName): number
  /** Reports whether a pod on any node uses the claim (`namespace/name`). */
  claimInUse(claim: string): boolean
  /** The volumes of the pods on all nodes. */
  readonly volumeUsers: Pick<VolumeUsers, 'hasInline' | 'hasUncertain' | 'isSingle' | 'isClaimEphemeral'>
  /** Resource slices, device classes and resource claims. */
  readonly devices: DeviceInventory
  /** Reports whether pods that differ on at most this number of rows share one plan, which is retargeted per pod. */
  sharesPlan(rows: number): boolean
}

/** Nodes with the same class-wide answers. The parts that columns assign to a row determine its class. */
export interface RowClass {
  readonly parts: readonly number[]
  /** The number of rows. */
  readonly size: number
}

/**
 * The answers of a plugin for all nodes, for pods of one kind. An answer for a row depends only on the node and its
 * pods, and is computed again only when the row changes. An answer for a class also depends on other nodes (counts in a
 * zone, the highest score) and is computed for every pod, so columns keep the number of classes small.
 */
export interface PluginColumn {
  /** 0 when the row is feasible, else a status id. */
  readonly filterRow?: (row: number) => number
  /** 0 to 100. */
  readonly scoreRow?: (row: number) => number
  /** The number of parts of the class that this column assigns, and the parts of a row. */
  readonly parts?: number
  readonly partsOf?: (row: number, into: number[], at: number) => void
  /** `at` is the index of the first part of this column. */
  readonly filterClass?: (found: RowClass, at: number) => number
  /** Computes normalized scores of all feasible classes, in which each class counts with its size. */
  readonly scoreClasses?: (feasible: readonly RowClass[], at: number, scores: Float64Array) => void
  readonly counters?: readonly PodCounter[]
  /**
   * The state that PreFilter would create, read from the counters; undefined when PreFilter would skip. Required with
   * `filterClass`, for trials of nodes (with nominated pods, or without victims).
   */
  readonly preFilterState?: (pod: ParsedPod) => unknown
  /** Retargets the column to a pod with other scores or classes on some rows, and marks those rows. */
  readonly retarget?: (pod: ParsedPod, dirty: DirtyRows) => void
  /** Reports whether everything that was read from outside the table at creation is still valid. */
  readonly isCurrent?: () => boolean
  /**
   * Reports whether the effect of nominated pods on the plugin depends on more than those pods and the shape of the
   * pod.
   */
  readonly dependsOnNominated?: boolean
  /** Reports whether all rows must be evaluated again, because a value that they share changed. */
  readonly isStale?: () => boolean
}

/** Creates the columns of a plugin. */
export interface PluginColumns {
  /**
   * `undefined`: the plugin accepts such pods on every node. `live`: the plain form runs for every pod on every
   * remaining node, as for plugins without columns. `plain`: the plain form of all plugins runs.
   */
  readonly open: (pod: ParsedPod, sources: ColumnSources) => PluginColumn | undefined | 'live' | 'plain'
  /**
   * The input of the column besides the pod's spec: pods with equal specs share a column when their keys are equal.
   * Absent: the column does not depend on the pod's namespace, labels, controller and claims.
   */
  readonly keyOf?: (pod: ParsedPod, sources: ColumnSources) => string
  /**
   * The key for the filter alone, if the score depends on more than the filter. Undefined: the answer depends on more
   * than nodes and their pods. Absent: `keyOf`.
   */
  readonly filterKeyOf?: (pod: ParsedPod, sources: ColumnSources) => string | undefined
}

/**
 * A plugin with hand-written columns. They must give the same answers as the plain form, which is the definition;
 * test/scheduler compares the two.
 */
export interface ColumnarPlugin<F = unknown, S = unknown> extends Plugin<F, S> {
  readonly columns: PluginColumns
}

export function defineColumnarPlugin<F = undefined, S = undefined>(plugin: ColumnarPlugin<F, S>): ColumnarPlugin<F, S> {
  return plugin
}

/** The columns of a plugin: hand-written, derived from what it reads, or none. */
export function columnsOf(plugin: AnyPlugin): PluginColumns | undefined {
  return (plugin as Partial<ColumnarPlugin>).columns ?? deriveColumns(plugin)
}
