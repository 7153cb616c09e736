import type { ResourceName } from '../../api/objects/resources.ts'
import type { ObjectReader, ParsedPod } from '../contract/contract.ts'
import type { DirtyRows } from './dirty-rows.ts'
import type { PodCounter } from './domain-counter.ts'
import type { StatusTable } from './status-table.ts'
import type { NodeTable } from './table/node-table.ts'
import type { VolumeUsers } from './table/volume-users.ts'

/** What a column stands on. */
export interface ColumnSources {
  readonly table: NodeTable
  readonly objects: ObjectReader
  readonly statuses: StatusTable
  /** Grows with every change of an object of that resource. */
  versionOf(resource: ResourceName): number
  /** Whether any pod on any node uses the claim (`namespace/name`). */
  claimInUse(claim: string): boolean
  /** What the volumes of the pods on all nodes are. */
  readonly volumeUsers: Pick<VolumeUsers, 'hasInline' | 'hasUncertain' | 'isSingle' | 'isClaimEphemeral'>
  /**
   * Whether pods that see so many rows in a way of their own, and all others alike, should have a plan in common that is
   * turned from the one to the other, rather than a plan each.
   */
  turnsOver(rows: number): boolean
}

/**
 * A set of nodes that all class-wide answers are the same for. Which nodes are in it is decided by the numbers that
 * columns give each row.
 */
export interface RowClass {
  readonly parts: readonly number[]
  /** How many rows it has. */
  readonly size: number
}

/**
 * What a plugin says of all nodes at once, for pods of one shape. Answers come in two kinds. Those about a row depend on
 * nothing but that node and the pods on it, and are asked again only when the row has changed. Those about a class depend
 * on what goes on elsewhere too (counts in a zone, the highest score), and are asked anew for every pod; columns see to it
 * that there are few classes.
 */
export interface PluginColumn {
  /** 0 when the row will do, else the number of a status. */
  readonly filterRow?: (row: number) => number
  /** 0 to 100. */
  readonly scoreRow?: (row: number) => number
  /** How many numbers of the class this column gives, and the numbers of a row. */
  readonly parts?: number
  readonly partsOf?: (row: number, into: number[], at: number) => void
  /** `at` is where this column's numbers begin. */
  readonly filterClass?: (found: RowClass, at: number) => number
  /** Normalised scores of all feasible classes; the sizes of the classes count. */
  readonly scoreClasses?: (feasible: readonly RowClass[], at: number, scores: Float64Array) => void
  readonly counters?: readonly PodCounter[]
  /**
   * The state that PreFilter would make, read from the counters; undefined when it would skip. Needed with `filterClass`,
   * for nodes that must be judged as they are not (with nominated pods, or without victims).
   */
  readonly preFilterState?: (pod: ParsedPod) => unknown
  /** Turns the column to a pod that differs from the last in the scores or classes of some rows, and marks those rows. */
  readonly turnTo?: (pod: ParsedPod, dirty: DirtyRows) => void
  /** Whether what was read outside of the table when the column was opened still holds. */
  readonly isCurrent?: () => boolean
  /** Whether what nominated pods mean to the plugin hangs on more than those pods and the shape of this one. */
  readonly weighsNominated?: boolean
  /** Whether every row must be asked again, because of something that is no row's own. */
  readonly isStale?: () => boolean
}

/** How a plugin opens a column for pods of a kind. */
export interface PluginColumns {
  /**
   * `undefined`: nothing to say of such pods, ever. `live`: the plugin is asked about every node that is left, for every
   * pod anew, as plugins without columns are. `plain`: all plugins have to be.
   */
  readonly open: (pod: ParsedPod, sources: ColumnSources) => PluginColumn | undefined | 'live' | 'plain'
  /**
   * What the column hangs on besides the pod's spec: pods of equal specs share a column when this is equal too. Absent:
   * nothing of its namespace, labels and controller.
   */
  readonly keyOf?: (pod: ParsedPod, sources: ColumnSources) => string
}
