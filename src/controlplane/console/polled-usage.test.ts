import { expect, it } from 'vitest'
import type { Outcome } from '../../api/call.ts'
import { failure } from '../../api/status.ts'
import type { Client } from '../../client/contract.ts'
import { createPolledUsage } from './polled-usage.ts'

const measured = {
  ok: true,
  kind: 'list',
  items: [
    { metadata: { name: 'node-1' }, usage: { cpu: '1500m', memory: '2Gi' } },
    { metadata: { name: 'node-2' }, usage: { cpu: '250000000n', memory: 'much' } },
    { metadata: { name: 'node-3' } },
  ],
} as unknown as Outcome

function polled(answers: readonly Outcome[]) {
  const left = [...answers]
  const asked: string[] = []
  const client = {
    call: async (call: { readonly resource: string }) => {
      asked.push(call.resource)
      return left.shift() as Outcome
    },
  } as unknown as Client
  let at = 0
  const usage = createPolledUsage(client, () => at)
  return {
    asked,
    read: async (now: number) => {
      at = now
      usage()
      await Promise.resolve()
      await Promise.resolve()
      return [...usage()]
    },
  }
}

it('keeps the usage of nodes for 15 seconds, and omits values that it cannot parse', async () => {
  const { read, asked } = polled([measured, { ok: true, kind: 'list', items: [] } as unknown as Outcome])
  expect(await read(0)).toEqual([['node-1', { cpuMilli: 1500, memoryBytes: 2 * 1024 ** 3 }]])
  expect(await read(14_999)).toHaveLength(1)
  expect(asked).toEqual(['nodes.metrics.k8s.io'])
  expect(await read(15_000)).toEqual([])
  expect(asked).toHaveLength(2)
})

it('retries a cluster without metrics after a minute', async () => {
  const { read, asked } = polled([failure('NotFound', 'the server could not find the requested resource'), measured])
  expect(await read(0)).toEqual([])
  expect(await read(59_999)).toEqual([])
  expect(asked).toHaveLength(1)
  expect(await read(60_000)).toHaveLength(1)
})
