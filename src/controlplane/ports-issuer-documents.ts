import * as https from 'node:https'
import type { ReadDocument } from '../apiserver/tokens/issuer-keys.ts'

const maxBytes = 1024 * 1024
const timeoutMs = 30_000

/** Reads discovery documents and key sets of token issuers, without following redirects. */
export const readIssuerDocument: ReadDocument = (url, certificateAuthority) =>
  new Promise((resolve, reject) => {
    const trusted = certificateAuthority === undefined ? {} : { ca: certificateAuthority }
    const options = { agent: false as const, timeout: timeoutMs, headers: { accept: 'application/json' }, ...trusted }
    const outgoing = https.get(url, options, (incoming) => {
      const chunks: Buffer[] = []
      let size = 0
      incoming.on('data', (chunk: Buffer) => {
        size += chunk.length
        if (size > maxBytes) outgoing.destroy(new Error(`${url} has more than ${maxBytes} bytes`))
        else chunks.push(chunk)
      })
      incoming.on('error', reject)
      incoming.on('end', () => {
        if (incoming.statusCode !== 200) reject(new Error(`${url}: status ${incoming.statusCode}`))
        else {
          try {
            resolve(JSON.parse(Buffer.concat(chunks).toString('utf8')))
          } catch {
            reject(new Error(`${url} is not JSON`))
          }
        }
      })
    })
    outgoing.on('timeout', () => outgoing.destroy(new Error(`${url}: no answer`)))
    outgoing.on('error', reject)
  })
