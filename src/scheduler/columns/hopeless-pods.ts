import type { CycleResult } from '../contract/contract.ts'

/** A state of the cluster. */
interface Version {
  readonly changes: number
  readonly wallMs: number
}

/**
 * The results of pods for which no node fits. Many equal pods wait for a new node, and they fail for the same reasons as
 * long as the cluster does not change.
 */
export class HopelessPods {
  private readonly results = new Map<string, CycleResult>()
  private changes = -1
  private wallMs = Number.NaN

  /** Reports whether any pod has failed since the last change of the cluster. */
  hasAny(version: Version): boolean {
    return this.isCurrent(version)
  }

  get(key: string | undefined, version: Version): CycleResult | undefined {
    return key !== undefined && this.isCurrent(version) ? this.results.get(key) : undefined
  }

  set(key: string | undefined, { changes, wallMs }: Version, result: CycleResult): void {
    if (key === undefined) return
    if (!this.isCurrent({ changes, wallMs })) {
      this.results.clear()
      this.changes = changes
      this.wallMs = wallMs
    }
    this.results.set(key, result)
  }

  private isCurrent({ changes, wallMs }: Version): boolean {
    return changes === this.changes && wallMs === this.wallMs
  }
}
