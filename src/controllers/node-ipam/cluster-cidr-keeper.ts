import { formatCidr } from '../../api/cidr.ts'
import { deepEqual } from '../../api/equality.ts'
import { bitLength } from '../../api/ip-address.ts'
import { createCall, updateCall } from '../../api/object-calls.ts'
import type { ClusterCIDR } from '../../api/objects/cluster.ts'
import type { Logger } from '../../base/log.ts'
import type { ChangeOf, EventRecord } from '../../runtime/controller.ts'
import type { ReconcileContext, ReconcileResult } from '../../runtime/reconciler.ts'
import type { ClusterLedger } from './cluster-ledger.ts'
import { clusterCidrFinalizer, clusterCidrs, createClusterRange } from './cluster-range.ts'
import type { RangeSetting } from './options.ts'
import type { MeterMaker } from './range-meter.ts'

// v1.28, nodeipam/ipam, multiCIDRRangeAllocator.
const defaultName = 'default-cluster-cidr'
const leastHostBits = 4
const component = 'multiCIDRRangeAllocator'
// The interval at which a terminating range is checked while nodes have blocks of it.
const drainPollMs = 10_000

const prefix = 'clustercidr/'

/** Node names contain no slash, so the keys of both kinds share one queue. */
export const isClusterCidrKey = (key: string): boolean => key.startsWith(prefix)
export const clusterCidrKey = (name: string): string => `${prefix}${name}`

interface RefusedRange {
  readonly why: string
  isTold: boolean
}

export interface KeeperOptions {
  readonly ledger: ClusterLedger
  readonly meters: MeterMaker
  /** The ranges from the flags. They are stored as an object, which is created if it does not exist at the start. */
  readonly ranges: readonly RangeSetting[]
  readonly log: Logger
}

/**
 * Keeps the ranges of the ledger equal to the ClusterCIDR objects, marks objects as in use, and releases them when no
 * node has a block of them (v1.28 nodeipam/ipam, sigs.k8s.io/node-ipam-controller). Unlike upstream, if two objects
 * overlap, only the older one is used, and the newer one gets an event with the reason.
 */
export class ClusterCidrKeeper {
  private readonly options: KeeperOptions
  private readonly ledger: ClusterLedger
  private readonly objects = new Map<string, ClusterCIDR>()
  private readonly refused = new Map<string, RefusedRange>()
  /** Objects whose spec differs from that of the range. */
  private readonly modified = new Map<string, RefusedRange>()
  private isArranged = true
  private wantsDefault: boolean

  constructor(options: KeeperOptions) {
    this.options = options
    this.ledger = options.ledger
    this.wantsDefault = options.ranges.length > 0
  }

  /** The keys of objects that must be checked again. */
  observe({ key: name, before, after }: ChangeOf<typeof clusterCidrs>): readonly string[] {
    if (name === defaultName) this.wantsDefault = false
    const isReplaced = before !== undefined && before.metadata.uid !== after?.metadata.uid
    if (after === undefined || isReplaced) this.forget(name)
    if (after !== undefined) this.objects.set(name, after)
    this.isArranged = false
    // When a range is removed, an overlapping range may become usable.
    return [name, ...this.refused.keys()].map(clusterCidrKey)
  }

  /** Reports whether the default range must still be created. */
  missing(): readonly string[] {
    return this.wantsDefault ? [clusterCidrKey(defaultName)] : []
  }

  /** Updates the ranges of the ledger. Older objects come first, also after a restart. */
  arrange(): void {
    if (this.isArranged) return
    this.isArranged = true
    this.refused.forEach((_, name) => {
      if (!this.objects.has(name)) this.refused.delete(name)
    })
    for (const object of [...this.objects.values()].sort(olderFirst)) this.arrangeOne(object)
  }

  reconcile(key: string, { view, now, call }: ReconcileContext): ReconcileResult | undefined {
    const name = key.slice(prefix.length)
    const object = view.get(clusterCidrs, name)
    if (object === undefined) return this.makeDefault(name, call)
    const { finalizers = [], deletionTimestamp } = object.metadata
    const isMarked = finalizers.includes(clusterCidrFinalizer)
    const events = this.eventsFor(object)
    if (deletionTimestamp === undefined) {
      if (isMarked || this.refused.has(name)) return { events }
      return {
        events,
        actions: [call(updateCall(clusterCidrs, withFinalizers(object, [...finalizers, clusterCidrFinalizer])))],
      }
    }
    if (!isMarked) return { events }
    if ((this.ledger.range(name)?.users.size ?? 0) > 0) return { events, wakeAt: now + drainPollMs }
    const others = finalizers.filter((finalizer) => finalizer !== clusterCidrFinalizer)
    return { events, actions: [call(updateCall(clusterCidrs, withFinalizers(object, others)))] }
  }

