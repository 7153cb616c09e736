import { type ApiRequest, type ApiResponse, json } from '../../apiserver/exchange.ts'
import type { Clock } from '../../base/clock.ts'
import type { Logger } from '../../base/log.ts'
import type { RunDriver } from '../../runtime/run-driver.ts'
import type { View } from '../../runtime/view.ts'
import { unguessable } from '../ports-console.ts'
import { type Console, type ConsoleOracles, createConsole } from './console.ts'
import { driverSource } from './source.ts'

export interface RemoteConsoleOptions {
  readonly clock: Clock
  readonly log: Logger
  readonly address: () => string
  readonly hostNames: readonly string[]
  /** What modules above this one can answer of what the controllers see. */
  readonly oracles?: (view: View) => ConsoleOracles
}

/** The console of somebody else's cluster: what its controllers here see and hold. Nothing can be changed from it. */
export class RemoteConsole {
  private readonly options: RemoteConsoleOptions
  // Sessions last as long as the process: there is nothing of its own to keep a secret in.
  private readonly secret = unguessable()
  private shown: Console | undefined

  constructor(options: RemoteConsoleOptions) {
    this.options = options
  }

  /** Shows the cluster once the driver has seen it in full; what exists then is no news. */
  async show(driver: RunDriver, onLink: (link: string) => void): Promise<void> {
    await driver.synced()
    const { clock, log, address, oracles, hostNames } = this.options
    this.shown?.close()
    this.shown = createConsole({
      ...oracles?.(driver.view),
      source: driverSource(driver, clock),
      clock,
      log,
      secret: this.secret,
      hostNames,
      address,
      owner: { name: 'console', groups: [] },
    })
    onLink(this.shown.link())
  }

  async handle(request: ApiRequest): Promise<ApiResponse> {
    if (this.shown === undefined)
      return json(503, { message: 'standing by: another instance acts, or this one has just started' })
    // The link is the only way in: sessions of this console are read-only and last as long as the process.
    return this.shown.handle(request, { authenticate: () => undefined, authorize: () => true })
  }

  close(): void {
    this.shown?.close()
  }
}
