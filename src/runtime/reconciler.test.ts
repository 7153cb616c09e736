import { describe, expect, it } from 'vitest'
import type { Outcome } from '../api/call.ts'
import type { ConfigMap } from '../api/objects/cluster.ts'
import { conflict, failure, notFound } from '../api/status.ts'
import { createRandom } from '../base/random.ts'
import { createObject, deleteObject, updateObject } from './actions.ts'
import type { Action, Change, StepOutput } from './controller.ts'
import { createReadModel } from './read-model.ts'
import { createReconcilerController, itself, type Reconciler, type ReconcilerOptions } from './reconciler.ts'

const config = (name: string, version: string, uid = `uid-${name}`): ConfigMap => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: 'x', uid, resourceVersion: version },
})

/** Steps a reconciler manually; the test decides when results and changes arrive. */
function bench(reconcile: Reconciler['reconcile'], more: Partial<Reconciler> = {}, options?: ReconcilerOptions) {
  const seen: string[] = []
  const view = createReadModel()
  const random = createRandom('test')
  const controller = createReconcilerController(
    {
      name: 'bench',
      wakes: { configmaps: itself },
      reconcile(key, context) {
        seen.push(`${context.now} ${key}`)
        return reconcile(key, context)
      },
      ...more,
    },
    options,
  )
  return {
    seen,
    view,
    step(
      now: number,
      input: { changes?: Change[]; results?: readonly [Action | undefined, Outcome][] } = {},
    ): StepOutput {
      const { changes = [], results = [] } = input
      view.apply(changes)
      return controller.step({
        changes,
        results: results.map(([action, outcome]) => ({ id: action?.kind === 'call' ? action.id : -1, outcome })),
        answers: [],
        now,
        wall: now,
        random,
        view,
      })
    },
  }
}

const added = (object: ConfigMap): Change => ({
  resource: 'configmaps',
  key: `x/${object.metadata.name}`,
  after: object,
})
const removed = (object: ConfigMap): Change => ({
  resource: 'configmaps',
  key: `x/${object.metadata.name}`,
  before: object,
})
const wrote = (object: ConfigMap): Outcome => ({ ok: true, kind: 'object', object })

const writing = () =>
  bench((_key, { ids }) => ({ actions: [updateObject(ids, { resource: 'configmaps', object: config('a', '1') })] }))

