import type { AutoscalerOptions } from './options.ts'

export interface BackoffError {
  readonly code: string
  readonly message: string
}

interface GroupBackoff {
  readonly error: BackoffError
  readonly durationMs: number
  readonly until: number
  readonly failedAt: number
}

/** The time for which groups are not scaled up after failures (1.36, utils/backoff). */
export class Backoffs {
  private readonly options: AutoscalerOptions
  private readonly byGroup = new Map<string, GroupBackoff>()

  constructor(options: AutoscalerOptions) {
    this.options = options
  }

  backOff(group: string, error: BackoffError, now: number): void {
    const known = this.byGroup.get(group)
    const longest = this.options['max-node-group-backoff-duration']
    let durationMs = known?.durationMs ?? this.options['initial-node-group-backoff-duration']
    if (known !== undefined && known.until < now) durationMs = Math.min(2 * known.durationMs, longest)
    this.byGroup.set(group, { durationMs, until: now + durationMs, failedAt: now, error })
  }

  /** Resumes a backoff that began earlier and has not ended, if the options allow it. */
  resume(group: string, since: number, now: number): void {
    const longest = this.options['max-node-group-backoff-duration']
    let durationMs = Math.max(1, this.options['initial-node-group-backoff-duration'])
    while (since + durationMs < now && durationMs < longest) durationMs = Math.min(2 * durationMs, longest)
    this.byGroup.set(group, {
      durationMs,
      until: since + durationMs,
      failedAt: since,
      error: { code: '', message: '' },
    })
  }

  isBackedOff(group: string, now: number): boolean {
    const known = this.byGroup.get(group)
    return known !== undefined && known.until >= now
  }

  until(group: string): number | undefined {
    return this.byGroup.get(group)?.until
  }

  errorOf(group: string): BackoffError | undefined {
    return this.byGroup.get(group)?.error
  }

  dropStale(now: number): void {
    const resetMs = this.options['node-group-backoff-reset-timeout']
    for (const [group, { failedAt }] of this.byGroup) if (failedAt + resetMs < now) this.byGroup.delete(group)
  }
}
