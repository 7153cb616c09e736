import { semanticEqual } from '../../api/equality.ts'
import type { KubeObject, LabelSelector } from '../../api/objects/meta.ts'
import { atLeast } from '../../api/releases/at-least.ts'
import type { WriteContext } from './kind.ts'

/**
 * In policy/v1beta1 an empty selector selected no pods. In policy/v1 this label means the same, if the selector has no
 * other requirement.
 */
const reserved = 'pdb.kubernetes.io/deprecated-v1beta1-empty-selector-match'

type Budget = KubeObject & { readonly spec?: { readonly selector?: LabelSelector } }

/**
 * The budget without the reserved label, unless its selector consists of that label. Up to v1.36 conversion removes the
 * label, so adding it changes nothing; since v1.37 the strategy does, after it has counted the change (dropDisabledFields).
 */
export function withoutReservedLabel(object: KubeObject, old?: KubeObject, context?: WriteContext): KubeObject {
  const { spec } = object as Budget
  const { selector } = spec ?? {}
  const before = (old as Budget | undefined)?.spec
  const expressions = selector?.matchExpressions ?? []
  if (!expressions.some(({ key }) => key === reserved) || isAlone(selector)) return object
  const isCounted = context !== undefined && atLeast(context.release, '1.37')
  if (isCounted && semanticEqual(selector, before?.selector)) return object
  const kept = expressions.filter(({ key }) => key !== reserved)
  const { matchExpressions: _, ...rest } = selector ?? {}
  const cleaned = { ...spec, selector: kept.length === 0 ? rest : { ...rest, matchExpressions: kept } }
  const stripped = { ...object, spec: cleaned } as KubeObject
  if (!isCounted || old === undefined || !semanticEqual(cleaned, before)) return stripped
  return { ...stripped, metadata: { ...stripped.metadata, generation: (old.metadata.generation ?? 0) + 1 } }
}

function isAlone(selector: LabelSelector | undefined): boolean {
  const { matchLabels = {}, matchExpressions = [] } = selector ?? {}
  const [only] = matchExpressions
  if (matchExpressions.length !== 1 || Object.keys(matchLabels).length > 0 || only === undefined) return false
  return (only.operator === 'Exists' || only.operator === 'DoesNotExist') && (only.values ?? []).length === 0
}
