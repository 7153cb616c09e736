import type { Outcome } from '../api/call.ts'
import { startApiServer } from '../apiserver/api-server.ts'
import { kubeconfigOf } from '../apiserver/kubeconfig.ts'
import { silentLogger } from '../base/log.ts'
import { MetricRegistry } from '../base/metrics.ts'
import { RealClock } from '../base/real-clock.ts'
import type { VirtualCluster } from '../controlplane/virtual.ts'
import type { ServedCluster } from './cluster.ts'

export interface ServeOptions {
  readonly cluster: VirtualCluster
  readonly settle: () => Promise<void>
  readonly port: number
}

/** Serves the API of a cluster in virtual time on a loopback address. */
export async function serveCluster({ cluster, port }: ServeOptions): Promise<ServedCluster> {
  const { store, registry: own } = cluster
  /** A write over HTTP is answered after its consequences have happened, as for all other callers. */
  const call = (...args: Parameters<typeof own.call>): Outcome => {
    const outcome = own.call(...args)
    if (args[0].verb !== 'get' && args[0].verb !== 'list') cluster.driver.settle()
    return outcome
  }
  const registry = { store, kinds: own.kinds, release: own.release, call, begin: call, convert: own.convert }
  const server = await startApiServer({
    registry: registry as never,
    clock: new RealClock(),
    log: silentLogger,
    metrics: new MetricRegistry(),
    host: '127.0.0.1',
    port,
  })
  const kubeconfig = `${JSON.stringify(kubeconfigOf({ server: server.url, name: 'berth' }), null, 2)}\n`
  return { url: server.url, kubeconfig, close: () => server.close() }
}
