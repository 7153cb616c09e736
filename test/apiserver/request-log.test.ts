import { describe, expect, it } from 'vitest'
import type { ApiResponse, RequestAdmission, RequestHead } from '../../src/apiserver/exchange.ts'
import { json } from '../../src/apiserver/exchange.ts'
import { logged } from '../../src/apiserver/request-log.ts'
import { serve } from '../../src/apiserver/server.ts'
import { silentLogger } from '../../src/base/log.ts'
import { RealClock } from '../../src/base/real-clock.ts'
import { VirtualClock } from '../../src/base/virtual-clock.ts'

function server(answer: (clock: VirtualClock) => ApiResponse, refusal?: RequestAdmission) {
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
    if (admission.kind === 'admitted') await admission.answer(Buffer.from('hidden'))
    return admission.auditId
  }
  return { ask, lines }
}

describe('the log of requests', () => {
  it('sends the Audit-Id to the client over HTTP, whatever the kind of the response', async () => {
    const responses: Record<string, ApiResponse> = {
      '/full': json(200, {}),
      '/pieces': { kind: 'pieces', code: 200, headers: {}, pieces: ['a', 'b'].values(), keptBytes: 0 },
      '/stream': {
        kind: 'stream',
        code: 200,
        headers: {},
        start: (sink) => {
          sink.end()
          return () => {}
        },
      },
    }
    const admit = logged(
      ({ path }) => ({
        kind: 'admitted',
        flow: { user: 'jane', kind: 'readOnly', level: 'normal' },
        answer: () => responses[path] as ApiResponse,
      }),
      { clock: new RealClock(), log: silentLogger, newAuditId: () => 'new-id' },
    )
    const server = await serve({ admit, host: '127.0.0.1', port: 0, clock: new RealClock(), log: silentLogger })
    try {
      for (const path of Object.keys(responses)) {
        const response = await fetch(`${server.url}${path}`)
        expect([path, response.headers.get('audit-id')]).toEqual([path, 'new-id'])
        await response.text()
      }
    } finally {
      await server.close()
    }
  })

  it('gives each answer an Audit-Id: that of the client, or a new one', async () => {
    const { ask, lines } = server(() => json(200, {}))
    expect(await ask()).toBe('new-id')
    expect(await ask({ 'audit-id': 'of-the-client' })).toBe('of-the-client')
    expect(await ask({ 'audit-id': '' })).toBe('new-id')
    expect(lines).toEqual([])
  })

  it('gives refused requests an Audit-Id as well', async () => {
    const { ask } = server(() => json(200, {}), { kind: 'refused', response: json(401, {}) })
    expect(await ask()).toBe('new-id')
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
    expect(await watch.ask()).toBe('new-id')
    expect(watch.lines).toEqual([])
  })
})
