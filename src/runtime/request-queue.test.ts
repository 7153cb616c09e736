import { describe, expect, it } from 'vitest'
import type { Action } from './controller.ts'
import { createRequestQueue, RequestBatches } from './request-queue.ts'

let nextId = 0
const remove = (resource = 'pods'): Action => ({
  kind: 'call',
  id: ++nextId,
  call: { verb: 'delete', resource, namespace: 'x', name: 'p' },
})
const removals = (count: number, resource?: string) => Array.from({ length: count }, () => remove(resource))
const event: Action = {
  kind: 'event',
  event: { regarding: {}, type: 'Normal', reason: 'R', message: 'M', api: 'core' },
}

describe('a request queue in order of arrival', () => {
  /** When each of `count` requests that are made at `now` is sent. */
  function instants(queue: ReturnType<typeof createRequestQueue>, count: number, now: number): readonly number[] {
    const sentAt: number[] = []
    let at = now
    for (let sent = queue.submit(removals(count), now); ; sent = queue.submit([], at)) {
      sentAt.push(...sent.map(() => at))
      if (queue.nextAt === Number.POSITIVE_INFINITY) return sentAt
      at = queue.nextAt
    }
  }

  it('sends a burst immediately and then a request every 50 ms', () => {
    const queue = createRequestQueue({ perSecond: 20, burst: 3 }, 'concurrent')
    expect(instants(queue, 6, 1_000)).toEqual([1_000, 1_000, 1_000, 1_050, 1_100, 1_150])
    expect(instants(queue, 1, 5_000)).toEqual([5_000])
  })

  it('sends waiting requests in batches if the limits are batched', () => {
    const queue = createRequestQueue({ perSecond: 20, burst: 2, batched: true }, 'concurrent')
    // Allowed at 1050, 1100, …, and sent at the end of that tenth of a second.
    expect(instants(queue, 10, 1_000)).toEqual([1000, 1000, 1100, 1100, 1200, 1200, 1300, 1300, 1400, 1400])
  })

  it('counts a read as a request, and never delays events', () => {
    const queue = createRequestQueue({ perSecond: 20, burst: 1 }, 'concurrent')
    const read: Action = { kind: 'read', id: 0, resource: 'pods', key: 'x/p' }
    expect(queue.submit([read, remove(), event], 0)).toEqual([read, event])
    expect(queue.nextAt).toBe(50)
  })
})

describe('a request queue by resource', () => {
  it('sends the burst of each resource immediately and the rest at the rate limit', () => {
    const queue = createRequestQueue({ perSecond: 10, burst: 3 })
    expect(queue.submit(removals(5), 0)).toHaveLength(3)
    expect(queue.nextAt).toBe(100)
    expect(queue.submit([], 100)).toHaveLength(1)
  })

  it('sends waiting requests of several resources in turn', () => {
    const queue = createRequestQueue({ perSecond: 10, burst: 2 })
    const pods = removals(5)
    const [node] = removals(1, 'nodes')
    expect(queue.submit([...pods, node as Action, event], 0)).toEqual([event, pods[0], node])
  })
})

it.each([
  [{ perSecond: 20, burst: 30 }, [100, 250, 500, 1000]],
  // No batch may exceed what accumulates in half a second: the burst.
  [{ perSecond: 20, burst: 10 }, [100, 250, 250, 250]],
])('batches of %j grow with the time that requests have waited', (limits, expected) => {
  const batches = new RequestBatches(limits)
  const lengths = [1, 10_001, 60_001, 300_001].map((now) => batches.endOf(now, now) - (now - 1))
  expect(lengths).toEqual(expected)
  batches.reset()
  expect(batches.endOf(400_001, 400_001)).toBe(400_100)
})
