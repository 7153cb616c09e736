import { describe, expect, it } from 'vitest'
import { createFaultyClient } from '../../test/doubles/faulty-client.ts'
import { comeToRest, letTimePass } from '../../test/doubles/manual-time.ts'
import type { Call, Outcome } from '../api/call.ts'
import type { ConfigMap } from '../api/objects/cluster.ts'
import { failure } from '../api/status.ts'
import { createRandom } from '../base/random.ts'
import { RealClock } from '../base/real-clock.ts'
import { clusterPorts, start } from '../client/cluster-ports.fixture.ts'
import type { Client } from '../client/contract.ts'
import { createInProcessClient } from '../client/in-process-client.ts'
import { createRegistry } from '../registry/registry.ts'
import { createStore } from '../store/memory-store.ts'
import { callAction, createActionIds, readAction } from './actions.ts'
import { CallLanes } from './call-lanes.ts'
import type { Answer, Change, Controller, StepInput, StepOutput } from './controller.ts'
import { createRunDriver, type RunDriverOptions } from './run-driver.ts'

const at = { resource: 'configmaps', namespace: 'default' } as const

const config = (name: string, data: ConfigMap['data'] = {}): Call => ({
  verb: 'create',
  ...at,
  object: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'default' }, data } as ConfigMap,
})
const remove = (name: string): Call => ({ verb: 'delete', ...at, name })
const touch = (name: string, x: string): Call => ({
  verb: 'patch',
  ...at,
  name,
  patch: { kind: 'merge', patch: { data: { x } } },
})

function bench(options: Partial<RunDriverOptions> & { readonly controllers: readonly Controller[] }) {
  const { store, clock, random, client: outside } = clusterPorts(['default'], 'run')
  const client = createFaultyClient(outside)
  const driver = createRunDriver({ client, clock, random, ...options })
  const pass = (ms: number) => letTimePass(driver, clock, ms)
  return { store, clock, outside, client, driver, pass, rest: () => comeToRest(driver) }
}

function log(step: (input: StepInput) => StepOutput = () => ({}), watches = ['configmaps']) {
  const changes: string[] = []
  const inputs: StepInput[] = []
  const mark = ({ before, after }: Change) => (before === undefined ? '+' : after === undefined ? '-' : '~')
  const controller: Controller = {
    name: 'log',
    watches,
    step(input) {
      inputs.push(input)
      for (const change of input.changes) changes.push(`${mark(change)}${change.key.split('/')[1]}`)
      return step(input)
    },
  }
  return { controller, changes, inputs }
}

