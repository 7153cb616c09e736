import type { Pod, ResourceList } from '../../../api/objects/pod.ts'
import { podRequests } from '../../../api/pod-resources.ts'
import { formatQuantity, milliQuantity, quantity, quantityMilli } from '../../../api/quantity.ts'

/** Thousandths of a resource, by its name. */
export type Amounts = ReadonlyMap<string, number>

const none: Amounts = new Map()

export function amountsOf(list: ResourceList | undefined): Amounts {
  if (list === undefined) return none
  const amounts = new Map<string, number>()
  for (const [name, text] of Object.entries(list)) amounts.set(name, quantityMilli(quantity(text)))
  return amounts
}

/** The requests of the pod, including the pod itself as one of the pods of a node. */
export function requestsOf(pod: Pod): Amounts {
  const amounts = new Map<string, number>()
  for (const [name, amount] of podRequests(pod, { useStatus: 'containers-and-pod' }))
    amounts.set(name, quantityMilli(amount))
  amounts.set('pods', 1000)
  return amounts
}

export function sum(all: Iterable<Amounts>): Map<string, number> {
  const total = new Map<string, number>()
  for (const amounts of all) for (const [name, amount] of amounts) total.set(name, (total.get(name) ?? 0) + amount)
  return total
}

/** The result contains only the resources of `from`. */
export function subtract(from: Amounts, less: Amounts): Map<string, number> {
  const rest = new Map<string, number>()
  for (const [name, amount] of from) rest.set(name, amount - (less.get(name) ?? 0))
  return rest
}

/** Nothing fits if a resource is already overcommitted. */
export function fits(wanted: Amounts, room: Amounts): boolean {
  for (const amount of room.values()) if (amount < 0) return false
  for (const [name, amount] of wanted) if (amount > (room.get(name) ?? 0)) return false
  return true
}

export function largest(all: Iterable<Amounts>): Map<string, number> {
  const most = new Map<string, number>()
  for (const amounts of all) {
    for (const [name, amount] of amounts)
      if (amount > (most.get(name) ?? Number.NEGATIVE_INFINITY)) most.set(name, amount)
  }
  return most
}

/** The smaller amounts of the resources that both have. */
export function smallest(a: Amounts, b: Amounts): Map<string, number> {
  const least = new Map<string, number>()
  for (const [name, amount] of a) {
    const other = b.get(name)
    if (other !== undefined) least.set(name, Math.min(amount, other))
  }
  return least
}

export function toResourceList(amounts: Amounts): ResourceList {
  const list: Record<string, string> = {}
  for (const [name, amount] of [...amounts].sort(([a], [b]) => (a < b ? -1 : 1))) {
    list[name] = formatQuantity(milliQuantity(amount, isBinary(name) ? 'BinarySI' : 'DecimalSI'))
  }
  return list
}

function isBinary(name: string): boolean {
  return name === 'memory' || name === 'ephemeral-storage' || name.startsWith('hugepages-')
}

/** In upstream's format of resources in messages. */
export function amountsText(amounts: Amounts): string {
  return JSON.stringify(toResourceList(amounts))
}
