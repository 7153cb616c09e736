import { startApiServer } from '../../src/apiserver/api-server.ts'
import { silentLogger } from '../../src/base/log.ts'
import { MetricRegistry } from '../../src/base/metrics.ts'
import { createRandom } from '../../src/base/random.ts'
import { RealClock } from '../../src/base/real-clock.ts'
import { createHttpClient } from '../../src/client/http-client.ts'
import { createRegistry } from '../../src/registry/registry.ts'
import { createStore } from '../../src/store/memory-store.ts'
import { describeClientContract } from '../contracts/client-contract-suite.ts'

describeClientContract('over HTTP', async () => {
  const clock = new RealClock()
  const random = createRandom('contract')
  const store = createStore()
  const registry = createRegistry({ store, clock, random })
  const server = await startApiServer({
    registry,
    clock,
    log: silentLogger,
    metrics: new MetricRegistry(),
    host: '127.0.0.1',
    port: 0,
  })
  const client = createHttpClient({ access: { server: server.url }, clock, random: random.stream('client') })
  return {
    client,
    expireHistory: () => store.compact(store.revision),
    close: async () => {
      client.close()
      await server.close()
    },
  }
})