  refusals(): Readonly<Record<string, string>> {
    return Object.fromEntries([...this.refused].map(([name, { why }]) => [name, why]))
  }

  private arrangeOne(object: ClusterCIDR): void {
    const { name, deletionTimestamp, finalizers = [], generation = 1 } = object.metadata
    if (this.ledger.range(name) === undefined && !this.admit(object)) return
    const range = this.ledger.range(name)
    if (range === undefined) return
    range.isGuarded = finalizers.includes(clusterCidrFinalizer)
    // A deletion is also a change.
    const isChanged = !deepEqual(range.madeOf, object.spec) || (generation > 1 && deletionTimestamp === undefined)
    if (isChanged) {
      const why = `CIDRs from ClusterCIDR ${name} will not be used for allocation as it was modified`
      if (!this.modified.has(name)) this.modified.set(name, { why, isTold: false })
      range.isTerminating = true
    }
    if (deletionTimestamp !== undefined) range.isTerminating = true
  }

  private admit(object: ClusterCIDR): boolean {
    const { name } = object.metadata
    const range = createClusterRange(object, this.options.meters)
    if (!range.ok) return this.refuse(name, range.message)
    const other = this.ledger.overlapping(range.value.ranges)
    if (other !== undefined) {
      for (const pool of range.value.pools) pool.forget()
      const mine = range.value.ranges.map(formatCidr).join(', ')
      return this.refuse(
        name,
        `${mine} overlaps with ${other.ranges.map(formatCidr).join(', ')} of ClusterCIDR ${other.name}`,
      )
    }
    this.refused.delete(name)
    this.ledger.open(range.value)
    return true
  }

  private refuse(name: string, why: string): false {
    if (this.refused.get(name)?.why !== why) this.refused.set(name, { why, isTold: false })
    this.options.log.warn({ clusterCIDR: name, why }, 'invalid ClusterCIDR; not using it')
    return false
  }

  private forget(name: string): void {
    this.ledger.close(name)
    this.objects.delete(name)
    this.refused.delete(name)
    this.modified.delete(name)
  }

  private eventsFor(object: ClusterCIDR): readonly EventRecord[] {
    const { name, uid } = object.metadata
    return [this.refused.get(name), this.modified.get(name)].flatMap((trouble) => {
      if (trouble === undefined || trouble.isTold) return []
      trouble.isTold = true
      return [
        {
          regarding: {
            apiVersion: 'networking.x-k8s.io/v1',
            kind: 'ClusterCIDR',
            name,
            ...(uid === undefined ? {} : { uid }),
          },
          type: 'Warning' as const,
          reason: 'InvalidClusterCIDR',
          message: trouble.why,
          api: 'core' as const,
          component: component,
        },
      ]
    })
  }

  private makeDefault(name: string, call: ReconcileContext['call']): ReconcileResult | undefined {
    if (name !== defaultName || !this.wantsDefault) return undefined
    return { actions: [call(createCall(clusterCidrs, defaultClusterCidr(this.options.ranges)))] }
  }
}

function olderFirst(a: ClusterCIDR, b: ClusterCIDR): number {
  const [one, other] = [a.metadata, b.metadata].map(
    ({ creationTimestamp = '', name }) => `${creationTimestamp} ${name}`,
  )
  return (one as string) < (other as string) ? -1 : 1
}

function withFinalizers(object: ClusterCIDR, finalizers: readonly string[]): ClusterCIDR {
  return { ...object, metadata: { ...object.metadata, finalizers } }
}

/**
 * One size for both families, because the object has only one field for it: the smaller one (v1.28,
 * createDefaultClusterCIDR).
 */
function defaultClusterCidr(ranges: readonly RangeSetting[]): ClusterCIDR {
  const bits = ranges.map(({ range, maskSize }) => bitLength(range.family) - maskSize)
  const perNodeHostBits = Math.max(leastHostBits, Math.min(...bits))
  const of = (family: 4 | 6) => ranges.find(({ range }) => range.family === family)?.range
  const [ipv4, ipv6] = [of(4), of(6)]
  return {
    apiVersion: 'networking.x-k8s.io/v1',
    kind: 'ClusterCIDR',
    metadata: { name: defaultName, finalizers: [clusterCidrFinalizer] },
    spec: {
      perNodeHostBits,
      ...(ipv4 === undefined ? {} : { ipv4: formatCidr(ipv4) }),
      ...(ipv6 === undefined ? {} : { ipv6: formatCidr(ipv6) }),
    },
  }
}
