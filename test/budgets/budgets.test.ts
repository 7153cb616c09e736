import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { type Budget, defaultBudget, runBudgets } from './runner.ts'
import { missing } from './server-process.ts'
import { shrink } from './shrink.ts'
import { sources } from './sources.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const reason = missing(root)

// Two test workers share the caches and the compiler threads of a small machine, which makes the same work cost more CPU.
// Superlinear work exceeds the budget by far more than this factor; `npm run budgets` has the exact budgets.
const sharedMachineFactor = 4
const budget: Budget = {
  probeMs: defaultBudget.probeMs * sharedMachineFactor,
  attackMs: defaultBudget.attackMs * sharedMachineFactor,
  perMebibyteMs: defaultBudget.perMebibyteMs * sharedMachineFactor,
  perYamlMebibyteMs: defaultBudget.perYamlMebibyteMs * sharedMachineFactor,
  memoryBytes: defaultBudget.memoryBytes,
}

describe('the budgets of the API server', () => {
  // The limit only ends what hangs: the assertion is about CPU time.
  const timeout = 300_000
  it.skipIf(reason !== undefined)(
    `keeps its budgets under attack (skipped: ${reason ?? 'no'})`,
    { timeout },
    async () => {
      const { findings } = await runBudgets({ root, seed: 'quick', sources, budget })
      expect(findings.map(({ source, attack, why }) => `${source}: ${attack.name}: ${why}`)).toEqual([])
    },
  )

  it.skipIf(reason !== undefined)(
    `reports an attack above its budget (skipped: ${reason ?? 'no'})`,
    { timeout },
    async () => {
      const attack = { name: 'a list', method: 'GET', path: '/api/v1/pods' }
      const source = { name: 'lists', attacks: () => [attack], quickCount: 1 }
      const tight = { ...defaultBudget, attackMs: 0.001, probeMs: 0.001 }
      const { findings } = await runBudgets({ root, seed: 'quick', sources: [source], budget: tight })
      expect(findings).toEqual([{ source: 'lists', attack, why: expect.stringMatching(/ ms of CPU$/) }])
    },
  )

  it('shrinks an attack to the part that still exceeds the budget', async () => {
    const body = JSON.stringify({ a: 'x'.repeat(1000), b: [1, 2, 3], c: { d: 'y'.repeat(1000) } })
    const attack = { name: 'a', method: 'POST', path: '/', body }
    const smallest = await shrink(attack, async ({ body }) => String(body).split('y').length > 100)
    expect(JSON.parse(String(smallest.body))).toEqual({ c: { d: expect.stringMatching(/^y{100,130}$/) } })
  })
})
