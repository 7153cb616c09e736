import { selects } from '../../api/label-selector.ts'
import type { KubeObject, LabelSelector } from '../../api/objects/meta.ts'
import type { Node } from '../../api/objects/node.ts'
import type { Pod, PodDisruptionBudget, PodSpec, PriorityClass } from '../../api/objects/pod.ts'
import { controllerOf } from '../../api/owner-references.ts'
import { labels } from '../../api/well-known.ts'
import { counted, listed } from '../report/phrases.ts'

export type LintSeverity = 'error' | 'warning'

/** The rules, with their severity and a description. */
export const lintRules = {
  'budget-never-drains': { severity: 'error', summary: 'A disruption budget that never allows an eviction' },
  'overlapping-budgets': { severity: 'error', summary: 'Pods with more than one disruption budget cannot be evicted' },
  'budget-selects-nothing': { severity: 'warning', summary: 'A disruption budget that protects no pod' },
  'no-budget': { severity: 'warning', summary: 'A workload with several replicas and without a disruption budget' },
  'single-replica': { severity: 'warning', summary: 'A workload that is down while its only pod moves' },
  'single-zone': { severity: 'warning', summary: 'A workload whose pods are all in one zone' },
  'tolerates-dead-nodes': { severity: 'warning', summary: 'Pods that are never evicted from a failed node' },
  'preempts-system': { severity: 'error', summary: 'A system pod that ordinary pods may preempt' },
  'rollout-deadlock': { severity: 'error', summary: 'A rollout that never ends, because new pods do not fit' },
  'eviction-loop': { severity: 'error', summary: 'Pods that are placed on nodes that evict them again' },
} as const satisfies Readonly<Record<string, { readonly severity: LintSeverity; readonly summary: string }>>

export type LintRule = keyof typeof lintRules

export interface LintFinding {
  readonly rule: LintRule
  readonly severity: LintSeverity
  readonly kind: string
  readonly namespace?: string
  readonly name: string
  readonly message: string
  /** The evidence of the finding, from a forecast if the rule has one. */
  readonly evidence?: string
  readonly fix: string
}

export interface LintObjects {
  readonly nodes: readonly Node[]
  readonly pods: readonly Pod[]
  readonly workloads: readonly LintedWorkload[]
  readonly budgets: readonly PodDisruptionBudget[]
  readonly priorityClasses: readonly PriorityClass[]
}

export interface LintedWorkload extends KubeObject {
  readonly spec?: {
    readonly replicas?: number
    readonly selector?: LabelSelector
    readonly template?: { readonly metadata?: KubeObject['metadata']; readonly spec?: PodSpec }
  }
}

/** Findings that follow from the objects alone. */
export function lintObjects(objects: LintObjects): readonly LintFinding[] {
  return [
    ...budgetFindings(objects),
    ...objects.workloads.flatMap((workload) => workloadFindings(workload, objects)),
    ...systemFindings(objects),
  ]
}

export function findingOf(
  rule: LintRule,
  object: KubeObject,
  text: Pick<LintFinding, 'message' | 'evidence' | 'fix'>,
): LintFinding {
  const { namespace, name } = object.metadata
  return {
    rule,
    severity: lintRules[rule].severity,
    kind: object.kind ?? '',
    ...(namespace === undefined ? {} : { namespace }),
    name,
    ...text,
  }
}

const labelsOfPods = (workload: LintedWorkload) => workload.spec?.template?.metadata?.labels ?? {}
const inNamespace = (object: KubeObject, other: KubeObject) =>
  (object.metadata.namespace ?? 'default') === (other.metadata.namespace ?? 'default')

function covers(budget: PodDisruptionBudget, workload: LintedWorkload): boolean {
  return inNamespace(budget, workload) && selects(budget.spec?.selector, labelsOfPods(workload))
}

function budgetFindings({ budgets, workloads, pods }: LintObjects): readonly LintFinding[] {
  const findings: LintFinding[] = []
  for (const budget of budgets) {
    const covered = workloads.filter((workload) => covers(budget, workload))
    const podsOfBudget = pods.filter(
      (pod) => inNamespace(budget, pod) && selects(budget.spec?.selector, pod.metadata.labels),
    )
    const replicas = covered.reduce((sum, { spec }) => sum + (spec?.replicas ?? 1), 0)
    const expected = covered.length === 0 ? podsOfBudget.length : replicas
    if (expected === 0) {
      findings.push(
        findingOf('budget-selects-nothing', budget, {
          message: 'its selector matches no workload and no pod',
          fix: 'correct the selector, or delete the budget',
        }),
      )
      continue
    }
    const allowed = expected - desiredOf(budget, expected)
    if (allowed <= 0) findings.push(neverDrains(budget, expected))
  }
  for (const workload of workloads) {
    const both = budgets.filter((budget) => covers(budget, workload))
    if (both.length < 2) continue
    findings.push(
      findingOf('overlapping-budgets', workload, {
        message: `has ${counted(both.length, 'disruption budget')}: ${listed(
          both.map(({ metadata }) => metadata.name),
          4,
        )}`,
        evidence:
          'the eviction API answers 500 for a pod with more than one PodDisruptionBudget, so a drain never ends',
        fix: 'keep one budget, or make the selectors disjoint',
      }),
    )
  }
  return findings
}

function neverDrains(budget: PodDisruptionBudget, expected: number): LintFinding {
  const { minAvailable, maxUnavailable } = budget.spec ?? {}
  const rule = maxUnavailable === undefined ? `minAvailable: ${minAvailable ?? 1}` : `maxUnavailable: ${maxUnavailable}`
  return findingOf('budget-never-drains', budget, {
    message: `${rule} of ${counted(expected, 'pod')} never allows an eviction: a node with one of them cannot be drained`,
    fix: expected === 1 ? 'run at least 2 replicas, or set maxUnavailable: 1' : 'set maxUnavailable: 1',
  })
}

