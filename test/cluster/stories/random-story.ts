import type { Call } from '../../../src/api/call.ts'
import type { KubeObject } from '../../../src/api/objects/meta.ts'
import { createRandom, type RandomStream } from '../../../src/base/random.ts'
import { hollowAnnotations, hollowLabel } from '../../../src/controllers/hollow-kubelet/hollow-names.ts'

/** The changes that are applied at once. Afterwards, both sides become idle and are compared. */
export interface Round {
  readonly what: string
  readonly calls: readonly Call[]
}

/** Noticed within seconds instead of minutes, by the real controllers as by berth's. */
export const storyFlags = {
  'node-monitor-period': '1s',
  'node-monitor-grace-period': '8s',
  'node-startup-grace-period': '10s',
  'node-eviction-rate': '10',
}

const nodeNames = ['n0', 'n1', 'n2', 'n3']
const apps = ['a', 'b', 'c'] as const
const size = { cpu: '4', memory: '8Gi', pods: '110' }

export function storyNodes(): readonly KubeObject[] {
  return nodeNames.map(
    (name, at) =>
      ({
        apiVersion: 'v1',
        kind: 'Node',
        metadata: {
          name,
          labels: {
            [hollowLabel]: 'true',
            'kubernetes.io/hostname': name,
            'topology.kubernetes.io/zone': `zone-${at % 2}`,
          },
        },
        status: { capacity: size, allocatable: size },
      }) as unknown as KubeObject,
  )
}

/** A few workloads, and changes of one thing at a time. */
export function randomRounds(seed: string): readonly Round[] {
  const random = createRandom(seed).stream('rounds')
  const rounds: Round[] = [created('a', 'Deployment', random), created('b', 'StatefulSet', random)]
  for (let round = 0; round < 5 + random.int(4); round++) rounds.push(randomRound(random))
  return rounds
}

const resourceOf = (app: (typeof apps)[number]) =>
  ({ a: 'deployments.apps', b: 'statefulsets.apps', c: 'daemonsets.apps' })[app]
const kindOf = (app: (typeof apps)[number]) => ({ a: 'Deployment', b: 'StatefulSet', c: 'DaemonSet' })[app]

function created(app: (typeof apps)[number], kind: string, random: RandomStream): Round {
  const labels = { app }
  const toleration = (key: string, seconds: number) => ({
    key,
    operator: 'Exists',
    effect: 'NoExecute',
    tolerationSeconds: seconds,
  })
  const tolerations = [
    ...['not-ready', 'unreachable'].map((what) => toleration(`node.kubernetes.io/${what}`, 3)),
    ...(random.int(2) === 0 ? [toleration('maintenance', 2)] : []),
  ]
  // Pods of one size: how many fit does not depend on where they are, as n0 is for the StatefulSet alone.
  const containers = [{ name: 'c', image: 'i:1', resources: { requests: { cpu: '1', memory: '64Mi' } } }]
  const object = {
    apiVersion: 'apps/v1',
    kind,
    metadata: { name: app, namespace: 'default' },
    spec: {
      selector: { matchLabels: labels },
      ...(kind === 'DaemonSet' ? {} : { replicas: 1 + random.int(3) }),
      ...(kind === 'StatefulSet'
        ? { serviceName: app, podManagementPolicy: random.pick(['OrderedReady', 'Parallel']) }
        : {}),
      template: {
        metadata: { labels },
        spec: {
          terminationGracePeriodSeconds: random.int(2),
          tolerations,
          containers,
          // Its pods keep their names, so what happens to a node must happen to all of them or to none.
          ...(kind === 'DaemonSet' ? {} : { affinity: { nodeAffinity: onN0(kind === 'StatefulSet') } }),
        },
      },
    },
  }
  const call = {
    verb: 'create',
    resource: resourceOf(app),
    namespace: 'default',
    object: object as unknown as KubeObject,
  } as const
  return { what: `create ${kind} ${app}`, calls: [call] }
}

function onN0(isOn: boolean): object {
  const expression = { key: 'kubernetes.io/hostname', operator: isOn ? 'In' : 'NotIn', values: ['n0'] }
  return {
    requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchExpressions: [expression] }] },
  }
}

function budget(random: RandomStream): Round {
  const app = random.pick(['a', 'b'] as const)
  const limit = random.pick([{ maxUnavailable: 1 }, { minAvailable: 1 }, { minAvailable: '50%' }, { minAvailable: 3 }])
  const object = {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name: app, namespace: 'default' },
    spec: { ...limit, selector: { matchLabels: { app } } },
  } as unknown as KubeObject
  const call = { verb: 'create', resource: 'poddisruptionbudgets.policy', namespace: 'default', object } as const
  return { what: `budget ${app} ${JSON.stringify(limit)}`, calls: [call] }
}

function randomRound(random: RandomStream): Round {
  const node = random.pick(nodeNames)
  const app = random.pick(['a', 'b'] as const)
  const nodePatch = (what: string, patch: object): Round => ({
    what: `${what} ${node}`,
    calls: [{ verb: 'patch', resource: 'nodes', name: node, patch: { kind: 'merge', patch: patch as never } }],
  })
  const appPatch = (what: string, patch: object): Round => ({
    what: `${what} ${app}`,
    calls: [
      {
        verb: 'patch',
        resource: resourceOf(app),
        namespace: 'default',
        name: app,
        patch: { kind: 'merge', patch: patch as never },
      },
    ],
  })
  const replicas = random.int(7)
  const effect = random.pick(['NoSchedule', 'NoExecute', 'PreferNoSchedule'])
  const version = String(random.int(1000))
  switch (random.int(12)) {
    case 0:
    case 1:
      return appPatch(`scale to ${replicas}`, { spec: { replicas } })
    case 2:
      return appPatch('roll out', { spec: { template: { metadata: { annotations: { version } } } } })
    case 3:
      return nodePatch(`taint ${effect}`, { spec: { taints: [{ key: 'maintenance', value: 'now', effect }] } })
    case 4:
      return nodePatch('untaint', { spec: { taints: null } })
    case 5:
      return nodePatch('cordon', { spec: { unschedulable: true } })
    case 6:
      return nodePatch('uncordon', { spec: { unschedulable: null } })
    case 7:
      return nodePatch('silence', { metadata: { annotations: { [hollowAnnotations.silent]: 'true' } } })
    case 8:
      return nodePatch('revive', { metadata: { annotations: { [hollowAnnotations.silent]: null } } })
    case 9:
      return created('c', kindOf('c'), random)
    case 10:
      return budget(random)
    default:
      return { what: 'evict b-0', calls: [eviction('b-0')] }
  }
}

function eviction(name: string): Call {
  const object = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name, namespace: 'default' } }
  return {
    verb: 'create',
    resource: 'pods',
    subresource: 'eviction',
    namespace: 'default',
    name,
    object: object as unknown as KubeObject,
  }
}
