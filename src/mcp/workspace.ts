import { readSettings, type SchedulerSource } from '../controlplane/settings.ts'
import type { Forecast } from '../whatif/report/forecast.ts'
import { nameHint } from '../whatif/scenario/near-names.ts'
import { clusterFlags } from '../whatif/snapshot/assumed-flags.ts'
import type { ClusterInput } from '../whatif/snapshot/found-cluster.ts'
import { ToolError, UsageError } from './answer.ts'
import { autoscalersIn, Fork, type ForkSettings, type Snapshot, type WrittenStep } from './fork.ts'
import type { McpLimits } from './limits.ts'
import type { Work } from './work.ts'

/** A cluster after it was read, before it gets an id. */
export interface ReadSource {
  readonly source: string
  readonly hash: string
  readonly input: ClusterInput
  /** The path to read the cluster again, for transcripts. Clients never see it. */
  readonly path?: string
}

/** Access to files and clusters. Only the command line creates the real implementation. */
export interface WorkspacePorts {
  /** Reads a file within the allowed folders. Rejects with a ToolError. */
  readonly readFile: (file: string) => Promise<ReadSource>
  /** Takes a snapshot of the live cluster of the command line, and closes the connection. Absent if there is no live cluster. */
  readonly readLive?: () => Promise<ReadSource>
  readonly memoryBytes: () => number
}

export interface WorkspaceOptions {
  readonly ports: WorkspacePorts
  readonly limits: McpLimits
  /** Flags with the names of kube-controller-manager and kube-scheduler. */
  readonly flags: Readonly<Record<string, unknown>>
  readonly scheduler: SchedulerSource
  readonly seed: string
  /** How the webhooks of every fork are answered. */
  readonly webhooks?: NonNullable<ForkSettings['webhooks']>
}

export interface ForkRequest {
  readonly kubernetesVersion?: string | undefined
  readonly featureGates?: string | undefined
  readonly seed?: string | undefined
}

/** A forecast with the input to repeat it. */
export interface KeptForecast {
  readonly id: string
  readonly fork: string
  readonly forecast: Forecast
  readonly provenance: Provenance
  readonly steps: readonly WrittenStep[]
}

/** Identifies the answer: the same values give the same answer. */
export interface Provenance {
  readonly snapshot: string
  readonly sha256: string
  readonly kubernetes: string
  readonly seed: string
  readonly berth: string
}

/** The changes of a call, for the transcript. */
export type Effect =
  | {
      readonly kind: 'open'
      readonly snapshot: string
      readonly source: string
      readonly path?: string
      readonly sha256: string
      readonly fork: string
      readonly flags: Readonly<Record<string, unknown>>
      readonly seed: string
    }
  | {
      readonly kind: 'fork'
      readonly fork: string
      readonly from: string
      readonly at: string
      readonly flags: Readonly<Record<string, unknown>>
      readonly seed: string
    }
  | { readonly kind: 'step'; readonly fork: string; readonly step: WrittenStep }
  | { readonly kind: 'advance'; readonly fork: string; readonly to: string }

/** The snapshots, forks and forecasts of the clients. Ids are handles that a client passes back. */
export class Workspace {
  readonly limits: McpLimits
  readonly forks = new Map<string, Fork>()
  readonly forecasts = new Map<string, KeptForecast>()
  private readonly snapshots = new Map<string, Snapshot>()
  private readonly options: WorkspaceOptions
  private effects: Effect[] = []
  private opened = 0
  private forked = 0
  private forecasted = 0

  constructor(options: WorkspaceOptions) {
    this.options = options
    this.limits = options.limits
  }

  get hasLive(): boolean {
    return this.options.ports.readLive !== undefined
  }

  async open(where: { readonly file: string } | 'live', request: ForkRequest): Promise<Fork> {
    this.checkRoom('snapshots', this.snapshots.size)
    this.checkRoom('forks', this.forks.size)
    const { readFile, readLive } = this.options.ports
    if (where === 'live' && readLive === undefined)
      throw new UsageError(
        'no live cluster is configured: pass file, or ask the user to start berth mcp with --context or --kubeconfig',
      )
    const read = where === 'live' ? await (readLive as () => Promise<ReadSource>)() : await readFile(where.file)
    return this.take(read, request)
  }

  /** Adds a cluster and its first fork. */
  take(read: ReadSource, request: ForkRequest = {}): Fork {
    const { source: from, hash: sha256 } = read
    const input = { ...read.input, notes: [...read.input.notes, ...autoscalersIn(read.input).notes] }
    const snapshot: Snapshot = { id: `s${this.opened + 1}`, source: from, hash: sha256, input }
    const how = this.settingsOf(request, {}, this.options.seed, read.input)
    const fork = Fork.open(`f${this.forked + 1}`, snapshot, how)
    this.opened++
    this.forked++
    this.snapshots.set(snapshot.id, snapshot)
    this.forks.set(fork.id, fork)
    const { flags, seed } = how
    const { id, source, hash } = snapshot
    const place = read.path === undefined ? {} : { path: read.path }
    this.note({ kind: 'open', snapshot: id, source, ...place, sha256: hash, fork: fork.id, flags, seed })
    return fork
  }

