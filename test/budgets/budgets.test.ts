import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { runBudgets } from './runner.ts'
import { missing } from './server-process.ts'
import { shrink } from './shrink.ts'
import { sources } from './sources.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const reason = missing(root)

describe('the budgets of the API server', () => {
  // The limit only ends what hangs: what is asserted is CPU, which a busy machine does not change.
  const timeout = 300_000
  it.skipIf(reason !== undefined)(
    `keeps its budgets under attack (skipped: ${reason ?? 'no'})`,
    { timeout },
    async () => {
      const { findings } = await runBudgets({ root, seed: 'quick', sources })
      expect(findings.map(({ source, attack, why }) => `${source}: ${attack.name}: ${why}`)).toEqual([])
    },
  )

  it('shrinks an attack to what still matters', async () => {
    const body = JSON.stringify({ a: 'x'.repeat(1000), b: [1, 2, 3], c: { d: 'y'.repeat(1000) } })
    const attack = { name: 'a', method: 'POST', path: '/', body }
    const smallest = await shrink(attack, async ({ body }) => String(body).split('y').length > 100)
    expect(JSON.parse(String(smallest.body))).toEqual({ c: { d: expect.stringMatching(/^y{100,130}$/) } })
  })
})
