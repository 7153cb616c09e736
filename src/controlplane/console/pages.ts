import { type ApiRequest, type FullResponse, text } from '../../apiserver/exchange.ts'
import { lookupTable } from '../../base/lookup-table.ts'
import type { ConsoleFile } from '../ports-console.ts'

/** No external resources, nothing inline, no frames. */
export const securityHeaders = lookupTable<string>({
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=()',
})

/** The page and its resources. They contain no secrets and need no authentication. */
export function pageAnswer(request: ApiRequest, files: ReadonlyMap<string, ConsoleFile>): FullResponse {
  if (request.method !== 'GET' && request.method !== 'HEAD') return text(405, 'only GET and HEAD are supported here\n')
  const name = request.path === '/console/' ? 'index.html' : request.path.slice('/console/'.length)
  const file = files.get(name)
  if (file === undefined) {
    return files.size === 0
      ? text(404, 'the console is not built; run npm run build\n', securityHeaders)
      : text(404, '404 page not found\n', securityHeaders)
  }
  // Names under assets/ contain a hash of the file's content.
  const cache = name.startsWith('assets/') ? 'public, max-age=31536000, immutable' : 'no-cache'
  const headers = { ...securityHeaders, 'content-type': file.type, 'cache-control': cache, etag: file.tag }
  if (request.headers['if-none-match'] === file.tag) return { kind: 'full', code: 304, headers, body: '' }
  const takesGzip = /\bgzip\b/.test(request.headers['accept-encoding'] ?? '')
  return takesGzip
    ? {
        kind: 'full',
        code: 200,
        headers: { ...headers, 'content-encoding': 'gzip', vary: 'accept-encoding' },
        body: file.gzipped,
      }
    : { kind: 'full', code: 200, headers: { ...headers, vary: 'accept-encoding' }, body: file.body }
}
