import { failure, isRejected, type PluginStatus } from '../contract/status.ts'

/** The id of all errors. The plain evaluator determines the message, because an error ends the cycle. */
export const errorStatus = 1

/** Assigns small ids to statuses; 0 is success. */
export class StatusTable {
  private readonly ids = new Map<string, number>()
  /** As `ids`, by plugin, code and reason: most statuses have one reason, and need no text as key. */
  private readonly single = new Map<string, Map<string, Map<string, number>>>()
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
    const id = status.reasons.length === 1 ? this.internSingle(plugin, status) : this.intern(plugin, status)
    if (status.plugin === plugin) this.byObject.set(status, id)
    return id
  }

  private internSingle(plugin: string, status: PluginStatus): number {
    const reason = status.reasons[0] as string
    const known = this.single.get(plugin)?.get(status.code)?.get(reason)
    if (known !== undefined) return known
    const id = this.intern(plugin, status)
    const byCode = this.single.get(plugin) ?? new Map<string, Map<string, number>>()
    this.single.set(plugin, byCode)
    const byReason = byCode.get(status.code) ?? new Map<string, number>()
    byCode.set(status.code, byReason.set(reason, id))
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
