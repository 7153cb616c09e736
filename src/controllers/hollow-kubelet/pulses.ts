/** The heartbeat state of one kubelet. */
interface Pulse {
  /** The time at which it started to renew its Lease. Renewals follow at whole intervals. */
  readonly since: number
  /** The time at which it became silent; absent while it sends heartbeats. */
  readonly silentAt?: number
  /** The machine failed. Its pods restart when it is back. */
  readonly dead?: boolean
}

/**
 * The silent kubelets, and the last renewal of the Lease of each kubelet. Renewals are computed, without a timer per
 * node.
 */
export class Pulses {
  private readonly pulses: Map<string, Pulse>
  /** The silent kubelets. */
  private readonly silentNodes: Set<string>
  private readonly intervalMs: number

  /** `continues`: the pulses of the cluster of which this one is a fork. */
  constructor(intervalMs: number, continues?: Pulses) {
    this.intervalMs = intervalMs
    this.pulses = new Map(continues?.pulses)
    this.silentNodes = new Set(continues?.silentNodes)
  }

  knows(node: string): boolean {
    return this.pulses.has(node)
  }

  begin(node: string, now: number): void {
    this.pulses.set(node, { since: now })
    this.silentNodes.delete(node)
  }

  forget(node: string): void {
    this.pulses.delete(node)
    this.silentNodes.delete(node)
  }

  isSilent(node: string): boolean {
    return this.silentNodes.size > 0 && this.silentNodes.has(node)
  }

  silence(node: string, now: number, dead = false): void {
    this.silentNodes.add(node)
    const pulse = this.pulses.get(node)
    if (pulse === undefined) this.pulses.set(node, { since: Number.POSITIVE_INFINITY, silentAt: now, dead })
    else
      this.pulses.set(node, { since: pulse.since, silentAt: pulse.silentAt ?? now, dead: dead || pulse.dead === true })
  }

  /** Ends a silence. `dead`: the machine had failed. */
  revive(node: string, now: number): 'was-not-silent' | 'silent' | 'dead' {
    const pulse = this.pulses.get(node)
    if (pulse?.silentAt === undefined) return 'was-not-silent'
    this.silentNodes.delete(node)
    this.pulses.set(node, { since: now })
    return pulse.dead === true ? 'dead' : 'silent'
  }

  /** The next renewal after a renewal at the given instant. */
  nextAfter(node: string, now: number): number {
    const since = this.pulses.get(node)?.since ?? now
    return since + (Math.floor((now - since) / this.intervalMs) + 1) * this.intervalMs
  }

  /** The last renewal that a watcher has seen. A silence begins before a renewal that is due at the same instant. */
  lastAt(node: string, now: number): number | undefined {
    const pulse = this.pulses.get(node)
    if (pulse === undefined) return undefined
    const { since, silentAt } = pulse
    const end = silentAt === undefined ? now : Math.min(now, silentAt)
    if (end < since) return undefined
    const beats = (end - since) / this.intervalMs
    const last = Math.floor(beats)
    const isCutOff = silentAt !== undefined && silentAt <= now && last === beats
    return isCutOff && last > 0 ? since + (last - 1) * this.intervalMs : since + last * this.intervalMs
  }

  silent(): readonly string[] {
    return [...this.silentNodes]
  }
}