describe('the run driver', () => {
  it('steps no controller before all watched resources are in sync', async () => {
    const one = log()
    const two = { ...log().controller, name: 'two', watches: ['namespaces'] }
    const { client, outside, driver, pass, rest } = bench({ controllers: [one.controller, two] })
    outside.callNow(config('a'))
    client.cut()
    driver.start()
    await rest()
    await pass(5000)
    expect(driver.health()).toMatchObject({ state: 'syncing', unsynced: ['configmaps', 'namespaces'] })
    expect(one.inputs).toEqual([])
    client.restore()
    await pass(60_000)
    expect(driver.health()).toMatchObject({ state: 'running', unsynced: [] })
    expect(one.changes).toEqual(['+a'])
    await driver.synced()
  })

  it('catches up after a lost connection, without a gap and without repeating changes', async () => {
    const { controller, changes } = log()
    const { client, outside, driver, pass, rest } = bench({ controllers: [controller] })
    driver.start()
    outside.callNow(config('a'))
    await rest()
    client.cut()
    outside.callNow(config('b'))
    outside.callNow(touch('a', '1'))
    outside.callNow(remove('a'))
    await pass(100_000)
    expect(changes).toEqual(['+a'])
    client.restore()
    await pass(100_000)
    expect(changes).toEqual(['+a', '+b', '~a', '-a'])
  })

  it.each(['stream', 'pages'] as const)(
    'lists again (%s) and delivers the differences when the watched version has expired',
    async (initialList) => {
      const { controller, changes, inputs } = log()
      const { store, client, outside, driver, pass, rest } = bench({
        controllers: [controller],
        initialList,
        pageSize: 2,
      })
      for (const name of ['gone', 'kept', 'again', 'changed']) outside.callNow(config(name))
      driver.start()
      await rest()
      changes.length = 0
      client.cut()
      outside.callNow(remove('gone'))
      outside.callNow(remove('again'))
      outside.callNow(config('again'))
      outside.callNow(touch('changed', '1'))
      outside.callNow(config('new'))
      store.compact(store.revision)
      client.restore()
      await pass(60_000)
      expect([...changes].sort()).toEqual(['+again', '+new', '-again', '-gone', '~changed'])
      expect(changes.indexOf('-again')).toBeLessThan(changes.indexOf('+again'))
      const { view } = inputs.at(-1) as StepInput
      expect(
        view
          .list('configmaps')
          .map((object) => object.metadata.name)
          .sort(),
      ).toEqual(['again', 'changed', 'kept', 'new'])
    },
  )

  it('restarts a watch immediately when the server ended it normally', async () => {
    const { controller, changes } = log()
    const { client, outside, driver, rest } = bench({ controllers: [controller] })
    driver.start()
    outside.callNow(config('a'))
    await rest()
    client.endWatches()
    outside.callNow(config('b'))
    await rest()
    expect(changes).toEqual(['+a', '+b'])
  })

  it('lists in pages if the server does not support streaming lists', async () => {
    const { controller, changes } = log()
    const refusing = (inner: Client): Client => ({
      call: (call) => inner.call(call),
      watch(request, onEvents, onEnd) {
        if (request.sendInitialEvents !== true) return inner.watch(request, onEvents, onEnd)
        const { status } = failure('Invalid', 'sendInitialEvents is forbidden for watch')
        Promise.resolve().then(() => onEvents([{ type: 'ERROR', status }]))
        return { cancel: () => onEnd() }
      },
    })
    const { clock, random, client: outside } = clusterPorts(['default'], 'run')
    for (const name of ['a', 'b', 'c']) outside.callNow(config(name))
    const driver = createRunDriver({ client: refusing(outside), clock, random, controllers: [controller], pageSize: 2 })
    driver.start()
    await comeToRest(driver)
    outside.callNow(config('d'))
    await comeToRest(driver)
    expect(changes).toEqual(['+a', '+b', '+c', '+d'])
  })

  it('treats a resource that the cluster does not have as empty, and finds it when it is added', async () => {
    const { controller, inputs } = log(undefined, ['configmaps', 'wishes.example.test'])
    const { driver, rest } = bench({ controllers: [controller] })
    driver.start()
    await rest()
    expect(driver.health().state).toBe('running')
    expect(inputs).toHaveLength(1)
  })

  it('answers reads before other controllers are stepped, so that the writes of a step are sent together', async () => {
    const ids = createActionIds()
    const steps: string[] = []
    const reader = log(({ changes, results }) => {
      steps.push(`reader: ${results.length} results`)
      const added = changes.filter(({ before }) => before === undefined)
      return { actions: added.map(({ key }) => readAction(ids, 'configmaps', key)) }
    })
    const other = log(() => {
      steps.push('other')
      return {}
    })
    const { outside, driver, rest } = bench({
      controllers: [reader.controller, { ...other.controller, name: 'other' }],
    })
    for (const name of ['a', 'b', 'c']) outside.callNow(config(name))
    driver.start()
    await rest()
    expect(steps).toEqual(['reader: 0 results', 'reader: 3 results', 'other'])
  })

  it('answers an ask with a timeout at its deadline, and ignores the late answer', async () => {
    let answerLate = (_: Answer['outcome']) => {}
    const { controller, inputs } = log(({ changes, now }) =>
      changes.length === 0
        ? {}
        : { asks: [{ id: 1, deadlineAt: now + 2000, request: { kind: 'cloud', request: 'anybody?' } }] },
    )
    const { outside, driver, clock } = bench({
      controllers: [controller],
      answer: () =>
        new Promise((resolve) => {
          answerLate = resolve
        }),
    })
    driver.start()
    await driver.synced()
    outside.callNow(config('a'))
    for (let i = 0; i < 20; i++) await Promise.resolve()
    clock.advanceTo(start + 2000)
    await driver.idle()
    answerLate({ kind: 'ok', value: 'me' })
    await comeToRest(driver)
    expect(inputs.flatMap(({ answers }) => answers)).toEqual([{ id: 1, outcome: { kind: 'timeout' } }])
  })

  it('reports a controller that threw, and continues without it', async () => {
    const crashes: unknown[] = []
    const errors: string[] = []
    const one = log()
    const bad: Controller = {
      name: 'bad',
      watches: ['configmaps'],
      step({ changes }) {
        if (changes.length > 0) throw new Error('a bug')
        return { wakeAt: start + 1000 }
      },
    }
    const quiet = { debug() {}, info() {}, warn() {} }
    const { outside, driver, pass, rest } = bench({
      controllers: [bad, one.controller],
      onCrash: (name, error) => crashes.push(name, (error as Error).message),
      log: { ...quiet, error: (fields) => errors.push(String(fields['controller'])) },
    })
    driver.start()
    await rest()
    outside.callNow(config('a'))
    await rest()
    outside.callNow(config('b'))
    await pass(5000)
    expect([crashes, errors, one.changes]).toEqual([['bad', 'a bug'], ['bad'], ['+a', '+b']])
    expect(driver.health().crashed).toEqual(['bad'])
  })

  it('starts no step and no call after it is stopped, and waits for the calls in flight', async () => {
    const ids = createActionIds()
    const { controller, inputs } = log(({ changes }) => ({
      actions: changes.flatMap(() => Array.from({ length: 3 }, (_, i) => callAction(ids, config(`made-${i}`)))),
    }))
    const { outside, client, store, driver, rest } = bench({ controllers: [controller], maxInFlight: 2 })
    driver.start()
    await rest()
    outside.callNow(config('a'))
    client.cut('hangs')
    for (let i = 0; i < 20; i++) await Promise.resolve()
    expect(driver.health()).toMatchObject({ inFlight: 2, queued: 1 })
    let hasStopped = false
    const stopping = driver.stop().then(() => {
      hasStopped = true
    })
    for (let i = 0; i < 20; i++) await Promise.resolve()
    expect(hasStopped).toBe(false)
    client.restore()
    await stopping
    const steps = inputs.length
    outside.callNow(config('b'))
    for (let i = 0; i < 20; i++) await Promise.resolve()
    expect(inputs).toHaveLength(steps)
    expect(store.list('configmaps').map((object) => object.metadata.name)).toEqual(['a', 'b', 'made-0', 'made-1'])
  })

  it('the run driver runs on the clock of the machine', async () => {
    const store = createStore()
    const clock = new RealClock()
    const random = createRandom('run')
    const client = createInProcessClient(createRegistry({ store, clock, random }))
    client.callNow({ verb: 'create', resource: 'namespaces', object: { metadata: { name: 'default' } } })
    const ids = createActionIds()
    const { controller, inputs } = log(({ results, now }) => {
      if (results.length >= 1) return {}
      return { actions: [callAction(ids, config(`at-${inputs.length}`))], wakeAt: now + 1 }
    })
    const driver = createRunDriver({ client, clock, random, controllers: [controller] })
    driver.start()
    await driver.synced()
    await driver.idle()
    await driver.stop()
    expect(store.count('configmaps')).toBeGreaterThan(0)
  })
})

