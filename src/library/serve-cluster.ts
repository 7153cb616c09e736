import type { Outcome } from '../api/call.ts'
import { startApiServer } from '../apiserver/api-server.ts'
import { adminKubeconfig } from '../apiserver/kubeconfig.ts'
import { createOpenApi } from '../apiserver/openapi.ts'
import { silentLogger } from '../base/log.ts'
import { MetricRegistry } from '../base/metrics.ts'
import { RealClock } from '../base/real-clock.ts'
import { customSchema } from '../controlplane/api-process.ts'
import { loadCredentials, newAuditId } from '../controlplane/ports-data-dir.ts'
import { loadDescriptions } from '../controlplane/ports-descriptions.ts'
import type { VirtualCluster } from '../controlplane/virtual.ts'
import { ClusterOptionError, shown } from './argument-checks.ts'
import type { ServedCluster, ServeSettings } from './cluster.ts'
import { realDelay } from './ports-turn.ts'

export interface ServeOptions extends ServeSettings {
  readonly cluster: VirtualCluster
  /** Runs asynchronous code that is due because of a write. */
  readonly stir: () => void
  readonly advance: (ms: number) => Promise<void>
}

// Time moves in steps of this length while it runs.
const stepMs = 20

/** Serves the API of a cluster in virtual time over HTTPS on a loopback address. */
export async function serveCluster({
  cluster,
  stir,
  advance,
  port = 0,
  speed = 0,
}: ServeOptions): Promise<ServedCluster> {
  if (!(Number.isFinite(speed) && speed >= 0))
    throw new ClusterOptionError(`speed: ${shown(speed)} must be a number >= 0`)
  if (!Number.isInteger(port) || port < 0 || port > 65535)
    throw new ClusterOptionError(`port: ${shown(port)} must be an integer from 0 to 65535`)
  const { registry } = cluster
  const { store } = registry
  /** A write over HTTP is answered after its consequences have happened, as for all other callers. */
  const call = (...args: Parameters<typeof registry.call>): Outcome => {
    const outcome = registry.call(...args)
    if (args[0].verb !== 'get' && args[0].verb !== 'list') {
      cluster.driver.settle()
      stir()
    }
    return outcome
  }
  const clock = new RealClock()
  const credentials = await loadCredentials(undefined, ['localhost', '127.0.0.1', '::1'], clock.wall())
  const server = await startApiServer({
    registry: { ...registry, store, kinds: registry.kinds, release: registry.release, call, begin: call },
    // kubectl prints ages in virtual time.
    clock: { now: () => clock.now(), at: (ms, fn) => clock.at(ms, fn), wall: () => cluster.clock.wall() },
    log: silentLogger,
    metrics: new MetricRegistry(),
    host: '127.0.0.1',
    port,
    credentials,
    newAuditId,
    endpoints: [
      createOpenApi({
        release: registry.release,
        kinds: registry.kinds,
        descriptions: loadDescriptions,
        customSchema: (kind) => customSchema(store, kind),
      }),
    ],
  })
  const stop = speed === 0 ? async () => {} : runTime(clock, speed, advance)
  return {
    url: server.url,
    kubeconfig: adminKubeconfig(server.url, credentials),
    async close() {
      await stop()
      await server.close()
    },
  }
}

/** Advances the time with that of the machine, `speed` times as fast. Returns what stops it. */
function runTime(clock: RealClock, speed: number, advance: (ms: number) => Promise<void>): () => Promise<void> {
  let isStopped = false
  let failure: unknown
  const run = async () => {
    for (let before = clock.now(); !isStopped; ) {
      await realDelay(stepMs)
      const now = clock.now()
      await advance((now - before) * speed)
      before = now
    }
  }
  const running = run().catch((error: unknown) => {
    failure = error
  })
  return async () => {
    isStopped = true
    await running
    if (failure !== undefined) throw failure
  }
}
