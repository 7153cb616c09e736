import type { Call, Outcome } from '../../src/api/call.ts'
import type { KubeObject } from '../../src/api/objects/meta.ts'
import type { Deployment } from '../../src/api/objects/workloads.ts'
import { bootstrap } from '../../src/apiserver/bootstrap.ts'
import { silentLogger } from '../../src/base/log.ts'
import { MetricRegistry } from '../../src/base/metrics.ts'
import { createRandom } from '../../src/base/random.ts'
import { VirtualClock } from '../../src/base/virtual-clock.ts'
import { createInProcessClient } from '../../src/client/in-process-client.ts'
import { createHollowKubelet } from '../../src/controllers/hollow-kubelet/controller.ts'
import { controllerFactories, createControllers } from '../../src/controlplane/controllers.ts'
import { defaultSettings } from '../../src/controlplane/settings.ts'
import { createRegistry } from '../../src/registry/registry.ts'
import type { Controller } from '../../src/runtime/controller.ts'
import { createStepDriver } from '../../src/runtime/step-driver.ts'
import { createStore } from '../../src/store/memory-store.ts'

const start = Date.parse('2026-01-01T00:00:00Z')

/** The number of steps of the controllers. */
export interface Work {
  readonly steps: number
  readonly calls: number
  /** The controllers with the most steps, for messages. */
  readonly busiest: string
}

/** All controllers in virtual time with step counts, and a Deployment that must make progress despite other objects. */
export class HostileCluster {
  private readonly store = createStore()
  private readonly clock = new VirtualClock(start)
  private readonly random = createRandom('hostile')
  private readonly registry = createRegistry({ store: this.store, clock: this.clock, random: this.random })
  private readonly client = createInProcessClient(this.registry)
  private readonly steps = new Map<string, number>()
  private calls = 0
  private readonly driver

  constructor() {
    bootstrap(this.registry, { rbac: false })
    const context = {
      settings: defaultSettings,
      metrics: new MetricRegistry(),
      log: silentLogger,
      isOwnCluster: true,
      kinds: () => this.registry.kinds.all(),
    }
    const kubelet = createHollowKubelet({ heartbeats: 'computed' })
    const heartbeats = (node: string) => kubelet.lastHeartbeat(node, this.clock.now())
    const controllers = createControllers(Object.keys(controllerFactories), { ...context, heartbeats })
    for (let i = 1; i <= 4; i++) this.must('nodes', { metadata: { name: `node-${i}` } })
    this.driver = createStepDriver({
      client: this.client,
      source: this.store,
      clock: this.clock,
      random: this.random,
      controllers: [...controllers, kubelet].map((one) => this.counted(one)),
      events: 'record',
    })
    this.must('deployments.apps', deployment('canary', 2))
    this.pass(60)
  }

  private counted(controller: Controller): Controller {
    return {
      ...controller,
      step: (input) => {
        this.steps.set(controller.name, (this.steps.get(controller.name) ?? 0) + 1)
        const output = controller.step(input)
        this.calls += (output.actions?.length ?? 0) + (output.asks?.length ?? 0)
        return output
      },
    }
  }

  call(call: Call): Outcome {
    return this.client.callNow(call)
  }

  create(resource: string, object: object): Outcome {
    const { namespace } = (object as KubeObject).metadata
    const at = namespace === undefined ? {} : { namespace }
    return this.call({ verb: 'create', resource, ...at, object: object as KubeObject })
  }

  must(resource: string, object: object): KubeObject {
    const outcome = this.create(resource, object)
    if (!outcome.ok || outcome.kind !== 'object') throw new Error(JSON.stringify(outcome).slice(0, 500))
    return outcome.object
  }

  /** Overwrites a status, as a user with this permission can. */
  writeStatus(resource: string, name: string, status: object): Outcome {
    const patch = { kind: 'merge', patch: { status } } as never
    const namespace = resource === 'nodes' ? {} : { namespace: 'default' }
    return this.call({ verb: 'patch', resource, ...namespace, name, subresource: 'status', patch })
  }

  list(resource: string): readonly KubeObject[] {
    return this.store.list(resource)
  }

  /** Advances the time by seconds, and returns the steps in this time. */
  pass(seconds: number): Work {
    this.steps.clear()
    this.calls = 0
    this.driver.settle()
    this.driver.advance(seconds * 1000)
    const byCount = [...this.steps].sort(([, a], [, b]) => b - a)
    const steps = byCount.reduce((sum, [, count]) => sum + count, 0)
    const busiest = byCount.slice(0, 3).map(([name, count]) => `${name} ${count}`)
    return { steps, calls: this.calls, busiest: busiest.join(', ') }
  }

  /** Scales another user's Deployment, and returns how many of its pods are available a minute later. */
  canary(replicas: number): number {
    const patch = { kind: 'merge', patch: { spec: { replicas } } } as const
    this.call({ verb: 'patch', resource: 'deployments.apps', namespace: 'default', name: 'canary', patch })
    this.pass(60)
    return (this.store.get('deployments.apps', 'default/canary') as Deployment).status?.availableReplicas ?? 0
  }
}

export const container = { name: 'main', image: 'nginx' }
export const template = (labels: object, spec: object = {}) => ({
  metadata: { labels },
  spec: { containers: [container], ...spec },
})

export function deployment(name: string, replicas: number, more: object = {}) {
  const labels = { app: name }
  return {
    metadata: { name, namespace: 'default' },
    spec: { replicas, selector: { matchLabels: labels }, template: template(labels), ...more },
  }
}
