import { administrator } from '../apiserver/api-server.ts'
import type { EndpointHandler } from '../apiserver/handler.ts'
import { createRandom } from '../base/random.ts'
import { Refusal } from '../base/refusal.ts'
import { createInProcessClient } from '../client/in-process-client.ts'
import type { Controller } from '../runtime/controller.ts'
import { createRunDriver, type RunDriver } from '../runtime/run-driver.ts'
import { type ApiProcess, type ApiProcessOptions, startApiProcess } from './api-process.ts'
import { type Console, type ConsoleOracles, createConsole, isConsolePath } from './console/console.ts'
import { storeSource } from './console/source.ts'
import { type ControllerContext, createControllers } from './controllers.ts'
import { certificateSigner, tokenSecretContents } from './identity.ts'
import { debugAnswer } from './inspection.ts'
import { defineOwnResources } from './own-definitions.ts'
import { answerWithCloud } from './ports-cloud.ts'
import { endedSessionsIn, newSerial, unpredictableSeed } from './ports-data-dir.ts'
import { answerOverHttp } from './ports-http-asks.ts'
import type { Settings } from './settings.ts'

export interface EmbeddedOptions extends ApiProcessOptions {
  readonly settings: Settings
  /** Names of the table in controllers.ts. */
  readonly controllers: readonly string[]
  readonly seed?: string
  /** Additional controllers: hollow kubelets, or a user's own. */
  readonly more?: (context: ControllerContext) => readonly Controller[]
  /** Serves the console at /console, with the answers that the caller can compute. Absent: no console. */
  readonly console?: (api: ApiProcess) => ConsoleOracles
  /** Host names by which browsers may reach the console, besides addresses and localhost. */
  readonly hostNames?: readonly string[]
}

/** A control plane with its own API server, all in this process. */
export interface EmbeddedCluster {
  readonly api: ApiProcess
  readonly driver: RunDriver
  readonly console: Console | undefined
  close(): Promise<void>
}

export async function startEmbedded(options: EmbeddedOptions): Promise<EmbeddedCluster> {
  let driver: RunDriver | undefined
  let refusal: Refusal | undefined
  const inspected: EndpointHandler = (request) => debugAnswer(driver, request.path, options.clock)
  let shown: Console | undefined
  const hasAccounts = options.controllers.includes('serviceaccount')
  const api = await startApiProcess({
    ...(hasAccounts ? { serviceAccounts: 'default-follows' } : {}),
    ...options,
    release: options.settings.release,
    endpoints: [inspected, ...(options.endpoints ?? [])],
    front: {
      owns: (path) => shown !== undefined && isConsolePath(path),
      answer: (request, gate) => (shown as Console).handle(request, gate),
    },
  })
  defineOwnResources(api.registry, options.settings)
  await api.registry.store.durable()
  shown = consoleOf(options, api, () => driver)
  const context: ControllerContext = {
    settings: options.settings,
    metrics: api.metrics,
    log: options.log,
    isOwnCluster: true,
    signer: certificateSigner(api.credentials, newSerial),
    identity: tokenSecretContents(api.tokens, api.credentials.caCertificate),
    kinds: () => api.registry.kinds.all(),
  }
  const random = createRandom(options.seed ?? unpredictableSeed())
  driver = createRunDriver({
    client: createInProcessClient(api.registry, undefined, api.sendToWebhook),
    clock: options.clock,
    random,
    controllers: [...createControllers(options.controllers, context), ...(options.more?.(context) ?? [])],
    log: options.log,
    answer: answerWithCloud({ settings: options.settings.nodeIpam, clock: options.clock, random }, answerOverHttp),
    host: 'berth',
    maxInFlight: 512,
    onCrash: (controller, error) => {
      if (error instanceof Refusal) refusal = error
      options.log.error({ controller, error: errorText(error) }, 'controller stopped')
    },
  })
  driver.start()
  await driver.synced()
  const running = driver
  const close = async () => {
    // No new requests while the controllers stop.
    const served = api.server.close()
    shown?.close()
    await running.stop()
    await served
    await api.close()
  }
  // A refused configuration is reported when the cluster starts.
  if (refusal !== undefined) {
    await close()
    throw refusal
  }
  return { api, driver: running, console: shown, close }
}

function consoleOf(
  options: EmbeddedOptions,
  api: ApiProcess,
  driver: () => RunDriver | undefined,
): Console | undefined {
  if (options.console === undefined) return undefined
  return createConsole({
    ...options.console(api),
    source: storeSource(api.registry.store, driver, options.clock),
    clock: options.clock,
    log: options.log,
    secret: api.credentials.adminKey,
    address: () => api.server.url,
    kubernetes: `v${options.settings.release.minor}`,
    registry: api.registry,
    owner: administrator,
    hostNames: options.hostNames ?? [],
    ...(options.dataDir === undefined ? {} : { ended: endedSessionsIn(options.dataDir) }),
  })
}

const errorText = (error: unknown) => (error instanceof Error ? (error.stack ?? error.message) : String(error))
