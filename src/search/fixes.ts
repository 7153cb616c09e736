import type { JsonObject } from '../api/objects/meta.ts'
import type { Node } from '../api/objects/node.ts'
import { labels } from '../api/well-known.ts'
import type { RequiredWorkload } from '../whatif/facts/workload-availability.ts'
import { freshNode } from '../whatif/scenario/fresh-node.ts'
import type { Explored } from './explorer.ts'
import type { Case } from './fault.ts'
import type { CaseViolation } from './run-case.ts'
import type { SearchBase } from './search-base.ts'

/** A change of the cluster that may prevent a violation, as steps of a scenario at time 0. */
export interface ProposedFix {
  readonly text: string
  readonly steps: readonly JsonObject[]
  /** The scenario with other settings. */
  readonly document?: JsonObject
}

/** Changes that may help, the least expensive first. The search decides which change helps. */
export function possibleFixes(base: SearchBase, { faults, result }: Explored): readonly ProposedFix[] {
  const violation = result.violation as CaseViolation
  const workload = base.workloads.all.find(
    ({ name }) => name === violation.subject || name.endsWith(` ${violation.subject}`),
  )
  const nodes = [...groupFixes(base), ...nodeFixes(base, faults)]
  if (workload === undefined) return nodes
  const spreads = spreadFixes(base, workload)
  const replicas = [1, 2].map((more) => replicaFix(workload, more))
  const own = [
    ...budgetFixes(base, workload, faults),
    ...spreads,
    ...replicas,
    ...spreads.flatMap((spread) => replicas.slice(0, 1).map((more) => both(spread, more))),
  ]
  // A pending pod needs more room. More pods of the same kind would need even more.
  const isPending = violation.expectation === 'noPodPending' || violation.expectation === 'noNewPending'
  return isPending
    ? [...nodes, ...own]
    : [...own, ...nodes, ...nodes.slice(0, 1).flatMap((node) => own.map((one) => both(one, node)))]
}

function both(a: ProposedFix, b: ProposedFix): ProposedFix {
  const document = a.document ?? b.document
  return {
    text: `${a.text}, and ${b.text}`,
    steps: [...a.steps, ...b.steps],
    ...(document === undefined ? {} : { document }),
  }
}

const atStart = (content: object): JsonObject => ({ at: '0s', ...content }) as unknown as JsonObject

function targetOf({ kind, namespace, own }: RequiredWorkload): string {
  return `${kind.toLowerCase()}/${namespace}/${own}`
}

/** With a budget, drains and other evictions cannot evict several pods at the same time. */
function budgetFixes({ store }: SearchBase, workload: RequiredWorkload, faults: Case): readonly ProposedFix[] {
  const isEvicted = faults.some(({ kind }) => kind === 'drain' || kind === 'spot-interruption')
  const { namespace, own, labels: selected } = workload
  const name = `${own}-budget`
  if (!isEvicted || store.get('poddisruptionbudgets.policy', `${namespace}/${name}`) !== undefined) return []
  const budget = {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name, namespace },
    spec: { maxUnavailable: 1, selector: { matchLabels: selected } },
  }
  return [
    {
      text: `add a PodDisruptionBudget with maxUnavailable 1 for ${namespace}/${own}`,
      steps: [atStart({ apply: [budget] })],
    },
  ]
}

function spreadFixes({ store }: SearchBase, workload: RequiredWorkload): readonly ProposedFix[] {
  const { namespace, own, kind, labels: matchLabels } = workload
  if (kind !== 'Deployment' && kind !== 'StatefulSet') return []
  const zones = new Set((store.list('nodes') as readonly Node[]).map(({ metadata }) => metadata.labels?.[labels.zone]))
  const keys: readonly (readonly [key: string, what: string])[] = [
    [labels.hostname, 'nodes'],
    ...(zones.size > 1 && !zones.has(undefined) ? [[labels.zone, 'zones'] as const] : []),
  ]
  return keys.map(([topologyKey, what]) => {
    const spread = { maxSkew: 1, topologyKey, whenUnsatisfiable: 'DoNotSchedule', labelSelector: { matchLabels } }
    const patch = { spec: { template: { spec: { topologySpreadConstraints: [spread] } } } }
    return {
      text: `spread ${namespace}/${own} over ${what} with a topologySpreadConstraint (maxSkew 1, DoNotSchedule)`,
      steps: [atStart({ patch: { target: targetOf(workload), patch } })],
    }
  })
}

function replicaFix(workload: RequiredWorkload, more: number): ProposedFix {
  const { namespace, own, replicas } = workload
  return {
    text: `raise the replicas of ${namespace}/${own} from ${replicas} to ${replicas + more}`,
    steps: [atStart({ scale: { target: targetOf(workload), replicas: replicas + more } })],
  }
}

/** Raises the maximum of a node group of the autoscaler by one node. */
function groupFixes({ input: { document } }: SearchBase): readonly ProposedFix[] {
  const { autoscaling } = document as {
    readonly autoscaling?: { readonly clusterAutoscaler?: { readonly nodeGroups: readonly NodeGroupSource[] } }
  }
  const groups = autoscaling?.clusterAutoscaler?.nodeGroups ?? []
  return groups.flatMap((group, at) =>
    [1, 2].map((more) => {
      const nodeGroups = groups.map((one, index) => (index === at ? { ...one, max: one.max + more } : one))
      const changed = { ...autoscaling, clusterAutoscaler: { ...autoscaling?.clusterAutoscaler, nodeGroups } }
      return {
        text: `raise the maximum of node group ${group.name} from ${group.max} to ${group.max + more}`,
        steps: [],
        document: { ...document, autoscaling: changed } as unknown as JsonObject,
      }
    }),
  )
}

interface NodeGroupSource {
  readonly name: string
  readonly max: number
}

/** Adds one more node like each of the first failed nodes, or like the first node of the cluster. */
function nodeFixes({ store }: SearchBase, faults: Case): readonly ProposedFix[] {
  const struck = faults.flatMap(({ target }) => target.nodes)
  const all = store.list('nodes') as readonly Node[]
  const like = all.find(({ metadata }) => struck.includes(metadata.name)) ?? all[0]
  if (like === undefined) return []
  const { name } = like.metadata
  return [1, 2].map((count) => ({
    text: `add ${count === 1 ? 'one node' : `${count} nodes`} like ${name}`,
    steps: [atStart({ apply: Array.from({ length: count }, (_, at) => freshNode(like, `${name}-more-${at + 1}`)) })],
  }))
}
