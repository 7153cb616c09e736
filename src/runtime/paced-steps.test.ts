import { describe, expect, it } from 'vitest'
import { createRandom } from '../base/random.ts'
import { VirtualClock } from '../base/virtual-clock.ts'
import { createInProcessClient } from '../client/in-process-client.ts'
import { createRegistry } from '../registry/registry.ts'
import { createStore } from '../store/memory-store.ts'
import { createActionIds, deleteObject, readAction } from './actions.ts'
import type { Action, Controller, RequestOrder } from './controller.ts'
import { createStepDriver } from './step-driver.ts'

const names = ['a', 'b', 'c']

/**
 * A controller that reads each config map and then deletes it, with a burst of 2 requests and 1 request per second
 * after that.
 */
function run(requestOrder: RequestOrder, present = names) {
  const store = createStore()
  const clock = new VirtualClock(0)
  const random = createRandom('test')
  const client = createInProcessClient(createRegistry({ store, clock, random }))
  client.callNow({ verb: 'create', resource: 'namespaces', object: { metadata: { name: 'default' } } })
  for (const name of present) {
    const object = { metadata: { name, namespace: 'default' } }
    client.callNow({ verb: 'create', resource: 'configmaps', namespace: 'default', object })
  }
  const ids = createActionIds()
  const reads = new Map<number, string>()
  const trace: string[] = []
  let isFirst = true
  const controller: Controller = {
    name: 'reader',
    watches: ['configmaps'],
    requestOrder,
    step({ now, results, changes }) {
      for (const { key, after } of changes) if (after === undefined) trace.push(`${now / 1000}s deleted ${key}`)
      const actions: Action[] = []
      for (const { id, outcome } of results) {
        const name = reads.get(id)
        if (name === undefined) continue
        trace.push(`${now / 1000}s read ${name}${outcome.ok ? '' : `: ${outcome.status.reason}`}`)
        const object = { metadata: { name, namespace: 'default' } }
        if (outcome.ok) actions.push(deleteObject(ids, { resource: 'configmaps', object }))
      }
      for (const name of isFirst ? names : []) {
        const read = readAction(ids, 'configmaps', `default/${name}`)
        reads.set(read.id, name)
        actions.push(read)
      }
      isFirst = false
      return { actions }
    },
  }
  const requestLimits = () => ({ perSecond: 1, burst: 2 })
  const driver = createStepDriver({ client, source: store, clock, random, controllers: [controller], requestLimits })
  driver.advanceTo(60_000)
  return trace
}

describe('a controller with a rate limit in virtual time', () => {
  it('sends all reads of a rate-limited step before the requests that follow them if requests are concurrent', () => {
    expect(run('concurrent')).toEqual([
      '0s read a',
      '0s read b',
      '1s read c',
      '2s deleted default/a',
      '3s deleted default/b',
      '4s deleted default/c',
    ])
  })

  it('sends the request that follows a read before the next read if requests are sequential', () => {
    expect(run('sequential')).toEqual([
      '0s read a',
      '0s deleted default/a',
      '1s read b',
      '2s read c',
      '3s deleted default/b',
      '4s deleted default/c',
    ])
  })

  it('answers a read of an object that does not exist with NotFound', () => {
    expect(run('sequential', ['b', 'c'])[0]).toBe('0s read a: NotFound')
  })
})
