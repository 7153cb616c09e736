import {
  type BenchOptions,
  type DriverBench,
  describeDriverContract,
} from '../../test/contracts/driver-contract-suite.ts'
import { comeToRest, letTimePass } from '../../test/doubles/manual-time.ts'
import { createRandom } from '../base/random.ts'
import { VirtualClock } from '../base/virtual-clock.ts'
import { createInProcessClient } from '../client/in-process-client.ts'
import { createRegistry } from '../registry/registry.ts'
import { createStore } from '../store/memory-store.ts'
import { createRunDriver, type RunDriverOptions } from './run-driver.ts'
import { createStepDriver } from './step-driver.ts'

const start = Date.parse('2026-01-01T00:00:00Z')

function ports() {
  const store = createStore()
  const clock = new VirtualClock(start)
  const random = createRandom('drivers')
  const client = createInProcessClient(createRegistry({ store, clock, random }))
  client.callNow({ verb: 'create', resource: 'namespaces', object: { metadata: { name: 'default' } } })
  return { store, clock, random, client }
}

function stepBench({ controllers, answer, metrics }: BenchOptions): DriverBench {
  const { store, clock, random, client } = ports()
  const driver = createStepDriver({
    client,
    source: store,
    clock,
    random,
    controllers,
    ...(metrics === undefined ? {} : { metrics }),
    ...(answer === undefined
      ? {}
      : { answer: ({ request }) => (request.kind === 'cloud' ? answer(request.request) : undefined) }),
  })
  return {
    client,
    settle: async () => driver.settle(),
    advance: async (ms) => driver.advance(ms),
    wake: (name) => driver.wake(name),
    elapsedMs: () => clock.now() - start,
    close: async () => driver.close(),
  }
}

function runBench({ controllers, answer, metrics }: BenchOptions, more: Partial<RunDriverOptions> = {}): DriverBench {
  const { clock, random, client } = ports()
  const driver = createRunDriver({
    client,
    clock,
    random,
    controllers,
    ...(metrics === undefined ? {} : { metrics }),
    ...(answer === undefined
      ? {}
      : { answer: async ({ request }) => answer(request.kind === 'cloud' ? request.request : undefined) }),
    ...more,
  })
  let isStarted = false
  const settle = async () => {
    if (!isStarted) driver.start()
    isStarted = true
    await comeToRest(driver)
  }
  return {
    client,
    settle,
    async advance(ms) {
      await settle()
      await letTimePass(driver, clock, ms)
    },
    wake: (name) => driver.wake(name),
    elapsedMs: () => clock.now() - start,
    close: () => driver.stop(),
  }
}

describeDriverContract('step', stepBench)
describeDriverContract('run driver with streaming lists', (options) => runBench(options))
describeDriverContract('run driver with paged lists and one call at a time', (options) =>
  runBench(options, { initialList: 'pages', pageSize: 1, maxInFlight: 1 }),
)
