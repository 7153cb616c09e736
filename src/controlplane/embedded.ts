import type { Endpoint } from '../apiserver/handler.ts'
import { createRandom } from '../base/random.ts'
import { Refusal } from '../base/refusal.ts'
import { createInProcessClient } from '../client/in-process-client.ts'
import type { Controller } from '../runtime/controller.ts'
import { createRunDriver, type RunDriver } from '../runtime/run-driver.ts'
import { type ApiProcess, type ApiProcessOptions, startApiProcess } from './api-process.ts'
import { type ControllerContext, createControllers } from './controllers.ts'
import { debugAnswer } from './inspection.ts'
import { unpredictableSeed } from './ports-data-dir.ts'
import { answerOverHttp } from './ports-http-asks.ts'
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
  let refusal: Refusal | undefined
  const inspected: Endpoint = (request) => debugAnswer(driver, request.path, options.clock)
  const api = await startApiProcess({ ...options, endpoints: [inspected, ...(options.endpoints ?? [])] })
  const context: ControllerContext = {
    settings: options.settings,
    metrics: api.metrics,
    log: options.log,
    isOwnCluster: true,
  }
  driver = createRunDriver({
    client: createInProcessClient(api.registry),
    clock: options.clock,
    random: createRandom(options.seed ?? unpredictableSeed()),
    controllers: [...createControllers(options.controllers, context), ...(options.more?.(context) ?? [])],
    log: options.log,
    answer: answerOverHttp,
    host: 'berth',
    maxInFlight: 512,
    onCrash: (controller, error) => {
      if (error instanceof Refusal) refusal = error
      options.log.error({ controller, error: errorText(error) }, 'a controller stopped')
    },
  })
  driver.start()
  await driver.synced()
  const running = driver
  const close = async () => {
    await running.stop()
    await api.close()
  }
  // Whoever starts a cluster should hear at once that a part of it declines.
  if (refusal !== undefined) {
    await close()
    throw refusal
  }
  return { api, driver: running, close }
}

const errorText = (error: unknown) => (error instanceof Error ? (error.stack ?? error.message) : String(error))
