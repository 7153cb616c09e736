import type { KubeObject } from '../api/objects/meta.ts'

type Bootstrapped = { readonly resource: string; readonly object: KubeObject }

const apiVersion = 'flowcontrol.apiserver.k8s.io/v1'
const annotations = { 'apf.kubernetes.io/autoupdate-spec': 'true' }

/** Name, shares, lendable percent, and the queues: number, hand size. Without queues, excess requests are rejected. */
const levels = [
  ['system', 30, 33, [64, 6]],
  ['node-high', 40, 25, [64, 6]],
  ['leader-election', 10, 0, [16, 4]],
  ['workload-high', 40, 50, [128, 6]],
  ['workload-low', 100, 90, [128, 6]],
  ['global-default', 20, 50, [128, 6]],
  ['catch-all', 5, 0, undefined],
] as const

const group = (name: string) => ({ kind: 'Group', group: { name } })
const user = (name: string) => ({ kind: 'User', user: { name } })
const accounts = (namespace: string) => ({ kind: 'ServiceAccount', serviceAccount: { namespace, name: '*' } })
const everyone = [group('system:unauthenticated'), group('system:authenticated')]
const managers = [user('system:kube-controller-manager'), user('system:kube-scheduler'), accounts('kube-system')]

const everything = {
  resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'], clusterScope: true, namespaces: ['*'] }],
  nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
}
const leases = (verbs: readonly string[]) => ({
  verbs,
  apiGroups: ['coordination.k8s.io'],
  resources: ['leases'],
  namespaces: ['*'],
})
const nodeRules = {
  resourceRules: [
    { verbs: ['*'], apiGroups: [''], resources: ['nodes', 'nodes/status'], clusterScope: true, namespaces: ['*'] },
    leases(['*']),
  ],
}
const probes = { nonResourceRules: [{ verbs: ['get'], nonResourceURLs: ['/healthz', '/readyz', '/livez'] }] }
const elections = { resourceRules: [leases(['get', 'create', 'update'])] }

/** Name, level, precedence, flow distinguisher, subjects, and rules. */
const schemas = [
  ['exempt', 'exempt', 1, undefined, [group('system:masters')], everything],
  ['probes', 'exempt', 2, undefined, everyone, probes],
  ['system-leader-election', 'leader-election', 100, 'ByUser', managers, elections],
  ['system-node-high', 'node-high', 400, 'ByUser', [group('system:nodes')], nodeRules],
  ['system-nodes', 'system', 500, 'ByUser', [group('system:nodes')], everything],
  ['kube-controller-manager', 'workload-high', 800, 'ByNamespace', managers.slice(0, 1), everything],
  ['kube-scheduler', 'workload-high', 800, 'ByNamespace', managers.slice(1, 2), everything],
  ['kube-system-service-accounts', 'workload-high', 900, 'ByNamespace', managers.slice(2), everything],
  ['service-accounts', 'workload-low', 9000, 'ByUser', [group('system:serviceaccounts')], everything],
  ['global-default', 'global-default', 9900, 'ByUser', everyone, everything],
  ['catch-all', 'catch-all', 10_000, 'ByUser', everyone, everything],
] as const

/** The flow schemas and priority levels that kube-apiserver maintains (v1.36, apis/flowcontrol/bootstrap). */
export function defaultFlows(): readonly Bootstrapped[] {
  const level = (name: string, spec: object): Bootstrapped => ({
    resource: 'prioritylevelconfigurations.flowcontrol.apiserver.k8s.io',
    object: { apiVersion, kind: 'PriorityLevelConfiguration', metadata: { name, annotations }, spec } as KubeObject,
  })
  return [
    level('exempt', { type: 'Exempt', exempt: { nominalConcurrencyShares: 0, lendablePercent: 0 } }),
    ...levels.map(([name, nominalConcurrencyShares, lendablePercent, queues]) => {
      const queuing =
        queues === undefined ? undefined : { queues: queues[0], handSize: queues[1], queueLengthLimit: 50 }
      const limitResponse = queuing === undefined ? { type: 'Reject' } : { type: 'Queue', queuing }
      return level(name, { type: 'Limited', limited: { nominalConcurrencyShares, lendablePercent, limitResponse } })
    }),
    ...schemas.map(([name, levelName, matchingPrecedence, method, subjects, rules]) => ({
      resource: 'flowschemas.flowcontrol.apiserver.k8s.io',
      object: {
        apiVersion,
        kind: 'FlowSchema',
        metadata: { name, annotations },
        spec: {
          priorityLevelConfiguration: { name: levelName },
          matchingPrecedence,
          ...(method === undefined ? {} : { distinguisherMethod: { type: method } }),
          rules: [{ subjects, ...rules }],
        },
      } as unknown as KubeObject,
    })),
  ]
}
