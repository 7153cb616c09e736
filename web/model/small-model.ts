import type { SmallTableName, SmallTables } from '../../src/wire/console-tables.ts'
import type { TableLine } from '../../src/wire/console-wire.ts'

/** Workloads, budgets, pod groups, pools and figures of nodes in the browser. */
export class SmallModel {
  private readonly tables: { readonly [Name in SmallTableName]: Map<string, SmallTables[Name]> } = {
    workloads: new Map(),
    budgets: new Map(),
    gangs: new Map(),
    pools: new Map(),
    figures: new Map(),
  }
  /** Increases with every change. */
  revision = 0

  rows<Name extends SmallTableName>(name: Name): ReadonlyMap<string, SmallTables[Name]> {
    return this.tables[name]
  }

  take({ table, rows, gone }: TableLine): void {
    const target = this.tables[table] as Map<string, SmallTables[SmallTableName]>
    for (const row of rows) target.set(row[0], row)
    for (const key of gone) target.delete(key)
    this.revision++
  }
}
