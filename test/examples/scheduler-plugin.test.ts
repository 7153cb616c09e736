import { describe, expect, it } from 'vitest'
import { teamNodes } from '../../examples/scheduler-plugin/team-nodes.ts'
import { must } from '../../src/base/result.ts'
import { createProfiles } from '../../src/scheduler/config/profiles.ts'
import { readSchedulerConfiguration } from '../../src/scheduler/config/scheduler-configuration.ts'
import { SchedulerStory } from '../transcripts/scheduler/story.ts'

function storyWithPlugin(): SchedulerStory {
  const meta = { apiVersion: 'kubescheduler.config.k8s.io/v1', kind: 'KubeSchedulerConfiguration' }
  const read = readSchedulerConfiguration(meta)
  if (!read.ok) throw new Error(read.message)
  const sources = { plugins: { TeamNodes: () => teamNodes }, enabled: ['TeamNodes'] }
  return new SchedulerStory({ scheduler: { profiles: must(createProfiles(read.value, sources)) } })
}

describe('the example plugin', () => {
  it('rejects the nodes of other teams with a reason', () => {
    const story = storyWithPlugin()
    const facts = story.tell(['node red cpu=4 labels=example.com/team:red', 'pod p cpu=1 labels=example.com/team:blue'])
    expect(facts).toEqual([
      '0s p Unschedulable: 0/1 nodes are available: 1 node(s) belonged to team red. preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling.',
    ])
  })

  it('prefers the nodes of the team', () => {
    const story = storyWithPlugin()
    const facts = story.tell([
      'node anybody cpu=8',
      'node blue cpu=4 labels=example.com/team:blue',
      'pod p cpu=1 labels=example.com/team:blue',
      'pod q cpu=1',
    ])
    expect(facts).toEqual(['0s p is bound to blue', '0s q is bound to anybody'])
  })

  it('requeues a pod when a node moves to another team', () => {
    const story = storyWithPlugin()
    story.tell(['node n cpu=4 labels=example.com/team:red', 'pod p cpu=1 labels=example.com/team:blue'])
    expect(story.tell(['advance 5s', 'label n color=gray', 'queue'])).toEqual([
      'p unschedulable since 0s (ScheduleAttemptFailure): rejected by TeamNodes',
    ])
    expect(story.tell(['label n example.com/team=blue'])).toEqual(['5s p is bound to n'])
  })
})
