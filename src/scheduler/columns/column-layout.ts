import type { Profile } from '../contract/contract.ts'
import type { PodCounter } from './domain-counter.ts'
import type { PluginColumn } from './plugin-columns.ts'

export interface RowFilter {
  readonly filter: NonNullable<PluginColumn['filterRow']>
  /** The position of the filter in the profile. */
  readonly position: number
}

export interface RowScore {
  readonly score: NonNullable<PluginColumn['scoreRow']>
  readonly weight: number
}

export interface ClassFilter {
  readonly filter: NonNullable<PluginColumn['filterClass']>
  readonly position: number
  /** The index of the first part of the column. */
  readonly at: number
}

export interface ClassScore {
  readonly score: NonNullable<PluginColumn['scoreClasses']>
  readonly weight: number
  readonly at: number
}

export interface PartColumn {
  readonly column: PluginColumn
  readonly at: number
}

/** The columns of a plan by function, in the order of the profile. */
export class ColumnLayout {
  readonly rowFilters: readonly RowFilter[]
  readonly rowScores: readonly RowScore[]
  readonly classFilters: readonly ClassFilter[]
  readonly classScores: readonly ClassScore[]
  readonly partColumns: readonly PartColumn[]
  /** The number of parts of a class. */
  readonly partCount: number
  readonly counters: readonly PodCounter[]
  readonly retargets: readonly NonNullable<PluginColumn['retarget']>[]
  readonly currentChecks: readonly NonNullable<PluginColumn['isCurrent']>[]
  readonly staleChecks: readonly NonNullable<PluginColumn['isStale']>[]

  constructor(profile: Profile, columns: ReadonlyMap<string, PluginColumn>) {
    const all = [...columns.values()]
    this.counters = all.flatMap(({ counters }) => counters ?? [])
    this.retargets = all.flatMap(({ retarget }) => retarget ?? [])
    this.currentChecks = all.flatMap(({ isCurrent }) => isCurrent ?? [])
    this.staleChecks = all.flatMap(({ isStale }) => isStale ?? [])
    const offsets = new Map<PluginColumn, number>()
    let at = 0
    for (const column of all) {
      offsets.set(column, at)
      at += column.parts ?? 0
    }
    this.partCount = at
    const offsetOf = (column: PluginColumn): number => offsets.get(column) ?? 0
    this.partColumns = all.flatMap((column) => (column.partsOf === undefined ? [] : [{ column, at: offsetOf(column) }]))
    const filters = profile.filter.map(({ name }, position) => ({ column: columns.get(name), position }))
    this.rowFilters = filters.flatMap(({ column, position }) =>
      column?.filterRow === undefined ? [] : [{ filter: column.filterRow, position }],
    )
    this.classFilters = filters.flatMap(({ column, position }) =>
      column?.filterClass === undefined ? [] : [{ filter: column.filterClass, position, at: offsetOf(column) }],
    )
    const scores = profile.score.map(({ plugin, weight }) => ({ column: columns.get(plugin.name), weight }))
    this.rowScores = scores.flatMap(({ column, weight }) =>
      column?.scoreRow === undefined ? [] : [{ score: column.scoreRow, weight }],
    )
    this.classScores = scores.flatMap(({ column, weight }) =>
      column?.scoreClasses === undefined ? [] : [{ score: column.scoreClasses, weight, at: offsetOf(column) }],
    )
  }

  /** The positions of the first and the last class filter in the profile; undefined without class filters. */
  get classFilterSpan(): { readonly first: number; readonly last: number } | undefined {
    const first = this.classFilters[0]?.position
    const last = this.classFilters[this.classFilters.length - 1]?.position
    return first === undefined || last === undefined ? undefined : { first, last }
  }

  /** The position of the last row filter in the profile; -1 without row filters. */
  get lastRowFilter(): number {
    return this.rowFilters[this.rowFilters.length - 1]?.position ?? -1
  }
}
