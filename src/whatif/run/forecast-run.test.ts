import { describe, expect, it } from 'vitest'
import { createScenarioNodes } from '../scenario/scenario-nodes.fixture.ts'
import { deployment, lossTolerated, node, pod, priorityClass, runScenario, told } from './story.fixture.ts'

const { zoneA, zoneB, names } = createScenarioNodes()

describe('silent zones, as v1.36 treats them', () => {
  it('taints the nodes of a silent zone one by one at the full rate, as v1.36 does', async () => {
    const { recorder } = await runScenario({
      cluster: [...zoneA(3), ...zoneB(3), pod('p', { on: 'a2', tolerations: lossTolerated(5) })],
      steps: [{ at: '10s', silence: { zone: 'zone-a' } }],
    })
    expect(told(recorder.facts, 'tainted').filter((line) => line.includes('NoExecute'))).toEqual([
      '18.4s a1 tainted node.kubernetes.io/unreachable:NoExecute',
      '20.4s a2 tainted node.kubernetes.io/unreachable:NoExecute',
      '22.4s a3 tainted node.kubernetes.io/unreachable:NoExecute',
    ])
    expect(told(recorder.facts, 'terminating')).toEqual(['25.4s p terminating a2'])
  })

  it('evicts no pod if more than half of a small zone is silent, as v1.36 does', async () => {
    const { recorder } = await runScenario({
      cluster: [...zoneA(5), ...zoneB(3), pod('p', { on: 'a1', tolerations: lossTolerated(1) })],
      steps: [
        { at: '10s', silence: { nodes: ['a1', 'a2', 'a3'] } },
        { at: '40s', revive: { nodes: ['a1', 'a2', 'a3'] } },
      ],
    })
    expect(told(recorder.facts, 'tainted', 'terminating').map((line) => line.slice(line.indexOf(' ') + 1))).toEqual([
      'a1 tainted node.kubernetes.io/unreachable:NoSchedule',
      'a2 tainted node.kubernetes.io/unreachable:NoSchedule',
      'a3 tainted node.kubernetes.io/unreachable:NoSchedule',
    ])
    expect(told(recorder.facts, 'untainted')).toHaveLength(3)
    expect(recorder.wellAgainMs).toBe(40_000)
  })

  it('evicts from two silent nodes of three, because this is not a zone disruption', async () => {
    const { recorder } = await runScenario({
      cluster: [...zoneA(3), ...zoneB(3)],
      steps: [{ at: '10s', silence: { nodes: ['a1', 'a2'] } }],
    })
    expect(told(recorder.facts, 'tainted').filter((line) => line.includes('NoExecute'))).toHaveLength(2)
  })

  it('renews Leases often enough for a short grace period', async () => {
    const { recorder } = await runScenario({ cluster: [...zoneA(2)], hollow: {}, until: '5m' })
    expect(told(recorder.facts)).toEqual([])
  })

  it('evicts no pod and cancels evictions if all zones are silent', async () => {
    const { recorder } = await runScenario({
      cluster: [...zoneA(3), ...zoneB(3), pod('p', { on: 'a1', tolerations: lossTolerated(12) })],
      steps: [
        { at: '5s', silence: { node: 'a1' } },
        { at: '10s', silence: { nodes: names(3, 3).slice(1) } },
      ],
    })
    // The first node already had its taint when the others became silent. The taint is removed.
    expect(told(recorder.facts, 'tainted', 'untainted').filter((line) => line.includes('NoExecute'))).toEqual([
      '13.4s a1 tainted node.kubernetes.io/unreachable:NoExecute',
      '18.3s a1 untainted node.kubernetes.io/unreachable:NoExecute',
    ])
    expect(told(recorder.facts, 'terminating')).toEqual([])
  })
})

describe('preemption', () => {
  it('preempts the pods of lowest priority, and the preemptor waits until they have terminated', async () => {
    const { recorder } = await runScenario({
      cluster: [
        node('a1', { cpu: '2' }),
        priorityClass('high', 1000),
        priorityClass('low', -10),
        pod('mid', { cpu: '900m' }),
        pod('low', { cpu: '900m', priority: 'low' }),
      ],
      steps: [{ at: '5s', apply: [pod('vip', { cpu: '1', priority: 'high' })] }],
      until: '20s',
    })
    expect(told(recorder.facts, 'nominated', 'disruption', 'terminating', 'gone', 'bound').slice(2)).toEqual([
      '5s low disruption PreemptionByScheduler',
      '5s vip nominated a1',
      '5s low terminating a1',
      '7s low gone a1',
      '7s vip bound a1',
    ])
  })
})

