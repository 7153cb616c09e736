import { lookupTable } from '../base/lookup-table.ts'
import { aggregate, createRequirement, invalid, LabelMatcher, type LabelOperator } from './label-matcher.ts'
import { matcherFromMap } from './label-selector.ts'
import type { StringMap } from './objects/meta.ts'
import type { NodeSelector, NodeSelectorRequirement, NodeSelectorTerm } from './objects/node.ts'
import type { Pod } from './objects/pod.ts'

/** Whether a node is selected. `error` reports invalid terms, and is set only if no other term matched. */
export interface NodeMatch {
  readonly matched: boolean
  readonly error?: string
}

const yes: NodeMatch = { matched: true }
const no: NodeMatch = { matched: false }

interface NodeFieldTest {
  readonly field: string
  readonly equal: boolean
  readonly value: string
}

/** One compiled term: all its requirements must match. */
export class NodeTermMatcher {
  readonly labels: LabelMatcher | undefined
  readonly fields: readonly NodeFieldTest[]
  readonly problems: readonly string[]

  constructor(term: NodeSelectorTerm, path = '') {
    const at = path === '' ? '' : `${path}.`
    const problems: string[] = []
    const expressions = term.matchExpressions ?? []
    this.labels = expressions.length === 0 ? undefined : compileLabels(expressions, `${at}matchExpressions`, problems)
    this.fields = compileFields(term.matchFields ?? [], `${at}matchFields`, problems)
    this.problems = problems
  }

  /** An invalid term matches nothing. */
  matches(labels: StringMap | undefined, name: string): boolean {
    if (this.problems.length > 0) return false
    if (this.labels !== undefined && !this.labels.matches(labels)) return false
    // A node without a name is a template, for example in a cluster autoscaler: its fields are unknown.
    if (name === '') return true
    for (const { field, equal, value } of this.fields) {
      const found = field === 'metadata.name' ? name : ''
      if ((found === value) !== equal) return false
    }
    return true
  }
}

/**
 * The terms of a selector. One of them must match. Immutable; built once and used for many nodes (component-helpers
 * nodeaffinity, v1.36).
 */
export class NodeMatcher {
  readonly terms: readonly NodeTermMatcher[]

  constructor(selector: NodeSelector, path = '') {
    const at = path === '' ? '' : `${path}.`
    // An empty term selects no node.
    this.terms = (selector.nodeSelectorTerms ?? []).flatMap((term, i) =>
      isEmptyTerm(term) ? [] : [new NodeTermMatcher(term, `${at}nodeSelectorTerms[${i}]`)],
    )
  }

  /** Whether the result depends on labels only, so that nodes with equal labels share it. */
  get labelsOnly(): boolean {
    return this.terms.every((term) => term.fields.length === 0)
  }

  /** The errors of invalid terms. */
  get problems(): readonly string[] {
    return this.terms.flatMap((term) => term.problems)
  }

  matches(labels: StringMap | undefined, name: string): boolean {
    for (let i = 0; i < this.terms.length; i++) {
      if ((this.terms[i] as NodeTermMatcher).matches(labels, name)) return true
    }
    return false
  }

  match(labels: StringMap | undefined, name: string): NodeMatch {
    if (this.matches(labels, name)) return yes
    const problems = this.problems
    return problems.length === 0 ? no : { matched: false, error: aggregate(problems) }
  }
}

const compiled = new WeakMap<NodeSelector, NodeMatcher>()

/** The matcher of a selector inside an immutable object, built once. */
export function compileNodeSelector(selector: NodeSelector): NodeMatcher {
  let matcher = compiled.get(selector)
  if (matcher === undefined) {
    matcher = new NodeMatcher(selector)
    compiled.set(selector, matcher)
  }
  return matcher
}

/** The nodeSelector and the required node affinity of a pod: both must match. */
export class RequiredNodeAffinity {
  readonly labels: LabelMatcher | undefined
  readonly nodes: NodeMatcher | undefined

  constructor(pod: Pod) {
    const { nodeSelector, affinity } = pod.spec
    const required = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution
    this.labels = nodeSelector === undefined || isEmpty(nodeSelector) ? undefined : matcherFromMap(nodeSelector)
    this.nodes = required === undefined ? undefined : compileNodeSelector(required)
  }

  get everything(): boolean {
    return this.labels === undefined && this.nodes === undefined
  }

  get labelsOnly(): boolean {
    return this.nodes?.labelsOnly ?? true
  }

  matches(labels: StringMap | undefined, name: string): boolean {
    if (this.labels !== undefined && !this.labels.matches(labels)) return false
    return this.nodes === undefined || this.nodes.matches(labels, name)
  }

  match(labels: StringMap | undefined, name: string): NodeMatch {
    if (this.labels !== undefined && !this.labels.matches(labels)) return no
    return this.nodes === undefined ? yes : this.nodes.match(labels, name)
  }
}

/** A preferred term with its weight. Empty terms and terms with weight 0 are omitted. */
export interface WeightedNodeTerm {
  readonly weight: number
  readonly term: NodeTermMatcher
}

export function compilePreferredTerms(
  preferred: readonly { readonly weight: number; readonly preference: NodeSelectorTerm }[] | undefined,
): readonly WeightedNodeTerm[] {
  return (preferred ?? []).flatMap(({ weight, preference }, i) =>
    weight === 0 || isEmptyTerm(preference) ? [] : [{ weight, term: new NodeTermMatcher(preference, `[${i}]`) }],
  )
}

function isEmptyTerm(term: NodeSelectorTerm): boolean {
  return (term.matchExpressions ?? []).length === 0 && (term.matchFields ?? []).length === 0
}

function isEmpty(map: StringMap): boolean {
  for (const _ in map) return false
  return true
}

/** The operators of node selectors, as label selectors write them. */
export const labelOperators = lookupTable<LabelOperator>({
  In: 'in',
  NotIn: 'notin',
  Exists: 'exists',
  DoesNotExist: '!',
  Gt: 'gt',
  Lt: 'lt',
})

function compileLabels(
  expressions: readonly NodeSelectorRequirement[],
  path: string,
  problems: string[],
): LabelMatcher {
  const requirements = expressions.flatMap(({ key, operator, values = [] }, i) => {
    const known = Object.hasOwn(labelOperators, operator) ? labelOperators[operator] : undefined
    if (known === undefined) {
      problems.push(notSupported(`${path}[${i}].operator`, operator, Object.keys(labelOperators)))
      return []
    }
    const made = createRequirement(key, known, values, `${path}[${i}]`)
    if (made.ok) return [made.value]
    problems.push(made.message)
    return []
  })
  return new LabelMatcher(requirements)
}

function compileFields(
  requirements: readonly NodeSelectorRequirement[],
  path: string,
  problems: string[],
): readonly NodeFieldTest[] {
  return requirements.flatMap(({ key, operator, values = [] }, i) => {
    if (operator !== 'In' && operator !== 'NotIn') {
      problems.push(notSupported(`${path}[${i}].operator`, operator, ['In', 'NotIn']))
      return []
    }
    if (values.length !== 1) {
      problems.push(invalid(`${path}[${i}].values`, values, 'must have one element'))
      return []
    }
    return [{ field: key, equal: operator === 'In', value: values[0] as string }]
  })
}

function notSupported(path: string, value: string, supported: readonly string[]): string {
  const listed = supported.map((one) => JSON.stringify(one))
  return `${path}: Unsupported value: ${JSON.stringify(value)}: supported values: ${listed.join(', ')}`
}
