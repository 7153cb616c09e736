import { expect, it } from 'vitest'
import type { Node } from '../../api/objects/node.ts'
import { must } from '../../base/result.ts'
import { NodeGroups } from './node-group.ts'
import { readAutoscalerOptions } from './options.ts'
import { decideCleanup } from './start-cleanup.ts'
import { deletionCandidate, toBeDeletedTaint } from './taints.ts'

const node = (name: string, taint: string, group = 'pool'): Node =>
  ({
    metadata: { name, labels: { 'kwok-nodegroup': group } },
    spec: { taints: [{ key: taint, effect: 'NoSchedule' }] },
  }) as never

const nodes = [node('a', toBeDeletedTaint), node('b', deletionCandidate), node('c', toBeDeletedTaint, 'other')]

it.each([
  ['removes the taint of nodes whose deletion had started', {}, undefined, ['a'], []],
  ['removes soft taints if soft taints are disabled', { 'max-bulk-soft-taint-count': '0' }, undefined, ['a', 'b'], []],
  ['continues deletions of the autoscaler of the cluster', {}, 3, [], ['a']],
])('decideCleanup %s', (_, flags, foundTarget, remove, goOn) => {
  const group = { name: 'pool', min: 0, max: 5, bootMs: 0, template: nodes[0], ...(foundTarget && { foundTarget }) }
  const groups = new NodeGroups([{ ...group, label: { key: 'kwok-nodegroup', value: 'pool' } } as never])
  const decided = decideCleanup(nodes, groups, must(readAutoscalerOptions(flags)))
  expect(decided.remove.map((each) => each.node.metadata.name)).toEqual(remove)
  expect(decided.goOn.map((each) => each.node.metadata.name)).toEqual(goOn)
})
