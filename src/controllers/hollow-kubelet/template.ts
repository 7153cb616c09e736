import type { Json } from '../../api/objects/meta.ts'
import { done, failed, type Result } from '../../base/result.ts'

/** The values of placeholders: `{{now}}`, `{{container.name}}`. If a value is undefined, the field is omitted. */
export type TemplateScope = (name: string) => unknown

export type Template = (scope: TemplateScope) => unknown

const wholePattern = /^\{\{\s*([A-Za-z][\w.]*)\s*\}\}$/
const part = /\{\{\s*([A-Za-z][\w.]*)\s*\}\}/g

/**
 * JSON with placeholders. `"{{name}}"` alone becomes the value itself; inside a text, the value is converted to text.
 * An object `{"$each": "containers", "$as": {…}}` becomes a list with one element per container, in which
 * `{{container.…}}` is that container. `{"$conditions": {"Ready": "True"}}` becomes the list of those conditions that
 * differ.
 */
export function compileTemplate(template: Json, path = ''): Result<Template> {
  if (typeof template === 'string') return done(compileText(template))
  if (typeof template !== 'object' || template === null) return done(() => template)
  if (Array.isArray(template)) return compileList(template as readonly Json[], path)
  const fields = template as { readonly [key: string]: Json }
  if ('$each' in fields) return compileEach(fields, path)
  if ('$conditions' in fields) return compileConditions(fields, path)
  const members: (readonly [string, Template])[] = []
  for (const [key, value] of Object.entries(fields)) {
    const member = compileTemplate(value, `${path}.${key}`)
    if (!member.ok) return member
    members.push([key, member.value])
  }
  return done((scope) => {
    const object: Record<string, unknown> = {}
    for (const [key, member] of members) {
      const value = member(scope)
      if (value !== undefined) object[key] = value
    }
    return object
  })
}

function compileText(text: string): Template {
  const whole = wholePattern.exec(text)?.[1]
  if (whole !== undefined) return (scope) => scope(whole)
  if (!text.includes('{{')) return () => text
  return (scope) => text.replaceAll(part, (_match, name: string) => String(scope(name) ?? ''))
}

function compileList(list: readonly Json[], path: string): Result<Template> {
  const elements: Template[] = []
  for (const [index, element] of list.entries()) {
    const compiled = compileTemplate(element, `${path}[${index}]`)
    if (!compiled.ok) return compiled
    elements.push(compiled.value)
  }
  return done((scope) => elements.map((element) => element(scope)).filter((value) => value !== undefined))
}

function compileEach(fields: { readonly [key: string]: Json }, path: string): Result<Template> {
  const { $each: list, $as: each, ...rest } = fields
  if (typeof list !== 'string' || each === undefined || Object.keys(rest).length > 0)
    return failed(`${path}: $each needs the name of a list and an $as, and nothing else`)
  const element = compileTemplate(each, `${path}.$as`)
  if (!element.ok) return element
  const singular = list.replace(/e?s$/, '')
  return done((scope) => {
    const items = scope(list)
    if (!Array.isArray(items) || items.length === 0) return undefined
    return items.map((item: unknown) =>
      element.value((name) => {
        if (name === singular) return item
        if (name.startsWith(`${singular}.`)) return (item as Record<string, unknown>)[name.slice(singular.length + 1)]
        return scope(name)
      }),
    )
  })
}

interface ConditionLike {
  readonly type: string
  readonly status: string
  readonly reason?: string
  readonly message?: string
}

function compileConditions(fields: { readonly [key: string]: Json }, path: string): Result<Template> {
  const { $conditions: wanted, ...rest } = fields
  if (typeof wanted !== 'object' || wanted === null || Array.isArray(wanted) || Object.keys(rest).length > 0)
    return failed(`${path}: $conditions needs an object of types and statuses, and nothing else`)
  const conditions: (readonly [string, Readonly<Record<string, unknown>>, Template])[] = []
  for (const [type, value] of Object.entries(wanted as { readonly [key: string]: Json })) {
    const condition = typeof value === 'string' ? { status: value } : (value as Readonly<Record<string, unknown>>)
    if (!['True', 'False', 'Unknown'].includes(String(condition?.['status'])))
      return failed(`${path}.$conditions.${type}: a status is True, False or Unknown`)
    const filled = compileTemplate(condition as Json, `${path}.$conditions.${type}`)
    if (!filled.ok) return filled
    conditions.push([type, condition, filled.value])
  }
  return done((scope) => {
    const present = scope('conditions') as readonly ConditionLike[] | undefined
    const now = scope('now')
    const changed: unknown[] = []
    for (const [type, condition, filled] of conditions) {
      const old = present?.find((other) => other.type === type)
      if (old?.status === condition['status']) continue
      // The reason of the old status must be removed.
      changed.push({
        type,
        ...(old?.reason && { reason: null }),
        ...(old?.message && { message: null }),
        ...(filled(scope) as object),
        lastTransitionTime: now,
      })
    }
    return changed.length === 0 ? undefined : changed
  })
}
