import { atLeast } from '../../api/releases/at-least.ts'
import { duplicate, invalid, required } from '../errors/field-error.ts'
import { checkLabels, checkMeta, checkMetaUpdate, immutable, metaOf } from './meta.ts'
import { checkLabelName } from './names.ts'
import { checkRequirements } from './quantities.ts'
import { child, type Errors, list, type Obj, strings } from './reader.ts'
import { numberIfSet, text } from './scalars.ts'
import { checkTolerations } from './scheduling.ts'

export function checkRuntimeClass(errors: Errors, runtime: Obj): void {
  checkMeta(errors, metaOf(runtime), { namespaced: false, name: 'subdomain', kubeFinalizers: false })
  const handler = text(runtime, 'handler')
  if (handler === '' && atLeast(errors.release, '1.36')) errors.push(required('handler'))
  else checkLabelName(errors, handler, 'handler')
  const overhead = child(runtime, 'overhead')
  if (overhead !== undefined) checkRequirements(errors, { limits: overhead['podFixed'] }, [], 'overhead')
  const scheduling = child(runtime, 'scheduling')
  if (scheduling === undefined) return
  checkLabels(errors, strings(scheduling, 'nodeSelector'), 'scheduling.nodeSelector')
  const tolerations = list(scheduling, 'tolerations')
  const at = atLeast(errors.release, '1.35') ? 'scheduling.tolerations' : 'scheduling.tolerations.tolerations'
  checkTolerations(errors, tolerations, at)
  const seen = new Set<string>()
  tolerations.forEach((toleration, i) => {
    const [Key, Operator, Value, Effect] = (['key', 'operator', 'value', 'effect'] as const).map((field) =>
      text(toleration, field),
    )
    const identity = JSON.stringify([Key, Operator, Value, Effect])
    if (seen.has(identity)) {
      const TolerationSeconds = numberIfSet(toleration, 'tolerationSeconds') ?? null
      const shown = { Key, Operator, Value, Effect, TolerationSeconds }
      errors.push(duplicate(`scheduling.tolerations[${i}]`, shown))
    }
    seen.add(identity)
  })
}

export function checkRuntimeClassUpdate(errors: Errors, runtime: Obj, old: Obj): void {
  checkMetaUpdate(errors, metaOf(runtime), metaOf(old), 'metadata', false)
  if (text(runtime, 'handler') !== text(old, 'handler')) {
    errors.push(invalid('handler', text(runtime, 'handler'), immutable))
  }
}