describe('a forecast run', () => {
  it('gives identical facts for the same seed, and different facts for another seed', async () => {
    const story = {
      cluster: [...zoneA(3), deployment('web', 2)],
      steps: [{ at: '5s', scale: { target: 'deployment/web', replicas: 9 } }],
    }
    const [one, same, other] = await Promise.all([
      runScenario(story),
      runScenario(story),
      runScenario(story, { seed: 'another' }),
    ])
    expect(JSON.stringify(same.recorder.facts)).toBe(JSON.stringify(one.recorder.facts))
    expect(JSON.stringify(other.recorder.facts)).not.toBe(JSON.stringify(one.recorder.facts))
  })

  it('gives the same facts with computed and written heartbeats', async () => {
    const story = {
      cluster: [...zoneA(3), ...zoneB(3), deployment('web', 6, { tolerations: lossTolerated(3) })],
      steps: [
        { at: '7s', silence: { nodes: ['a1', 'b2'] } },
        { at: '23s', revive: { nodes: ['a1'] } },
        { at: '31s', fail: { node: 'a2' } },
        { at: '50s', recover: { node: 'a2' } },
      ],
    }
    const [computed, written] = await Promise.all([runScenario(story), runScenario(story, { heartbeats: 'written' })])
    expect(told(computed.recorder.facts)).toEqual(told(written.recorder.facts))
  })

  it('reports the path of a failing step', async () => {
    await expect(runScenario({ cluster: zoneA(1), steps: [{ at: '1s', cordon: { node: 'b9' } }] })).rejects.toThrow(
      'steps[0]: nodes "b9" not found; existing names are "a1"',
    )
    await expect(runScenario({ cluster: [{ ...node('a1'), kind: 'Nod' }] })).rejects.toThrow(
      'cluster: Nod a1: no matches for kind "Nod" in version "v1"',
    )
  })

  it('runs every kind of step', async () => {
    const { recorder, cluster } = await runScenario({
      cluster: [...zoneA(3), deployment('web', 2), pod('solo', { on: 'a1' })],
      steps: [
        { at: '1s', cordon: { node: 'a1' } },
        { at: '2s', uncordon: { node: 'a1' } },
        { at: '3s', taint: { selector: 'topology.kubernetes.io/zone=zone-a', taint: 'x=y:NoSchedule' } },
        { at: '4s', untaint: { nodes: ['a1', 'a2', 'a3'], taint: 'x' } },
        { at: '5s', pressure: { node: 'a2', pressures: ['disk'] } },
        { at: '6s', apply: [deployment('web', 3)] },
        { at: '7s', patch: { target: 'node/a3', patch: { metadata: { labels: { disk: 'ssd' } } } } },
        { at: '8s', delete: 'pod/default/solo' },
        { at: '9s', restart: { controller: 'scheduler' } },
        { at: '10s', scale: { target: 'deploy/web', replicas: 1 } },
        { at: '12s', drain: { node: 'a3' } },
      ],
      until: '30s',
    })
    expect(told(recorder.facts, 'cordoned', 'uncordoned').slice(0, 2)).toEqual(['1s a1 cordoned', '2s a1 uncordoned'])
    expect(told(recorder.facts, 'tainted', 'untainted').filter((line) => line.includes('x=y'))).toHaveLength(6)
    expect(told(recorder.facts, 'tainted').join()).toContain('a2 tainted node.kubernetes.io/disk-pressure:NoSchedule')
    expect(cluster.store.get('nodes', 'a3')?.metadata.labels?.['disk']).toBe('ssd')
    expect(cluster.store.get('pods', 'default/solo')).toBeUndefined()
    expect(cluster.store.list('pods')).toHaveLength(1)
    expect(told(recorder.facts, 'cordoned').at(-1)).toBe('12s a3 cordoned')
  })
})
