import type { Failure } from '../../api/call.ts'
import type { JsonObject, KubeObject, LabelSelector } from '../../api/objects/meta.ts'
import { failure } from '../../api/status.ts'
import type { CelAuthorizer } from '../../cel/value.ts'
import type { Store } from '../../store/contract.ts'
import type { WebhookAsk } from '../attempt.ts'
import type { KindTable } from '../kinds/kind.ts'
import { type AdmissionRequest, type Match, requestBody, shownAs } from './admission-request.ts'
import { conditionsMatch, type MatchCondition } from './match-conditions.ts'
import { matchOf, namespaceSelected, objectSelected, type Rule } from './rules.ts'
import { targetOf, type WebhookClientConfig, type WebhookServices } from './webhook-target.ts'

export const mutatingConfigurations = 'mutatingwebhookconfigurations.admissionregistration.k8s.io'
export const validatingConfigurations = 'validatingwebhookconfigurations.admissionregistration.k8s.io'

/** A webhook of a MutatingWebhookConfiguration or a ValidatingWebhookConfiguration. */
interface Webhook {
  readonly name: string
  readonly clientConfig: WebhookClientConfig
  readonly rules?: readonly Rule[]
  readonly failurePolicy?: string
  readonly matchPolicy?: string
  readonly namespaceSelector?: LabelSelector
  readonly objectSelector?: LabelSelector
  readonly sideEffects?: string
  readonly timeoutSeconds?: number
  readonly admissionReviewVersions?: readonly string[]
  readonly matchConditions?: readonly MatchCondition[]
  readonly reinvocationPolicy?: string
}

export interface Hook extends Webhook {
  readonly configuration: string
  /** Distinguishes webhooks of the same name in different configurations. */
  readonly id: string
}

const flattened = new WeakMap<KubeObject, readonly Hook[]>()

/** All webhooks of a kind of configuration: by the name of the configuration, then in their order. */
export function hooksOf(store: Store, resource: string): readonly Hook[] {
  if (store.count(resource) === 0) return none
  return store.list(resource).flatMap((configuration) => {
    let hooks = flattened.get(configuration)
    if (hooks === undefined) {
      const { webhooks = [] } = configuration as KubeObject & { readonly webhooks?: readonly Webhook[] }
      const { name } = configuration.metadata
      hooks = webhooks.map((hook, i) => ({ ...hook, configuration: name, id: `${name}/${hook.name}/${i}` }))
      flattened.set(configuration, hooks)
    }
    return hooks
  })
}

const none: readonly Hook[] = []

/** The inputs that select webhooks, besides the request. */
export interface WebhookSurroundings {
  readonly store: Store
  readonly kinds: KindTable
  readonly services: WebhookServices
  readonly authorizer: (request: AdmissionRequest) => CelAuthorizer
}

/** How a webhook sees a request; undefined if the webhook does not match (webhook/generic, ShouldCallHook). */
export function matchHook(
  hook: Hook,
  request: AdmissionRequest,
  { store, kinds, authorizer }: WebhookSurroundings,
): Match | Failure | undefined {
  const inNamespace = namespaceSelected(hook.namespaceSelector, request, store)
  if (inNamespace === false) return undefined
  if (!objectSelected(hook.objectSelector, request)) return undefined
  const match = matchOf(hook.rules ?? [], request, kinds, hook.matchPolicy !== 'Exact')
  if (match === undefined) return undefined
  if (inNamespace !== true) return inNamespace
  const subject = { request, match, authorizer: authorizer(request) }
  const conditions = conditionsMatch(hook.matchConditions, hook.failurePolicy, subject)
  if (conditions === 'match') return match
  if (conditions === 'no match') return undefined
  const { group, resource } = request.resource
  const shown = group === '' ? resource : `${resource}.${group}`
  return failure('Forbidden', `${shown} ${JSON.stringify(request.name)} is forbidden: ${conditions.failed}`, {
    name: request.name,
    ...(group === '' ? {} : { group }),
    kind: resource,
  })
}

/** The question to a webhook, or why it cannot be asked. */
export type WebhookQuestion = { readonly ask: WebhookAsk } | { readonly failed: string } | { readonly refused: Failure }

/** The question to a webhook (mutating and validating dispatcher, callHook). */
export function questionFor(
  hook: Hook,
  purpose: 'mutate' | 'validate',
  request: AdmissionRequest,
  match: Match,
  services: WebhookServices,
): WebhookQuestion {
  if (request.dryRun && hook.sideEffects !== 'None' && hook.sideEffects !== 'NoneOnDryRun') {
    const why = `admission webhook ${JSON.stringify(hook.name)} does not support dry run`
    return { refused: failure('BadRequest', why) }
  }
  const version = hook.admissionReviewVersions?.find((one) => one === 'v1' || one === 'v1beta1')
  if (version === undefined) {
    return {
      failed:
        'could not create admission objects: webhook does not accept known AdmissionReview versions (v1, v1beta1)',
    }
  }
  const target = targetOf(hook.clientConfig, services)
  if (typeof target === 'string') return { failed: target }
  const timeoutSeconds = hook.timeoutSeconds ?? 10
  const review: JsonObject = {
    kind: 'AdmissionReview',
    apiVersion: `admission.k8s.io/${version}`,
    request: {
      ...requestBody(request, match),
      object: (shownAs(request, match, request.object) ?? null) as unknown as JsonObject,
      oldObject: (shownAs(request, match, request.old) ?? null) as unknown as JsonObject,
    },
  }
  return {
    ask: {
      purpose,
      webhook: hook.name,
      configuration: hook.configuration,
      failurePolicy: hook.failurePolicy === 'Ignore' ? 'Ignore' : 'Fail',
      target,
      timeoutMs: timeoutSeconds * 1000,
      review,
    },
  }
}

/** `Internal error occurred: failed calling webhook "x": …`, if the failure policy is Fail. */
export function callFailure(hook: Hook, why: string): Failure | undefined {
  if (hook.failurePolicy === 'Ignore') return undefined
  const message = `failed calling webhook ${JSON.stringify(hook.name)}: ${why}`
  return failure('InternalError', `Internal error occurred: ${message}`, { causes: [{ message }] })
}
