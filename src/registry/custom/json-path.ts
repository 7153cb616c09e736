/** One step of a JSONPath as printer columns and scale paths use them. */
type PathStep =
  | { readonly kind: 'field'; readonly name: string }
  | { readonly kind: 'index'; readonly index: number }
  | { readonly kind: 'all' }
  | { readonly kind: 'filter'; readonly path: readonly PathStep[]; readonly negated: boolean; readonly value: unknown }

export type JsonPath = readonly PathStep[]

// A field name ends where client-go's JSONPath parser ends it. A backslash escapes such a character.
const plainField = /^\.((?:\\.|[^\s.,[\]@{}\\])+)/
const quotedField = /^\[\s*(['"])((?:\\.|(?!\1).)*)\1\s*\]/
const index = /^\[\s*(-?\d+)\s*\]/
const wildcard = /^(\[\s*\*\s*\]|\.\*)/
const filter = /^\[\s*\?\(\s*@([^=!]*?)\s*(==|!=)\s*("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|-?[\d.]+|true|false)\s*\)\s*\]/

/** Parses a path such as `.status.conditions[?(@.type=="Ready")].status`; undefined if it is not supported. */
export function parseJsonPath(text: string): JsonPath | undefined {
  const steps: PathStep[] = []
  let rest = text.replace(/^\$/, '')
  while (rest !== '') {
    const read = readStep(rest)
    if (read === undefined) return undefined
    steps.push(read.step)
    rest = rest.slice(read.length)
  }
  return steps
}

function readStep(rest: string): { readonly step: PathStep; readonly length: number } | undefined {
  let match = wildcard.exec(rest)
  if (match !== null) return { step: { kind: 'all' }, length: match[0].length }
  match = plainField.exec(rest)
  if (match !== null) {
    return { step: { kind: 'field', name: (match[1] ?? '').replaceAll('\\', '') }, length: match[0].length }
  }
  match = quotedField.exec(rest)
  if (match !== null) {
    return { step: { kind: 'field', name: (match[2] ?? '').replace(/\\(.)/g, '$1') }, length: match[0].length }
  }
  match = index.exec(rest)
  if (match !== null) return { step: { kind: 'index', index: Number(match[1]) }, length: match[0].length }
  match = filter.exec(rest)
  if (match === null) return undefined
  const path = parseJsonPath(match[1] ?? '')
  if (path === undefined) return undefined
  const step: PathStep = { kind: 'filter', path, negated: match[2] === '!=', value: literal(match[3] ?? '') }
  return { step, length: match[0].length }
}

function literal(text: string): unknown {
  if (text.startsWith("'")) return text.slice(1, -1).replace(/\\(.)/g, '$1')
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** All values of a path. */
export function readJsonPath(path: JsonPath, root: unknown): readonly unknown[] {
  let values: readonly unknown[] = [root]
  for (const step of path) values = values.flatMap((value) => advance(step, value))
  return values
}

function advance(step: PathStep, value: unknown): readonly unknown[] {
  if (typeof value !== 'object' || value === null) return []
  switch (step.kind) {
    case 'field':
      return Object.hasOwn(value, step.name) ? [(value as Record<string, unknown>)[step.name]] : []
    case 'index': {
      if (!Array.isArray(value)) return []
      const found: unknown = value.at(step.index)
      return found === undefined ? [] : [found]
    }
    case 'all':
      return Object.values(value)
    case 'filter':
      if (!Array.isArray(value)) return []
      return value.filter((one) => {
        const found = readJsonPath(step.path, one)
        return found.length > 0 && (found[0] === step.value) !== step.negated
      })
  }
}

/** The first value of a path with fields only, as in scale subresources. */
export function readField(path: string, root: unknown): unknown {
  const parsed = parseJsonPath(path)
  return parsed === undefined ? undefined : readJsonPath(parsed, root)[0]
}

/** A copy of an object with one field set; missing parents are created. */
export function withField(path: string, root: object, value: unknown): object {
  const names = (parseJsonPath(path) ?? []).map((step) => (step.kind === 'field' ? step.name : ''))
  const set = (here: unknown, [name, ...rest]: readonly string[]): unknown => {
    if (name === undefined) return value
    const before = (typeof here === 'object' && here !== null ? here : {}) as Record<string, unknown>
    return { ...before, [name]: set(Object.hasOwn(before, name) ? before[name] : undefined, rest) }
  }
  return set(root, names) as object
}
