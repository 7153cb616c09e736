import { readFileSync } from 'node:fs'
import { Agent, request } from 'node:https'
import { parseJson } from '../../src/base/exact-json.ts'

export interface Reply {
  readonly code: number
  readonly warnings: readonly string[]
  // biome-ignore lint/suspicious/noExplicitAny: whatever came back
  readonly body: any
}

/** Asks one API server, as the kubeconfig's user. */
export type Asker = (method: string, path: string, body?: unknown, type?: string, accept?: string) => Promise<Reply>

export function askerOf(kubeconfig: string): Asker & { close(): void } {
  const { clusters, users } = JSON.parse(kubeconfig.startsWith('{') ? kubeconfig : readFileSync(kubeconfig, 'utf8'))
  const { server } = clusters[0].cluster
  const decode = (data: string) => Buffer.from(data, 'base64').toString()
  const agent = new Agent({
    keepAlive: true,
    cert: decode(users[0].user['client-certificate-data']),
    key: decode(users[0].user['client-key-data']),
    ca: decode(clusters[0].cluster['certificate-authority-data']),
  })
  const ask: Asker = (method, path, body, type = 'application/json', accept = 'application/json') =>
    new Promise((resolve, reject) => {
      const headers = { accept, ...(body === undefined ? {} : { 'content-type': type }) }
      const sent = request(`${server}${path}`, { method, agent, headers }, (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('end', () => {
          const text = Buffer.concat(chunks).toString()
          const warnings = [response.headers.warning ?? []].flat().flatMap((one) => one.split(/, (?=299 )/))
          resolve({ code: response.statusCode ?? 0, warnings, body: parsed(text) })
        })
      })
      sent.on('error', reject)
      sent.end(body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body))
    })
  return Object.assign(ask, { close: () => agent.destroy() })
}

function parsed(text: string): unknown {
  try {
    return parseJson(text)
  } catch {
    return text
  }
}

// `continue` is opaque, and the status of a definition is written later upstream.
const volatile = new Set([
  'continue',
  'uid',
  'resourceVersion',
  'creationTimestamp',
  'time',
  'lastTransitionTime',
  'deletionTimestamp',
])

/** The comparable part of an answer: without identities and times. */
export function comparable(value: unknown): unknown {
  if (typeof value === 'string') return value.replace(/selfType\d+/g, 'selfType')
  if (Array.isArray(value)) return value.map(comparable)
  if (typeof value !== 'object' || value === null) return value
  if ((value as { readonly kind?: unknown }).kind === 'CustomResourceDefinition') return 'a definition'
  const { reason, details } = value as { readonly reason?: string; readonly details?: { readonly causes?: unknown[] } }
  if (reason === 'Invalid' && (details?.causes?.length ?? 0) > 1) return { reason, causes: inOrder(details?.causes) }
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => !volatile.has(name))
      .map(([name, inner]) => [name, name === 'managedFields' ? inOrder(comparable(inner)) : comparable(inner)]),
  )
}

/** Entries of the same second are in any order. */
function inOrder(entries: unknown): unknown {
  if (!Array.isArray(entries)) return entries
  return [...entries].sort((a, b) => (JSON.stringify(sorted(a)) < JSON.stringify(sorted(b)) ? -1 : 1))
}

function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, inner]) => [name, sorted(inner)]),
  )
}

export const shownReply = ({ code, warnings, body }: Reply): unknown => ({ code, warnings, body: comparable(body) })
