// The pools of nodes that an autoscaler manages, with their limits: NodePools of Karpenter, groups of Cluster Autoscaler.
import type { KubeObject } from '../../api/objects/meta.ts'
import type { KnownResource } from '../../api/objects/resources.ts'
import { milliValue } from '../../api/quantity.ts'
import type { PoolRow } from '../../wire/console-tables.ts'
import type { ConsoleSource } from './source.ts'

interface AutoscalerInspection {
  readonly groups?: readonly {
    readonly name: string
    /** `key=value` of the label that its nodes have. */
    readonly label: string
    /** The instance type of the template. */
    readonly instanceType?: string
    readonly min: number
    readonly max: number
    readonly target: number
    readonly registered: number
    readonly problem?: string
    /** The number of nodes that the autoscaler counts as ready: their devices must be ready too. */
    readonly ready?: number
  }[]
  readonly unneeded?: readonly GroupedNode[]
  readonly deleting?: readonly GroupedNode[]
}

interface GroupedNode {
  readonly node: string
  readonly group?: string
}

const unlimited = -1
/** The share from which a limit is nearly reached. */
const nearly = 0.95

export function poolRows(source: ConsoleSource, pendingPods: boolean): readonly PoolRow[] {
  const own = groupRows(source, pendingPods)
  const named = new Set(own.map(([key]) => key))
  // An autoscaler in this process also writes a status.
  const others = statusRows(source, pendingPods).filter(([key]) => !named.has(key))
  return [...nodePoolRows(source), ...own, ...others]
}

interface NodePool extends KubeObject {
  readonly spec?: { readonly limits?: Readonly<Record<string, string | number>> }
  readonly status?: {
    readonly resources?: Readonly<Record<string, string | number>>
    readonly conditions?: readonly { readonly type: string; readonly status: string; readonly message?: string }[]
  }
}

function nodePoolRows(source: ConsoleSource): readonly PoolRow[] {
  const claims = source.list('nodeclaims.karpenter.sh' as KnownResource) as readonly NodeClaim[]
  return (source.list('nodepools.karpenter.sh' as KnownResource) as readonly NodePool[]).map(
    ({ metadata: { name }, spec, status }) => {
      const { limits = {} } = spec ?? {}
      const resources = status?.resources ?? {}
      const used = Object.entries(limits)
        .filter(([resource, limit]) => amount(resources[resource]) >= nearly * amount(limit))
        .map(([resource, limit]) => `${resources[resource] ?? 0} of ${limit} ${resource}`)
      const notReady = status?.conditions?.find(({ type, status: state }) => type === 'Ready' && state === 'False')
      const trouble = [
        ...(used.length === 0 ? [] : [`at its limit: ${used.join(', ')}`]),
        ...(notReady === undefined ? [] : [notReady.message ?? 'not ready']),
      ]
      const nodes = Number(resources['nodes'] ?? 0)
      const max = limits['nodes'] === undefined ? unlimited : Number(limits['nodes'])
      const own = claims.filter(({ metadata }) => metadata.labels?.['karpenter.sh/nodepool'] === name)
      return [`NodePool/${name}`, `karpenter.sh/nodepool=${name}`, nodes, 0, max, trouble.join('; '), claimPlans(own)]
    },
  )
}

interface NodeClaim extends KubeObject {
  readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] }
}

/** NodeClaims without a registered node are nodes that Karpenter is adding. */
function claimPlans(claims: readonly NodeClaim[]): string {
  const removed = claims.filter(({ metadata }) => metadata.deletionTimestamp !== undefined).length
  const types = new Map<string, number>()
  for (const { metadata, status } of claims) {
    const isRegistered = status?.conditions?.some(
      ({ type, status: state }) => type === 'Registered' && state === 'True',
    )
    if (isRegistered === true || metadata.deletionTimestamp !== undefined) continue
    const type = metadata.labels?.['node.kubernetes.io/instance-type'] ?? 'a type that is not chosen yet'
    types.set(type, (types.get(type) ?? 0) + 1)
  }
  const added = [...types.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([type, count]) => `${count} × ${type}`)
  return [
    ...(added.length === 0 ? [] : [`adding ${added.join(', ')}`]),
    ...(removed === 0 ? [] : [`removing ${nodesText(removed)}`]),
  ].join('; ')
}

