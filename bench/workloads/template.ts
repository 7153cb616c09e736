import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { load } from 'js-yaml'
import type { KubeObject } from '../../src/api/objects/meta.ts'

export interface TemplateValues {
  readonly Index: number
  readonly Count: number
  /** Parameters of the operation. */
  readonly [name: string]: number
}

const sources = new Map<string, string>()
const fixed = new Map<string, KubeObject>()

/** An object from a template file. Objects without placeholders are read once and shared. */
export function fromTemplate(folder: string, path: string, values: TemplateValues): KubeObject {
  const known = fixed.get(`${folder}\n${path}`)
  if (known !== undefined) return known
  const file = resolve(folder, path)
  let source = sources.get(file)
  if (source === undefined) {
    source = readFileSync(file, 'utf8')
    sources.set(file, source)
  }
  if (!source.includes('{{')) {
    const object = load(source) as KubeObject
    fixed.set(`${folder}\n${path}`, object)
    return object
  }
  return load(
    source.replace(/\{\{(.*?)\}\}/g, (_, expression: string) => evaluate(expression.trim(), values)),
  ) as KubeObject
}

/** The part of Go's templates that the workloads use: a field, or a function of two numbers. */
function evaluate(expression: string, values: TemplateValues): string {
  const [head = '', ...rest] = expression.split(/\s+/)
  const numbers = rest.map((word) => numberOf(word, values))
  const [a = Number.NaN, b = Number.NaN] = numbers
  switch (head) {
    case 'DivideInt':
      return String(Math.trunc(a / b))
    case 'DivideFloat':
      return String(a / b)
    case 'AddInt':
      return String(a + b)
    case 'SubtractInt':
      return String(a - b)
    case 'MultiplyInt':
      return String(a * b)
    case 'Mod':
      return String(a % b)
    default:
      return String(numberOf(head, values))
  }
}

function numberOf(word: string, values: TemplateValues): number {
  const field = word.startsWith('.') && Object.hasOwn(values, word.slice(1)) ? values[word.slice(1)] : undefined
  if (field !== undefined) return field
  const number = Number(word)
  if (Number.isNaN(number)) throw new Error(`template: what is ${word}?`)
  return number
}
