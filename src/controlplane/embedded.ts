import { json } from '../apiserver/exchange.ts'
import type { Endpoint } from '../apiserver/handler.ts'
import type { Clock } from '../base/clock.ts'
import { createRandom } from '../base/random.ts'
import { createInProcessClient } from '../client/in-process-client.ts'
import type { Controller } from '../runtime/controller.ts'
import { createRunDriver, type RunDriver } from '../runtime/run-driver.ts'
import { type ApiProcess, type ApiProcessOptions, startApiProcess } from './api-process.ts'
import { type ControllerContext, createControllers } from './controllers.ts'
import { unpredictableSeed } from './ports-data-dir.ts'
import type { Settings } from './settings.ts'

export interface EmbeddedOptions extends ApiProcessOptions {
  readonly settings: Settings
  /** Names of the table in controllers.ts. */
  readonly controllers: readonly string[]
  readonly seed?: string
  /** Controllers besides those of the table: hollow kubelets, a user's own. */
  readonly more?: (context: ControllerContext) => readonly Controller[]
}

/** A control plane with its own API server, all in this process. */
export interface EmbeddedCluster {
  readonly api: ApiProcess
  readonly driver: RunDriver
  close(): Promise<void>
}

export async function startEmbedded(options: EmbeddedOptions): Promise<EmbeddedCluster> {
  let driver: RunDriver | undefined
  const inspected: Endpoint = (request) => debugAnswer(driver, request.path, options.clock)
  const api = await startApiProcess({ ...options, endpoints: [inspected, ...(options.endpoints ?? [])] })
  const context: ControllerContext = { settings: options.settings, metrics: api.metrics, log: options.log }
  driver = createRunDriver({
    client: createInProcessClient(api.registry),
    clock: options.clock,
    random: createRandom(options.seed ?? unpredictableSeed()),
    controllers: [...createControllers(options.controllers, context), ...(options.more?.(context) ?? [])],
    log: options.log,
    host: 'berth',
    maxInFlight: 512,
    onCrash: (controller, error) => options.log.error({ controller, error: errorText(error) }, 'a controller stopped'),
  })
  driver.start()
  await driver.synced()
  const running = driver
  return {
    api,
    driver: running,
    async close() {
      await running.stop()
      await api.close()
    },
  }
}

const errorText = (error: unknown) => (error instanceof Error ? (error.stack ?? error.message) : String(error))

/** What each `/debug` path shows: a controller's own view of what it holds, as data. */
const debugPaths: Readonly<Record<string, string>> = {
  '/debug/queue': 'scheduler',
  '/debug/evictions': 'taint-eviction-controller',
  '/debug/nodes': 'node-lifecycle-controller',
  '/debug/cidrs': 'node-ipam-controller',
}

function debugAnswer(driver: RunDriver | undefined, path: string, clock: Clock) {
  if (path === '/debug/health') return driver === undefined ? undefined : json(200, driver.health())
  const name = Object.hasOwn(debugPaths, path) ? debugPaths[path] : undefined
  if (name === undefined || driver === undefined) return undefined
  const controller = driver.controller(name)
  if (controller?.inspect === undefined) return json(404, { message: `${name} does not run here` })
  return json(200, controller.inspect(clock.now()))
}
