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
  const violating = (...budgets: PodDisruptionBudget[]): string[] =>
    names(splitByBudgets(web, budgets, false).violating)

  it('allows disruptionsAllowed evictions in the given order', () => {
    expect(violating(budget('web', 2))).toEqual(['c'])
    expect(violating(budget('web', 0))).toEqual(['a', 'b', 'c'])
    expect(violating(budget('db', 0))).toEqual([])
  })

  it('counts a pod against every budget up to v1.36, and since v1.37 up to the first that it violates', () => {
    const all = budget('web', 1)
    const first = { ...all, spec: { selector: { matchLabels: { app: 'web', name: 'a' } } } }
    const pods = ['a', 'b'].map((name) => parse(pod(name, { labels: { app: 'web', name } })))
    const none = { ...first, status: { ...first.status, disruptionsAllowed: 0 } } as PodDisruptionBudget
    const split = (endsAtViolation: boolean) => names(splitByBudgets(pods, [none, all], endsAtViolation).violating)
    expect(split(false)).toEqual(['a', 'b'])
    expect(split(true)).toEqual(['a'])
  })

  it('does not count a pod in disruptedPods', () => {
    expect(violating(budget('web', 1, ['a']))).toEqual(['c'])
  })

  it('ignores budgets without a selector and pods without labels', () => {
    const { spec: _, ...all } = budget('web', 0)
    expect(violating({ ...all, spec: { selector: {} } })).toEqual([])
    expect(splitByBudgets([parse(pod('x'))], [budget('web', 0)], false).violating).toEqual([])
  })
})
