import type { HostPort } from '../../contract/parsed-pod.ts'

const allAddresses = '0.0.0.0'

/**
 * The host ports in use on a node, by address. A set and not a count: when two pods claim one port, the first removal
 * frees it, as upstream (v1.36, kube-scheduler framework HostPortInfo).
 */
export class HostPorts {
  private readonly byAddress = new Map<string, Set<string>>()

  get size(): number {
    let size = 0
    for (const ports of this.byAddress.values()) size += ports.size
    return size
  }

  add({ ip, protocol, port }: HostPort): void {
    const ports = this.byAddress.get(ip)
    if (ports === undefined) this.byAddress.set(ip, new Set([portKey(protocol, port)]))
    else ports.add(portKey(protocol, port))
  }

  remove({ ip, protocol, port }: HostPort): void {
    const ports = this.byAddress.get(ip)
    if (ports === undefined) return
    ports.delete(portKey(protocol, port))
    if (ports.size === 0) this.byAddress.delete(ip)
  }

  /** A port on all addresses conflicts with the same port on any address. */
  collides({ ip, protocol, port }: HostPort): boolean {
    if (this.byAddress.size === 0) return false
    const key = portKey(protocol, port)
    if (ip !== allAddresses) {
      return this.byAddress.get(allAddresses)?.has(key) === true || this.byAddress.get(ip)?.has(key) === true
    }
    for (const ports of this.byAddress.values()) if (ports.has(key)) return true
    return false
  }

  free(ports: readonly HostPort[]): boolean {
    for (const port of ports) if (this.collides(port)) return false
    return true
  }

  copy(): HostPorts {
    const copy = new HostPorts()
    for (const [ip, ports] of this.byAddress) copy.byAddress.set(ip, new Set(ports))
    return copy
  }
}

function portKey(protocol: string, port: number): string {
  return `${protocol}/${port}`
}
