import type { Json } from '../../api/objects/meta.ts'
import type { Field, ScalarKind, Shape } from '../../api/schema/shape.ts'
import { encodeJson, parseJson } from '../../base/exact-json.ts'
import { goPrint, goTypeName } from '../patch/go-print.ts'
import { elementStep, learnDefaults } from './typed-value.ts'

/**
 * Type errors of an applied object, with the messages of structured-merge-diff's validation. Undefined: the object has
 * no type errors.
 */
export function typedProblem(shape: Shape, value: Json): string | undefined {
  const problems: string[] = []
  visit(shape, undefined, value, '', problems)
  return joinProblems(problems)
}

/** structured-merge-diff, ValidationErrors. */
export function joinProblems(problems: readonly string[]): string | undefined {
  if (problems.length < 2) return problems[0]
  return `errors:\n${problems.map((problem) => `  ${problem}`).join('\n')}`
}

function visit(shape: Shape, field: Field | undefined, value: Json, path: string, problems: string[]): void {
  if (value === null) return
  const say = (why: string): void => {
    problems.push(path === '' ? why : `${path}: ${why}`)
  }
  switch (shape.is) {
    case 'struct':
    case 'map':
      if (typeof value !== 'object' || Array.isArray(value)) say(`expected map, got &{${goPrint(value)}}`)
      else visitMembers(shape, value as Readonly<Record<string, Json>>, path, problems)
      return
    case 'list':
      if (Array.isArray(value)) visitElements(shape.of, field, value, path, problems)
      else say(`expected list, got &{${goPrint(value)}}`)
      return
    case 'loose':
      return
    case 'scalar': {
      const why = scalarProblem(shape.kind, value)
      if (why !== undefined) say(why)
    }
  }
}

function visitMembers(shape: Shape, value: Readonly<Record<string, Json>>, path: string, problems: string[]): void {
  for (const name in value) {
    const inner = value[name] as Json
    const at = `${path}.${name}`
    if (shape.is === 'map') visit(shape.of, undefined, inner, at, problems)
    if (shape.is !== 'struct') continue
    const field = shape.fields.get(name)
    if (field === undefined) {
      problems.push(`${at}: field not declared in schema`)
      return
    }
    visit(field.shape, field, inner, at, problems)
  }
}

function visitElements(
  of: Shape,
  field: Field | undefined,
  list: readonly Json[],
  path: string,
  problems: string[],
): void {
  const how = field?.list ?? { kind: 'atomic' }
  if (how.kind === 'map') learnDefaults(how.keys, of)
  const seen = new Set<string>()
  for (const [i, element] of list.entries()) {
    let at = `[${i}]`
    if (how.kind !== 'atomic') {
      const name = how.kind === 'map' ? keyedName(element, how.keys) : setName(element)
      if (!name.ok) {
        problems.push(`${path}: element ${i}: ${name.why}`)
        return
      }
      if (seen.has(name.text)) problems.push(`${path}: duplicate entries for key ${name.text}`)
      seen.add(name.text)
      at = name.text
    }
    visit(of, undefined, element, `${path}${at}`, problems)
  }
}

type Name = { readonly ok: true; readonly text: string } | { readonly ok: false; readonly why: string }

function keyedName(element: Json, keys: readonly string[]): Name {
  if (element === null) return { ok: false, why: 'associative list with keys may not have a null element' }
  if (typeof element !== 'object' || Array.isArray(element)) {
    return { ok: false, why: 'associative list with keys may not have non-map elements' }
  }
  const step = elementStep(element, keys)
  if (step === undefined) {
    const named = keys.map((key) => JSON.stringify(key)).join(' ')
    const why = `associative list with keys has an element that omits all key fields [${named}] (and doesn't have default values for any key fields)`
    return { ok: false, why }
  }
  const pairs = Object.entries(parseJson(step.slice(2)) as Record<string, Json>)
  return { ok: true, text: `[${pairs.map(([key, value]) => `${key}=${encodeJson(value)}`).join(',')}]` }
}

function setName(element: Json): Name {
  if (element === null) {
    return { ok: false, why: "associative list without keys has an element that's an explicit null" }
  }
  if (Array.isArray(element)) return { ok: false, why: 'not supported: associative list with lists as elements' }
  if (typeof element === 'object') {
    return { ok: false, why: "associative list without keys has an element that's a map type" }
  }
  return { ok: true, text: `[=${encodeJson(element)}]` }
}

function scalarProblem(kind: ScalarKind, value: Json): string | undefined {
  switch (kind) {
    case 'json':
      return undefined
    case 'string':
    case 'bytes':
    case 'duration':
      return typeof value === 'string'
        ? undefined
        : `expected string, got &value.valueUnstructured{Value:${goSyntax(value)}}`
    case 'bool':
      return typeof value === 'boolean' ? undefined : `expected boolean, got &{${goPrint(value)}}`
    case 'int32':
    case 'int64':
    case 'float64':
      return typeof value === 'number' ? undefined : `expected numeric (int or float), got ${goTypeName(value)}`
    default:
      return typeof value === 'object' ? `expected any scalar, got &{${goPrint(value)}}` : undefined
  }
}

/** Formats the value of a JSON document as Go's `%#v` does. */
function goSyntax(value: Json): string {
  if (value === null) return 'interface {}(nil)'
  if (Array.isArray(value)) return `[]interface {}{${value.map((one) => goSyntax(one as Json)).join(', ')}}`
  if (typeof value !== 'object') return encodeJson(value)
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return `map[string]interface {}{${members.map(([key, one]) => `${JSON.stringify(key)}:${goSyntax(one as Json)}`).join(', ')}}`
}
