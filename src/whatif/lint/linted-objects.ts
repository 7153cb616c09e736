import { keyOf } from '../../api/object-key.ts'
import type { KubeObject } from '../../api/objects/meta.ts'
import type { Store } from '../../store/contract.ts'
import { type LintFinding, type LintObjects, lintRules } from './lint.ts'

const workloadKinds = [
  ['deployments.apps', 'Deployment'],
  ['statefulsets.apps', 'StatefulSet'],
] as const

/** The objects of a cluster that the rules read; manifests replace objects with the same name. */
export function lintedObjects(store: Pick<Store, 'list'> | undefined, manifests: readonly KubeObject[]): LintObjects {
  const listed = <T extends KubeObject>(resource: string, kind: string): readonly T[] => {
    const byKey = new Map<string, KubeObject>()
    for (const object of store?.list(resource) ?? []) byKey.set(keyOf(object), { ...object, kind })
    for (const object of manifests.filter((each) => each.kind === kind)) byKey.set(keyOf(object), object)
    return [...byKey.values()] as T[]
  }
  return {
    nodes: listed('nodes', 'Node'),
    pods: listed('pods', 'Pod'),
    workloads: workloadKinds.flatMap(([resource, kind]) => listed(resource, kind)),
    budgets: listed('poddisruptionbudgets.policy', 'PodDisruptionBudget'),
    priorityClasses: listed('priorityclasses.scheduling.k8s.io', 'PriorityClass'),
  }
}

/** Sorts errors first, then by rule and name. */
export function orderedFindings(findings: readonly LintFinding[]): readonly LintFinding[] {
  const ruleNames = Object.keys(lintRules)
  const rank = ({ severity, rule }: LintFinding) => (severity === 'error' ? 0 : 100) + ruleNames.indexOf(rule)
  return findings.toSorted((a, b) => rank(a) - rank(b) || (findingSubject(a) < findingSubject(b) ? -1 : 1))
}

/** `PodDisruptionBudget data/db` */
export function findingSubject({ namespace, kind, name }: LintFinding): string {
  return `${kind} ${namespace === undefined ? '' : `${namespace}/`}${name}`
}
