import { deepEqual } from '../../api/equality.ts'
import { compileLabelSelector } from '../../api/label-selector.ts'
import type { ClusterRole, RoleRule } from '../../api/objects/access.ts'
import type { JsonObject } from '../../api/objects/meta.ts'
import type { Controller } from '../../runtime/controller.ts'
import { createReconcilerController } from '../../runtime/reconciler.ts'

const resource = 'clusterroles.rbac.authorization.k8s.io'
const name = 'clusterrole-aggregation-controller'

/** Writes the rules of aggregated roles (v1.36, pkg/controller/clusterroleaggregation). */
export function createClusterRoleAggregation(): Controller {
  return createReconcilerController({
    name,
    wakes: {
      [resource]: (_, view) =>
        view
          .list(resource)
          .flatMap(({ metadata, aggregationRule }) => (aggregationRule === undefined ? [] : [metadata.name])),
    },
    reconcile(key, { view, call }) {
      const role = view.get(resource, key)
      const rules = role === undefined ? undefined : decideRules(role, view.list(resource))
      if (rules === undefined) return undefined
      const applied = {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'ClusterRole',
        metadata: { name: key },
        rules,
      }
      const patch = { kind: 'apply', object: applied as unknown as JsonObject, force: true } as const
      return { actions: [call({ verb: 'patch', resource, name: key, patch, fieldManager: name })] }
    },
  })
}

/**
 * The rules of the roles that an aggregated role selects, in the order of their names. Undefined: the role is up to
 * date.
 */
export function decideRules(role: ClusterRole, roles: readonly ClusterRole[]): readonly RoleRule[] | undefined {
  if (role.aggregationRule === undefined) return undefined
  const sorted = [...roles].sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1))
  const rules: RoleRule[] = []
  for (const selector of role.aggregationRule.clusterRoleSelectors ?? []) {
    const matcher = compileLabelSelector(selector)
    if (!matcher.ok) return undefined
    for (const other of sorted) {
      if (other.metadata.name === role.metadata.name || !matcher.value.matches(other.metadata.labels)) continue
      for (const rule of other.rules ?? []) if (!rules.some((one) => deepEqual(one, rule))) rules.push(rule)
    }
  }
  return deepEqual(rules, role.rules ?? []) ? undefined : rules
}
