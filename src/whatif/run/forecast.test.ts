import { describe, expect, it } from 'vitest'
import type { KubeObject } from '../../api/objects/meta.ts'
import { must } from '../../base/result.ts'
import { forecast } from './forecast.ts'
import { deployment, dumpOf, node } from './story.fixture.ts'

describe('the forecast function', () => {
  it('returns a forecast for objects and steps', async () => {
    const { items } = (await dumpOf([node('a1'), node('a2'), deployment('web', 2)])) as { items: KubeObject[] }
    const steps = [{ at: '0s', taint: { node: 'a1', taint: 'gone:NoExecute' } }]
    const { answer } = must(await forecast({ cluster: items, steps, until: '10m' }))
    expect(answer).toMatchObject({ deleted: 1, replaced: 1, pending: 0 })
  })

  it.each([
    [{ steps: [{ at: '0s', cordon: { node: 'zz' } }] }, 'steps[0]: nodes "zz" not found'],
    [
      { steps: [{ at: 'soon', cordon: { node: 'a1' } }] },
      'steps[0].at: must be a duration such as 30s or 1h15m, not "soon"',
    ],
    [{ steps: [], config: { 'no-such-flag': 1 } }, 'config.no-such-flag: unknown field'],
  ])('returns an error for %j', async (more, message) => {
    const answer = await forecast({ cluster: [node('a1') as KubeObject], until: '1m', ...more })
    expect(answer.ok).toBe(false)
    expect(!answer.ok && answer.message).toContain(message)
  })
})
