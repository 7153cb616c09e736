import { lookupTable } from '../base/lookup-table.ts'
import { failed, type Result } from '../base/result.ts'
import {
  createRequirement,
  LabelMatcher,
  type LabelOperator,
  type LabelRequirement,
  matchEverything,
  matchNothing,
} from './label-matcher.ts'
import { readRequirements } from './label-selector-text.ts'
import type { LabelSelector, StringMap } from './objects/meta.ts'

/** A selector in text form, as in `kubectl -l` and the labelSelector query (labels.Parse). */
export function parseLabelSelector(text: string): Result<LabelMatcher> {
  const read = readRequirements(text)
  if (!read.ok) return read
  return { ok: true, value: read.value.length === 0 ? matchEverything : new LabelMatcher(read.value) }
}

const operators = lookupTable<LabelOperator>({
  In: 'in',
  NotIn: 'notin',
  Exists: 'exists',
  DoesNotExist: '!',
})

// Objects are immutable, so the selector of an object is compiled once.
const compiled = new WeakMap<LabelSelector, Result<LabelMatcher>>()

/** A selector in object form. Absent selects nothing, empty selects everything (metav1.LabelSelectorAsSelector). */
export function compileLabelSelector(selector: LabelSelector | undefined): Result<LabelMatcher> {
  if (selector === undefined) return { ok: true, value: matchNothing }
  let result = compiled.get(selector)
  if (result === undefined) {
    result = compile(selector)
    compiled.set(selector, result)
  }
  return result
}

/**
 * Whether a selector in object form selects these labels. An invalid selector, which validation rejects, selects
 * nothing.
 */
export function selects(selector: LabelSelector | undefined, labels: StringMap | undefined): boolean {
  const result = compileLabelSelector(selector)
  return result.ok && result.value.matches(labels)
}

/** The matcher of a validated selector: like `compileLabelSelector`, but an invalid selector matches nothing. */
export function labelMatcher(selector: LabelSelector | undefined): LabelMatcher {
  const result = compileLabelSelector(selector)
  return result.ok ? result.value : matchNothing
}

const compiledMaps = new WeakMap<StringMap, LabelMatcher>()

/**
 * A map of labels, as in services and node selectors: every label must have that value. Absent and empty maps match
 * everything, unlike a LabelSelector. Nothing is validated (labels.SelectorFromSet).
 */
export function matcherFromMap(labels: StringMap | undefined): LabelMatcher {
  if (labels === undefined) return matchEverything
  let matcher = compiledMaps.get(labels)
  if (matcher === undefined) {
    const requirements = Object.entries(labels).map(([key, value]) => ({
      key,
      operator: '=' as const,
      values: [value],
    }))
    matcher = requirements.length === 0 ? matchEverything : new LabelMatcher(requirements)
    compiledMaps.set(labels, matcher)
  }
  return matcher
}

function compile({ matchLabels = {}, matchExpressions = [] }: LabelSelector): Result<LabelMatcher> {
  const requirements: LabelRequirement[] = []
  for (const [key, value] of Object.entries(matchLabels)) {
    const made = createRequirement(key, '=', [value])
    if (!made.ok) return made
    requirements.push(made.value)
  }
  for (const { key, operator, values = [] } of matchExpressions) {
    const known = Object.hasOwn(operators, operator) ? operators[operator] : undefined
    if (known === undefined) return failed(`${JSON.stringify(operator)} is not a valid label selector operator`)
    const made = createRequirement(key, known, values)
    if (!made.ok) return made
    requirements.push(made.value)
  }
  return { ok: true, value: requirements.length === 0 ? matchEverything : new LabelMatcher(requirements) }
}
