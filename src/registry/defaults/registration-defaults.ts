import type { MutableFields } from '../../base/fields.ts'
import { lookupTable } from '../../base/lookup-table.ts'
import type { Defaults } from './default-table.ts'

const selectors = { matchPolicy: 'Equivalent', namespaceSelector: {}, objectSelector: {} }
const webhook = { failurePolicy: 'Fail', ...selectors, timeoutSeconds: 10 }

/** Zero is replaced like an absent value. */
const nonZero =
  (values: Readonly<Record<string, number>>): Defaults =>
  (given) => {
    let out = given
    for (const name in values) {
      if ((given[name] ?? 0) !== 0) continue
      if (out === given) out = { ...given }
      out[name] = values[name]
    }
    return out
  }

const cpuMetric = {
  type: 'Resource',
  resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } },
}

const scaleUp = {
  stabilizationWindowSeconds: 0,
  selectPolicy: 'Max',
  policies: [
    { type: 'Pods', value: 4, periodSeconds: 15 },
    { type: 'Percent', value: 100, periodSeconds: 15 },
  ],
}
const scaleDown = { selectPolicy: 'Max', policies: [{ type: 'Percent', value: 100, periodSeconds: 15 }] }

/** Upstream's rules, with the given values in their place (v2 copyHPAScalingRules). */
const scalingRules = (given: unknown, rules: MutableFields): MutableFields => {
  const stated = Object.entries((given ?? {}) as MutableFields).filter(
    ([, value]) => value !== null && value !== undefined,
  )
  return { ...rules, ...Object.fromEntries(stated) }
}

function autoscalerSpec(given: MutableFields): MutableFields {
  const out: MutableFields = { ...given, minReplicas: given['minReplicas'] ?? 1 }
  const metrics = given['metrics'] as readonly unknown[] | null | undefined
  if ((metrics ?? []).length === 0) out['metrics'] = [cpuMetric]
  const behavior = given['behavior'] as MutableFields | null | undefined
  if (behavior === undefined || behavior === null) return out
  out['behavior'] = {
    ...behavior,
    scaleUp: scalingRules(behavior['scaleUp'], scaleUp),
    scaleDown: scalingRules(behavior['scaleDown'], scaleDown),
  }
  return out
}

/** The kinds that register something with the API server or with its controllers (v1.36, pkg/apis/<group>/v1/defaults.go). */
export const registrationDefaults = lookupTable<Defaults>({
  'admissionregistration.ValidatingWebhook': webhook,
  'admissionregistration.MutatingWebhook': { ...webhook, reinvocationPolicy: 'Never' },
  'admissionregistration.RuleWithOperations': { scope: '*' },
  'admissionregistration.NamedRuleWithOperations': { scope: '*' },
  'admissionregistration.ServiceReference': { port: 443 },
  'admissionregistration.MatchResources': selectors,
  'admissionregistration.ValidatingAdmissionPolicySpec': { failurePolicy: 'Fail' },
  'admissionregistration.MutatingAdmissionPolicySpec': { failurePolicy: 'Fail' },
  'apiregistration.ServiceReference': { port: 443 },
  'autoscaling.HorizontalPodAutoscalerSpec': { minReplicas: 1 },
  'autoscaling/v2.HorizontalPodAutoscalerSpec': autoscalerSpec,
  'flowcontrol.FlowSchemaSpec': nonZero({ matchingPrecedence: 1000 }),
  'flowcontrol.ExemptPriorityLevelConfiguration': { nominalConcurrencyShares: 0, lendablePercent: 0 },
  'flowcontrol.LimitedPriorityLevelConfiguration': (given) => ({
    ...given,
    nominalConcurrencyShares: given['nominalConcurrencyShares'] ?? 30,
    lendablePercent: given['lendablePercent'] ?? 0,
  }),
  'flowcontrol.QueuingConfiguration': nonZero({ handSize: 8, queues: 64, queueLengthLimit: 50 }),
})
