import type { ExpressionWarning, ValidatingAdmissionPolicy } from '../../api/objects/access.ts'
import type { JsonObject } from '../../api/objects/meta.ts'
import type { Controller } from '../../runtime/controller.ts'
import { createReconcilerController, itself } from '../../runtime/reconciler.ts'

const resource = 'validatingadmissionpolicies.admissionregistration.k8s.io'
const name = 'validatingadmissionpolicy-status'

export type PolicyTypeCheck = (policy: ValidatingAdmissionPolicy) => readonly ExpressionWarning[]

/** Checks the types of expressions of policies (v1.36, pkg/controller/validatingadmissionpolicystatus). */
export function createAdmissionPolicyStatus(check: PolicyTypeCheck): Controller {
  return createReconcilerController({
    name,
    wakes: { [resource]: itself },
    reconcile(key, { view, call }) {
      const policy = view.get(resource, key)
      if (policy === undefined) return undefined
      const generation = policy.metadata.generation ?? 0
      if (generation <= (policy.status?.observedGeneration ?? 0)) return undefined
      const expressionWarnings = check(policy)
      const typeChecking = expressionWarnings.length === 0 ? {} : { expressionWarnings }
      const applied = {
        apiVersion: 'admissionregistration.k8s.io/v1',
        kind: 'ValidatingAdmissionPolicy',
        metadata: { name: key },
        status: { observedGeneration: generation, typeChecking },
      }
      const patch = { kind: 'apply', object: applied as unknown as JsonObject, force: true } as const
      const calls = { verb: 'patch', resource, name: key, subresource: 'status', patch, fieldManager: name } as const
      return { actions: [call(calls)] }
    },
  })
}
