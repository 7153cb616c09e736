import { describe, expect, it } from 'vitest'
import type { Pod } from '../../api/objects/pod.ts'
import type { Fact, FactKind } from './fact.ts'
import { beginStory, tell } from './pod-story.ts'

const pod: Pod = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'web-1', namespace: 'default', uid: 'web-1' },
  spec: { nodeName: 'a1', containers: [] },
}
const workload = { id: 'web', kind: 'Deployment', namespace: 'default', name: 'web', uid: 'web', isPerNode: false }
const fact = (atMs: number, what: FactKind, detail: string, by: string): Fact => ({
  ...{ atMs, what, detail, by },
  ...{ about: 'Pod', key: 'default/web-1', uid: 'web-1' },
})

function storyOf(...facts: readonly [Fact, ...Fact[]]) {
  const story = beginStory(pod, facts[0], { isOld: true, workload })
  for (const each of facts) tell(story, each)
  return story
}

const evicted = (atMs: number) => fact(atMs, 'disruption', 'DeletionByTaintManager', 'taint-eviction-controller')
const deleted = (atMs: number, by: string) => fact(atMs, 'terminating', 'a1', by)

describe('the story of a pod', () => {
  it('the story of a pod has the disruption that deletes the pod', () => {
    expect(storyOf(evicted(1_000), deleted(1_000, 'taint-eviction-controller'))).toMatchObject({
      disruption: 'DeletionByTaintManager',
      deletedBy: 'taint-eviction-controller',
    })
  })

  it('the story of a pod does not have a disruption after its controller deleted it', () => {
    expect(storyOf(deleted(0, 'replicaset-controller'), evicted(300_000))).toMatchObject({
      disruption: undefined,
      deletedBy: 'replicaset-controller',
    })
  })
})