/** Rounds up, as the disruption controller does. */
function desiredOf({ spec }: PodDisruptionBudget, expected: number): number {
  const scaled = (value: string | number) =>
    typeof value === 'number' ? value : Math.ceil((Number.parseInt(value, 10) * expected) / 100)
  if (spec?.maxUnavailable !== undefined) return Math.max(0, expected - scaled(spec.maxUnavailable))
  return scaled(spec?.minAvailable ?? 1)
}

const systemNamespaces: ReadonlySet<string> = new Set(['kube-system', 'kube-public', 'kube-node-lease'])

function workloadFindings(workload: LintedWorkload, { budgets, nodes, pods }: LintObjects): readonly LintFinding[] {
  const { namespace = 'default' } = workload.metadata
  const replicas = workload.spec?.replicas ?? 1
  const findings: LintFinding[] = []
  const forever = foreverTolerated(workload.spec?.template?.spec)
  if (forever !== undefined)
    findings.push(
      findingOf('tolerates-dead-nodes', workload, {
        message: `tolerates ${forever} without tolerationSeconds: its pods stay bound to a failed node`,
        fix: `set tolerationSeconds on the toleration of ${forever}, or remove it: the API server adds one of 300 s`,
      }),
    )
  if (systemNamespaces.has(namespace) || replicas === 0) return findings
  if (replicas === 1)
    findings.push(
      findingOf('single-replica', workload, {
        message: 'has one replica: it is down while its pod moves to another node',
        fix: 'run at least 2 replicas on different nodes, with a budget of maxUnavailable: 1',
      }),
    )
  else if (!budgets.some((budget) => covers(budget, workload)))
    findings.push(
      findingOf('no-budget', workload, {
        message: `has ${replicas} replicas and no disruption budget: a drain of several nodes may stop all of them`,
        fix: 'add a PodDisruptionBudget with maxUnavailable: 1',
      }),
    )
  const zone = onlyZone(workload, nodes, pods)
  if (zone !== undefined)
    findings.push(
      findingOf('single-zone', workload, {
        message: `all of its running pods are in ${zone.name}`,
        evidence: `${zone.pods} of ${counted(zone.pods, 'pod')} in ${zone.name}; the cluster has ${counted(zone.zones, 'zone')}`,
        fix: 'add a topologySpreadConstraint over topology.kubernetes.io/zone',
      }),
    )
  return findings
}

/** The taint of a failed node that the pods tolerate without a time limit. */
function foreverTolerated(spec: PodSpec | undefined): string | undefined {
  for (const key of ['node.kubernetes.io/unreachable', 'node.kubernetes.io/not-ready']) {
    const match = spec?.tolerations?.find(
      ({ key: given, effect, operator, tolerationSeconds }) =>
        tolerationSeconds === undefined &&
        (effect === undefined || effect === 'NoExecute') &&
        (given === key || (given === undefined && operator === 'Exists')),
    )
    if (match !== undefined) return key
  }
  return undefined
}

function onlyZone(
  workload: LintedWorkload,
  nodes: readonly Node[],
  pods: readonly Pod[],
): { readonly name: string; readonly pods: number; readonly zones: number } | undefined {
  const zoneOf = new Map(nodes.map(({ metadata }) => [metadata.name, metadata.labels?.[labels.zone]]))
  const zones = new Set([...zoneOf.values()].filter((zone) => zone !== undefined))
  const placed = pods.filter(
    (pod) =>
      inNamespace(workload, pod) &&
      pod.spec.nodeName !== undefined &&
      controllerOf(pod) !== undefined &&
      selects(workload.spec?.selector, pod.metadata.labels),
  )
  const used = new Set(placed.map(({ spec }) => zoneOf.get(spec.nodeName ?? '')))
  const [only] = used
  if (zones.size < 2 || placed.length < 2 || used.size !== 1 || only === undefined) return undefined
  return { name: only, pods: placed.length, zones: zones.size }
}

/** System pods with a lower priority than ordinary workloads that may preempt them. */
function systemFindings({ workloads, priorityClasses }: LintObjects): readonly LintFinding[] {
  const classes = new Map(priorityClasses.map((each) => [each.metadata.name, each]))
  const standard = priorityClasses.find(({ globalDefault }) => globalDefault === true)?.value ?? 0
  const priorityOf = ({ spec }: LintedWorkload) => {
    const name = spec?.template?.spec?.priorityClassName ?? ''
    return name.startsWith('system-') ? 2_000_000_000 : (classes.get(name)?.value ?? standard)
  }
  const mayPreempt = ({ spec }: LintedWorkload) =>
    classes.get(spec?.template?.spec?.priorityClassName ?? '')?.preemptionPolicy !== 'Never'
  const ordinary = workloads.filter(({ metadata }) => !systemNamespaces.has(metadata.namespace ?? 'default'))
  const [highest] = ordinary.filter(mayPreempt).toSorted((a, b) => priorityOf(b) - priorityOf(a))
  if (highest === undefined) return []
  return workloads
    .filter((workload) => workload.metadata.namespace === 'kube-system' && priorityOf(workload) < priorityOf(highest))
    .map((workload) =>
      findingOf('preempts-system', workload, {
        message: `has priority ${priorityOf(workload)}: pods of ${highest.metadata.namespace}/${highest.metadata.name} (${priorityOf(highest)}) may preempt it`,
        fix: 'set priorityClassName: system-cluster-critical or system-node-critical',
      }),
    )
}
