import { describe, expect, it } from 'vitest'
import type { PodDisruptionBudget } from '../../api/objects/pod.ts'
import { createPodParser } from '../cache/pod-parser.ts'
import { budget } from '../plugins/plugin-answers.fixture.ts'
import { pod } from '../small-cluster.fixture.ts'
import { splitByBudgets } from './budgets.ts'

const { parse } = createPodParser()

describe('splitByBudgets', () => {
  const web = ['a', 'b', 'c'].map((name) => parse(pod(name, { labels: { app: 'web' } })))
  const names = (pods: readonly { readonly key: string }[]): string[] =>
    pods.map(({ key }) => key.slice('default/'.length))
  const violating = (...budgets: PodDisruptionBudget[]): string[] => names(splitByBudgets(web, budgets).violating)

  it('allows disruptionsAllowed evictions in the given order', () => {
    expect(violating(budget('web', 2))).toEqual(['c'])
    expect(violating(budget('web', 0))).toEqual(['a', 'b', 'c'])
    expect(violating(budget('db', 0))).toEqual([])
  })

  it('does not count a pod in disruptedPods', () => {
    expect(violating(budget('web', 1, ['a']))).toEqual(['c'])
  })

  it('ignores budgets without a selector and pods without labels', () => {
    const { spec: _, ...all } = budget('web', 0)
    expect(violating({ ...all, spec: { selector: {} } })).toEqual([])
    expect(splitByBudgets([parse(pod('x'))], [budget('web', 0)]).violating).toEqual([])
  })
})
