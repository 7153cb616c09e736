import { describe, expect, it } from 'vitest'
import type { Call, Outcome } from '../api/call.ts'
import type { KubeObject } from '../api/objects/meta.ts'
import { failure, notFound } from '../api/status.ts'
import { createRandom } from '../base/random.ts'
import type { EventRecord } from './controller.ts'
import { createEventNames, createEventRecorder, type EventCall } from './event-recorder.ts'

const start = Date.parse('2026-01-01T00:00:00Z')
const minuteMs = 60_000

/** A recorder whose calls are recorded and answered immediately, unless the test answers them itself. */
function bench(answer: (call: Call, nth: number) => Outcome | 'later' = written) {
  const random = createRandom('events')
  const recorder = createEventRecorder({
    component: 'tester',
    host: 'host-1',
    random,
    names: createEventNames(random),
    startMs: start,
  })
  const calls: Call[] = []
  const pending: EventCall[] = []
  const run = (made: readonly EventCall[], now: number): void => {
    for (const one of made) {
      calls.push(one.call)
      const outcome = answer(one.call, calls.length)
      if (outcome === 'later') pending.push(one)
      else run(recorder.settle(one.id, outcome, now), now)
    }
  }
  return {
    recorder,
    calls,
    pending,
    say: (event: Partial<EventRecord>, now = start) => run(recorder.record({ ...plain, ...event }, now), now),
    answerPending(outcome: Outcome, now = start) {
      const one = pending.shift() as EventCall
      run(recorder.settle(one.id, outcome, now), now)
    },
    wakeUntil(until: number) {
      for (let at = recorder.nextAt(); at !== undefined && at <= until; at = recorder.nextAt())
        run(recorder.wake(at), at)
    },
  }
}

const plain: EventRecord = {
  api: 'core',
  regarding: { kind: 'Pod', apiVersion: 'v1', name: 'web', namespace: 'shop', uid: 'u1' },
  type: 'Normal',
  reason: 'Seen',
  message: 'hello',
}

function written(call: Call): Outcome {
  const object = call.verb === 'create' ? call.object : ({ metadata: { name: 'x' } } as KubeObject)
  return call.verb === 'create' ? { ok: true, kind: 'object', object, created: true } : notAnObject
}
const notAnObject: Outcome = { ok: true, kind: 'status', status: failure('Gone', '').status }

const brief = (call: Call): string => {
  if (call.verb === 'create') {
    const { message, note, count } = call.object as { message?: string; note?: string; count?: number }
    return `create ${message ?? note}${count === undefined || count === 1 ? '' : ` ×${count}`}`
  }
  if (call.verb !== 'patch' || call.patch.kind !== 'strategic') return call.verb
  const { count, message, series } = call.patch.patch as {
    count?: number
    message?: string
    series?: { count: number }
  }
  return series === undefined ? `patch ${message} ×${count}` : `patch series ×${series.count}`
}

describe('core/v1 events', () => {
  it('writes core/v1 events as upstream writes them', () => {
    const { say, calls } = bench()
    say({})
    expect(calls).toMatchObject([
      {
        verb: 'create',
        resource: 'events',
        namespace: 'shop',
        object: {
          metadata: { namespace: 'shop' },
          involvedObject: plain.regarding,
          reason: 'Seen',
          message: 'hello',
          type: 'Normal',
          count: 1,
          firstTimestamp: '2026-01-01T00:00:00Z',
          lastTimestamp: '2026-01-01T00:00:00Z',
          source: { component: 'tester' },
          reportingComponent: 'tester',
          reportingInstance: '',
        },
      },
    ])
  })

  it('names each event after its object and a unique nanosecond', () => {
    const { say, calls } = bench()
    for (let i = 0; i < 5; i++) say({ message: `m${i}` })
    const names = calls.map((call) => (call.verb === 'create' ? call.object.metadata.name : ''))
    expect(new Set(names).size).toBe(5)
    for (const name of names) {
      expect(name).toMatch(/^web\.[0-9a-f]{16}$/)
      expect(Number(BigInt(`0x${name.slice(4)}`) / 1_000_000n)).toBe(start)
    }
  })

  it("uses another event name if the object's name is not a valid event name", () => {
    const { say, calls } = bench()
    say({ regarding: { ...plain.regarding, name: 'UPPER_case' } })
    expect(calls[0]).toMatchObject({ object: { metadata: { name: expect.stringMatching(/^[0-9a-f-]{36}$/) } } })
  })

  it('writes events of cluster-scoped objects to the namespace default', () => {
    const { say, calls } = bench()
    say({ regarding: { kind: 'Node', name: 'n1' }, component: 'kubelet', host: 'n1' })
    expect(calls[0]).toMatchObject({
      namespace: 'default',
      object: { source: { component: 'kubelet', host: 'n1' }, reportingInstance: 'n1' },
    })
  })

  it('counts repeated events', () => {
    const { say, calls } = bench()
    for (let i = 0; i < 3; i++) say({}, start + i * 1000)
    expect(calls.map(brief)).toEqual(['create hello', 'patch hello ×2', 'patch hello ×3'])
    const name = calls[0]?.verb === 'create' ? calls[0].object.metadata.name : ''
    expect(calls[2]).toMatchObject({ name, patch: { patch: { lastTimestamp: '2026-01-01T00:00:02Z' } } })
  })

  it('combines events if ten differ only in their message within ten minutes', () => {
    const { say, calls } = bench()
    for (let i = 0; i < 12; i++) say({ message: `m${i}` })
    expect(calls.map(brief).slice(8)).toEqual([
      'create m8',
      'create (combined from similar events): m9',
      'patch (combined from similar events): m10 ×2',
      'patch (combined from similar events): m11 ×3',
    ])
  })

  it('does not combine similar events that are more than ten minutes apart', () => {
    const { say, calls } = bench()
    for (let i = 0; i < 9; i++) say({ message: `m${i}` })
    say({ message: 'late' }, start + 10 * minuteMs + 1)
    expect(calls.map(brief).at(-1)).toBe('create late')
  })

  it('writes 25 events about one object, then one every five minutes', () => {
    const { say, calls } = bench()
    for (let i = 0; i < 40; i++) say({})
    expect(calls).toHaveLength(25)
    say({ regarding: { ...plain.regarding, uid: 'u2' } })
    expect(calls).toHaveLength(26)
    say({}, start + 5 * minuteMs - 1)
    expect(calls).toHaveLength(26)
    say({}, start + 5 * minuteMs)
    // Events that were not written count as well.
    expect(brief(calls[26] as Call)).toBe('patch hello ×42')
  })

  it('writes events one after another, so that no count is lost', () => {
    const { say, calls, answerPending } = bench(() => 'later')
    for (let i = 0; i < 3; i++) say({})
    expect(calls).toHaveLength(1)
    answerPending(written(calls[0] as Call))
    answerPending(notAnObject)
    expect(calls.map(brief)).toEqual(['create hello', 'patch hello ×2', 'patch hello ×3'])
  })

  it('creates an event again, with its count, after it expired on the server', () => {
    const { say, calls } = bench((call) => (call.verb === 'patch' ? notFound('events', call.name) : written(call)))
    say({})
    say({})
    expect(calls.map(brief)).toEqual(['create hello', 'patch hello ×2', 'create hello ×2'])
  })

  it('drops a recorded event that the server rejects', () => {
    const { say, calls, recorder } = bench(() => failure('Forbidden', 'the namespace is being terminated'))
    say({})
    say({ message: 'next' })
    expect([calls.map(brief), recorder.nextAt()]).toEqual([['create hello', 'create next'], undefined])
  })

  it('retries an event at most twelve times while the server cannot be reached', () => {
    const { say, calls, recorder, wakeUntil } = bench(() => failure('ServiceUnavailable', 'no route'))
    say({})
    const firstWaitMs = (recorder.nextAt() ?? Number.NaN) - start
    expect(firstWaitMs).toBeGreaterThanOrEqual(0)
    expect(firstWaitMs).toBeLessThan(10_000)
    wakeUntil(start + 10 * minuteMs)
    expect([calls.length, recorder.nextAt()]).toEqual([12, undefined])
  })

  it('drops events while a thousand are waiting', () => {
    const { say, recorder } = bench(() => 'later')
    for (let i = 0; i < 1005; i++) say({ message: `m${i}` })
    expect(recorder.dropped).toBe(4)
  })
})

