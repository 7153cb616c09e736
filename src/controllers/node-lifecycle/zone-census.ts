import type { StringMap } from '../../api/objects/meta.ts'
import type { Node } from '../../api/objects/node.ts'
import { countsForDisruption, type ZoneCount, type ZoneState, zoneKeyOf, zoneStateOf } from './zones.ts'

interface ZoneMember {
  readonly uid: string | undefined
  zone: string
  /** The labels that define the zone. */
  labels: StringMap | undefined
  /** The zone in which the node is counted, and its health; absent: not counted. */
  counted: { readonly zone: string; readonly unhealthy: boolean } | undefined
}

/** The nodes of each zone, with counts and states. Updated per node, never recounted. */
export class ZoneCensus {
  /** The states after the last pass of the zones that had nodes to count or were new. */
  readonly states = new Map<string, ZoneState>()
  private readonly members = new Map<string, ZoneMember>()
  private readonly zones = new Map<string, Set<string>>()
  private readonly counts = new Map<string, { size: number; unhealthy: number }>()

  knows(node: string): boolean {
    return this.members.has(node)
  }

  /** The uid of a node when it was first seen. */
  uidOf(node: string): string | undefined {
    return this.members.get(node)?.uid
  }

  /** Records the zone of a node, and returns it. */
  place(node: Node): string {
    return this.memberFor(node).zone
  }

  private memberFor({ metadata }: Node): ZoneMember {
    const { name, uid, labels } = metadata
    const member = this.members.get(name)
    if (member !== undefined && member.labels === labels) return member
    const zone = zoneKeyOf(labels)
    if (member?.zone === zone) {
      member.labels = labels
      return member
    }
    if (member !== undefined) this.zones.get(member.zone)?.delete(name)
    const inZone = this.zones.get(zone)
    if (inZone === undefined) this.zones.set(zone, new Set([name]))
    else inZone.add(name)
    if (member !== undefined) {
      member.zone = zone
      member.labels = labels
      return member
    }
    const placed: ZoneMember = { uid, zone, labels, counted: undefined }
    this.members.set(name, placed)
    return placed
  }

  forget(name: string): void {
    this.uncount(name)
    const member = this.members.get(name)
    if (member === undefined) return
    this.zones.get(member.zone)?.delete(name)
    this.members.delete(name)
  }

  count(node: Node, unhealthy: boolean): void {
    const member = this.memberFor(node)
    const { zone, counted } = member
    const counts = countsForDisruption(node)
    if (counts && counted?.zone === zone && counted.unhealthy === unhealthy) return
    this.uncount(node.metadata.name)
    if (!counts) return
    member.counted = { zone, unhealthy }
    const entry = this.counts.get(zone) ?? { size: 0, unhealthy: 0 }
    entry.size++
    if (unhealthy) entry.unhealthy++
    this.counts.set(zone, entry)
  }

  uncount(name: string): void {
    const member = this.members.get(name)
    if (member?.counted === undefined) return
    const { zone, unhealthy } = member.counted
    member.counted = undefined
    const entry = this.counts.get(zone) as { size: number; unhealthy: number }
    entry.size--
    if (unhealthy) entry.unhealthy--
    if (entry.size === 0) this.counts.delete(zone)
  }

  nodesIn(zone: string): ReadonlySet<string> {
    return this.zones.get(zone) ?? new Set()
  }

  countIn(zone: string): ZoneCount | undefined {
    return this.counts.get(zone)
  }

  /** The current state of each zone that has nodes to count. */
  judge(unhealthyZoneThreshold: number): ReadonlyMap<string, ZoneState> {
    const found = new Map<string, ZoneState>()
    for (const [zone, count] of this.counts) found.set(zone, zoneStateOf(count, unhealthyZoneThreshold))
    return found
  }
}
