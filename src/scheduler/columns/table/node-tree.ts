import type { Node } from '../../../api/objects/node.ts'
import { labels } from '../../../api/well-known.ts'

/**
 * The order in which nodes are evaluated: round-robin over zones, and within a zone in the order of addition, so that a
 * search that stops early covers all zones (v1.36, backend/cache nodeTree).
 */
export class NodeTree {
  private readonly zones = new Map<string, string[]>()
  private listed: readonly string[] | undefined

  /** The node must not exist yet. */
  add(node: Node): void {
    const zone = zoneOf(node)
    const names = this.zones.get(zone)
    if (names === undefined) this.zones.set(zone, [node.metadata.name])
    else names.push(node.metadata.name)
    this.listed = undefined
  }

  remove(node: Node): void {
    const zone = zoneOf(node)
    const names = this.zones.get(zone)
    const at = names?.indexOf(node.metadata.name) ?? -1
    if (names === undefined || at < 0) return
    names.splice(at, 1)
    if (names.length === 0) this.zones.delete(zone)
    this.listed = undefined
  }

  /** Reports whether its position changes. A node that stays in its zone keeps it. */
  update(before: Node, after: Node): boolean {
    if (before.metadata.labels === after.metadata.labels || zoneOf(before) === zoneOf(after)) return false
    this.remove(before)
    this.add(after)
    return true
  }

  list(): readonly string[] {
    this.listed ??= this.interleave()
    return this.listed
  }

  private interleave(): readonly string[] {
    const names: string[] = []
    const zones = [...this.zones.values()]
    const longest = zones.reduce((most, zone) => Math.max(most, zone.length), 0)
    for (let i = 0; i < longest; i++) {
      for (const zone of zones) {
        const name = zone[i]
        if (name !== undefined) names.push(name)
      }
    }
    return names
  }
}

/** The region and the zone; the deprecated labels take precedence. */
function zoneOf(node: Node): string {
  const own = node.metadata.labels
  const zone = own?.[labels.betaZone] ?? own?.[labels.zone] ?? ''
  const region = own?.[labels.betaRegion] ?? own?.[labels.region] ?? ''
  return `${region}:\u0000:${zone}`
}
