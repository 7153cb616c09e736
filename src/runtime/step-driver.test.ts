import { describe, expect, it } from 'vitest'
import type { Call } from '../api/call.ts'
import { referenceTo } from '../api/object-reference.ts'
import type { Pod } from '../api/objects/pod.ts'
import { clusterPorts, start } from '../client/cluster-ports.fixture.ts'
import { callAction, createActionIds, deleteObject, patchObject } from './actions.ts'
import type { Answer, Ask, Controller, StepInput, StepOutput } from './controller.ts'
import { createStepDriver, type StepDriverOptions } from './step-driver.ts'

function cluster(controllers: readonly Controller[], options: Partial<StepDriverOptions> = {}) {
  const { store, clock, random, client, must } = clusterPorts()
  const driver = createStepDriver({ client, source: store, clock, random, controllers, ...options })
  return { store, clock, client, driver, must }
}

const config = (name: string, data: Record<string, string> = {}): Call => ({
  verb: 'create',
  resource: 'configmaps',
  namespace: 'default',
  object: { metadata: { name, namespace: 'default' }, data } as never,
})

/** A controller that records its steps. */
function recorder(name: string, onStep?: (input: StepInput) => StepOutput | undefined) {
  const steps: string[] = []
  const controller: Controller = {
    name,
    watches: ['configmaps'],
    step(input) {
      const changes = input.changes.map(({ before, after, key }) => {
        return `${before === undefined ? '+' : after === undefined ? '-' : '~'}${key}`
      })
      const results = input.results.map(({ id, outcome }) => `#${id}:${outcome.ok ? 'ok' : outcome.status.reason}`)
      steps.push(`${(input.now - start) / 1000}s ${[...changes, ...results].join(' ')}`)
      return onStep?.(input) ?? {}
    },
  }
  return { controller, steps }
}

/** A controller that sends an ask until it gets an answer, and its answers. */
function askOnce(request: Ask['request']): { readonly asker: Controller; readonly got: readonly Answer[] } {
  const got: Answer[] = []
  const asker: Controller = {
    name: 'asker',
    watches: [],
    step: ({ answers, now }) => {
      got.push(...answers)
      return answers.length > 0 ? {} : { asks: [{ id: 1, deadlineAt: now + 1000, request }] }
    },
  }
  return { asker, got }
}

