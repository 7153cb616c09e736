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
  /** Answers that only modules above this one can compute. */
  readonly oracles?: (view: View) => ConsoleOracles
  /** The release, for example v1.36. */
  readonly kubernetes: string
}

/**
 * The console of a cluster on which berth only runs controllers: it shows what the controllers see and their state.
 * Read-only.
 */
export class RemoteConsole {
  private readonly options: RemoteConsoleOptions
  // Sessions last as long as the process, because a key cannot be stored.
  private readonly secret = unguessable()
  private shown: Console | undefined

  constructor(options: RemoteConsoleOptions) {
    this.options = options
  }

  /** Shows the cluster once the driver is in sync; existing objects are not reported as changes. */
  async show(driver: RunDriver, onLink: (link: string) => void): Promise<void> {
    await driver.synced()
    const { clock, log, address, kubernetes, oracles, hostNames } = this.options
    this.shown?.close()
    this.shown = createConsole({
      ...oracles?.(driver.view),
      source: driverSource(driver, clock),
      clock,
      log,
      secret: this.secret,
      hostNames,
      address,
      kubernetes,
      owner: { name: 'console', groups: [] },
    })
    onLink(this.shown.link())
  }

  async handle(request: ApiRequest): Promise<ApiResponse> {
    if (this.shown === undefined)
      return json(503, { message: 'standby: another instance is the leader, or this one has just started' })
    // Only the link gives access: sessions of this console are read-only and last as long as the process.
    return this.shown.handle(request, { authenticate: () => undefined, authorize: () => true })
  }

  close(): void {
    this.shown?.close()
  }
}
