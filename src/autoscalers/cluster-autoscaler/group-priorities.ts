import { type RegularExpression, regularExpression } from '../../base/regexp/regular-expression.ts'
import { bodyLimits, loadYaml } from '../../base/yaml.ts'
import type { ExpansionOption } from './expander.ts'

export interface PriorityRule {
  readonly priority: number
  readonly patterns: readonly RegularExpression[]
}

export type PriorityRules = readonly PriorityRule[]

/** The ConfigMap of the priority expander, in the namespace of the autoscaler. */
export const priorityConfigMap = 'cluster-autoscaler-priority-expander'

/** A warning about the ConfigMap, or about a group that is not in the ConfigMap. */
export interface PriorityWarning {
  readonly reason: 'PriorityConfigMapInvalid' | 'PriorityConfigMapNotMatchedGroup' | 'PriorityConfigMapNoGroupMatched'
  readonly message: string
}

/** The rules of a ConfigMap, or its problem. Undefined if the ConfigMap is absent. */
export type FoundPriorities = { readonly rules: PriorityRules } | { readonly warning: PriorityWarning } | undefined

/** Reads `priorities` of the ConfigMap: lists of patterns by priority (1.36, expander/priority). */
export function readPriorities(map: { readonly data?: Readonly<Record<string, string>> } | undefined): FoundPriorities {
  if (map === undefined) return undefined
  const text = map.data?.['priorities']
  const invalid = (message: string) => ({ warning: { reason: 'PriorityConfigMapInvalid' as const, message } })
  if (text === undefined)
    return invalid("Wrong configmap for priority expander, doesn't contain priorities key. Ignoring update.")
  const rules = rulesOf(text)
  return typeof rules === 'string'
    ? invalid(`Wrong configuration for priority expander: ${rules}. Ignoring update.`)
    : { rules }
}

const yamlLimits = { ...bodyLimits, depth: 10, aliasedLength: 0 }

/** The rules, or the reason why the text contains none. */
function rulesOf(text: string): PriorityRules | string {
  if (text === '')
    return `priority configuration in ${priorityConfigMap} configmap is empty; please provide valid configuration`
  const unreadable = (why: string) => `Can't parse YAML with priorities in the configmap: ${why}`
  let document: unknown
  try {
    document = loadYaml(text, yamlLimits)[0]
  } catch (error) {
    return unreadable(messageOf(error))
  }
  if (typeof document !== 'object' || document === null || Array.isArray(document))
    return unreadable('must be a map of priorities')
  const rules: PriorityRule[] = []
  for (const [key, list] of Object.entries(document)) {
    const priority = Number(key)
    if (!Number.isInteger(priority) || !Array.isArray(list) || !list.every((item) => typeof item === 'string'))
      return unreadable(`priority ${key} must be an integer with a list of texts`)
    const patterns: RegularExpression[] = []
    for (const item of list) {
      try {
        patterns.push(regularExpression(item))
      } catch (error) {
        return `Can't compile regexp rule for priority ${priority} and rule ${item}: ${messageOf(error)}`
      }
    }
    rules.push({ priority, patterns })
  }
  return rules
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** The options whose group has the highest priority. If no group matches, all options. */
export function groupPriorities(
  options: readonly ExpansionOption[],
  rules: PriorityRules,
  warn: (warning: PriorityWarning) => void,
): readonly ExpansionOption[] {
  let most = -1
  let found: ExpansionOption[] = []
  for (const option of options) {
    const { name } = option.group
    const matching = rules.filter(({ patterns }) => patterns.some((pattern) => pattern.test(name)))
    for (const { priority } of matching) {
      if (priority < most) continue
      if (priority > most) found = []
      most = priority
      found.push(option)
    }
    if (matching.length > 0) continue
    const message = `Priority expander: node group ${name} not found in priority expander configuration. The group won't be used.`
    warn({ reason: 'PriorityConfigMapNotMatchedGroup', message })
  }
  if (found.length > 0) return found
  const message = 'Priority expander: no priorities info found for any of the expansion options. No options filtered.'
  warn({ reason: 'PriorityConfigMapNoGroupMatched', message })
  return options
}
