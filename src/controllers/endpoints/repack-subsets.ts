import type { EndpointAddress, EndpointPort, EndpointSubset } from '../../api/objects/endpoints.ts'

interface Offered {
  readonly port: EndpointPort | undefined
  /** By address and uid; not ready takes precedence over ready. */
  readonly ready: Map<string, boolean>
}

const addressKey = ({ ip, targetRef }: EndpointAddress): string => `${ip}\u0000${targetRef?.uid ?? ''}`

const portKey = (port: EndpointPort | undefined): string =>
  port === undefined ? '' : JSON.stringify([port.name ?? '', port.port, port.protocol, port.appProtocol ?? ''])

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/**
 * Subsets in canonical form: ports with the same addresses are in one subset (v1.36, pkg/api/v1/endpoints, RepackSubsets).
 * Upstream sorts ports and subsets by hashes of Go values; here they are sorted by their contents.
 */
export function repackSubsets(subsets: readonly EndpointSubset[]): readonly EndpointSubset[] {
  const addresses = new Map<string, EndpointAddress>()
  const byPort = new Map<string, Offered>()
  for (const subset of subsets) {
    const ports: readonly (EndpointPort | undefined)[] = subset.ports?.length ? subset.ports : [undefined]
    for (const port of ports) {
      const offered = byPort.get(portKey(port)) ?? { port, ready: new Map<string, boolean>() }
      byPort.set(portKey(port), offered)
      for (const [list = [], isReady] of [
        [subset.addresses, true],
        [subset.notReadyAddresses, false],
      ] as const) {
        for (const address of list) {
          const key = addressKey(address)
          if (!addresses.has(key)) addresses.set(key, address)
          offered.ready.set(key, (offered.ready.get(key) ?? true) && isReady)
        }
      }
    }
  }
  const groups = new Map<string, { readonly ports: EndpointPort[]; readonly ready: Map<string, boolean> }>()
  for (const { port, ready } of byPort.values()) {
    const key = [...ready]
      .map(([address, isReady]) => `${address}\u0000${isReady}`)
      .sort(compare)
      .join('\u0001')
    const group = groups.get(key) ?? { ports: [], ready }
    groups.set(key, group)
    if (port !== undefined) group.ports.push(port)
  }
  return [...groups.values()].map(({ ports, ready }) => subsetOf(addresses, ports, ready)).sort(bySubset)
}

function subsetOf(
  addresses: ReadonlyMap<string, EndpointAddress>,
  ports: EndpointPort[],
  ready: ReadonlyMap<string, boolean>,
): EndpointSubset {
  const keys = [...ready.keys()].sort(compare)
  const of = (wanted: boolean) =>
    keys.flatMap((key) => (ready.get(key) === wanted ? [addresses.get(key) as EndpointAddress] : []))
  const [readyAddresses, notReadyAddresses] = [of(true), of(false)]
  ports.sort((a, b) => compare(portKey(a), portKey(b)))
  return {
    ...(readyAddresses.length === 0 ? {} : { addresses: readyAddresses }),
    ...(notReadyAddresses.length === 0 ? {} : { notReadyAddresses }),
    ...(ports.length === 0 ? {} : { ports }),
  }
}

const bySubset = (a: EndpointSubset, b: EndpointSubset): number =>
  compare((a.ports ?? []).map(portKey).join(), (b.ports ?? []).map(portKey).join()) ||
  compare(JSON.stringify(a), JSON.stringify(b))
