import { describe, expect, it } from 'vitest'
import type { Admission, ApiResponse, RequestHead } from '../../src/apiserver/exchange.ts'
import { json } from '../../src/apiserver/exchange.ts'
import { logged } from '../../src/apiserver/request-log.ts'
import { silentLogger } from '../../src/base/log.ts'
import { VirtualClock } from '../../src/base/virtual-clock.ts'

function server(answer: (clock: VirtualClock) => ApiResponse, refusal?: Admission) {
  const clock = new VirtualClock(0)
  const lines: unknown[] = []
  const admit = logged(
    () =>
      refusal ?? {
        kind: 'admitted',
        flow: { user: 'jane', kind: 'readOnly', level: 'normal' },
        answer: () => answer(clock),
      },
    {
      clock,
      log: {
        ...silentLogger,
        warn: (fields, message) => void lines.push({ level: 'warn', message, ...fields }),
        error: (fields, message) => void lines.push({ level: 'error', message, ...fields }),
      },
      newAuditId: () => 'new-id',
    },
  )
  const ask = async (headers: RequestHead['headers'] = {}) => {
    const head = {
      method: 'GET',
      path: '/api/v1/namespaces/default/secrets/s',
      query: new URLSearchParams('token=hidden'),
      headers: { authorization: 'Bearer hidden', ...headers },
    }
    const admission = admit(head)
    return admission.kind === 'refused' ? admission.response : await admission.answer(Buffer.from('hidden'))
  }
  return { ask, lines }
}

describe('the log of requests', () => {
  it('gives each answer an Audit-Id: that of the client, or a new one', async () => {
    const { ask, lines } = server(() => json(200, {}))
    expect((await ask()).headers['audit-id']).toBe('new-id')
    expect((await ask({ 'audit-id': 'of-the-client' })).headers['audit-id']).toBe('of-the-client')
    expect((await ask({ 'audit-id': '' })).headers['audit-id']).toBe('new-id')
    expect(lines).toEqual([])
  })

  it('gives refused requests an Audit-Id as well', async () => {
    const { ask } = server(() => json(200, {}), { kind: 'refused', response: json(401, {}) })
    expect((await ask()).headers['audit-id']).toBe('new-id')
  })

  it('has a line for an internal error, with its id, user, verb, path, code and latency, and no secret', async () => {
    const { ask, lines } = server(() => json(500, { message: 'hidden' }))
    await ask({ cookie: 'hidden' })
    expect(lines).toEqual([
      {
        level: 'error',
        message: 'request failed',
        auditId: 'new-id',
        user: 'jane',
        verb: 'get',
        path: '/api/v1/namespaces/default/secrets/s',
        code: 500,
        latencyMs: 0,
      },
    ])
    expect(JSON.stringify(lines)).not.toContain('hidden')
  })

  it('has a line for a request of more than a second, but not for a watch', async () => {
    const slow = server((clock) => {
      clock.advanceTo(clock.now() + 1_001)
      return json(200, {})
    })
    await slow.ask()
    expect(slow.lines).toMatchObject([{ level: 'warn', message: 'request was slow', code: 200, latencyMs: 1_001 }])
    const watch = server((clock) => {
      clock.advanceTo(clock.now() + 60_000)
      return { kind: 'stream', code: 200, headers: {}, start: () => () => {} }
    })
    expect((await watch.ask()).headers['audit-id']).toBe('new-id')
    expect(watch.lines).toEqual([])
  })
})
