import { atLeast } from '../../api/releases/at-least.ts'
import type { KubernetesRelease } from '../../api/releases/kubernetes-release.ts'
import { reviewResources } from '../dynamic/admission-request.ts'
import { list, type Obj, part, texts } from '../validation/reader.ts'
import { text } from '../validation/scalars.ts'
import { isStaticName, refusesStaticNames, staticNameProblem } from '../validation/static-names.ts'

/**
 * Names of registrations for admission that manifests of the API server have (v1.36, WarningsForStaticSuffix). A new
 * registration with such a name is refused where manifests are enabled.
 */
export function staticNameWarnings(object: Obj, old: Obj | undefined, release: KubernetesRelease): readonly string[] {
  if (!atLeast(release, '1.36') || (old === undefined && refusesStaticNames(release))) return []
  return isStaticName(text(part(object, 'metadata'), 'name')) ? [`metadata.name: ${staticNameProblem}`] : []
}

export function webhookWarnings(object: Obj, old: Obj | undefined, release: KubernetesRelease): readonly string[] {
  const warnings = [...staticNameWarnings(object, old, release)]
  if (!release.gates.has('ExcludeAdmissionWebhookVirtualResources')) return warnings
  list(object, 'webhooks').forEach((webhook, i) => {
    list(webhook, 'rules').forEach((rule, k) => {
      for (const resource of excludedIn(rule)) {
        const what = `${resource} is excluded from admission webhooks; this rule will have no effect`
        warnings.push(`webhooks[${i}].rules[${k}]: ${what}`)
      }
    })
  })
  return warnings
}

/** The excluded resources that a rule names; a rule with a wildcard may match others. */
function excludedIn(rule: Obj): ReadonlySet<string> {
  const [groups, resources] = [texts(rule, 'apiGroups'), texts(rule, 'resources')]
  if (groups.includes('*') || resources.includes('*')) return new Set()
  const named = groups.flatMap((group) => resources.map((resource) => `${resource}.${group}`))
  return new Set(named.filter((one) => reviewResources.has(one)))
}
