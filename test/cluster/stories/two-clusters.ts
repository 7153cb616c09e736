import type { Call, Outcome } from '../../../src/api/call.ts'
import type { Node } from '../../../src/api/objects/node.ts'
import { must } from '../../../src/base/result.ts'
import { packs } from '../../../src/controllers/hollow-kubelet/packs.ts'
import { readSettings } from '../../../src/controlplane/settings.ts'
import { createVirtualCluster } from '../../../src/controlplane/virtual.ts'
import type { RunDriver } from '../../../src/runtime/run-driver.ts'
import { type Connection, connect } from '../connection.ts'
import { startHollowKubelets } from '../hollow-kubelets.ts'
import { clusterRelease, eventually, type RealCluster } from '../real-parts.ts'
import { type Round, storyFlags, storyNodes } from './random-story.ts'
import { factsOf, storyResources } from './story-facts.ts'

/** The answers to the calls of a round, and the facts when the cluster is at rest. */
export interface Seen {
  readonly answers: readonly string[]
  readonly facts: readonly string[]
}

const restMs = 60_000

/** berth in virtual time: the facts after each round. */
export async function seenByBerth(rounds: readonly Round[]): Promise<readonly Seen[]> {
  const settings = must(readSettings({ ...storyFlags, 'kubernetes-version': clusterRelease.minor }))
  const { client, driver, store, clock } = createVirtualCluster({
    startMs: Date.UTC(2026, 0, 1),
    settings,
    hollow: { serves: 'labeled', stages: packs.fast, leaseRenewIntervalMs: 1000 },
  })
  const rest = () => {
    driver.settle()
    driver.advanceTo(clock.now() + restMs)
  }
  for (const object of storyNodes()) client.callNow({ verb: 'create', resource: 'nodes', object })
  rest()
  const seen: Seen[] = []
  for (const { calls } of rounds) {
    const answers = calls.map((call) => answerOf(client.callNow(call)))
    rest()
    seen.push({ answers, facts: await factsOf(async (resource) => store.list(resource)) })
  }
  return seen
}

/** kube-apiserver, kube-controller-manager and kube-scheduler, with hollow kubelets in this process. */
export class RealSide {
  private readonly hands: Connection
  private readonly kubelets: RunDriver

  private constructor(hands: Connection, kubelets: RunDriver) {
    this.hands = hands
    this.kubelets = kubelets
  }

  static async start(cluster: RealCluster): Promise<RealSide> {
    const hands = await connect(cluster)
    const args = Object.entries(storyFlags).map(([name, value]) => `--${name}=${value}`)
    await cluster.start('kube-controller-manager', args)
    await cluster.start('kube-scheduler')
    const kubelets = startHollowKubelets(hands.client)
    return new RealSide(hands, kubelets)
  }

  async close(): Promise<void> {
    await this.kubelets.stop()
    this.hands.close()
  }

  /**
   * Plays the rounds, and waits after each until the facts are those that berth has seen. Returns the first difference, or
   * undefined.
   */
  async differs(rounds: readonly Round[], expected: readonly Seen[], seconds: number): Promise<string | undefined> {
    await this.clear()
    const nodes = storyNodes()
    await this.hands.createNodes(0, nodes.length, (at) => nodes[at] as Node)
    await eventually(
      'every node is Ready',
      () => this.facts(),
      (facts) => facts.filter((fact) => fact.includes('Ready True KubeletReady, taints ')).length === nodes.length,
      seconds,
    )
    for (const [at, { what, calls }] of rounds.entries()) {
      const { answers, facts } = expected[at] as Seen
      const given: string[] = []
      for (const call of calls) given.push(await this.answer(call))
      if (given.join('\n') !== answers.join('\n'))
        return `round ${at + 1} (${what}): answers ${given.join(', ')}; berth ${answers.join(', ')}`
      const difference = await this.comesTo(facts, seconds)
      if (difference !== undefined) return `round ${at + 1} (${what}):\n${difference}`
    }
    return undefined
  }

  /** Retries conflicts with concurrent writers, as kubectl does. */
  private async answer(call: Call): Promise<string> {
    for (let tries = 0; ; tries++) {
      const outcome = await this.hands.client.call(call)
      const isConflict = !outcome.ok && outcome.status.code === 409 && outcome.status.reason === 'Conflict'
      if (!isConflict || tries === 5) return answerOf(outcome)
    }
  }

  private async comesTo(wanted: readonly string[], seconds: number): Promise<string | undefined> {
    const until = Date.now() + seconds * 1000
    for (;;) {
      const facts = await this.facts()
      if (facts.join('\n') === wanted.join('\n')) return undefined
      if (Date.now() > until) {
        const real = facts.filter((fact) => !wanted.includes(fact)).map((fact) => `  real:  ${fact}`)
        const berth = wanted.filter((fact) => !facts.includes(fact)).map((fact) => `  berth: ${fact}`)
        return [...real, ...berth].join('\n')
      }
      await new Promise((next) => setTimeout(next, 500))
    }
  }

  private facts(): Promise<readonly string[]> {
    return factsOf((resource) => this.hands.list(resource))
  }

  private async clear(): Promise<void> {
    const { client } = this.hands
    const options = { gracePeriodSeconds: 0 }
    await eventually(
      'nothing is left of the story before',
      async () => {
        let left = 0
        for (const resource of storyResources) {
          for (const { metadata } of await this.hands.list(resource)) {
            left++
            const { name, namespace } = metadata
            const where = namespace === undefined ? {} : { namespace }
            await client.call({ verb: 'delete', resource, name, ...where, options })
          }
        }
        return left
      },
      (left) => left === 0,
      120,
    )
  }
}

/** The code, and the message of a refusal without random names. */
function answerOf(outcome: Outcome): string {
  return outcome.ok ? 'done' : `${outcome.status.code} ${outcome.status.reason ?? ''}`
}
