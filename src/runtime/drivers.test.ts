import {
  type BenchOptions,
  type DriverBench,
  describeDriverContract,
} from '../../test/contracts/driver-contract-suite.ts'
import { comeToRest, letTimePass } from '../../test/doubles/manual-time.ts'
import { clusterPorts, start } from '../client/cluster-ports.fixture.ts'
import { createRunDriver, type RunDriverOptions } from './run-driver.ts'
import { createStepDriver } from './step-driver.ts'

/** The parts that both drivers need. */
function ports({ controllers, metrics }: BenchOptions) {
  const { store, clock, random, client } = clusterPorts(['default'], 'drivers')
  return { store, shared: { client, clock, random, controllers, ...(metrics === undefined ? {} : { metrics }) } }
}

function stepBench(options: BenchOptions): DriverBench {
  const { store, shared } = ports(options)
  const { client, clock } = shared
  const { answer } = options
  const driver = createStepDriver({
    ...shared,
    source: store,
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

function runBench(options: BenchOptions, more: Partial<RunDriverOptions> = {}): DriverBench {
  const { shared } = ports(options)
  const { client, clock } = shared
  const { answer } = options
  const driver = createRunDriver({
    ...shared,
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
