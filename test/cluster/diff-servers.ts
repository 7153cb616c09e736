import { readFileSync } from 'node:fs'
import { Agent, request } from 'node:https'
import { type ServingOptions, serving } from '../apiserver/serving.ts'
import type { Answer } from './diff-compare.ts'
import type { Ask } from './diff-run.ts'
import { clusterRelease } from './real-parts.ts'

/** Flags that make kube-apiserver comparable to berth: the same ranges, and no admission plugin that berth does not have. */
export const likeBerth: Readonly<Record<string, string>> = {
  'service-cluster-ip-range': '10.0.0.0/24',
  'authorization-mode': 'AlwaysAllow',
  'disable-admission-plugins': 'ServiceAccount,PodSecurity',
  'allow-privileged': 'true',
}

const warningPattern = /299 - "((?:[^"\\]|\\.)*)"/g

function warningsOf(header: string | readonly string[] | undefined): readonly string[] {
  const lines = header === undefined ? [] : typeof header === 'string' ? [header] : header
  return lines.flatMap((line) => [...line.matchAll(warningPattern)].map(([, text = '']) => text))
}

function bodyOf(text: string): Answer['body'] {
  try {
    return JSON.parse(text)
  } catch {
    return { message: text }
  }
}

/** Sends a request to the real server as administrator. Code 0: the connection was cut. */
export function askReal(kubeconfig: string): { readonly ask: Ask; close(): void } {
  const { clusters, users } = JSON.parse(readFileSync(kubeconfig, 'utf8'))
  const read = (data: string) => Buffer.from(data, 'base64').toString()
  const agent = new Agent({
    keepAlive: true,
    maxSockets: 16,
    cert: read(users[0].user['client-certificate-data']),
    key: read(users[0].user['client-key-data']),
    ca: read(clusters[0].cluster['certificate-authority-data']),
  })
  const ask: Ask = (method, path, body, headers = {}) =>
    new Promise((done) => {
      const text = body === undefined ? undefined : JSON.stringify(body)
      const all = { accept: 'application/json', 'content-type': 'application/json', ...headers }
      const sent = request(`${clusters[0].cluster.server}${path}`, { method, agent, headers: all }, (response) => {
        let received = ''
        response.setEncoding('utf8')
        response.on('data', (chunk: string) => {
          received += chunk
        })
        response.on('end', () => {
          const warnings = warningsOf(response.headers.warning)
          done({ code: response.statusCode ?? 0, body: bodyOf(received), warnings })
        })
      })
      sent.on('error', () => done({ code: 0, body: {}, warnings: [] }))
      sent.end(text)
    })
  return { ask, close: () => agent.destroy() }
}

/** Sends a request to an API server of berth in this process. */
export function askOurs(options: ServingOptions = {}): Ask {
  const registryOptions = { release: clusterRelease, ...options.registryOptions }
  const { ask, clock } = serving({ ...options, registryOptions })
  return async (method, path, body, headers = {}) => {
    const all = { accept: 'application/json', 'content-type': 'application/json', ...headers }
    // Records of field owners are in the order of their times.
    if (method !== 'GET' && !path.includes('dryRun=All')) clock.advanceTo(clock.now() + 1500)
    const answer = await ask(method, path, body === undefined ? undefined : JSON.stringify(body), all)
    return { code: answer.code, body: bodyOf(answer.text), warnings: warningsOf(answer.headers['warning']) }
  }
}