const nodesText = (count: number) => (count === 1 ? '1 node' : `${count} nodes`)

/** The difference between the nodes of a group and the number that its autoscaler wants. */
function targetPlans(target: number, has: number | undefined): string {
  if (has === undefined || target === has) return ''
  return target > has ? `adding ${nodesText(target - has)}` : `removing ${nodesText(has - target)}`
}

const amount = (quantity: string | number | undefined) => (quantity === undefined ? 0 : milliValue(String(quantity)))

/** The groups of an autoscaler that runs in this process. */
function groupRows(source: ConsoleSource, pendingPods: boolean): readonly PoolRow[] {
  const inspected = (source.inspect('cluster-autoscaler') ?? {}) as AutoscalerInspection
  const { groups = [], unneeded = [], deleting = [] } = inspected
  return groups.map((group) => {
    const { name, label, instanceType, min, max, target, registered } = group
    const inGroup = (nodes: readonly GroupedNode[]) => nodes.filter((one) => one.group === name).length
    const removed = Math.max(inGroup(deleting), registered - target)
    const plans = [
      ...(target > registered ? [`adding ${target - registered} × ${instanceType ?? 'node'}`] : []),
      ...(removed > 0 ? [`removing ${nodesText(removed)}`] : []),
      ...(inGroup(unneeded) > 0 ? [`${nodesText(inGroup(unneeded))} unneeded`] : []),
    ]
    const isFull = pendingPods && target >= max
    return [
      `Node group/${name}`,
      label,
      registered,
      min,
      max,
      problemText(group) ?? (isFull ? `at its maximum of ${max} nodes` : ''),
      plans.join('; '),
    ]
  })
}

type InspectedGroup = NonNullable<AutoscalerInspection['groups']>[number]

function problemText({ problem, ready, registered }: InspectedGroup): string | undefined {
  if (problem === 'backoff') return 'waits after a failed scale-up'
  if (problem !== 'unhealthy') return problem
  return ready === undefined
    ? 'it counts too few nodes as ready'
    : `it counts ${ready} of ${nodesText(registered)} as ready`
}

const mostStatusLines = 20_000

/** The groups in the status of a Cluster Autoscaler in the cluster: a ConfigMap with a YAML document. */
function statusRows(source: ConsoleSource, pendingPods: boolean): readonly PoolRow[] {
  const map = source.get('configmaps', 'kube-system/cluster-autoscaler-status')
  const text = map?.data?.['status']
  if (typeof text !== 'string') return []
  const rows: PoolRow[] = []
  let group: { name: string; nodes: number; min: number; max: number; registered?: number } | undefined
  let isRegistered = false
  const finish = () => {
    if (group === undefined) return
    const { name, nodes, min, max, registered } = group
    const isFull = pendingPods && max > 0 && nodes >= max
    const trouble = isFull ? `at its maximum of ${max} nodes` : ''
    rows.push([`Node group/${name}`, '', nodes, min, max, trouble, targetPlans(nodes, registered)])
  }
  for (const line of text.split('\n', mostStatusLines)) {
    const [field = '', value = ''] = line.replace('-', ' ').trim().split(': ')
    if (/^\s*- name$/.test(line.split(':', 1)[0] ?? '')) {
      finish()
      group = { name: value, nodes: 0, min: 0, max: 0 }
    } else if (field.endsWith(':')) isRegistered = field === 'registered:'
    else if (group !== undefined && isRegistered && field === 'total') group.registered = Number(value)
    else if (group !== undefined && field === 'cloudProviderTarget') group.nodes = Number(value)
    else if (group !== undefined && field === 'minSize') group.min = Number(value)
    else if (group !== undefined && field === 'maxSize') group.max = Number(value)
  }
  finish()
  return rows
}
