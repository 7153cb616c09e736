import type { KubeObject } from '../../src/api/objects/meta.ts'
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
import { createRunDriver } from '../../src/runtime/run-driver.ts'
import { createStore } from '../../src/store/memory-store.ts'
import { comeToRest, passTime } from '../doubles/manual-time.ts'

export const start = Date.parse('2026-01-01T00:00:00Z')

/** A manual clock whose wall part can be set, as an administrator or NTP sets that of a machine. */
export class SteppedClock extends VirtualClock {
  private offsetMs = 0

  override wall(): number {
    return this.now() + this.offsetMs
  }

  stepWall(ms: number): void {
    this.offsetMs += ms
  }
}

/** All controllers and hollow nodes on the run driver, as `berth up` assembles them, on a clock that can be set. */
export async function startSteppedCluster(nodes: readonly string[]) {
  const clock = new SteppedClock(start)
  const store = createStore()
  const registry = createRegistry({ store, clock: { now: () => clock.wall() }, random: createRandom('cluster') })
  bootstrap(registry, { rbac: false })
  const client = createInProcessClient(registry)
  const call = (request: Parameters<typeof client.callNow>[0]) => {
    const outcome = client.callNow(request)
    if (!outcome.ok) throw new Error(JSON.stringify(outcome.status))
  }
  const create = (resource: string, object: { readonly metadata: KubeObject['metadata']; readonly spec?: object }) =>
    call({ verb: 'create', resource, ...pick(object.metadata.namespace), object: object as KubeObject })
  for (const name of nodes) create('nodes', { metadata: { name } })
  /** The facts of each object, by elapsed seconds and without timestamps. */
  const history: string[] = []
  store.watch((changes) => {
    for (const { resource, key, before, after } of changes) {
      const what = before === undefined ? 'created' : after === undefined ? 'gone' : 'changed'
      history.push(`${(clock.now() - start) / 1000}s ${resource} ${key} ${what}`)
    }
  })
  const context = {
    settings: defaultSettings,
    metrics: new MetricRegistry(),
    log: silentLogger,
    isOwnCluster: true,
    kinds: () => registry.kinds.all(),
  }
  const crashes: unknown[] = []
  const driver = createRunDriver({
    client,
    clock,
    random: createRandom('controllers'),
    controllers: [
      ...createControllers(Object.keys(controllerFactories), context),
      createHollowKubelet({ heartbeats: 'written' }),
    ],
    onCrash: (_name, error) => crashes.push(error),
  })
  driver.start()
  const pass = (seconds: number) => passTime(clock, seconds * 1000, () => comeToRest(driver))
  await pass(1)
  return { clock, store, driver, call, create, pass, history, crashes }
}

const pick = (namespace: string | undefined) => (namespace === undefined ? {} : { namespace })
