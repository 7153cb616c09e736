import { join } from 'node:path'
import { folderOf } from '../../envtest/go-module.ts'
import { eventually } from '../real-parts.ts'
import type { Kubectl, Operator } from './operator.ts'

const source = { name: 'karpenter', module: 'sigs.k8s.io/karpenter', version: 'v1.14.1' }
const namespace = 'provisioned'
const inWork = ['--namespace', namespace] as const

/** Karpenter with the cloud provider that its tests use, whose nodes have no kubelet. */
export const karpenter: Operator = {
  ...source,
  program: './kwok',
  install: ({ kubectl, ports }) => {
    // Its chart needs Helm.
    for (const folder of ['pkg/apis/crds', 'kwok/apis/crds'])
      kubectl(['apply', '--server-side', '-f', join(folderOf(source), folder)])
    return {
      args: [
        '--leader-election-namespace=kube-system',
        `--metrics-port=${ports.metrics}`,
        `--health-probe-port=${ports.health}`,
      ],
      env: { SYSTEM_NAMESPACE: 'kube-system' },
    }
  },
  work: async (kubectl) => {
    kubectl(['create', 'namespace', namespace])
    for (const object of pools) kubectl(['create', '-f', '-'], JSON.stringify(object))
    kubectl(['create', ...inWork, '-f', '-'], JSON.stringify(deployment))
    await eventually(
      'the pods have a node',
      () => started(kubectl),
      (count) => count === 3,
      120,
    )
    const initialized = () => kubectl(['get', 'nodes', '-l', 'karpenter.sh/initialized=true', '-o', 'name'])
    await eventually('a node is initialized', initialized, (names) => names !== '', 90)
    kubectl(['scale', 'deployment/web', ...inWork, '--replicas=0'])
    await eventually(
      'the nodes are removed',
      () => nodesOf(kubectl),
      (names) => names.length === 0,
      120,
    )
    kubectl(['delete', 'namespace', namespace, '--timeout=90s'])
    kubectl(['delete', 'nodepool/general', 'kwoknodeclass/plain', '--timeout=60s'])
  },
}

const nodesOf = (kubectl: Kubectl) =>
  kubectl(['get', 'nodes', '-l', 'karpenter.sh/nodepool=general', '-o', 'name'])
    .split('\n')
    .filter((name) => name !== '')

/** The number of pods with a node. In place of kubelets, reports the nodes as ready. */
function started(kubectl: Kubectl): number {
  const status = { conditions: [{ type: 'Ready', status: 'True', reason: 'KubeletReady', message: 'ready' }] }
  for (const node of nodesOf(kubectl))
    kubectl(['patch', node, '--subresource=status', '--type=strategic', '-p', JSON.stringify({ status })])
  return kubectl(['get', 'pods', ...inWork, '-o', 'jsonpath={.items[*].spec.nodeName}'])
    .split(' ')
    .filter((name) => name !== '').length
}

const pools = [
  { apiVersion: 'karpenter.kwok.sh/v1alpha1', kind: 'KWOKNodeClass', metadata: { name: 'plain' } },
  {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodePool',
    metadata: { name: 'general' },
    spec: {
      disruption: { consolidationPolicy: 'WhenEmpty', consolidateAfter: '0s' },
      template: {
        spec: {
          nodeClassRef: { group: 'karpenter.kwok.sh', kind: 'KWOKNodeClass', name: 'plain' },
          requirements: [{ key: 'kubernetes.io/os', operator: 'In', values: ['linux'] }],
        },
      },
    },
  },
]

const deployment = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web' },
  spec: {
    replicas: 3,
    selector: { matchLabels: { app: 'web' } },
    template: {
      metadata: { labels: { app: 'web' } },
      spec: {
        terminationGracePeriodSeconds: 0,
        // Not on the node that the other operators use.
        nodeSelector: { 'karpenter.sh/nodepool': 'general' },
        containers: [{ name: 'c', image: 'pause', resources: { requests: { cpu: '1', memory: '1Gi' } } }],
      },
    },
  },
}
