import type { JsonObject } from '../api/objects/meta.ts'
import { asClusterData, visible, visibleValue } from './cluster-text.ts'

/** The answer of a tool. */
export interface ToolOutcome {
  /** Sentences of this server. Names in them are quoted or valid Kubernetes names, never free text of the cluster. */
  readonly says: readonly string[]
  /** Lines with text of the cluster. */
  readonly data?: readonly string[]
  /** The same answer for programs. */
  readonly value: Readonly<Record<string, unknown>>
  /** The answer is not complete: the cursor of `value` continues it, or parts were omitted. */
  readonly truncated?: boolean
}

/** The question cannot be answered. The message has the problem and the expected value. */
export class ToolError extends Error {
  override readonly name = 'ToolError'
}

/**
 * The call cannot be answered because of a limit or an argument, not because of the cluster. The message has only text of this
 * server and of the caller.
 */
export class UsageError extends ToolError {}

/** The result of `tools/call`. */
export interface ToolResult {
  readonly content: readonly { readonly type: 'text'; readonly text: string }[]
  readonly structuredContent?: JsonObject
  readonly isError?: true
}

// The approximate number of characters of a token, for English text and Kubernetes names.
const charactersPerToken = 4

export function charactersOf(tokens: number): number {
  return tokens * charactersPerToken
}

/** Creates the result. The text and the value each have the full budget of characters. */
export function resultOf({ says, data = [], value, truncated = false }: ToolOutcome, budget: number): ToolResult {
  const lead = cut(says, Math.max(budget / 2, budget - lengthOf(data)))
  const shown = cut(data, budget - lengthOf(lead.lines))
  const bounded = boundedValue(visibleValue(value), budget)
  const isCut = truncated || lead.isCut || shown.isCut || bounded.isCut
  const text = [
    ...lead.lines,
    ...(shown.lines.length === 0 ? [] : [asClusterData(shown.lines.join('\n'))]),
    ...(lead.isCut || shown.isCut ? ['The answer was truncated at the token budget: request less.'] : []),
  ].join('\n')
  return {
    content: [{ type: 'text', text }],
    structuredContent: { ...(bounded.value as JsonObject), truncated: isCut },
  }
}

const errorLength = 4_000

/** The result of a failed tool. Errors quote names and messages of the cluster, so they are marked as data, too. */
export function errorResult(message: string): ToolResult {
  const text = message.length > errorLength ? `${message.slice(0, errorLength)}…` : message
  return { content: [{ type: 'text', text: `Error:\n${asClusterData(text)}` }], isError: true }
}

/** The result of a call that this server rejects. The model may follow its advice, so it is not marked as data. */
export function refusal(message: string): ToolResult {
  return { content: [{ type: 'text', text: visible(`Error: ${message}`).slice(0, errorLength) }], isError: true }
}

/** The result of a call with invalid arguments. It quotes only values from the caller. */
export function wrongArguments(tool: string, problems: readonly string[]): ToolResult {
  const text = visible([`Invalid arguments for ${tool}:`, ...problems].join('\n')).slice(0, errorLength)
  return { content: [{ type: 'text', text }], isError: true }
}

function lengthOf(lines: readonly string[]): number {
  return lines.reduce((sum, line) => sum + line.length + 1, 0)
}

function cut(lines: readonly string[], most: number): { readonly lines: readonly string[]; readonly isCut: boolean } {
  const kept: string[] = []
  let left = most
  for (const line of lines) {
    if (line.length + 1 > left) {
      if (left > 80) kept.push(`${line.slice(0, left - 2)}…`)
      return { lines: kept, isCut: true }
    }
    left -= line.length + 1
    kept.push(line)
  }
  return { lines: kept, isCut: false }
}

const listCaps = [200, 100, 50, 20, 10, 5, 2, 1, 0] as const

/** Shortens lists and texts until the JSON fits. */
function boundedValue(value: unknown, most: number): { readonly value: unknown; readonly isCut: boolean } {
  if (JSON.stringify(value).length <= most) return { value, isCut: false }
  for (const cap of listCaps) {
    const shorter = capped(value, cap, Math.max(40, cap * 20))
    if (JSON.stringify(shorter).length <= most) return { value: shorter, isCut: true }
  }
  return { value: {}, isCut: true }
}

function capped(value: unknown, items: number, characters: number): unknown {
  if (typeof value === 'string') return value.length > characters ? `${value.slice(0, characters)}…` : value
  if (Array.isArray(value)) return value.slice(0, items).map((item) => capped(item, items, characters))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, capped(member, items, characters)]))
}
