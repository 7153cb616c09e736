import { describe, expect, it } from 'vitest'
import { must } from '../../base/result.ts'
import { ForecastRun } from '../../whatif/run/forecast-run.ts'
import { containerOf, deploymentOf } from '../../whatif/run/story.fixture.ts'
import { readScenario } from '../../whatif/scenario/scenario.ts'
import { planOfScenario } from '../../whatif/scenario/scenario-plan.ts'

interface Group {
  readonly name: string
  readonly max: number
  readonly cpu: string
  readonly min?: number
  readonly boot?: string
  readonly labels?: Readonly<Record<string, string>>
}

const resources = (cpu: string) => ({ cpu, memory: '16Gi', pods: '110' })
const node = (name: string, cpu: string) => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name, labels: { 'kubernetes.io/hostname': name } },
  status: { capacity: resources(cpu), allocatable: resources(cpu) },
})

/** The number of nodes of each group after ten minutes with these pods. */
async function sizes(
  groups: readonly Group[],
  replicas: number,
  cpu: string,
  flags = {},
  more: object[] = [],
  steps: object[] = [],
) {
  const document = {
    apiVersion: 'berth.dev/v1alpha1',
    kind: 'Scenario',
    autoscaling: {
      clusterAutoscaler: {
        flags,
        nodeGroups: groups.map(({ cpu: size, labels, ...group }) => ({
          ...group,
          template: {
            metadata: { labels: { 'kubernetes.io/hostname': '', ...labels } },
            status: { capacity: resources(size), allocatable: resources(size) },
          },
        })),
      },
    },
    cluster: [
      node('base', '1'),
      deploymentOf('web', replicas, { containers: [containerOf({ cpu, memory: '1Gi' })] }),
      ...more,
    ],
    steps,
    until: '10m',
  }
  const { plan } = planOfScenario(must(await readScenario(document, async () => [])))
  const { cluster } = ForecastRun.start(plan).finish()
  const counts: Record<string, number> = {}
  for (const { metadata } of cluster.store.list('nodes')) {
    const group = metadata.labels?.['kwok-nodegroup']
    if (group !== undefined) counts[group] = (counts[group] ?? 0) + 1
  }
  return counts
}

const small = { name: 'small', max: 10, cpu: '2' }
const large = { name: 'large', max: 10, cpu: '16' }

describe('Cluster Autoscaler', () => {
  it('adds as many nodes as the pods need', async () => {
    expect(await sizes([small], 6, '900m')).toEqual({ small: 3 })
  })

  it('never exceeds the maximum of a group', async () => {
    expect(await sizes([{ ...small, max: 2 }], 20, '900m')).toEqual({ small: 2 })
  })

  it('adds no node for pods that would not fit on it', async () => {
    expect(await sizes([small], 3, '3')).toEqual({})
  })

  it('uses the next group when the first is full', async () => {
    expect(await sizes([{ ...small, max: 1 }, large], 9, '900m')).toEqual({ small: 1, large: 1 })
  })

  it.each([
    ['least-waste', { small: 4 }],
    ['least-nodes', { large: 1 }],
    ['price', { small: 4 }],
  ])('selects groups with the expander %s', async (expander, expected) => {
    expect(await sizes([small, large], 8, '900m', { expander })).toEqual(expected)
  })

  it('selects groups by the priorities of the ConfigMap', async () => {
    const priorities = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'cluster-autoscaler-priority-expander', namespace: 'kube-system' },
      data: { priorities: '10:\n  - .*small.*\n50:\n  - ^large$\n' },
    }
    const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'kube-system' } }
    expect(await sizes([small, large], 2, '900m', { expander: 'priority' }, [namespace, priorities])).toEqual({
      large: 1,
    })
  })

  it('splits a scale-up between similar groups with --balance-similar-node-groups', async () => {
    // The group label differs between groups, as with every provider that labels its nodes.
    const flags = { 'balance-similar-node-groups': 'true', 'balancing-ignore-label': 'kwok-nodegroup' }
    const twins = [small, { ...small, name: 'twin' }]
    expect(await sizes(twins, 8, '900m', flags)).toEqual({ small: 2, twin: 2 })
  })

  it('stops at the limits of the cluster', async () => {
    expect(await sizes([small], 20, '900m', { 'max-nodes-total': '4' })).toEqual({ small: 3 })
    expect(await sizes([small], 20, '900m', { 'cores-total': '0:5' })).toEqual({ small: 2 })
  })

  it('ignores pods below the priority cutoff', async () => {
    const lowly = {
      apiVersion: 'scheduling.k8s.io/v1',
      kind: 'PriorityClass',
      metadata: { name: 'lowly' },
      value: -100,
      globalDefault: true,
    }
    expect(await sizes([small], 4, '900m', {}, [lowly])).toEqual({})
  })

  it('waits for nodes that are starting, without requesting them again', async () => {
    expect(await sizes([{ ...small, boot: '2m' }], 6, '900m')).toEqual({ small: 3 })
  })

  it('removes nodes that are not needed, down to the minimum of the group', async () => {
    const flags = { 'scale-down-unneeded-time': '1m', 'scale-down-delay-after-add': '1m' }
    const steps = [{ at: '3m', scale: { target: 'deployment/web', replicas: 0 } }]
    expect(await sizes([{ ...small, min: 1 }], 6, '900m', flags, [], steps)).toEqual({ small: 1 })
  })

  it('tries a node again after the recheck timeout, although nothing else changes', async () => {
    // One pod is on the node of the group. It fits nowhere else until both other pods are deleted, while the node is
    // not tried.
    const flags = { 'scale-down-unneeded-time': '1m', 'scale-down-delay-after-add': '1m' }
    const steps = [{ at: '3m', scale: { target: 'deployment/web', replicas: 0 } }]
    expect(await sizes([small], 2, '950m', flags, [], steps)).toEqual({})
  })
})
