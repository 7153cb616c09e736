// v1.36, storagebackend.DefaultCompactInterval: etcd is compacted to the version of the interval before.
const keptMs = 5 * 60_000
const sampleMs = 10_000

interface Sample {
  readonly atMs: number
  readonly revision: number
}

/** How long an old version can be listed. Watches do not depend on it: upstream serves them from memory. */
export class ListedVersions {
  /** The first sample is the newest one that is older than `keptMs`, if there is one. */
  private readonly samples: Sample[] = []

  /** Notes that `revision` is the current one. Called for lists in pages only. */
  see(revision: number, nowMs: number): void {
    const last = this.samples.at(-1)
    if (last === undefined || nowMs - last.atMs >= sampleMs) this.samples.push({ atMs: nowMs, revision })
    while ((this.samples[1]?.atMs ?? Number.POSITIVE_INFINITY) <= nowMs - keptMs) this.samples.shift()
  }

  /** Versions before the returned one cannot be listed anymore. */
  compacted(nowMs: number): number {
    const oldest = this.samples[0]
    return oldest !== undefined && oldest.atMs <= nowMs - keptMs ? oldest.revision : 0
  }
}
