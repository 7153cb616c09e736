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

/** Reads `priorities` of the ConfigMap: lists of patterns by priority. Undefined if it is absent or invalid. */
export function readPriorities(text: string | undefined): PriorityRules | undefined {
  if (text === undefined) return undefined
  try {
    return rulesOf(loadYaml(text, yamlLimits)[0])
  } catch {
    return undefined
  }
}

const yamlLimits = { ...bodyLimits, depth: 10, aliasedLength: 0 }

function rulesOf(document: unknown): PriorityRules | undefined {
  if (typeof document !== 'object' || document === null || Array.isArray(document)) return undefined
  const rules: PriorityRule[] = []
  for (const [key, list] of Object.entries(document)) {
    const priority = Number(key)
    if (!Number.isInteger(priority) || !Array.isArray(list)) return undefined
    const patterns: RegularExpression[] = []
    for (const text of list) {
      const pattern = typeof text === 'string' ? compiled(text) : undefined
      if (pattern === undefined) return undefined
      patterns.push(pattern)
    }
    rules.push({ priority, patterns })
  }
  return rules
}

function compiled(text: string): RegularExpression | undefined {
  try {
    return regularExpression(text)
  } catch {
    return undefined
  }
}

/** The options whose group has the highest priority (1.36, expander/priority). Without any match all options stay. */
export function groupPriorities(options: readonly ExpansionOption[], rules: PriorityRules): readonly ExpansionOption[] {
  let most = -1
  let found: ExpansionOption[] = []
  for (const option of options) {
    for (const { priority, patterns } of rules) {
      if (priority < most || !patterns.some((pattern) => pattern.test(option.group.name))) continue
      if (priority > most) found = []
      most = priority
      found.push(option)
    }
  }
  return found.length === 0 ? options : found
}
