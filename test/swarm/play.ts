import type { NodeClaim } from '../../src/api/objects/karpenter.ts'
import type { JsonObject, KubeObject } from '../../src/api/objects/meta.ts'
import type { Node } from '../../src/api/objects/node.ts'
import type { Pod } from '../../src/api/objects/pod.ts'
import type { Load } from '../../src/autoscalers/horizontal-pod-autoscaler/load.ts'
import { must } from '../../src/base/result.ts'
import { packs } from '../../src/controllers/hollow-kubelet/packs.ts'
import { readSettings } from '../../src/controlplane/settings.ts'
import { createVirtualCluster, type VirtualCluster } from '../../src/controlplane/virtual.ts'
import type { Store } from '../../src/store/contract.ts'
import { createDrainer } from '../../src/whatif/run/drain.ts'
import { StepError, StepRunner } from '../../src/whatif/run/step-runner.ts'
import { readAutoscaling } from '../../src/whatif/scenario/autoscaling-reader.ts'
import { readLoads } from '../../src/whatif/scenario/load-reader.ts'
import type { PlannedStep } from '../../src/whatif/scenario/step.ts'
import { readStep } from '../../src/whatif/scenario/step-reader.ts'
import { BrokenInvariant } from './broken-invariant.ts'
import { Invariants } from './invariants.ts'
import { endMs, repairMs, type SwarmStory } from './story.ts'

export interface Played {
  /** Absent: every invariant was kept. */
  readonly broken?: string
  readonly atMs: number
  /** The number of steps of each kind that took effect. */
  readonly steps: Readonly<Record<string, number>>
  /** The number of facts of each kind. */
  readonly reached: ReadonlyMap<string, number>
  readonly instants: number
  readonly changes: number
  /** The state at the end as text, to compare two runs. */
  readonly end: string
}

const startMs = Date.UTC(2026, 0, 1)
const checkedInstants = 20_000

/** Plays a story in virtual time, and checks the invariants after every instant. */
export async function play(story: SwarmStory): Promise<Played> {
  const steps: PlannedStep[] = []
  for (const [at, step] of story.steps.entries()) steps.push(await readStep(step, `steps[${at}]`, async () => []))
  const loads = await readLoads(story.load ?? [], 'load', async () => [])
  return new Stage(story, loads).run(steps)
}

/** Karpenter drains a node, or waits for a new one, or pods of the old one are not collected yet. */
function isReplacing(store: Store): boolean {
  if (store.list('nodeclaims.karpenter.sh').length === 0) return false
  const isLeft = ({ spec: { nodeName = '' } }: Pod): boolean =>
    nodeName !== '' && store.get('nodes', nodeName) === undefined
  const isDrained = ({ spec }: Node): boolean =>
    spec?.taints?.some(({ key }) => key === 'karpenter.sh/disrupted') === true
  const isNew = ({ status }: NodeClaim): boolean =>
    !status?.conditions?.some(({ type, status: is }) => type === 'Registered' && is === 'True')
  return (
    (store.list('nodes') as readonly Node[]).some(isDrained) ||
    (store.list('pods') as readonly Pod[]).some(isLeft) ||
    (store.list('nodeclaims.karpenter.sh') as readonly NodeClaim[]).some(isNew)
  )
}

class Stage {
  private readonly cluster: VirtualCluster
  private readonly runner: StepRunner
  private readonly invariants: Invariants
  private readonly drainer = createDrainer()
  private readonly counts: Record<string, number> = {}
  private readonly story: SwarmStory
  private instants = 0
  /** Nodes that have reported pressure. */
  private readonly pressed = new Set<string>()

