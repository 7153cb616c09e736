import { describe, expect, it } from 'vitest'
import type { KubeObject } from '../../api/objects/meta.ts'
import { packs } from '../../controllers/hollow-kubelet/packs.ts'
import { defaultSettings } from '../../controlplane/settings.ts'
import { budget, deployment, dumpOf, node } from '../run/story.fixture.ts'
import { findCluster } from '../snapshot/found-cluster.ts'
import { LintForecasts } from './forecasts.ts'
import { type LintObjects, lintObjects } from './lint.ts'

const none: LintObjects = { nodes: [], pods: [], workloads: [], budgets: [], priorityClasses: [] }

const found = (objects: Partial<Record<keyof LintObjects, readonly object[]>>) =>
  lintObjects({ ...none, ...objects } as LintObjects).map(({ rule, name }) => `${rule} ${name}`)

function inside(app: object, spec: object): object {
  const { spec: outer, ...rest } = app as { spec: { template: { spec: object } } }
  return { ...rest, spec: { ...outer, template: { ...outer.template, spec: { ...outer.template.spec, ...spec } } } }
}

describe('lint finds', () => {
  it.each([
    [
      'a budget that needs all replicas',
      { workloads: [deployment('a', 2)], budgets: [budget('a', 2)] },
      ['budget-never-drains a'],
    ],
    [
      'nothing for a workload with a budget that allows one eviction',
      { workloads: [deployment('a', 2)], budgets: [budget('a', 1)] },
      [],
    ],
    ['a budget without pods', { budgets: [budget('a', 1)] }, ['budget-selects-nothing a']],
    ['a workload without a budget', { workloads: [deployment('a', 2)] }, ['no-budget a']],
    ['a single replica', { workloads: [deployment('a', 1)] }, ['single-replica a']],
    [
      'two budgets for one workload',
      {
        workloads: [deployment('a', 3)],
        budgets: [budget('a', 1), { ...budget('a', 1), metadata: { name: 'b', namespace: 'default' } }],
      },
      ['overlapping-budgets a'],
    ],
    [
      'a toleration of failed nodes without a time limit',
      {
        workloads: [inside(deployment('a', 2), { tolerations: [{ operator: 'Exists' }] })],
        budgets: [budget('a', 1)],
      },
      ['tolerates-dead-nodes a'],
    ],
    [
      'a system pod with a low priority',
      {
        workloads: [
          { ...deployment('dns', 2), metadata: { name: 'dns', namespace: 'kube-system' } },
          inside(deployment('web', 2), { priorityClassName: 'high' }),
        ],
        budgets: [budget('web', 1)],
        priorityClasses: [{ metadata: { name: 'high' }, value: 1000 }],
      },
      ['preempts-system dns'],
    ],
  ])('lint finds %s', (_name, objects, expected) => {
    expect(found(objects)).toEqual(expected)
  })

  it('rounds a percentage of a budget as the disruption controller does', () => {
    const half = { ...budget('a', 1), spec: { minAvailable: '50%', selector: { matchLabels: { app: 'a' } } } }
    expect(found({ workloads: [deployment('a', 1)], budgets: [half] })).toContain('budget-never-drains a')
    expect(found({ workloads: [deployment('a', 2)], budgets: [half] })).toEqual([])
  })
})

describe('forecasts of lint', () => {
  async function completed(cluster: readonly object[]) {
    const { items } = (await dumpOf(cluster)) as { items: readonly KubeObject[] }
    const { cluster: state, without } = findCluster({ objects: items })
    const list = (resource: string, kind: string) => state.store.list(resource).map((object) => ({ ...object, kind }))
    const objects = {
      ...none,
      nodes: list('nodes', 'Node'),
      pods: list('pods', 'Pod'),
      workloads: list('deployments.apps', 'Deployment'),
      budgets: list('poddisruptionbudgets.policy', 'PodDisruptionBudget'),
    } as unknown as LintObjects
    const plan = {
      title: '',
      settings: defaultSettings,
      hollow: { stages: packs.forecast },
      found: state,
      create: [],
      untilMs: 1_800_000,
      without,
    }
    return new LintForecasts(plan, objects, '1').complete(lintObjects(objects))
  }

  it('adds the blocked drain as evidence for a budget that never allows an eviction', async () => {
    const findings = await completed([node('a'), node('b'), deployment('db', 1), budget('db', 1)])
    const [blocked] = findings.filter(({ rule }) => rule === 'budget-never-drains')
    expect(blocked?.evidence).toMatch(/^whatif drain [ab]: BLOCKED: .*db/)
  })

  it('finds a rollout that never ends because required anti-affinity allows one pod per node and every node has one', async () => {
    const terms = [{ topologyKey: 'kubernetes.io/hostname', labelSelector: { matchLabels: { app: 'web' } } }]
    const affinity = { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: terms } }
    const app = inside(deployment('web', 2), { affinity }) as { spec: object }
    const strict = { rollingUpdate: { maxUnavailable: 0, maxSurge: 1 }, type: 'RollingUpdate' }
    const stuck = { ...app, spec: { ...app.spec, strategy: strict } }
    const rules = async (...nodes: readonly string[]) =>
      (await completed([...nodes.map((name) => node(name)), stuck, budget('web', 1)])).map(({ rule }) => rule)
    expect(await rules('a', 'b')).toContain('rollout-deadlock')
    expect(await rules('a', 'b', 'c')).not.toContain('rollout-deadlock')
  })
})
