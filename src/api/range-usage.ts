/** A range of pod CIDRs, and the number of blocks in use. */
export interface RangeUsage {
  readonly range: string
  readonly maskSize: number
  readonly max: number
  readonly used: number
  /** The block at which the next search starts. */
  readonly next: string
  /** The ClusterCIDR of the range. */
  readonly name?: string
}
