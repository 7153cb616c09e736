import { type FieldRequirement, parseFieldSelector } from '../../api/field-selector.ts'
import { parseLabelSelector } from '../../api/label-selector.ts'
import type { KubeObject } from '../../api/objects/meta.ts'
import { failure } from '../../api/status.ts'
import type { Kind } from '../kinds/kind.ts'

export interface Selection {
  readonly matches: (object: KubeObject) => boolean
  /** Selects everything. */
  readonly everything: boolean
}

const everything: Selection = { matches: () => true, everything: true }

/**
 * The label and field selectors of a list, watch or deletecollection, checked against the selectable fields of the
 * kind.
 */
export function selectionOf(
  kind: Kind,
  request: { readonly labelSelector?: string; readonly fieldSelector?: string },
): Selection | ReturnType<typeof failure> {
  const labels = request.labelSelector ?? ''
  const fields = request.fieldSelector ?? ''
  if (labels === '' && fields === '') return everything
  const byLabel = parseLabelSelector(labels)
  if (!byLabel.ok) return failure('BadRequest', byLabel.message)
  const parsed = parseFieldSelector(fields)
  if (!parsed.ok) return failure('BadRequest', parsed.message)
  const tests: FieldTest[] = []
  for (const requirement of parsed.value.requirements) {
    const test = fieldTest(kind, requirement)
    if (typeof test === 'string') return failure('BadRequest', test)
    tests.push(test)
  }
  const labelMatcher = byLabel.value
  if (tests.length === 0) {
    if (labelMatcher.everything) return everything
    return { everything: false, matches: (object) => labelMatcher.matches(object.metadata.labels) }
  }
  return {
    everything: false,
    matches: (object) => tests.every((test) => test(object)) && labelMatcher.matches(object.metadata.labels),
  }
}

type FieldTest = (object: KubeObject) => boolean

function fieldTest(kind: Kind, { field, operator, value }: FieldRequirement): FieldTest | string {
  const read = fieldReader(kind, field)
  if (typeof read === 'string') return read
  return (object) => (read(object) === value) === (operator === '=')
}

function fieldReader(kind: Kind, field: string): ((object: KubeObject) => string) | string {
  if (field === 'metadata.name') return (object) => object.metadata.name
  if (field === 'metadata.namespace' && kind.resource !== 'nodes' && kind.resource !== 'namespaces') {
    return (object) => object.metadata.namespace ?? ''
  }
  const { selectable } = kind.strategy
  if (selectable === undefined) {
    return `"${field}" is not a known field selector: only "metadata.name", "metadata.namespace"`
  }
  const reader = Object.hasOwn(selectable, field) ? selectable[field] : undefined
  if (reader !== undefined) return reader
  if (kind.resource === 'jobs.batch') return `field label ${JSON.stringify(field)} not supported for Job`
  const named = kind.resource === 'resourceslices.resource.k8s.io' ? ` for ${kind.apiVersion}, Kind=${kind.kind}` : ''
  return `field label not supported${named}: ${field}`
}
