import type { Call } from '../../src/api/call.ts'
import type { KubeObject } from '../../src/api/objects/meta.ts'
import type { Lease } from '../../src/api/objects/node.ts'
import { bootstrap } from '../../src/apiserver/bootstrap.ts'
import type { Cancel, Clock } from '../../src/base/clock.ts'
import { silentLogger } from '../../src/base/log.ts'
import { createRandom, type RandomStream } from '../../src/base/random.ts'
import { VirtualClock } from '../../src/base/virtual-clock.ts'
import type { DirectClient } from '../../src/client/contract.ts'
import { createInProcessClient } from '../../src/client/in-process-client.ts'
import { createHollowKubelet } from '../../src/controllers/hollow-kubelet/controller.ts'
import { packs } from '../../src/controllers/hollow-kubelet/packs.ts'
import { hollowNodes, parseNodeShape } from '../../src/controlplane/hollow-nodes.ts'
import { type RemoteControlPlane, startRemote } from '../../src/controlplane/remote.ts'
import { defaultSettings } from '../../src/controlplane/settings.ts'
import { createRegistry } from '../../src/registry/registry.ts'
import { createRunDriver, type RunDriver } from '../../src/runtime/run-driver.ts'
import type { Store } from '../../src/store/contract.ts'
import { createStore } from '../../src/store/memory-store.ts'
import { createFaultyClient, type FaultyClient } from '../doubles/faulty-client.ts'
import { passTime } from '../doubles/manual-time.ts'
import { BrokenInvariant, hold } from './broken-invariant.ts'
import { changeWorkload, checkConnectionEnd, drivenControllers } from './connection.ts'
import type { PartRun } from './swarm-run.ts'

const leases = 'leases.coordination.k8s.io'
const turns = 20

/**
 * Instances of the control plane compete for a lease. Their processes are paused for longer than the lease, their clocks are
 * set, their connections are cut. Only the holder of the lease writes, and afterwards the cluster is in the expected state.
 */
export async function runLeaders(seed: string): Promise<PartRun> {
  const race = new LeaderRace(seed)
  try {
    await race.run()
    return { faults: race.faults }
  } catch (error) {
    const message = error instanceof BrokenInvariant ? error.message : `no error: ${(error as Error).message}`
    return { broken: message, faults: race.faults }
  } finally {
    await race.stop()
  }
}

/** The clock of one machine: its callbacks wait while the process is paused, and its wall clock can be set. */
class MachineClock implements Clock {
  isPaused = false
  private shiftMs = 0
  private waiting: (() => void)[] = []
  private readonly shared: VirtualClock

  constructor(shared: VirtualClock) {
    this.shared = shared
  }

  now(): number {
    return this.shared.now()
  }

  wall(): number {
    return this.shared.now() + this.shiftMs
  }

  setWall(byMs: number): void {
    this.shiftMs += byMs
  }

  at(ms: number, fn: () => void): Cancel {
    let isCanceled = false
    const run = () => {
      if (isCanceled) return
      if (this.isPaused) this.waiting.push(run)
      else fn()
    }
    const cancel = this.shared.at(ms, run)
    return () => {
      isCanceled = true
      cancel()
    }
  }

  /** Timers that were due during the pause are late: events that arrive now may be handled before them. */
  resume(lateMs: number): void {
    this.isPaused = false
    const due = this.waiting
    this.waiting = []
    this.shared.at(this.shared.now() + lateMs, () => {
      for (const run of due) run()
    })
  }
}

interface Instance {
  readonly identity: string
  readonly clock: MachineClock
  readonly acting: FaultyClient
  readonly voting: FaultyClient
  remote?: RemoteControlPlane
  isLost: boolean
}

class LeaderRace {
  readonly faults: Record<string, number> = {}
  private readonly random: RandomStream
  private readonly seed: string
  private readonly clock = new VirtualClock(Date.UTC(2026, 0, 1))
  private readonly store: Store = createStore()
  private readonly outside: DirectClient
  private readonly kubelets: RunDriver
  private readonly instances: Instance[] = []
  /** The first write of an instance that does not hold the lease. */
  private intruder: string | undefined

  constructor(seed: string) {
    this.seed = seed
    this.random = createRandom(seed).stream('leaders')
    const registry = createRegistry({ store: this.store, clock: this.clock, random: createRandom(seed) })
    bootstrap(registry, { rbac: false })
    this.outside = createInProcessClient(registry)
    for (const node of hollowNodes(3, parseNodeShape('cpu=4,memory=16Gi,zones=2'))) this.write('nodes', node)
    this.kubelets = createRunDriver({
      client: this.outside,
      clock: this.clock,
      random: createRandom(seed),
      controllers: [createHollowKubelet({ serves: 'all', stages: packs.fast })],
      events: 'drop',
    })
  }

