import { labelValueProblems } from '../../api/label-syntax.ts'
import { lookupTable } from '../../base/lookup-table.ts'
import { list, type Obj, strings, texts } from '../validation/reader.ts'
import { text } from '../validation/scalars.ts'

/** Labels of nodes that have a newer name (v1.36, pkg/api/node). */
const deprecated = lookupTable<string>({
  'beta.kubernetes.io/arch': 'deprecated since v1.14; use "kubernetes.io/arch" instead',
  'beta.kubernetes.io/os': 'deprecated since v1.14; use "kubernetes.io/os" instead',
  'failure-domain.beta.kubernetes.io/region': 'deprecated since v1.17; use "topology.kubernetes.io/region" instead',
  'failure-domain.beta.kubernetes.io/zone': 'deprecated since v1.17; use "topology.kubernetes.io/zone" instead',
  'beta.kubernetes.io/instance-type': 'deprecated since v1.17; use "node.kubernetes.io/instance-type" instead',
  'app.kubernetes.io/created-by': 'deprecated since v1.9',
  'scheduler.alpha.kubernetes.io/preferAvoidPods': 'deprecated since v1.22; use Taints and Tolerations instead',
  'node-role.kubernetes.io/master': 'use "node-role.kubernetes.io/control-plane" instead',
})

export const deprecatedLabel = (key: string): string | undefined =>
  Object.hasOwn(deprecated, key) ? deprecated[key] : undefined

/** `anyValue`: invalid label values cause a warning, because validation accepts them. */
export function termWarnings(term: Obj, anyValue: boolean, path: string): readonly string[] {
  return list(term, 'matchExpressions').flatMap((expression, i) => {
    const key = text(expression, 'key')
    const why = deprecatedLabel(key)
    const at = `${path}.matchExpressions[${i}]`
    const values = anyValue ? texts(expression, 'values') : []
    return [
      ...(why === undefined ? [] : [`${at}.key: ${key} is ${why}`]),
      ...values.flatMap((value, j) =>
        labelValueProblems(value).map((problem) => `${at}.values[${j}]: ${value} is invalid, ${problem}`),
      ),
    ]
  })
}

export function selectorWarnings(selector: Obj | undefined, path: string): readonly string[] {
  if (selector === undefined) return []
  const labels = Object.keys(strings(selector, 'matchLabels')).flatMap((key) => {
    const why = deprecatedLabel(key)
    return why === undefined ? [] : [`${path}.matchLabels.${key}: ${why}`]
  })
  return [...termWarnings(selector, false, path), ...labels]
}