describe('call lanes', () => {
  function lanes(maxInFlight: number, maxQueued = 1000) {
    const begun: string[] = []
    const open: ((outcome: Outcome) => void)[] = []
    const client: Client = {
      call(call) {
        begun.push('name' in call ? `${call.name}` : call.verb)
        return new Promise((resolve) => open.push(resolve))
      },
      watch: () => ({ cancel() {} }),
    }
    const made = new CallLanes({ client, maxInFlight, maxQueued })
    const outcomes: string[] = []
    const submit = (name: string, priority: 'high' | 'normal' | 'low' = 'normal') =>
      made.submit({ verb: 'get', ...at, name }, priority, (outcome) => {
        outcomes.push(`${name} ${outcome.ok ? 'ok' : outcome.status.reason}`)
      })
    const finishOne = async () => {
      open.shift()?.(failure('NotFound', 'x'))
      for (let i = 0; i < 5; i++) await Promise.resolve()
    }
    return { begun, outcomes, submit, finishOne, made }
  }

  it('call lanes send the call of the highest priority first', async () => {
    const { begun, submit, finishOne } = lanes(1)
    submit('first')
    submit('event', 'low')
    submit('status')
    submit('bind', 'high')
    for (let i = 0; i < 3; i++) await finishOne()
    expect(begun).toEqual(['first', 'bind', 'status', 'event'])
  })

  it('call lanes send calls of low priority even under constant load', async () => {
    const { begun, submit, finishOne } = lanes(1)
    submit('event', 'low')
    submit('another event', 'low')
    for (let i = 0; i < 100; i++) submit(`bind-${i}`, 'high')
    for (let i = 0; i < 60; i++) await finishOne()
    expect(begun).toContain('another event')
  })

  it('call lanes send calls on one object one after another, and calls on other objects concurrently', async () => {
    const { begun, submit, finishOne } = lanes(10)
    submit('a')
    submit('a')
    submit('b')
    expect(begun).toEqual(['a', 'b'])
    await finishOne()
    expect(begun).toEqual(['a', 'b', 'a'])
  })

  it('call lanes answer 429 when too many calls wait', async () => {
    const { outcomes, submit } = lanes(1, 2)
    for (const name of ['a', 'b', 'c', 'd']) submit(name)
    await Promise.resolve()
    expect(outcomes).toEqual(['d TooManyRequests'])
  })
})