  async run(): Promise<void> {
    this.kubelets.start()
    for (const identity of ['one', 'two', 'three'].slice(0, 2 + this.random.int(2))) await this.add(identity)
    await this.pass(30_000)
    for (let turn = 0; turn < turns; turn++) {
      changeWorkload(this.random, (resource, object) => this.write(resource, object), this.outside)
      this.trouble(this.random.pick(this.instances))
      await this.pass(this.random.pick([500, 5_000, 20_000, 40_000]))
      hold('leaders', this.intruder === undefined, () => this.intruder ?? '')
      await this.replaceLost()
    }
    for (const { clock, acting, voting } of this.instances) {
      clock.resume(0)
      acting.restore()
      voting.restore()
    }
    await this.pass(60_000)
    await this.replaceLost()
    await this.pass(15 * 60_000)
    hold('leaders', this.intruder === undefined, () => this.intruder ?? '')
    hold('leaders', this.holder() !== '', () => 'no instance leads')
    checkConnectionEnd(this.store)
  }

  async stop(): Promise<void> {
    const stopping = this.instances.map(({ remote }) => remote?.stop())
    await this.pass(10_000)
    await Promise.all(stopping)
    await this.kubelets.stop()
  }

  private trouble(instance: Instance): void {
    const { clock, acting, voting } = instance
    switch (this.random.int(7)) {
      case 0:
      case 1:
        if (clock.isPaused) clock.resume(this.random.pick([0, 400]))
        else {
          clock.isPaused = true
          this.count(this.holder() === instance.identity ? 'leaders paused' : 'standbys paused')
        }
        return
      case 2:
        clock.setWall(this.random.pick([3_600_000, -3_600_000, 20_000, -20_000]))
        this.count('clocks set')
        return
      case 3:
        voting.cut(this.random.pick(['fails', 'hangs'] as const))
        this.count('election connections cut')
        return
      case 4:
        acting.cut('hangs')
        this.count('connections that hang')
        return
      default:
        clock.resume(this.random.pick([0, 400]))
        voting.restore()
        acting.restore()
    }
  }

  private async add(identity: string): Promise<void> {
    const clock = new MachineClock(this.clock)
    const acting = createFaultyClient(this.guarded(identity))
    const instance: Instance = { identity, clock, acting, voting: createFaultyClient(this.outside), isLost: false }
    this.instances.push(instance)
    await this.start(instance)
  }

  private async start(instance: Instance): Promise<void> {
    const { identity, clock, acting, voting } = instance
    instance.isLost = false
    instance.remote = await startRemote({
      client: acting,
      abandon: () => acting.abandon(),
      electionClient: voting,
      clock,
      random: createRandom(`${this.seed}-${identity}`),
      log: silentLogger,
      settings: defaultSettings,
      controllers: drivenControllers,
      maxInFlight: 20,
      election: {
        identity,
        namespace: 'kube-system',
        name: 'berth',
        leaseDurationMs: 15_000,
        renewDeadlineMs: 10_000,
        retryPeriodMs: 2_000,
      },
    })
    void instance.remote.lost.then(() => {
      instance.isLost = true
    })
  }

  /** A process that has lost the lease ends, and is started again. */
  private async replaceLost(): Promise<void> {
    for (const instance of this.instances) {
      if (!instance.isLost || instance.clock.isPaused) continue
      this.count('leaders that lost the lease')
      const stopped = instance.remote?.stop()
      instance.acting.restore()
      instance.voting.restore()
      await this.pass(1_000)
      await stopped
      await this.start(instance)
    }
  }

  /** Writes that reach the cluster come from the holder of the lease. */
  private guarded(identity: string): DirectClient {
    const check = (call: Call) => {
      if (call.verb === 'get' || call.verb === 'list') return
      const holder = this.holder()
      // Not thrown: a controller takes an error of its client for a failed request.
      if (holder !== identity) this.intruder ??= `${identity} writes ${call.resource} while ${holder || 'none'} leads`
    }
    return {
      ...this.outside,
      callNow: (call) => {
        check(call)
        return this.outside.callNow(call)
      },
      call: (call) => {
        check(call)
        return this.outside.call(call)
      },
    }
  }

  private holder(): string {
    const lease = this.store.get(leases, 'kube-system/berth') as Lease | undefined
    return lease?.spec?.holderIdentity ?? ''
  }

  private pass(ms: number): Promise<void> {
    return passTime(this.clock, ms, async () => {
      for (let i = 0; i < 60; i++) await Promise.resolve()
      await this.kubelets.idle()
    })
  }

  private write(resource: string, object: KubeObject): void {
    const { namespace } = object.metadata
    this.outside.callNow({ verb: 'create', resource, object, ...(namespace === undefined ? {} : { namespace }) })
  }

  private count(what: string): void {
    this.faults[what] = (this.faults[what] ?? 0) + 1
  }
}
