import { describe, expect, it } from 'vitest'
import type { Call } from '../../src/api/call.ts'
import { referenceTo } from '../../src/api/object-reference.ts'
import type { ConfigMap } from '../../src/api/objects/cluster.ts'
import { MetricRegistry } from '../../src/base/metrics.ts'
import type { DirectClient } from '../../src/client/contract.ts'
import { callAction, createActionIds, deleteObject, patchObject, updateObject } from '../../src/runtime/actions.ts'
import type { Answer, Controller, StepInput, StepOutput } from '../../src/runtime/controller.ts'
import { createReconcilerController, itself } from '../../src/runtime/reconciler.ts'

/** A driver on an empty cluster with the namespace `default`, at rest at the instant 0 of its clock. */
export interface DriverBench {
  /** Another client of the cluster. */
  readonly client: DirectClient
  /** Runs all work that is possible without time passing. */
  settle(): Promise<void>
  advance(ms: number): Promise<void>
  wake(name: string): void
  /** Milliseconds since the test bench was created. */
  elapsedMs(): number
  close(): Promise<void>
}

export interface BenchOptions {
  readonly controllers: readonly Controller[]
  readonly answer?: (question: unknown) => Answer['outcome']
  readonly metrics?: MetricRegistry
}

/** The guarantees of every driver for a controller, in real and in virtual time. */
export function describeDriverContract(name: string, create: (options: BenchOptions) => DriverBench): void {
  const bench = async (options: BenchOptions, run: (bench: DriverBench) => Promise<void>): Promise<void> => {
    const made = create(options)
    try {
      await run(made)
    } finally {
      await made.close()
    }
  }

  describe(`the driver contract: ${name}`, () => {
    it('gives the first step all existing objects as additions, and a view that includes them', async () => {
      const logged = log()
      const late: Controller = { ...logged.controller, name: 'late' }
      await bench({ controllers: [late] }, async ({ client, settle }) => {
        must(client, config('a'))
        must(client, config('b'))
        await settle()
        expect(logged.changes()).toEqual(['+a', '+b'])
      })
    })

    it('steps a controller once even if there are no objects', async () => {
      const logged = log()
      await bench({ controllers: [logged.controller] }, async ({ settle }) => {
        await settle()
        expect(logged.inputs).toHaveLength(1)
      })
    })

    it('delivers every change of watched objects in order, with the old and the new state', async () => {
      const logged = log()
      await bench({ controllers: [logged.controller] }, async ({ client, settle }) => {
        await settle()
        must(client, config('a'))
        must(client, patch('a', '1'))
        must(client, { verb: 'create', resource: 'namespaces', object: { metadata: { name: 'other' } } })
        must(client, patch('a', '2'))
        must(client, { verb: 'delete', ...at, name: 'a' })
        await settle()
        expect(logged.changes()).toEqual(['+a', '~a 1', '~a 1→2', '-a 2'])
      })
    })

    it('shows the delivered changes in the view, which does not change during the step', async () => {
      const versions: boolean[] = []
      const controller: Controller = {
        name: 'viewer',
        watches: ['configmaps'],
        step({ changes, view }) {
          const last = new Map(changes.map((change) => [change.key, change]))
          for (const [key, { after }] of last) {
            if (last.size > 0) versions.push(view.get('configmaps', key) === after)
          }
          return {}
        },
      }
      await bench({ controllers: [controller] }, async ({ client, settle }) => {
        must(client, config('a'))
        await settle()
        must(client, patch('a', '1'))
        must(client, patch('a', '2'))
        must(client, { verb: 'delete', ...at, name: 'a' })
        await settle()
        expect(versions.length).toBeGreaterThan(1)
        expect(versions.every(Boolean)).toBe(true)
      })
    })

    it('delivers existing objects when a controller starts to watch a resource, and stops when it no longer wants it', async () => {
      const wants: Record<string, readonly string[]> = { wider: ['configmaps', 'namespaces'], none: ['namespaces'] }
      const seen: string[] = []
      const held: number[] = []
      const controller: Controller = {
        name: 'rewatching',
        watches: ['namespaces'],
        step({ changes, view }) {
          for (const { key, after } of changes) seen.push(`${after === undefined ? '-' : '+'}${key}`)
          held.push(view.count('configmaps'))
          const wanted = changes.map(({ key }) => wants[key]).find((watches) => watches !== undefined)
          return wanted === undefined ? {} : { watches: wanted }
        },
      }
      await bench({ controllers: [controller] }, async ({ client, settle }) => {
        must(client, config('a'))
        await settle()
        expect(seen).toEqual(['+default'])
        must(client, { verb: 'create', resource: 'namespaces', object: { metadata: { name: 'wider' } } })
        await settle()
        must(client, config('b'))
        await settle()
        expect(seen).toEqual(['+default', '+wider', '+default/a', '+default/b'])
        expect(held.at(-1)).toBe(2)
        must(client, { verb: 'create', resource: 'namespaces', object: { metadata: { name: 'none' } } })
        await settle()
        must(client, config('c'))
        must(client, { verb: 'create', resource: 'namespaces', object: { metadata: { name: 'last' } } })
        await settle()
        expect(seen.slice(4)).toEqual(['+none', '+last'])
        expect(held.at(-1)).toBe(0)
      })
    })

    it('returns the outcome of every call exactly once, including failures', async () => {
      const ids = createActionIds()
      const logged = log(({ changes }) =>
        changes.length === 0
          ? {}
          : {
              actions: [
                callAction(ids, { verb: 'get', ...at, name: 'a' }),
                callAction(ids, { verb: 'get', ...at, name: 'nope' }, 'high'),
                callAction(ids, patch('a', '7'), 'low'),
              ],
            },
      )
      const once = { ...logged.controller, watches: ['namespaces'] }
      await bench({ controllers: [once] }, async ({ client, settle }) => {
        must(client, config('a'))
        await settle()
        const results = logged.inputs.flatMap((input) => input.results)
        expect(results.map(({ id, outcome }) => `${id} ${outcome.ok ? 'ok' : outcome.status.reason}`).sort()).toEqual([
          '1 ok',
          '2 NotFound',
          '3 ok',
        ])
      })
    })

    it('executes calls on one object in order, whatever their priority', async () => {
      const ids = createActionIds()
      const controller: Controller = {
        name: 'writer',
        watches: ['namespaces'],
        step: ({ changes }) => ({
          actions:
            changes.length === 0
              ? []
              : Array.from({ length: 20 }, (_, i) =>
                  callAction(ids, patch('a', String(i)), (['low', 'high', 'normal'] as const)[i % 3]),
                ),
        }),
      }
      const seen: string[] = []
      const logged = log()
      await bench({ controllers: [controller, logged.controller] }, async ({ client, settle }) => {
        must(client, config('a'))
        await settle()
        seen.push(...logged.changes())
      })
      expect(seen.at(-1)).toBe('~a 18→19')
    })

    it('wakes a controller at the last requested instant, and not if it requested none', async () => {
      const wishes = [5000, 1000, undefined]
      const logged = log(({ now }) => {
        const wish = wishes.shift()
        return wish === undefined ? {} : { wakeAt: now + wish }
      })
      const at: number[] = []
      await bench({ controllers: [logged.controller] }, async ({ client, settle, advance, elapsedMs }) => {
        await settle()
        const begin = (logged.inputs[0] as StepInput).now
        await advance(500)
        must(client, config('a'))
        await settle()
        await advance(10_000)
        expect(elapsedMs()).toBe(10_500)
        at.push(...logged.inputs.map(({ now }) => now - begin))
      })
      expect(at).toEqual([0, 500, 1500])
    })

    it('steps a controller that is woken explicitly', async () => {
      const logged = log()
      await bench({ controllers: [logged.controller] }, async ({ settle, wake }) => {
        await settle()
        wake('log')
        await settle()
        await settle()
        expect(logged.inputs).toHaveLength(2)
      })
    })

    it('counts steps and calls', async () => {
      const ids = createActionIds()
      const metrics = new MetricRegistry()
      const logged = log(({ changes }) => ({
        actions: changes.map(() => callAction(ids, { verb: 'get', ...at, name: 'nope' })),
      }))
      await bench({ controllers: [logged.controller], metrics }, async ({ client, settle }) => {
        must(client, config('a'))
        await settle()
        expect(metrics.expose()).toContain('berth_controller_steps_total{controller="log"} 2')
        expect(metrics.expose()).toContain(
          'berth_controller_calls_total{controller="log",verb="get",resource="configmaps",code="404"} 1',
        )
      })
    })

    it('answers asks, and steps the controller with the answer', async () => {
      const logged = log(({ answers, changes, now }) => {
        if (answers.length > 0 || changes.length > 0) return {}
        const call = { verb: 'get', resource: 'namespaces', name: 'default' } as const
        return {
          asks: [
            { id: 1, deadlineAt: now + 60_000, request: { kind: 'read', call } },
            { id: 2, deadlineAt: now + 60_000, request: { kind: 'cloud', request: 'how are you?' } },
          ],
        }
      })
      const answer = (question: unknown): Answer['outcome'] => ({ kind: 'ok', value: `${question} fine` })
      await bench({ controllers: [logged.controller], answer }, async ({ settle }) => {
        await settle()
        const answers = logged.inputs.flatMap((input) => input.answers).sort((a, b) => a.id - b.id)
        expect(answers).toMatchObject([
          { id: 1, outcome: { kind: 'ok', value: { ok: true, object: { metadata: { name: 'default' } } } } },
          { id: 2, outcome: { kind: 'ok', value: 'how are you? fine' } },
        ])
      })
    })

    it('records events, and counts repeated ones', async () => {
      const logged = log(({ changes }) => ({
        actions: changes
          .filter((change) => change.after !== undefined)
          .map(({ after }) => ({
            kind: 'event',
            event: {
              api: 'core',
              regarding: { ...referenceTo(after as ConfigMap), resourceVersion: '' },
              type: 'Normal',
              reason: 'Seen',
              message: 'it was seen',
            },
          })),
      }))
      await bench({ controllers: [logged.controller] }, async ({ client, settle }) => {
        await settle()
        must(client, config('a'))
        must(client, patch('a', '1'))
        await settle()
        must(client, patch('a', '2'))
        await settle()
        const events = client.callNow({ verb: 'list', resource: 'events', namespace: 'default' })
        expect(events).toMatchObject({ items: [{ reason: 'Seen', count: 3, involvedObject: { name: 'a' } }] })
      })
    })

    it('steps controllers that react to each other until none has work', async () => {
      // The controllers alternate: each increments the value when it is its turn, and both together count to ten.
      const counter = (own: number): Controller =>
        createReconcilerController({
          name: `counter-${own}`,
          wakes: { configmaps: itself },
          reconcile(key, { view, ids }) {
            const object = view.get('configmaps', key)
            const value = Number(object?.data?.['x'] ?? 0)
            if (object === undefined || value >= 10 || value % 2 !== own) return {}
            const next = { ...object, data: { x: String(value + 1) } }
            return { actions: [updateObject(ids, { resource: 'configmaps', object: next })] }
          },
        })
      await bench({ controllers: [counter(0), counter(1)] }, async ({ client, settle }) => {
        for (const name of ['a', 'b', 'c']) must(client, config(name))
        await settle()
        const list = client.callNow({ verb: 'list', ...at })
        expect(list.ok && list.kind === 'list' && list.items.map((item) => (item as ConfigMap).data)).toEqual([
          { x: '10' },
          { x: '10' },
          { x: '10' },
        ])
      })
    })

    it('lets two controllers that update one object by version both succeed', async () => {
      const adder = (label: string): Controller =>
        createReconcilerController({
          name: `adder-${label}`,
          wakes: { configmaps: itself },
          reconcile(key, { view, ids }) {
            const object = view.get('configmaps', key)
            if (object === undefined || object.data?.[label] !== undefined) return {}
            const next = { ...object, data: { ...object.data, [label]: 'yes' } }
            return { actions: [updateObject(ids, { resource: 'configmaps', object: next })] }
          },
        })
      await bench({ controllers: ['p', 'q', 'r'].map(adder) }, async ({ client, settle, advance }) => {
        must(client, config('a'))
        await settle()
        await advance(60_000)
        const read = client.callNow({ verb: 'get', ...at, name: 'a' })
        expect(read).toMatchObject({ object: { data: { p: 'yes', q: 'yes', r: 'yes' } } })
      })
    })

    it('executes the actions of the last step of an instant before time advances', async () => {
      const ids = createActionIds()
      const logged = log(({ changes, now }) => ({
        actions: changes
          .filter((change) => change.before === undefined)
          .flatMap(({ after }) => [
            patchObject(ids, {
              resource: 'configmaps',
              object: after as ConfigMap,
              patch: { kind: 'merge', patch: { data: { at: String(now) } } },
            }),
            deleteObject(ids, { resource: 'configmaps', object: after as ConfigMap }),
          ]),
      }))
      await bench({ controllers: [logged.controller] }, async ({ client, settle, elapsedMs }) => {
        must(client, config('a'))
        await settle()
        expect(elapsedMs()).toBe(0)
        expect(client.callNow({ verb: 'get', ...at, name: 'a' }).ok).toBe(false)
      })
    })
  })
}

