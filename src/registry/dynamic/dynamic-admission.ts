import type { Failure } from '../../api/call.ts'
import type { KubeObject } from '../../api/objects/meta.ts'
import type { Store } from '../../store/contract.ts'
import type { WriteAttempt } from '../attempt.ts'
import { isFailure } from '../errors/is-failure.ts'
import { type AdmissionRequest, isExempt } from './admission-request.ts'
import { mutateByWebhooks, Reinvocation } from './mutating-webhooks.ts'
import { validateByWebhooks } from './validating-webhooks.ts'
import { mutatingConfigurations, validatingConfigurations, type WebhookSurroundings } from './webhooks.ts'

/** Whether anything is configured that a write must be shown to. Without it, writes do not come here at all. */
export function isGoverned(store: Store): boolean {
  return store.count(mutatingConfigurations) > 0 || store.count(validatingConfigurations) > 0
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
    if (isExempt(request)) return request.object
    const reinvocation = new Reinvocation()
    const first = this.round(request, reinvocation)
    if (first === undefined || isFailure(first) || !reinvocation.isNeeded) return first
    reinvocation.isSecondRound = true
    const again = builtin(first)
    return isFailure(again) ? again : this.round({ ...request, object: again }, reinvocation)
  }

  private round(request: AdmissionRequest, reinvocation: Reinvocation): KubeObject | undefined | Failure {
    if (this.disabled.has('MutatingAdmissionWebhook')) return request.object
    return mutateByWebhooks(request, this.attempt, this.surroundings, reinvocation)
  }

  validate(request: AdmissionRequest): Failure | undefined {
    if (isExempt(request)) return undefined
    if (this.disabled.has('ValidatingAdmissionWebhook')) return undefined
    return validateByWebhooks(request, this.attempt, this.surroundings)
  }
}
