import { Agent, request } from 'node:https'
import { createCredentials } from '../../src/apiserver/certificates.ts'
import type { Caller } from '../../src/registry/contract.ts'
import { type ServingOptions, serving, textOf } from '../apiserver/serving.ts'
import { clusterRelease } from './real-parts.ts'

/** A user who asks both servers with the same token. */
export interface User {
  readonly token: string
  readonly caller: Caller
}

export const administratorToken = 'admin'

export const user = (name: string, ...groups: string[]): User => ({
  token: `token-of-${name}`,
  caller: { name, groups },
})

export const namespaces = ['a1', 'a2'] as const

export const users: readonly User[] = [
  user('ann', 'dev'),
  user('bob', 'dev', 'ops'),
  user('eve'),
  user('imp'),
  user('system:serviceaccount:a1:robot', 'system:serviceaccounts', 'system:serviceaccounts:a1'),
  user('system:serviceaccount:a2:robot', 'system:serviceaccounts', 'system:serviceaccounts:a2'),
]

/** --token-auth-file of kube-apiserver. */
export const tokenFileOf = (owners: readonly User[]): string =>
  [
    `${administratorToken},kubernetes-admin,,system:masters`,
    ...owners.map(({ token, caller: { name, groups } }) =>
      groups.length === 0 ? `${token},${name},` : `${token},${name},,"${groups.join(',')}"`,
    ),
  ].join('\n')

export const tokenFile = tokenFileOf(users)

export interface AccessAnswer {
  /** 0: the connection was cut. */
  readonly code: number
  // biome-ignore lint/suspicious/noExplicitAny: whatever came back
  readonly body: any
}

export interface AccessQuestion {
  readonly method: string
  readonly path: string
  readonly headers?: Readonly<Record<string, string | readonly string[]>>
  readonly body?: string | Uint8Array
}

export type AccessAsk = (question: AccessQuestion) => Promise<AccessAnswer>

const watching = /\/watch\/|[?&]watch(=(?!false|0)|&|$)/

function bodyOf(text: string): AccessAnswer['body'] {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** Sends a request to the real server. A watch is answered as soon as its head is received. */
export function askReal(url: string, ca: string): { readonly ask: AccessAsk; close(): void } {
  const agent = new Agent({ keepAlive: true, maxSockets: 8, ca })
  const ask: AccessAsk = ({ method, path, headers = {}, body }) =>
    new Promise((done) => {
      const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }
      const all = { accept: 'application/json', ...length, ...headers } as Record<string, string>
      const options = { method, agent, headers: all }
      const sent = request(`${url}${path}`, options, (response) => {
        const code = response.statusCode ?? 0
        if (code === 200 && response.headers['transfer-encoding'] === 'chunked' && watching.test(path)) {
          sent.destroy()
          done({ code, body: 'a watch' })
          return
        }
        let received = ''
        response.setEncoding('utf8')
        response.on('data', (chunk: string) => {
          received += chunk
        })
        response.on('end', () => done({ code, body: bodyOf(received) }))
      })
      sent.on('error', () => done({ code: 0, body: {} }))
      sent.end(body)
    })
  return { ask, close: () => agent.destroy() }
}

/** Asks an API server of berth with RBAC, in this process. */
export function askOurs(options: ServingOptions = { authorizationModes: ['RBAC'], tokens: users }): AccessAsk {
  const credentials = createCredentials({ now: Date.now(), hosts: ['localhost'], adminToken: administratorToken })
  const registryOptions = { release: clusterRelease, ...options.registryOptions }
  const { raw } = serving({ ...options, registryOptions, credentials })
  return async ({ method, path, headers = {}, body }) => {
    const lists = Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name.toLowerCase(), [value].flat()]),
    )
    const joined = Object.fromEntries(Object.entries(lists).map(([name, values]) => [name, values.join(', ')]))
    const decoded = path.replace(/^[^?]*/, (before) => decodeURIComponent(before))
    const all = { accept: 'application/json', ...joined }
    const response = await raw(method, decoded, body, all, { headerLists: lists })
    if (response.kind === 'stream') {
      const sink = { write: () => true, isFull: false, onDrain() {}, keep() {}, unkeep() {}, end() {} }
      response.start(sink)()
      return { code: response.code, body: 'a watch' }
    }
    return { code: response.code, body: bodyOf(textOf(response)) }
  }
}