describe('events.k8s.io events', () => {
  const series: Partial<EventRecord> = {
    api: 'events',
    action: 'Scheduling',
    type: 'Warning',
    reason: 'FailedScheduling',
    message: '0/1 nodes are available',
  }

  it('writes events.k8s.io events as upstream writes them', () => {
    const { say, calls } = bench()
    say({ ...series, related: { kind: 'Node', name: 'n1' }, component: 'default-scheduler' })
    expect(calls).toMatchObject([
      {
        verb: 'create',
        resource: 'events.events.k8s.io',
        namespace: 'shop',
        object: {
          apiVersion: 'events.k8s.io/v1',
          eventTime: '2026-01-01T00:00:00.000000Z',
          reportingController: 'default-scheduler',
          reportingInstance: 'default-scheduler-host-1',
          action: 'Scheduling',
          reason: 'FailedScheduling',
          regarding: plain.regarding,
          related: { kind: 'Node', name: 'n1' },
          note: '0/1 nodes are available',
          type: 'Warning',
        },
      },
    ])
  })

  it('makes a series of the second event and only counts the following ones', () => {
    const { say, calls } = bench()
    // The message is not part of a series' key.
    for (let i = 0; i < 5; i++) say({ ...series, message: `try ${i}` }, start + i * 1000)
    expect(calls.map(brief)).toEqual(['create try 0', 'patch series ×2'])
    expect(calls[1]).toMatchObject({
      patch: { patch: { series: { lastObservedTime: '2026-01-01T00:00:01.000000Z' } } },
    })
  })

  it('starts a new event after the object changed, or after six minutes', () => {
    const { say, calls, wakeUntil } = bench()
    say(series)
    say({ ...series, regarding: { ...plain.regarding, resourceVersion: '2' } })
    wakeUntil(start + 13 * minuteMs)
    say(series, start + 13 * minuteMs)
    expect(calls.map(brief)).toEqual(Array(3).fill('create 0/1 nodes are available'))
  })

  it('writes the count of a series after six minutes without an event, and then forgets it', () => {
    const { say, calls, wakeUntil, recorder } = bench()
    for (let i = 0; i < 4; i++) say(series, start + i * 1000)
    wakeUntil(start + 6 * minuteMs)
    expect(calls).toHaveLength(2)
    wakeUntil(start + 12 * minuteMs)
    expect(calls.map(brief).slice(2)).toEqual(['patch series ×4'])
    expect(recorder.nextAt()).toBeUndefined()
  })

  it('writes the count of an ongoing series every half hour', () => {
    const { say, calls, wakeUntil } = bench()
    for (let minute = 0; minute <= 62; minute++) {
      wakeUntil(start + minute * minuteMs)
      say(series, start + minute * minuteMs)
    }
    expect(calls.map(brief)).toEqual([
      'create 0/1 nodes are available',
      'patch series ×2',
      'patch series ×30',
      'patch series ×60',
    ])
  })
})
