// Objects and scenarios for tests.
import type { KubeObject } from '../../api/objects/meta.ts'
import { must } from '../../base/result.ts'
import { packs } from '../../controllers/hollow-kubelet/packs.ts'
import { defaultSettings } from '../../controlplane/settings.ts'
import type { Fact } from '../facts/fact.ts'
import type { ForecastPlan } from '../scenario/forecast-plan.ts'
import { readScenario } from '../scenario/scenario.ts'
import { planOfScenario } from '../scenario/scenario-plan.ts'
import type { PlannedStep } from '../scenario/step.ts'
import { findCluster } from '../snapshot/found-cluster.ts'
import { ForecastRun, type ForecastRunOptions } from './forecast-run.ts'

export const quickConfig = {
  'node-monitor-period': '1s',
  'node-monitor-grace-period': '8s',
  'node-startup-grace-period': '10s',
  'node-eviction-rate': 0.5,
  'secondary-node-eviction-rate': 0.1,
}

export function node(name: string, { zone = 'zone-a', cpu = '4' }: { zone?: string; cpu?: string } = {}): object {
  const size = { cpu, memory: '8Gi', pods: '110' }
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name,
      labels: {
        'kubernetes.io/hostname': name,
        'topology.kubernetes.io/zone': zone,
        'topology.kubernetes.io/region': 'r1',
      },
    },
    status: { capacity: size, allocatable: size },
  }
}

export interface PodChoice {
  readonly on?: string
  readonly cpu?: string
  readonly priority?: string
  readonly grace?: number
  readonly tolerations?: readonly object[]
}

function podSpec({ on, cpu = '100m', priority, grace = 2, tolerations }: PodChoice): object {
  return {
    terminationGracePeriodSeconds: grace,
    ...(on === undefined ? {} : { nodeSelector: { 'kubernetes.io/hostname': on } }),
    ...(priority === undefined ? {} : { priorityClassName: priority }),
    ...(tolerations === undefined ? {} : { tolerations }),
    containers: [{ name: 'c', image: 'pause', resources: { requests: { cpu, memory: '64Mi' } } }],
  }
}

export function pod(name: string, choice: PodChoice = {}): object {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'default', labels: { app: name } },
    spec: podSpec(choice),
  }
}

export function deployment(name: string, replicas: number, choice: PodChoice = {}): object {
  return deploymentOf(name, replicas, podSpec(choice))
}

/** A Deployment with this pod spec. */
export function deploymentOf(name: string, replicas: number, spec: object, annotations: object = {}): object {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, namespace: 'default' },
    spec: {
      replicas,
      selector: { matchLabels: { app: name } },
      template: { metadata: { labels: { app: name }, annotations }, spec },
    },
  }
}

export const containerOf = (requests: object): object => ({ name: 'c', image: 'a', resources: { requests } })

export function budget(name: string, minAvailable: number | string): object {
  return {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name, namespace: 'default' },
    spec: { minAvailable, selector: { matchLabels: { app: name } } },
  }
}

export function priorityClass(name: string, value: number): object {
  return { apiVersion: 'scheduling.k8s.io/v1', kind: 'PriorityClass', metadata: { name }, value }
}

/** Tolerates not-ready and unreachable nodes for `seconds`. */
export function lossTolerated(seconds: number): readonly object[] {
  return ['not-ready', 'unreachable'].map((what) => ({
    key: `node.kubernetes.io/${what}`,
    operator: 'Exists',
    effect: 'NoExecute',
    tolerationSeconds: seconds,
  }))
}

export async function runScenario(story: object, options: ForecastRunOptions = {}): Promise<ForecastRun> {
  const document = {
    apiVersion: 'berth.dev/v1alpha1',
    kind: 'Scenario',
    config: quickConfig,
    hollow: { leaseRenewInterval: '1s', statusUpdateInterval: '2s' },
    until: '1m',
    ...story,
  }
  const scenario = must(await readScenario(document, async () => []))
  return ForecastRun.start(planOfScenario(scenario).plan, options).finish()
}

/** Facts in a short form: `18.3s node a1 ready Unknown`. */
export function told(facts: readonly Fact[], ...kinds: readonly Fact['what'][]): readonly string[] {
  return facts
    .filter(({ what }) => kinds.length === 0 || kinds.includes(what))
    .map(({ atMs, what, about, key, group, detail }) => {
      const who = about === 'Pod' ? (group ?? key.slice(key.indexOf('/') + 1)) : key
      const said = typeof detail === 'string' ? ` ${detail}` : ''
      return `${Math.round(atMs / 100) / 10}s ${who} ${what}${said}`
    })
}

/** The objects at the end of a run, as `kubectl get -o json` prints them. */
export async function dumpOf(cluster: readonly object[], until = '1m', steps: readonly object[] = []): Promise<object> {
  const forecastRun = await runScenario(
    { cluster, steps, until, config: {}, hollow: {} },
    { heartbeats: 'written', seed: 'dump' },
  )
  const { store } = forecastRun.cluster
  const resources = [
    'nodes',
    'pods',
    'deployments.apps',
    'replicasets.apps',
    'statefulsets.apps',
    'daemonsets.apps',
    'controllerrevisions.apps',
    'poddisruptionbudgets.policy',
    'priorityclasses.scheduling.k8s.io',
    'leases.coordination.k8s.io',
  ]
  const items: readonly KubeObject[] = resources.flatMap((resource) => store.list(resource))
  return { apiVersion: 'v1', kind: 'List', items }
}

/** A plan with some steps on the objects of a running cluster. */
export function planOn(items: readonly KubeObject[], steps: readonly PlannedStep[], untilMs: number): ForecastPlan {
  const { cluster, without } = findCluster({ objects: items })
  return {
    title: '',
    settings: defaultSettings,
    hollow: { stages: packs.forecast },
    found: cluster,
    create: [],
    steps,
    untilMs,
    expect: [],
    without,
  }
}

/** The items of `dumpOf`. */
export async function itemsOf(objects: readonly object[]): Promise<readonly KubeObject[]> {
  return ((await dumpOf(objects)) as { readonly items: readonly KubeObject[] }).items
}
