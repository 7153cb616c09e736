import type { ApiRequest } from './exchange.ts'

/**
 * Whether a request names this server by an address, by `localhost` or by one of `names`. A page of another site whose
 * name resolves to this machine (DNS rebinding) sends that name in the Host header. Browsers do not allow pages to
 * change this header.
 */
export function namesThisServer({ headers }: ApiRequest, names: readonly string[] = []): boolean {
  const host = hostNameIn(headers['host'] ?? headers[':authority'] ?? '')
  if (host === undefined) return false
  const isAddress = host.includes(':') || /^\d+\.\d+\.\d+\.\d+$/.test(host)
  return isAddress || host === 'localhost' || host.endsWith('.localhost') || names.includes(host)
}

/** The name without the port, in lower case; undefined if it is not HOST or HOST:PORT. */
function hostNameIn(header: string): string | undefined {
  const match = /^(?:\[([0-9a-f:.]+)\]|([a-z0-9_.-]+))(?::\d{1,5})?$/.exec(header.toLowerCase())
  return (match?.[1] ?? match?.[2])?.replace(/\.$/, '')
}
