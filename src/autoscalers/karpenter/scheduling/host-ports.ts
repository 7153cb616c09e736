import type { Pod } from '../../../api/objects/pod.ts'

interface HostPort {
  readonly ip: string
  readonly port: number
  readonly protocol: string
}

const unspecified: ReadonlySet<string> = new Set(['0.0.0.0', '::'])

/** The host ports in use on the node. Each pod replaces its own entry. */
export class HostPorts {
  private readonly byPod: Map<string, readonly HostPort[]>

  constructor(byPod: ReadonlyMap<string, readonly HostPort[]> = new Map()) {
    this.byPod = new Map(byPod)
  }

  copy(): HostPorts {
    return new HostPorts(this.byPod)
  }

  add(pod: Pod): void {
    const ports = hostPortsOf(pod)
    if (ports.length > 0) this.byPod.set(keyOf(pod), ports)
  }

  conflicts(pod: Pod): boolean {
    const wanted = hostPortsOf(pod)
    if (wanted.length === 0 || this.byPod.size === 0) return false
    const own = keyOf(pod)
    for (const [key, used] of this.byPod) {
      if (key !== own && used.some((port) => wanted.some((other) => collide(port, other)))) return true
    }
    return false
  }
}

function keyOf({ metadata }: Pod): string {
  return `${metadata.namespace ?? ''}/${metadata.name}`
}

const noPorts: readonly HostPort[] = []

function hostPortsOf(pod: Pod): readonly HostPort[] {
  // Few pods use host ports.
  if (!pod.spec.containers.some(({ ports }) => ports?.some(({ hostPort = 0 }) => hostPort !== 0))) return noPorts
  return pod.spec.containers.flatMap(({ ports = [] }) =>
    ports.flatMap(({ hostPort = 0, hostIP = '', protocol = 'TCP' }) =>
      hostPort === 0 ? [] : [{ ip: hostIP === '' ? '0.0.0.0' : hostIP, port: hostPort, protocol }],
    ),
  )
}

function collide(a: HostPort, b: HostPort): boolean {
  if (a.protocol !== b.protocol || a.port !== b.port) return false
  return a.ip === b.ip || unspecified.has(a.ip) || unspecified.has(b.ip)
}