const at = { resource: 'configmaps', namespace: 'default' } as const

const config = (name: string): Call => ({
  verb: 'create',
  ...at,
  object: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'default' } },
})

const patch = (name: string, x: string): Call => ({
  verb: 'patch',
  ...at,
  name,
  patch: { kind: 'merge', patch: { data: { x } } },
})

function must(client: DirectClient, call: Call): void {
  const outcome = client.callNow(call)
  if (!outcome.ok) throw new Error(outcome.status.message)
}

/** A controller that stores its inputs. */
function log(step: (input: StepInput) => StepOutput = () => ({})) {
  const inputs: StepInput[] = []
  const controller: Controller = {
    name: 'log',
    watches: ['configmaps'],
    step(input) {
      inputs.push(input)
      return step(input)
    },
  }
  const value = (object: unknown): string => (object as ConfigMap | undefined)?.data?.['x'] ?? ''
  const changes = () =>
    inputs
      .flatMap((input) => input.changes)
      .map(({ key, before, after }) => {
        const name = key.slice(key.indexOf('/') + 1)
        if (before === undefined) return `+${name}`
        if (after === undefined) return `-${name} ${value(before)}`.trim()
        return value(before) === '' ? `~${name} ${value(after)}` : `~${name} ${value(before)}→${value(after)}`
      })
  return { controller, inputs, changes }
}