describe('a reconciler', () => {
  it('reconciles each changed key once per step', () => {
    const one = bench(() => undefined)
    one.step(0, { changes: [added(config('a', '1')), added(config('b', '2')), added(config('a', '3'))] })
    expect(one.seen).toEqual(['0 x/a', '0 x/b'])
  })

  it('does not reconcile a key again before all of its results have arrived', () => {
    const one = writing()
    const { actions } = one.step(0, { changes: [added(config('a', '1'))] })
    expect(actions).toHaveLength(1)
    expect(one.step(1, { changes: [added(config('a', '2'))] }).actions).toEqual([])
    one.step(2, { changes: [added(config('a', '3'))], results: [[actions?.[0], wrote(config('a', '3'))]] })
    expect(one.seen).toEqual(['0 x/a', '2 x/a'])
  })

  it('waits until the view shows the writes of a key', () => {
    const one = writing()
    const { actions } = one.step(0, { changes: [added(config('a', '1'))] })
    one.step(1, { results: [[actions?.[0], wrote(config('a', '5'))]] })
    one.step(2, { changes: [added(config('a', '4'))] })
    expect(one.seen).toEqual(['0 x/a'])
    one.step(3, { changes: [added(config('a', '5'))] })
    expect(one.seen).toEqual(['0 x/a', '3 x/a'])
  })

  it('waits until the view no longer shows the object that a key deleted', () => {
    const one = bench((_key, { ids }) => ({
      actions: [deleteObject(ids, { resource: 'configmaps', object: config('b', '2') })],
    }))
    one.view.apply([added(config('b', '2'))])
    const { actions } = one.step(0, { changes: [added(config('a', '1'))] })
    const success: Outcome = {
      ok: true,
      kind: 'status',
      status: { ...failure('Gone', '').status, status: 'Success', details: { uid: 'uid-b' } },
    }
    one.step(1, { results: [[actions?.[0], success]], changes: [added(config('a', '3'))] })
    expect(one.seen).toEqual(['0 x/a'])
    // Another object of the same name was created: the deleted one is no longer in the view.
    one.step(2, { changes: [added(config('b', '4', 'another'))] })
    expect(one.seen).toEqual(['0 x/a', '2 x/b', '2 x/a'])
  })

  it('continues after five minutes even if the view never shows a write', () => {
    const one = writing()
    const { actions } = one.step(0, { changes: [added(config('a', '1'))] })
    const { wakeAt } = one.step(1, {
      results: [[actions?.[0], wrote(config('a', '5'))]],
      changes: [added(config('a', '2'))],
    })
    expect(wakeAt).toBe(300_000)
    one.step(300_000)
    expect(one.seen).toEqual(['0 x/a', '300000 x/a'])
  })

  it('retries a failed key with growing delays, and resets them after a success', () => {
    const one = writing()
    let output = one.step(0, { changes: [added(config('a', '1'))] })
    const delays: number[] = []
    let now = 0
    for (let i = 0; i < 4; i++) {
      output = one.step(now, { results: [[output.actions?.[0], failure('InternalError', 'no')]] })
      delays.push((output.wakeAt ?? Number.NaN) - now)
      now = output.wakeAt as number
      output = one.step(now)
    }
    expect(delays).toEqual([5, 10, 20, 40])
    one.step(now, { results: [[output.actions?.[0], wrote(config('a', '1'))]] })
    output = one.step(now, { changes: [added(config('a', '2'))] })
    output = one.step(now, { results: [[output.actions?.[0], failure('InternalError', 'no')]] })
    expect(output.wakeAt).toBe(now + 5)
  })

  it('increases the delays of a key that requests a retry even while its writes succeed', () => {
    const one = bench((_key, { ids }) => ({
      actions: [updateObject(ids, { resource: 'configmaps', object: config('a', '1') })],
      retry: true,
    }))
    let output = one.step(0, { changes: [added(config('a', '1'))] })
    const delays: number[] = []
    for (let now = 0; delays.length < 3; ) {
      output = one.step(now, { results: [[output.actions?.[0], wrote(config('a', '1'))]] })
      delays.push((output.wakeAt ?? Number.NaN) - now)
      now = output.wakeAt as number
      output = one.step(now)
    }
    expect(delays).toEqual([5, 10, 20])
  })

  it('retries immediately after a conflict if the view has changed, and otherwise waits for the change', () => {
    const one = writing()
    const first = one.step(0, { changes: [added(config('a', '1'))] })
    const moved = one.step(1, {
      changes: [added(config('a', '2'))],
      results: [[first.actions?.[0], conflict('configmaps', 'a')]],
    })
    expect(one.seen).toEqual(['0 x/a', '1 x/a'])
    const still = one.step(2, { results: [[moved.actions?.[0], conflict('configmaps', 'a')]] })
    expect([one.seen.length, still.wakeAt]).toEqual([2, 7])
    one.step(3, { changes: [added(config('a', '3'))] })
    expect(one.seen).toEqual(['0 x/a', '1 x/a', '3 x/a'])
  })

  it('treats the deletion of an object that does not exist as a success', () => {
    const one = bench((_key, { ids }) => ({
      actions: [deleteObject(ids, { resource: 'configmaps', object: config('b', '2') })],
    }))
    const { actions } = one.step(0, { changes: [added(config('a', '1'))] })
    expect(one.step(1, { results: [[actions?.[0], notFound('configmaps', 'b')]] }).wakeAt).toBeUndefined()
  })

  it('reconciles a key at the last requested time', () => {
    const wishes = [100, 50, undefined]
    const one = bench(() => {
      const wakeAt = wishes.shift()
      return wakeAt === undefined ? {} : { wakeAt }
    })
    expect(one.step(0, { changes: [added(config('a', '1'))] }).wakeAt).toBe(100)
    expect(one.step(10, { changes: [added(config('a', '2'))] }).wakeAt).toBe(50)
    expect(one.step(50).wakeAt).toBeUndefined()
    expect(one.seen).toEqual(['0 x/a', '10 x/a', '50 x/a'])
  })

  it('passes the results of actions to the reconciler, which may choose the next step', () => {
    const told: string[] = []
    const one = bench(
      (_key, { ids }) => ({
        actions: [createObject(ids, { resource: 'configmaps', object: config('new', '') })],
      }),
      {
        onResults: (key, results) => {
          for (const { call, outcome } of results) told.push(`${key} ${call.verb} ${outcome.ok}`)
          return 'done'
        },
      },
    )
    const { actions } = one.step(0, { changes: [added(config('a', '1'))] })
    const after = one.step(1, { results: [[actions?.[0], failure('AlreadyExists', 'it is there')]] })
    expect(told).toEqual(['x/a create false'])
    expect(after.wakeAt).toBeUndefined()
  })

  it('reconciles a limited number of keys per step in the same instant', () => {
    const one = bench(() => undefined, {}, { keysPerStep: 1 })
    const { wakeAt } = one.step(0, { changes: [added(config('a', '1')), added(config('b', '2'))] })
    expect([one.seen, wakeAt]).toEqual([['0 x/a'], 0])
    expect(one.step(0).wakeAt).toBeUndefined()
    expect(one.seen).toEqual(['0 x/a', '0 x/b'])
  })

  it('reconciles a key that sent an ask again when the answer arrives', () => {
    const answered: unknown[] = []
    const view = createReadModel()
    const controller = createReconcilerController({
      name: 'asker',
      wakes: { configmaps: itself },
      reconcile: (key, { ids, now }) =>
        answered.length > 0
          ? { wakeAt: 99 }
          : { asks: [{ id: ids.next(), deadlineAt: now + 5, request: { kind: 'cloud', request: key } }] },
      onAnswers: (key, answers) => void answered.push(key, answers[0]?.outcome.kind),
    })
    const input = { results: [], answers: [], wall: 0, random: createRandom('x'), view }
    const { asks } = controller.step({ ...input, changes: [added(config('a', '1'))], now: 0 })
    const answer = { id: asks?.[0]?.id ?? -1, outcome: { kind: 'timeout' } } as const
    expect(controller.step({ ...input, changes: [], answers: [answer], now: 5 }).wakeAt).toBe(99)
    expect(answered).toEqual(['x/a', 'timeout'])
  })

  it('reconciles a key whose object was deleted', () => {
    const one = bench((key, { view }) => {
      expect(view.get('configmaps', key)).toBeUndefined()
      return {}
    })
    one.step(0, { changes: [removed(config('a', '1'))] })
    expect(one.seen).toEqual(['0 x/a'])
  })
})