  async fork(from: Fork, request: ForkRequest, work: Work): Promise<Fork> {
    this.checkRoom('forks', this.forks.size)
    const how = this.settingsOf(request, from.how.flags, from.how.seed, from.snapshot.input)
    const fork = await from.fork(`f${this.forked + 1}`, how, work)
    this.forked++
    this.forks.set(fork.id, fork)
    const { flags, seed } = how
    this.note({ kind: 'fork', fork: fork.id, from: from.id, at: atText(fork), flags, seed })
    return fork
  }

  /** The fork with this id; absent: the only one. */
  find(id: string | undefined): Fork {
    const ids = [...this.forks.keys()]
    if (id === undefined) {
      if (ids.length === 1) return this.forks.get(ids[0] as string) as Fork
      throw new UsageError(
        ids.length === 0
          ? 'no cluster is open: call open first'
          : `fork is required, because several are open: ${ids.join(', ')}`,
      )
    }
    const found = this.forks.get(id)
    if (found === undefined) throw new UsageError(`fork ${JSON.stringify(id)} not found; ${nameHint(id, ids)}`)
    return found
  }

  close(fork: Fork): void {
    this.forks.delete(fork.id)
    const { snapshot } = fork
    if (![...this.forks.values()].some((other) => other.snapshot === snapshot)) this.snapshots.delete(snapshot.id)
  }

  async perform(fork: Fork, change: Parameters<Fork['perform']>[0]): Promise<void> {
    if (fork.written.length >= this.limits.steps)
      throw new UsageError(`fork ${fork.id} has ${this.limits.steps} changes, which is the limit: close it`)
    await fork.perform(change)
    this.note({ kind: 'step', fork: fork.id, step: fork.written.at(-1) as WrittenStep })
  }

  async advance(fork: Fork, ms: number, work: Work): Promise<void> {
    if (ms > this.limits.advanceMs)
      throw new UsageError(
        `at most ${this.limits.advanceMs / 3_600_000}h of virtual time in one call; call advance again for more`,
      )
    const toMs = Math.floor(fork.elapsedMs) + ms
    if (toMs > this.limits.forkMs)
      throw new UsageError(`a fork has at most ${this.limits.forkMs / 3_600_000}h of virtual time: close it`)
    try {
      await fork.advanceTo(toMs, work)
    } finally {
      this.note({ kind: 'advance', fork: fork.id, to: atText(fork) })
    }
  }

  keep(kept: Omit<KeptForecast, 'id'>): KeptForecast {
    this.forecasted++
    const forecast = { id: `c${this.forecasted}`, ...kept }
    this.forecasts.set(forecast.id, forecast)
    const [oldest] = this.forecasts.keys()
    if (this.forecasts.size > this.limits.forecasts && oldest !== undefined) this.forecasts.delete(oldest)
    return forecast
  }

  checkMemory(): void {
    const { limits } = this
    if (this.options.ports.memoryBytes() > limits.memoryBytes)
      throw new UsageError(
        `the server uses more than ${Math.round(limits.memoryBytes / 2 ** 20)} MiB: close forks that are not needed`,
      )
  }

  /** The effects since the last call. */
  takeEffects(): readonly Effect[] {
    const { effects } = this
    this.effects = []
    return effects
  }

  private note(effect: Effect): void {
    this.effects.push(effect)
  }

  private checkRoom(what: 'forks' | 'snapshots', count: number): void {
    if (count >= this.limits[what])
      throw new UsageError(`${count} ${what} are open, which is the limit: close forks that are not needed`)
    this.checkMemory()
  }

  private settingsOf(
    { kubernetesVersion, featureGates, seed }: ForkRequest,
    before: Readonly<Record<string, unknown>>,
    seedBefore: string,
    { kubernetes }: ClusterInput,
  ): ForkSettings {
    const flags = {
      ...before,
      ...(kubernetesVersion === undefined ? {} : { 'kubernetes-version': kubernetesVersion }),
      ...(featureGates === undefined ? {} : { 'feature-gates': featureGates }),
    }
    const given = { ...this.options.flags, ...flags }
    const settings = readSettings(clusterFlags(kubernetes, given), this.options.scheduler)
    if (!settings.ok) throw new ToolError(settings.message)
    const { webhooks } = this.options
    return {
      settings: settings.value,
      flags,
      seed: seed ?? seedBefore,
      ...(webhooks === undefined ? {} : { webhooks }),
    }
  }
}

/** The time of a fork as a duration of a scenario. */
export function atText(fork: Fork): string {
  return `${fork.elapsedMs / 1000}s`
}
