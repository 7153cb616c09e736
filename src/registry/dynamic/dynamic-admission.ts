import type { Failure } from '../../api/call.ts'
import type { KubeObject } from '../../api/objects/meta.ts'
import type { Store } from '../../store/contract.ts'
import type { WriteAttempt } from '../attempt.ts'
import { isFailure } from '../errors/is-failure.ts'
import { type AdmissionRequest, isHiddenFromPolicies, isHiddenFromWebhooks } from './admission-request.ts'
import { mutateByPolicies, mutatingBindings } from './mutating-policies.ts'
import { mutateByWebhooks, Reinvocation } from './mutating-webhooks.ts'
import { validateByPolicies, validatingBindings } from './validating-policies.ts'
import { validateByWebhooks } from './validating-webhooks.ts'
import { mutatingConfigurations, validatingConfigurations, type WebhookSurroundings } from './webhooks.ts'

/** Whether the cluster has webhooks or policies. Without them, writes skip this stage. */
export function isGoverned(store: Store): boolean {
  return (
    store.count(mutatingConfigurations) > 0 ||
    store.count(validatingConfigurations) > 0 ||
    store.count(validatingBindings) > 0 ||
    store.count(mutatingBindings) > 0
  )
}

/** Admission by objects of the cluster: webhooks and policies. One for each request. */
export class DynamicAdmission {
  readonly attempt: WriteAttempt
  private readonly surroundings: WebhookSurroundings
  private readonly disabled: ReadonlySet<string>

  constructor(attempt: WriteAttempt, surroundings: WebhookSurroundings, disabled: ReadonlySet<string>) {
    this.attempt = attempt
    this.surroundings = surroundings
    this.disabled = disabled
  }

  /**
   * Changes the object of a request. `builtin` are the plugins of the server, which have changed the object once already:
   * they see it again if a webhook or a policy changed it (admission.NewReinvocationHandler).
   */
  mutate(
    request: AdmissionRequest,
    builtin: (object: KubeObject) => KubeObject | Failure,
  ): KubeObject | undefined | Failure {
    const policies = new Reinvocation()
    const webhooks = new Reinvocation()
    const first = this.round(request, policies, webhooks)
    if (first === undefined || isFailure(first) || !(policies.isNeeded || webhooks.isNeeded)) return first
    policies.isSecondRound = true
    webhooks.isSecondRound = true
    const again = builtin(first)
    return isFailure(again) ? again : this.round({ ...request, object: again }, policies, webhooks)
  }

  private round(
    request: AdmissionRequest,
    policies: Reinvocation,
    webhooks: Reinvocation,
  ): KubeObject | undefined | Failure {
    const { attempt, surroundings, disabled } = this
    let current = request
    // A deletion has no object that a policy could change.
    const isPlain = request.operation !== 'DELETE' && !isHiddenFromPolicies(request)
    if (isPlain && !disabled.has('MutatingAdmissionPolicy')) {
      const object = mutateByPolicies(request, surroundings, policies)
      if (object === undefined || isFailure(object)) return object
      current = object === request.object ? request : { ...request, object }
    }
    if (disabled.has('MutatingAdmissionWebhook') || isHiddenFromWebhooks(request)) return current.object
    return mutateByWebhooks(current, attempt, surroundings, webhooks)
  }

  validate(request: AdmissionRequest): Failure | undefined {
    const { attempt, surroundings, disabled } = this
    if (!disabled.has('ValidatingAdmissionPolicy') && !isHiddenFromPolicies(request)) {
      const refused = validateByPolicies(request, attempt, surroundings)
      if (refused !== undefined) return refused
    }
    if (disabled.has('ValidatingAdmissionWebhook') || isHiddenFromWebhooks(request)) return undefined
    return validateByWebhooks(request, attempt, surroundings)
  }
}
