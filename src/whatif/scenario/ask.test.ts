import { describe, expect, it } from 'vitest'
import type { KubeObject } from '../../api/objects/meta.ts'
import { must } from '../../base/result.ts'
import { deployment, dumpOf, node } from '../run/story.fixture.ts'
import { forecast } from './ask.ts'

describe('a program that asks', () => {
  it('is answered as data', async () => {
    const { items } = (await dumpOf([node('a1'), node('a2'), deployment('web', 2)])) as { items: KubeObject[] }
    const steps = [{ at: '0s', taint: { node: 'a1', taint: 'gone:NoExecute' } }]
    const { answer } = must(await forecast({ cluster: items, steps, until: '10m' }))
    expect(answer).toMatchObject({ deleted: 1, replaced: 1, pending: 0 })
  })

  it.each([
    [{ steps: [{ at: '0s', cordon: { node: 'zz' } }] }, 'steps[0]: there is no node "zz"'],
    [
      { steps: [{ at: 'soon', cordon: { node: 'a1' } }] },
      'steps[0].at: it must be a duration such as 30s or 1h15m, not "soon"',
    ],
    [{ steps: [], config: { 'no-such-flag': 1 } }, 'config.no-such-flag: there is no such field'],
  ])('%j is answered with what is wrong', async (more, message) => {
    const answer = await forecast({ cluster: [node('a1') as KubeObject], until: '1m', ...more })
    expect(answer.ok).toBe(false)
    expect(!answer.ok && answer.message).toContain(message)
  })
})
