import { spawn } from 'node:child_process'
import { closeSync, openSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { KubeObject } from '../../../src/api/objects/meta.ts'
import { groupLabel } from '../../../src/autoscalers/cluster-autoscaler/node-group.ts'
import type { RealCluster } from '../real-parts.ts'

/** `autoscaling` of a scenario, as written. */
export interface WrittenAutoscaling {
  readonly karpenter?: { readonly instanceTypes: readonly object[]; readonly flags?: Flags }
  readonly clusterAutoscaler?: { readonly nodeGroups: readonly WrittenGroup[]; readonly flags?: Flags }
}

type Flags = Readonly<Record<string, string>>

interface WrittenGroup {
  readonly name: string
  readonly min?: number
  readonly max: number
  readonly template: KubeObject
}

/** The paths of the programs: `go build ./kwok` of sigs.k8s.io/karpenter, `go build -tags kwok` of Cluster Autoscaler. */
export interface Programs {
  readonly karpenter: string
  readonly clusterAutoscaler: string
}

/** Starts the autoscalers of the scenario, with the kwok cloud provider of each. */
export function startAutoscalers(cluster: RealCluster, written: WrittenAutoscaling, programs: Programs): void {
  const { karpenter, clusterAutoscaler } = written
  if (karpenter !== undefined) startKarpenter(cluster, karpenter, programs.karpenter)
  if (clusterAutoscaler !== undefined) startClusterAutoscaler(cluster, clusterAutoscaler, programs.clusterAutoscaler)
}

type Written<K extends keyof WrittenAutoscaling> = NonNullable<WrittenAutoscaling[K]>

function startKarpenter(cluster: RealCluster, { instanceTypes, flags = {} }: Written<'karpenter'>, file: string): void {
  const types = join(cluster.folder, 'instance-types.json')
  writeFileSync(types, JSON.stringify(instanceTypes))
  const own = { 'instance-types-file-path': types, 'metrics-port': '0', 'health-probe-port': '0', ...flags }
  const env = { DISABLE_LEADER_ELECTION: 'true', SYSTEM_NAMESPACE: 'kube-system', DISABLE_WEBHOOK: 'true' }
  launch(cluster, file, own, env)
}

function startClusterAutoscaler(
  cluster: RealCluster,
  { nodeGroups, flags = {} }: Written<'clusterAutoscaler'>,
  file: string,
): void {
  const templates = { apiVersion: 'v1', kind: 'List', items: nodeGroups.map(templateOf) }
  const config = {
    apiVersion: 'v1alpha1',
    readNodesFrom: 'configmap',
    nodegroups: { fromNodeLabelKey: groupLabel },
    nodes: { skipTaint: true },
    configmap: { name: 'kwok-provider-templates' },
  }
  for (const [name, data] of [
    ['kwok-provider-config', { config: JSON.stringify(config) }],
    ['kwok-provider-templates', { templates: JSON.stringify(templates) }],
  ] as const) {
    const map = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'kube-system' }, data }
    const path = join(cluster.folder, `${name}.json`)
    writeFileSync(path, JSON.stringify(map))
    cluster.kubectl('apply', '-f', path)
  }
  const own = {
    'cloud-provider': 'kwok',
    kubeconfig: cluster.kubeconfig,
    namespace: 'kube-system',
    'leader-elect': 'false',
    address: '127.0.0.1:0',
    v: '4',
    ...flags,
  }
  launch(cluster, file, own, { KWOK_PROVIDER_MODE: 'local', POD_NAMESPACE: 'kube-system' })
}

function templateOf({ name, min = 0, max, template }: WrittenGroup): object {
  const { metadata, ...rest } = template
  const prefix = 'cluster-autoscaler.kwok.nodegroup'
  return {
    apiVersion: 'v1',
    kind: 'Node',
    ...rest,
    metadata: {
      ...metadata,
      name,
      labels: { ...metadata.labels, [groupLabel]: name },
      annotations: {
        ...metadata.annotations,
        [`${prefix}/min-count`]: String(min),
        [`${prefix}/max-count`]: String(max),
        [`${prefix}/desired-count`]: String(min),
      },
    },
  }
}

function launch(cluster: RealCluster, file: string, flags: Flags, env: Flags): void {
  const out = openSync(join(cluster.folder, 'autoscaler.log'), 'a')
  const args = Object.entries(flags).map(([name, value]) => `--${name}=${value}`)
  const child = spawn(file, args, {
    stdio: ['ignore', out, out],
    cwd: cluster.folder,
    env: { ...process.env, ...env, KUBECONFIG: cluster.kubeconfig },
  })
  closeSync(out)
  cluster.adopt(child)
}
