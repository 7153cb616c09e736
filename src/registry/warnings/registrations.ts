import { atLeast } from '../../api/releases/at-least.ts'
import type { KubernetesRelease } from '../../api/releases/kubernetes-release.ts'
import { reviewResources } from '../dynamic/admission-request.ts'
import { list, type Obj, part, texts } from '../validation/reader.ts'
import { text } from '../validation/scalars.ts'

const staticSuffix = '.static.k8s.io'

/** Names of registrations for admission that manifests of the API server have (v1.36, WarningsForStaticSuffix). */
export function staticNameWarnings(object: Obj, _old: Obj | undefined, release: KubernetesRelease): readonly string[] {
  if (!atLeast(release, '1.36') || !text(part(object, 'metadata'), 'name').endsWith(staticSuffix)) return []
  const why = 'are reserved for static manifest-based configurations and cannot be managed via the API'
  return [`metadata.name: names ending with ${JSON.stringify(staticSuffix)} ${why}`]
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

/** The excluded resources that a rule names; with a wildcard it may mean others. */
function excludedIn(rule: Obj): ReadonlySet<string> {
  const [groups, resources] = [texts(rule, 'apiGroups'), texts(rule, 'resources')]
  if (groups.includes('*') || resources.includes('*')) return new Set()
  const named = groups.flatMap((group) => resources.map((resource) => `${resource}.${group}`))
  return new Set(named.filter((one) => reviewResources.has(one)))
}
