import { describe, expect, it } from 'vitest'
import type { EventRow } from '../../src/wire/console-wire.ts'
import { eventsOnce, happeningOfEvent, happeningsOf, matchingHappenings, newestFirst } from './happenings.ts'
import { nodeRow, podRow, podTransition } from './rows.fixture.ts'

const told = (...args: Parameters<typeof podTransition>) => happeningsOf(podTransition(...args)).map(({ what }) => what)
const event = (at: number, reason: string, count = 1): EventRow => [at, 'Normal', reason, 'Pod', 'a/1', 'm', count, 'c']

describe('changes in words', () => {
  it.each([
    ['a new pod', null, podRow('a/1'), ['created']],
    ['a pod that is placed', podRow('a/1'), podRow('a/1', { node: 'n1', state: 2 }), ['placed on n1']],
    ['a pod that runs', podRow('a/1', { node: 'n1', state: 2 }), podRow('a/1', { node: 'n1' }), ['running']],
    ['a nomination', podRow('a/1'), podRow('a/1', { nominated: 'n2' }), ['nominated for n2']],
    ['a deletion', podRow('a/1', { node: 'n1' }), podRow('a/1', { node: 'n1', state: 5 }), ['terminating']],
    ['a pod that went', podRow('a/1'), null, ['gone']],
    ['nothing that matters', podRow('a/1'), podRow('a/1', { cpuMilli: 7 }), []],
  ] as const)('%s', (_, before, after, words) => expect(told(1, before, after)).toEqual(words))

  it('changes of nodes are described in words', () => {
    const before = nodeRow('n1', { taints: ['old:NoSchedule'] })
    const after = nodeRow('n1', { taints: ['new:NoExecute'] })
    expect(happeningsOf([1, 1, 'n', 'n1', before, after]).map(({ what }) => what)).toEqual([
      'tainted new:NoExecute',
      'no longer tainted old:NoSchedule',
    ])
  })

  it.each([
    [0, 'ready'],
    [1, 'not ready'],
    [2, 'no heartbeat: Ready is Unknown'],
  ] as const)('the health %j of a node is %j', (health, words) => {
    const before = nodeRow('n1', { health: health === 0 ? 1 : 0 })
    expect(happeningsOf([1, 1, 'n', 'n1', before, nodeRow('n1', { health })]).map(({ what }) => what)).toEqual([words])
  })

  it('describes each Event once, even if it is received several times', () => {
    const events = eventsOnce([event(1, 'A'), event(2, 'B')], [event(2, 'B'), event(2, 'B', 2)])
    expect(events.map(([at, , reason, , , , count]) => `${at} ${reason} ${count}`)).toEqual(['1 A 1', '2 B 1', '2 B 2'])
  })

  it('lists the newest change first, also within one instant', () => {
    const happenings = [event(1, 'A'), event(2, 'B'), event(2, 'C')].map(happeningOfEvent)
    expect(newestFirst(happenings).map(({ what }) => what)).toEqual(['C: m', 'B: m', 'A: m'])
  })

  it('finds a change by any word of its description', () => {
    const happenings = [event(1, 'Scheduled'), event(2, 'Killing')].map(happeningOfEvent)
    expect(matchingHappenings(happenings, 'KILL')).toHaveLength(1)
    expect(matchingHappenings(happenings, 'a/1')).toHaveLength(2)
    expect(matchingHappenings(happenings, ' ')).toHaveLength(2)
  })
})
