import { done, failed, type Result } from '../../base/result.ts'

/** Reads one value of an object; undefined if the path does not exist. */
export type FieldReader = (object: unknown) => unknown

const stepPattern = /^([A-Za-z$][A-Za-z0-9_$-]*)((?:\[[^\]]*\])*)$/

/**
 * A path such as `status.conditions[Ready].status`: names separated by dots; in brackets an index of a list, or the
 * `type` or `name` of an element.
 */
export function compileFieldPath(path: string): Result<FieldReader> {
  const steps: FieldReader[] = []
  for (const part of path.split('.')) {
    const match = stepPattern.exec(part)
    if (match === null)
      return failed(`${JSON.stringify(path)} is not a field path such as status.conditions[Ready].status`)
    const [, name = '', brackets = ''] = match
    steps.push((object) => (object as Readonly<Record<string, unknown>>)[name])
    for (const [, element = ''] of brackets.matchAll(/\[([^\]]*)\]/g)) steps.push(elementReader(element))
  }
  return done((object) => {
    let value = object
    for (const step of steps) {
      if (value === undefined || value === null || typeof value !== 'object') return undefined
      value = step(value)
    }
    return value
  })
}

function elementReader(element: string): FieldReader {
  if (/^\d+$/.test(element)) return (list) => (Array.isArray(list) ? list[Number(element)] : undefined)
  return (list) =>
    Array.isArray(list)
      ? list.find(
          (item: { readonly type?: unknown; readonly name?: unknown } | undefined) =>
            item?.type === element || item?.name === element,
        )
      : undefined
}
