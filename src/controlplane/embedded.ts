import type { KubernetesRelease } from '../api/releases/kubernetes-release.ts'
import { createAuthorizer } from '../apiserver/access/authorizers.ts'
import { administrator, roleSource } from '../apiserver/api-server.ts'
import type { EndpointHandler } from '../apiserver/handler.ts'
import type { Logger } from '../base/log.ts'
import type { MetricRegistry } from '../base/metrics.ts'
import { createRandom } from '../base/random.ts'
import { Refusal } from '../base/refusal.ts'
import { createInProcessClient } from '../client/in-process-client.ts'
import type { PolicyTypeCheck } from '../controllers/admission-policy-status/controller.ts'
import type { CertificateSigner } from '../controllers/certificates/controller.ts'
import type { NodeIpamSettings } from '../controllers/node-ipam/options.ts'
import type { ServedKind } from '../controllers/served-kinds.ts'
import type { TokenSecretContents } from '../controllers/service-account/decide-tokens.ts'
import type { Registry } from '../registry/contract.ts'
import { expressionWarnings } from '../registry/dynamic/policy-type-check.ts'
import type { Controller } from '../runtime/controller.ts'
import { createRunDriver, type RunDriver } from '../runtime/run-driver.ts'
import { type ApiProcess, type ApiProcessOptions, startApiProcess } from './api-process.ts'
import { type Console, type ConsoleOracles, createConsole, isConsolePath } from './console/console.ts'
import { storeSource } from './console/source.ts'
import { certificateSigner, tokenSecretContents } from './identity.ts'
import { debugAnswer } from './inspection.ts'
import { answerWithCloud } from './ports-cloud.ts'
import { endedSessionsIn, newSerial, unpredictableSeed } from './ports-data-dir.ts'
import { answerOverHttp } from './ports-http-asks.ts'

/** The inputs of the controllers of an embedded cluster. */
export interface EmbeddedContext {
  readonly metrics: MetricRegistry
  readonly log: Logger
  readonly isOwnCluster: true
  readonly signer: CertificateSigner
  readonly identity?: TokenSecretContents
  readonly kinds: () => readonly ServedKind[]
  readonly checkPolicy: PolicyTypeCheck
}

export interface EmbeddedOptions extends ApiProcessOptions {
  readonly release: KubernetesRelease
  /**
   * Creates the controllers. The controllers of the whole control plane are not loaded here, because an API server can
   * start without them.
   */
  readonly controllers: (context: EmbeddedContext) => readonly Controller[]
  /** The controllers create the default ServiceAccount of namespaces. */
  readonly hasServiceAccounts: boolean
  /** Creates objects before the controllers start. */
  readonly prepare?: (registry: Registry) => void
  /** Settings of node IPAM, for its cloud. Absent: node IPAM has no cloud. */
  readonly nodeIpam?: NodeIpamSettings
  readonly seed?: string
  /** Serves the console at /console, with the answers that the caller computes. Absent: no console. */
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
  const api = await startApiProcess({
    ...(options.hasServiceAccounts ? { serviceAccounts: 'default-follows' } : {}),
    ...options,
    endpoints: [inspected, ...(options.endpoints ?? [])],
    front: {
      owns: (path) => shown !== undefined && isConsolePath(path),
      answer: (request, gate) => (shown as Console).handle(request, gate),
    },
  })
  try {
    options.prepare?.(api.registry)
  } catch (error) {
    await api.close()
    throw error
  }
  await api.registry.store.durable()
  shown = consoleOf(options, api, () => driver)
  const context: EmbeddedContext = {
    metrics: api.metrics,
    log: options.log,
    isOwnCluster: true,
    signer: certificateSigner(api.credentials, newSerial, authorizerOf(options, api).decide),
    identity: tokenSecretContents(api.tokens, api.credentials.caCertificate),
    kinds: () => api.registry.kinds.all(),
    checkPolicy: (policy) => expressionWarnings(policy, api.registry.kinds),
  }
  const random = createRandom(options.seed ?? unpredictableSeed())
  driver = createRunDriver({
    client: createInProcessClient(api.registry, undefined, api.sendToWebhook),
    clock: options.clock,
    random,
    controllers: options.controllers(context),
    log: options.log,
    answer:
      options.nodeIpam === undefined
        ? answerOverHttp
        : answerWithCloud({ settings: options.nodeIpam, clock: options.clock, random }, answerOverHttp),
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
    // Stop accepting requests before the controllers stop.
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

/** Authorizes as the API server does, for controllers that would otherwise send a SubjectAccessReview. */
function authorizerOf({ authorizationModes: modes = ['AlwaysAllow'] }: EmbeddedOptions, { registry }: ApiProcess) {
  const { store, release } = registry
  return createAuthorizer({ modes, store, release, roles: roleSource(registry) })
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
    kubernetes: `v${options.release.minor}`,
    registry: api.registry,
    owner: administrator,
    hostNames: options.hostNames ?? [],
    ...(options.dataDir === undefined ? {} : { ended: endedSessionsIn(options.dataDir) }),
  })
}

const errorText = (error: unknown) => (error instanceof Error ? (error.stack ?? error.message) : String(error))
