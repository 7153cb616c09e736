import { findCondition } from '../../api/conditions.ts'
import type { KwokNodeClass, NodePool } from '../../api/objects/karpenter.ts'
import type { View } from '../../runtime/view.ts'
import { kwokGroup, kwokNodeClasses } from './names.ts'
import type { ConditionChange } from './status-conditions.ts'

/** The node class of the pool, if it exists and belongs to the kwok provider. */
export function classOf({ spec }: NodePool, view: View): KwokNodeClass | undefined {
  const { group, name } = spec.template.spec.nodeClassRef
  return group === kwokGroup ? view.get(kwokNodeClasses, name) : undefined
}

/**
 * The readiness of the pool's node class. Classes of providers other than kwok count as ready unless the pool reports
 * that they are not.
 */
export function classReadiness(pool: NodePool, view: View): ConditionChange {
  const type = 'NodeClassReady'
  const notReady = (reason: string, message: string) => ({ type, status: 'False' as const, reason, message })
  if (pool.spec.template.spec.nodeClassRef.group !== kwokGroup) {
    const known = findCondition(pool.status?.conditions, type)
    return known === undefined || known.status === 'Unknown' ? { type, status: 'True' } : known
  }
  const nodeClass = classOf(pool, view)
  if (nodeClass === undefined) return notReady('NodeClassNotFound', 'NodeClass not found on cluster')
  if (nodeClass.metadata.deletionTimestamp !== undefined)
    return notReady('NodeClassTerminating', 'NodeClass is Terminating')
  // The definition of a class without a status makes the class ready.
  const ready = findCondition(nodeClass.status?.conditions, 'Ready')
  if (ready === undefined || ready.status === 'True') return { type, status: 'True' }
  if (ready.status === 'False') return notReady(ready.reason ?? '', ready.message ?? '')
  return notReady('NodeClassReadinessUnknown', 'Node Class Readiness Unknown')
}
