import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { Call } from '../../api/call.ts'
import type { Node } from '../../api/objects/node.ts'
import type { Pod } from '../../api/objects/pod.ts'
import { createRandom } from '../../base/random.ts'
import { VirtualClock } from '../../base/virtual-clock.ts'
import { createInProcessClient } from '../../client/in-process-client.ts'
import { createRegistry } from '../../registry/registry.ts'
import { createStepDriver } from '../../runtime/step-driver.ts'
import { createStore } from '../../store/memory-store.ts'
import { createHollowKubelet, HOLLOW_KUBELET } from '../hollow-kubelet/controller.ts'
import { createNodeLifecycle } from './controller.ts'

const START = Date.parse('2026-01-01T00:00:00Z')
const NAMES = ['a', 'b', 'c', 'd', 'e']

type Happening = 'silence' | 'revive' | 'cordon' | 'uncordon' | 'remove' | 'add'

interface Script {
  readonly graceSeconds: number
  readonly spreadMs: number
  readonly startMs: number
  /** Few, and passes that write take long. */
  readonly requestsPerSecond: number
  readonly steps: readonly { readonly afterMs: number; readonly what: Happening; readonly names: readonly string[] }[]
}

/** Everything that is written, and how often a node was asked for its heartbeat. */
function run(script: Script, isTrusting: boolean): { readonly history: readonly string[]; readonly asked: number } {
  const store = createStore()
  const clock = new VirtualClock(START)
  const random = createRandom('test')
  const client = createInProcessClient(createRegistry({ store, clock, random }))
  const write = (call: Call) => client.callNow(call)
  for (const name of ['default', 'kube-node-lease']) {
    write({ verb: 'create', resource: 'namespaces', object: { metadata: { name } } })
  }
  const kubelet = createHollowKubelet({ heartbeats: 'computed' })
  let asked = 0
  const lifecycle = createNodeLifecycle({
    heartbeats: (node) => {
      asked++
      return kubelet.lastHeartbeat(node, clock.now())
    },
    ...(isTrusting ? { steadyBeats: kubelet.pulses } : {}),
    nodeMonitorGracePeriodMs: script.graceSeconds * 1000,
    requests: { perSecond: script.requestsPerSecond, burst: 2 },
  })
  const driver = createStepDriver({ client, source: store, clock, random, controllers: [kubelet, lifecycle] })
  const history: string[] = []
  driver.onChanges((changes, by, now) => {
    for (const { resource, key, after } of changes) {
      const { spec, status } = (after ?? {}) as Partial<Node>
      history.push(`${now - START} ${by} ${resource} ${key} ${JSON.stringify([spec, status])}`)
    }
  })
  const add = (name: string) => {
    const labels = { 'topology.kubernetes.io/zone': name < 'c' ? 'x' : 'y' }
    write({ verb: 'create', resource: 'nodes', object: { metadata: { name, labels } } as Node })
    for (const at of [1, 2, 3]) {
      const spec = { nodeName: name, containers: [{ name: 'c', image: 'pause' }] }
      const pod = { metadata: { name: `${name}-${at}` }, spec } as Pod
      write({ verb: 'create', resource: 'pods', namespace: 'default', object: pod })
    }
  }
  const act = (what: Happening, name: string) => {
    switch (what) {
      case 'silence':
        kubelet.silence([name], clock.now())
        break
      case 'revive':
        kubelet.revive([name], clock.now())
        break
      case 'add':
        add(name)
        break
      case 'remove':
        write({ verb: 'delete', resource: 'nodes', name })
        break
      default: {
        const patch = { spec: { unschedulable: what === 'cordon' } }
        write({ verb: 'patch', resource: 'nodes', name, patch: { kind: 'merge', patch } })
      }
    }
  }
  for (const name of NAMES) {
    driver.advance(script.spreadMs)
    add(name)
  }
  driver.advance(script.startMs)
  for (const { afterMs, what, names } of script.steps) {
    driver.advance(afterMs)
    for (const name of names) act(what, name)
    driver.wake(HOLLOW_KUBELET)
  }
  driver.advance(600_000)
  return { history, asked }
}

const script: fc.Arbitrary<Script> = fc.record({
  graceSeconds: fc.constantFrom(8, 14, 17, 40, 50),
  spreadMs: fc.nat(7_000),
  startMs: fc.nat(120_000),
  requestsPerSecond: fc.constantFrom(0.1, 1, 20),
  steps: fc.array(
    fc.record({
      afterMs: fc.oneof(
        fc.nat(90_000),
        fc.nat(18).map((times) => times * 5_000),
      ),
      what: fc.constantFrom<Happening>('silence', 'silence', 'revive', 'cordon', 'uncordon', 'remove', 'add'),
      names: fc.uniqueArray(fc.constantFrom(...NAMES), { minLength: 1 }),
    }),
    { maxLength: 8 },
  ),
})

it('leads to what asking every node all the time leads to', () => {
  fc.assert(
    fc.property(script, (one) => {
      expect(run(one, true).history).toEqual(run(one, false).history)
    }),
    { numRuns: 60 },
  )
})

it('asks hardly any node while nothing happens', () => {
  const quiet = { graceSeconds: 50, spreadMs: 1_300, startMs: 3_600_000, requestsPerSecond: 20, steps: [] }
  expect(run(quiet, true).asked).toBeLessThan(run(quiet, false).asked / 5)
})
