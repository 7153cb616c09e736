import type { KubeObject } from '../../api/objects/meta.ts'
import type { Pod } from '../../api/objects/pod.ts'
import type { KnownResource } from '../../api/objects/resources.ts'
import type { GangRow, SmallTableName, SmallTables } from '../../wire/console-tables.ts'
import type { TableLine } from '../../wire/console-wire.ts'
import { type NodeFigures, nodeFigureRows } from './node-figures.ts'
import { poolRows } from './pools.ts'
import { sameRow } from './rows.ts'
import { gangRow, smallRowMakers } from './small-rows.ts'
import type { ConsoleSource } from './source.ts'

type AnyRow = SmallTables[SmallTableName]

const names: readonly SmallTableName[] = ['workloads', 'budgets', 'gangs', 'pools', 'figures']

/** Workloads, budgets, pod groups, pools and facts about nodes as rows: a few thousand in a large cluster. */
export class SmallTablesBoard {
  private readonly source: ConsoleSource
  private readonly figures: NodeFigures
  private readonly tables: { readonly [Name in SmallTableName]: Map<string, SmallTables[Name]> } = {
    workloads: new Map(),
    budgets: new Map(),
    gangs: new Map(),
    pools: new Map(),
    figures: new Map(),
  }
  private readonly touched: Readonly<Record<SmallTableName, Set<string>>> = {
    workloads: new Set(),
    budgets: new Set(),
    gangs: new Set(),
    pools: new Set(),
    figures: new Set(),
  }
  private isWatched = false

  constructor(source: ConsoleSource, figures: NodeFigures = {}) {
    this.source = source
    this.figures = figures
    for (const resource of Object.keys(smallRowMakers)) {
      for (const object of source.list(resource as KnownResource)) {
        const { namespace, name } = object.metadata
        this.put(resource, `${namespace}/${name}`, object)
      }
    }
  }

  rows<Name extends SmallTableName>(name: Name): ReadonlyMap<string, SmallTables[Name]> {
    return this.tables[name]
  }

  gather(isWatched: boolean): void {
    this.isWatched = isWatched
    for (const name of names) this.touched[name].clear()
  }

  put(resource: string, key: string, object: KubeObject | undefined): void {
    const maker = smallRowMakers[resource]
    if (maker === undefined) return
    const row = object === undefined ? undefined : maker.rowOf(object)
    if (row === undefined) this.drop(maker.table, maker.keyOf(key))
    else this.set(maker.table, row)
  }

  /** Updates values that are counted over several objects. */
  refresh(pendingPods: boolean): void {
    this.countGangs()
    this.replace('pools', poolRows(this.source, pendingPods))
    this.replace('figures', nodeFigureRows(this.source.list('nodes'), this.figures))
  }

  /** All rows, as lines of the feed. */
  *present(): Generator<TableLine> {
    for (const table of names) {
      const rows = [...this.tables[table].values()]
      if (rows.length > 0) yield { k: 'table', table, rows, gone: [] } as unknown as TableLine
    }
  }

  /** The changes since the last call. */
  *takeChanges(): Generator<TableLine> {
    for (const table of names) {
      const touched = this.touched[table]
      if (touched.size === 0) continue
      const rows: AnyRow[] = []
      const gone: string[] = []
      for (const key of touched) {
        const row = this.tables[table].get(key)
        if (row === undefined) gone.push(key)
        else rows.push(row)
      }
      touched.clear()
      yield { k: 'table', table, rows, gone } as unknown as TableLine
    }
  }

  private countGangs(): void {
    const { gangs } = this.tables
    if (gangs.size === 0) return
    const members = new Map<string, Pod[]>()
    for (const pod of this.source.list('pods')) {
      const group = pod.spec.schedulingGroup?.podGroupName
      if (group === undefined) continue
      const key = `${pod.metadata.namespace}/${group}`
      const list = members.get(key)
      if (list === undefined) members.set(key, [pod])
      else list.push(pod)
    }
    for (const [key, row] of gangs) this.set('gangs', gangRow(row as GangRow, members.get(key) ?? []))
  }

  private replace(table: SmallTableName, rows: readonly AnyRow[]): void {
    const kept = new Set(rows.map(([key]) => key))
    for (const row of rows) this.set(table, row)
    for (const key of this.tables[table].keys()) if (!kept.has(key)) this.drop(table, key)
  }

  private set(table: SmallTableName, row: AnyRow): void {
    const rows = this.tables[table] as Map<string, AnyRow>
    const before = rows.get(row[0])
    if (before !== undefined && sameRow(before, row)) return
    rows.set(row[0], row)
    if (this.isWatched) this.touched[table].add(row[0])
  }

  private drop(table: SmallTableName, key: string): void {
    if (this.tables[table].delete(key) && this.isWatched) this.touched[table].add(key)
  }
}
