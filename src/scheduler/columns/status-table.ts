import { failure, isRejected, type PluginStatus } from '../contract/status.ts'

/** The id of all errors. The plain evaluator determines the message, because an error ends the cycle. */
export const errorStatus = 1

/** Assigns small ids to statuses; 0 is success. */
export class StatusTable {
  private readonly ids = new Map<string, number>()
  private readonly byObject = new WeakMap<PluginStatus, number>()
  private readonly statuses: PluginStatus[] = [{ code: 'Success', reasons: [] }, failure('')]

  get size(): number {
    return this.statuses.length
  }

  idOf(plugin: string, status: PluginStatus): number {
    if (status.code === 'Success') return 0
    if (!isRejected(status)) return errorStatus
    // A status that carries the name of a plugin belongs to that plugin only.
    const known = status.plugin === plugin ? this.byObject.get(status) : undefined
    if (known !== undefined) return known
    const id = this.intern(plugin, status)
    if (status.plugin === plugin) this.byObject.set(status, id)
    return id
  }

  private intern(plugin: string, status: PluginStatus): number {
    const key = [plugin, status.code, ...status.reasons].join('\n')
    let id = this.ids.get(key)
    if (id === undefined) {
      id = this.statuses.length
      this.ids.set(key, id)
      this.statuses.push({ code: status.code, reasons: status.reasons, plugin })
    }
    return id
  }

  get(id: number): PluginStatus {
    return this.statuses[id] as PluginStatus
  }
}