describe('the step driver', () => {
  it('passes all existing objects to the first step as additions, even if there are none', () => {
    const one = recorder('one')
    const { driver, must } = cluster([])
    must(config('a'))
    driver.settle()
    driver.add(one.controller)
    driver.settle()
    expect(one.steps).toEqual(['0s +default/a'])

    const none = recorder('none')
    const empty = cluster([none.controller])
    empty.driver.settle()
    empty.driver.settle()
    expect(none.steps).toEqual(['0s '])
  })

  it('delivers changes in order, and to each controller only what it watches', () => {
    const one = recorder('one')
    const { driver, must } = cluster([one.controller])
    must(config('a'))
    must(config('b'))
    must({ verb: 'delete', resource: 'configmaps', namespace: 'default', name: 'a' })
    must({ verb: 'create', resource: 'namespaces', object: { metadata: { name: 'other' } } })
    driver.settle()
    expect(one.steps).toEqual(['0s +default/a +default/b -default/a'])
    expect(driver.view.list('configmaps').map((object) => object.metadata.name)).toEqual(['b'])
    expect(driver.view.count('namespaces')).toBe(0)
  })

  it('does not deliver changes that a controller ignores, and sends waiting requests as if it were stepped', () => {
    const ids = createActionIds()
    const create = (name: string) => callAction(ids, config(name))
    const one = recorder('one', ({ now, results }) =>
      now === start && results.length === 0 ? { actions: [create('own-1'), create('own-2')] } : {},
    )
    const controller: Controller = { ...one.controller, ignores: ({ key }) => key.includes('ignored') }
    const requestLimits = () => ({ perSecond: 3, burst: 1 })
    const { driver, must } = cluster([controller], { requestLimits })
    must(config('ignored-1'))
    driver.at(start + 350, () => must(config('ignored-2')))
    driver.advance(390)
    // The second request has been allowed since 333 ms, and would be sent at 400 ms.
    expect(one.steps).toEqual(['0s ', '0s +default/own-1 #1:ok', '0.35s +default/own-2 #2:ok'])
    driver.at(start + 500, () => must(config('ignored-3')))
    driver.advance(1000)
    expect(one.steps).toHaveLength(3)
  })

  it('executes actions immediately and delivers results and changes in the same instant', () => {
    const ids = createActionIds()
    const one = recorder('one', ({ changes }) => ({
      actions: changes
        .filter((change) => change.before === undefined)
        .flatMap((change) => [
          patchObject(ids, {
            resource: 'configmaps',
            object: change.after as Pod,
            patch: { kind: 'merge', patch: { data: { seen: 'yes' } } },
          }),
          deleteObject(ids, { resource: 'configmaps', object: { metadata: { name: 'nope', namespace: 'default' } } }),
        ]),
    }))
    const { driver, must } = cluster([one.controller])
    must(config('a'))
    driver.settle()
    expect(one.steps).toEqual(['0s +default/a', '0s ~default/a #1:ok #2:NotFound'])
    expect(driver.now()).toBe(start)
  })

  it('runs controllers and hooks at their times, in order', () => {
    const one = recorder('one', ({ now }) => (now < start + 3000 ? { wakeAt: now + 1000 } : {}))
    const { driver, must } = cluster([one.controller])
    driver.at(start + 1500, () => must(config('hook')))
    expect(driver.nextAt()).toBeDefined()
    driver.advance(10_000)
    expect(one.steps).toEqual(['0s ', '1s ', '1.5s +default/hook', '2.5s ', '3.5s '])
    expect(driver.now()).toBe(start + 10_000)
    expect(driver.nextAt()).toBeUndefined()
  })

  it('reports each change to observers, with its origin and its time', () => {
    const ids = createActionIds()
    const one = recorder('one', ({ changes }) => ({
      actions: changes
        .filter((change) => change.after !== undefined)
        .map((change) => deleteObject(ids, { resource: 'configmaps', object: change.after as Pod })),
    }))
    const { driver, must } = cluster([one.controller])
    const seen: string[] = []
    driver.onChanges((changes, by, now) => {
      for (const change of changes) seen.push(`${now - start} ${by ?? 'outside'} ${change.resource} ${change.key}`)
    })
    must(config('a'))
    driver.settle()
    expect(seen).toEqual(['0 outside configmaps default/a', '0 one configmaps default/a'])
  })

  it('restarts a controller in its place with all existing objects, and without its wake-up time', () => {
    const order: string[] = []
    const named = (name: string): Controller => ({
      name,
      watches: ['configmaps'],
      step: ({ changes, now }) => {
        order.push(`${name}+${changes.length}`)
        return name === 'first' ? { wakeAt: now + 1000 } : {}
      },
    })
    const { driver, must } = cluster([named('first'), named('second')])
    must(config('a'))
    driver.settle()
    driver.restart('first', () => ({ ...named('replaced'), name: 'first' }))
    must(config('b'))
    driver.advance(5000)
    expect(order).toEqual(['first+1', 'second+1', 'replaced+2', 'second+1'])
    driver.remove('first')
    expect(driver.controller('first')).toBeUndefined()
    expect(() => driver.remove('first')).toThrow('controller first not found')
  })

  it('stops an instant that does not settle, and names the controllers that keep it busy', () => {
    const ids = createActionIds()
    let count = 0
    const busy = recorder('busy', ({ changes }) => ({
      actions: changes.map((change) =>
        patchObject(ids, {
          resource: 'configmaps',
          object: change.after as Pod,
          patch: { kind: 'merge', patch: { data: { count: String(count++) } } },
        }),
      ),
    }))
    const { driver, must } = cluster([busy.controller], { maxPerInstant: 100 })
    must(config('a'))
    expect(() => driver.settle()).toThrow(/does not settle: busy \(50 steps\)[\s\S]*patch configmaps default\/a → ok/)
  })

  it.each<[string, Answer['outcome'] | undefined, boolean, Answer['outcome'] | string]>([
    ['answers an HTTP ask with the given answerer', { kind: 'ok', value: 7 }, false, { kind: 'ok', value: 7 }],
    ['skips an ignorable HTTP ask without an answer', undefined, true, { kind: 'skipped' }],
    ['ends the run for other HTTP asks without an answer', undefined, false, 'asker asks POST http://extender/filter'],
  ])('%s', (_, answer, ignorable, expected) => {
    const { asker, got } = askOnce({ kind: 'http', method: 'POST', url: 'http://extender/filter', ignorable })
    const { driver } = cluster([asker], { answer: () => answer })
    if (typeof expected === 'string') expect(() => driver.settle()).toThrow(expected)
    else {
      driver.settle()
      expect(got).toEqual([{ id: 1, outcome: expected }])
    }
  })

  it('answers a live read from the store', () => {
    const call = { verb: 'get', resource: 'namespaces', name: 'default' } as const
    const { asker, got } = askOnce({ kind: 'read', call })
    const { driver } = cluster([asker])
    driver.settle()
    expect(got).toMatchObject([
      { id: 1, outcome: { kind: 'ok', value: { ok: true, object: { metadata: { name: 'default' } } } } },
    ])
  })

  it('writes events, and counts an event that repeats', () => {
    const talker = recorder('talker', ({ changes }) => ({
      actions: changes.map((change) => ({
        kind: 'event',
        event: {
          api: 'core',
          regarding: { ...referenceTo(change.after as Pod), resourceVersion: '' },
          type: 'Normal',
          reason: 'Seen',
          message: 'it was seen',
        },
      })),
    }))
    const { driver, must, store } = cluster([talker.controller])
    must(config('a'))
    driver.settle()
    driver.advance(5000)
    must({
      verb: 'patch',
      resource: 'configmaps',
      namespace: 'default',
      name: 'a',
      patch: { kind: 'merge', patch: { data: { x: 'y' } } },
    })
    driver.settle()
    expect(store.list('events')).toMatchObject([
      {
        reason: 'Seen',
        count: 2,
        source: { component: 'talker' },
        firstTimestamp: '2026-01-01T00:00:00Z',
        lastTimestamp: '2026-01-01T00:00:05Z',
        involvedObject: { kind: 'ConfigMap', name: 'a', namespace: 'default' },
      },
    ])
  })

  it('refuses settle() from within a step', () => {
    const { driver, must } = cluster([recorder('one').controller])
    driver.onChanges(() => driver.settle())
    must(config('a'))
    expect(() => driver.settle()).toThrow('settle() must not be called from within a step')
  })
})