  constructor(story: SwarmStory, loads: readonly Load[]) {
    this.story = story
    const settings = must(readSettings(story.config))
    const nodes = story.nodes as unknown as readonly Node[]
    this.cluster = createVirtualCluster({
      startMs,
      seed: story.seed,
      settings,
      callRates: story.callRates,
      load: { loads, originMs: startMs, isObserved: false },
      hollow: { serves: 'all', stages: packs.fast, heartbeats: story.heartbeats },
      ...(story.autoscaling === undefined ? {} : { autoscaling: readAutoscaling(story.autoscaling, '', nodes) }),
    })
    this.runner = new StepRunner(this.cluster, {
      drain: (names, options) => {
        const { driver } = this.cluster
        if (driver.controller(this.drainer.name) === undefined) driver.add(this.drainer)
        this.drainer.begin(names, options)
        driver.wake(this.drainer.name)
      },
    })
    this.invariants = new Invariants(this.cluster, story)
  }

  run(steps: readonly PlannedStep[]): Played {
    try {
      this.act(steps)
      return this.played()
    } catch (error) {
      if (error instanceof BrokenInvariant) return { ...this.played(), broken: error.message }
      const { name, message } = error as Error
      return { ...this.played(), broken: `no error: ${name}: ${message.split('\n')[0]}` }
    }
  }

  private act(steps: readonly PlannedStep[]): void {
    const { driver } = this.cluster
    for (const object of [...this.story.nodes, ...this.story.objects])
      this.runner.apply(object as unknown as KubeObject)
    for (const planned of steps) driver.at(startMs + planned.atMs, () => this.take(planned))
    driver.at(startMs + repairMs, () => this.repair())
    this.proceedTo(startMs + endMs)
    // Nodes of Karpenter expire at any time; the replacement takes a minute.
    for (let waits = 0; waits < 18 && isReplacing(this.cluster.store); waits++)
      this.proceedTo(this.cluster.clock.now() + 10_000)
    this.invariants.checkRest()
  }

  private proceedTo(untilMs: number): void {
    const { driver, clock } = this.cluster
    driver.settle()
    this.invariants.check()
    for (let next = driver.nextAt(); next !== undefined && next <= untilMs; next = driver.nextAt()) {
      driver.advanceTo(Math.max(next, clock.now()))
      this.instants++
      if (this.instants < checkedInstants) this.invariants.check()
    }
    driver.advanceTo(untilMs)
  }

  private take({ step }: PlannedStep): void {
    try {
      this.runner.take(step)
      if (step.kind === 'pressure') for (const name of this.runner.resolve(step.nodes)) this.pressed.add(name)
      this.counts[step.kind] = (this.counts[step.kind] ?? 0) + 1
    } catch (error) {
      // A story is random, so its target may not exist.
      if (!(error instanceof StepError)) throw error
    }
  }

  /** Repairs all failures, and reverts the changes of users to nodes. */
  private repair(): void {
    const { store, client, kubelet, driver } = this.cluster
    const names = store.list('nodes').map(({ metadata }) => metadata.name)
    // Drains of nodes that are in use again would never end.
    if (driver.controller(this.drainer.name) !== undefined) driver.remove(this.drainer.name)
    const pressed = names.filter((name) => this.pressed.has(name))
    kubelet?.report(pressed, { pressures: new Set() })
    this.cluster.revive(names)
    driver.wake('hollow-kubelet')
    for (const node of this.story.nodes as unknown as readonly KubeObject[]) {
      if (store.get('nodes', node.metadata.name) === undefined) this.runner.apply(node)
    }
    for (const { metadata, spec } of store.list('nodes') as readonly Node[]) {
      const taints = (spec?.taints ?? []).filter(({ key }) => key !== 'swarm')
      const patch = { spec: { unschedulable: null, taints } } as unknown as JsonObject
      client.callNow({ verb: 'patch', resource: 'nodes', name: metadata.name, patch: { kind: 'merge', patch } })
    }
  }

  private played(): Played {
    const { store, clock } = this.cluster
    const pods = store
      .list('pods')
      .map(({ metadata }) => `${metadata.name} ${metadata.uid} ${metadata.resourceVersion}`)
    return {
      atMs: clock.now() - startMs,
      steps: this.counts,
      reached: this.invariants.coverage.counts,
      instants: this.instants,
      changes: this.invariants.changes,
      end: [store.revision, ...pods].join('\n'),
    }
  }
}
