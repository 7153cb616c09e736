import { describe, expect, it } from 'vitest'
import type { ExpansionOption } from './expander.ts'
import { groupPriorities, type PriorityWarning, readPriorities } from './group-priorities.ts'

const option = (name: string) => ({ group: { name }, nodeCount: 1, pods: [] }) as unknown as ExpansionOption

function chosen(priorities: string, ...names: readonly string[]) {
  const found = readPriorities({ data: { priorities } })
  if (found === undefined || !('rules' in found)) throw new Error('the ConfigMap is invalid')
  const warnings: PriorityWarning[] = []
  const options = groupPriorities(names.map(option), found.rules, (warning) => warnings.push(warning))
  return { names: options.map(({ group }) => group.name), reasons: warnings.map(({ reason }) => reason) }
}

describe('the priority expander', () => {
  it('the priority expander keeps the groups with the highest priority', () => {
    const answer = chosen('10:\n  - .*\n20:\n  - spot-.*\n', 'web', 'spot-a', 'spot-b')
    expect(answer).toEqual({ names: ['spot-a', 'spot-b'], reasons: [] })
  })

  it('warns about a group without a priority, which is not used', () => {
    const answer = chosen('10:\n  - web\n', 'web', 'batch')
    expect(answer).toEqual({ names: ['web'], reasons: ['PriorityConfigMapNotMatchedGroup'] })
  })

  it('keeps all groups if no group has a priority, with a warning for each group and one for all', () => {
    const answer = chosen('10:\n  - nothing\n', 'web')
    expect(answer).toEqual({
      names: ['web'],
      reasons: ['PriorityConfigMapNotMatchedGroup', 'PriorityConfigMapNoGroupMatched'],
    })
  })

  it.each([
    [{ data: {} }, "Wrong configmap for priority expander, doesn't contain priorities key. Ignoring update."],
    [
      { data: { priorities: '' } },
      'Wrong configuration for priority expander: priority configuration in cluster-autoscaler-priority-expander configmap is empty; please provide valid configuration. Ignoring update.',
    ],
    [
      { data: { priorities: '10:\n  - a(\n' } },
      "Wrong configuration for priority expander: Can't compile regexp rule for priority 10 and rule a(: error parsing regexp: missing closing ): `a(`. Ignoring update.",
    ],
  ])('reports the problem of the ConfigMap %j', (map, message) => {
    expect(readPriorities(map)).toEqual({ warning: { reason: 'PriorityConfigMapInvalid', message } })
  })

  it.each(['- a', '10: web', 'ten:\n  - web', '10:\n  - {}'])('does not accept %j as priorities', (priorities) => {
    expect(readPriorities({ data: { priorities } })).toMatchObject({ warning: { reason: 'PriorityConfigMapInvalid' } })
  })
})
