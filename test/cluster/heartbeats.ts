import { formatMicroTime } from '../../src/api/time.ts'
import type { Connection } from './connection.ts'

/** Heartbeats of kubelets: a Lease that is renewed every two seconds, until a node becomes silent. */
export interface Heartbeats {
  silence(name: string): void
  revive(name: string): void
  close(): void
}

const resource = 'leases.coordination.k8s.io'
const namespace = 'kube-node-lease'

export async function startHeartbeats(hands: Connection, nodes: readonly string[]): Promise<Heartbeats> {
  const silent = new Set<string>()
  const spec = (name: string) => ({
    holderIdentity: name,
    leaseDurationSeconds: 40,
    renewTime: formatMicroTime(Date.now()),
  })
  const post = async (name: string) => {
    const time = `${new Date().toISOString().slice(0, 19)}Z`
    const ready = {
      type: 'Ready',
      status: 'True',
      reason: 'KubeletReady',
      lastHeartbeatTime: time,
      lastTransitionTime: time,
    }
    await hands.merge('nodes', name, { status: { conditions: [ready] } }, 'status')
  }
  const renew = (name: string) =>
    hands.client.call({
      ...{ verb: 'patch', resource, namespace, name },
      patch: { kind: 'merge', patch: { spec: spec(name) } as never },
    })
  for (const name of nodes) {
    const lease = {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { name, namespace },
      spec: spec(name),
    }
    // The Lease of an earlier attempt is reused.
    await hands.client.call({ verb: 'create', resource, namespace, object: lease as never })
    await post(name)
  }
  const timer = setInterval(() => {
    for (const name of nodes) if (!silent.has(name)) void renew(name)
  }, 2000)
  return {
    silence: (name) => void silent.add(name),
    revive: (name) => {
      silent.delete(name)
      void post(name)
    },
    close: () => clearInterval(timer),
  }
}
