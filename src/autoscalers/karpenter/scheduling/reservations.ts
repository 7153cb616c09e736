import type { InstanceType, Offering } from '../catalog/instance-type.ts'

/** Reserved capacity that planned claims hold (v1.14, scheduling.ReservationManager). */
export class Reservations {
  private readonly left = new Map<string, number>()
  private readonly heldBy = new Map<string, Set<string>>()

  constructor(types: Iterable<readonly InstanceType[]>) {
    for (const each of types) {
      for (const { offerings } of each) {
        for (const { reservation } of offerings) {
          if (reservation === undefined) continue
          const { id, left } = reservation
          this.left.set(id, Math.min(left, this.left.get(id) ?? left))
        }
      }
    }
  }

  canReserve(host: string, { reservation }: Offering): boolean {
    const id = reservation?.id ?? ''
    return this.heldBy.get(host)?.has(id) === true || (this.left.get(id) ?? 0) > 0
  }

  /** Sets the reserved offerings of the host. */
  hold(host: string, offerings: readonly Offering[]): void {
    const wanted = new Set(offerings.map(({ reservation }) => reservation?.id ?? ''))
    const held = this.heldBy.get(host) ?? new Set()
    for (const id of wanted) if (!held.has(id)) this.left.set(id, (this.left.get(id) ?? 0) - 1)
    for (const id of held) if (!wanted.has(id)) this.left.set(id, (this.left.get(id) ?? 0) + 1)
    this.heldBy.set(host, wanted)
  }
}
