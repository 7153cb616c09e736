import { semanticEqual } from '../../api/equality.ts'
import type { ResourceQuota } from '../../api/objects/cluster.ts'
import type { KubeObject } from '../../api/objects/meta.ts'
import { type Quantity, zeroQuantity } from '../../api/quantity.ts'
import { addUsage, quotaEvaluatorOf, quotaScopesAdmit, readUsage, writtenUsage } from '../../api/resource-quota.ts'

/**
 * The status that a quota should have, or nothing if it is up to date: its limits, and the usage by the objects of its
 * namespace (v1.36, pkg/controller/resourcequota syncResourceQuota).
 */
export function decideStatus(
  quota: ResourceQuota,
  resources: readonly string[],
  list: (resource: string) => readonly KubeObject[],
  nowMs: number,
): ResourceQuota['status'] | undefined {
  const hard = quota.spec?.hard ?? {}
  const names = Object.keys(hard)
  const used = readUsage(quota.status?.used)
  for (const resource of resources) {
    const evaluator = quotaEvaluatorOf(resource)
    const matching = evaluator?.matching(names) ?? []
    if (evaluator === undefined || matching.length === 0) continue
    let sum = new Map<string, Quantity>(matching.map((name) => [name, zeroQuantity]))
    for (const object of list(resource)) {
      if (!quotaScopesAdmit(quota, evaluator, object)) continue
      const usage = [...evaluator.usage(object, nowMs)].filter(([name]) => sum.has(name))
      sum = addUsage(sum, new Map(usage))
    }
    for (const [name, amount] of sum) used.set(name, amount)
  }
  // Resources that are not recounted start at 0, and admission adds to them.
  for (const name of names) if (!used.has(name)) used.set(name, zeroQuantity)
  const kept = new Map([...used].filter(([name]) => Object.hasOwn(hard, name)))
  const status = { hard, used: writtenUsage(kept) }
  return semanticEqual(status, { hard: quota.status?.hard, used: quota.status?.used }) ? undefined : status
}
