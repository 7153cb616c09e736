import { containsIp, parseCidr } from '../../api/cidr.ts'
import { parseIp } from '../../api/ip-address.ts'

const schemes: readonly string[] = ['http:', 'https:', 'socks5:']

/**
 * The proxy for a server: from the kubeconfig, or from the environment as kubectl reads it
 * (golang.org/x/net/http/httpproxy): HTTPS_PROXY, HTTP_PROXY and NO_PROXY, in upper or lower case.
 */
export function proxyOf(server: string, named: string | undefined, whose: string): URL | undefined {
  if (named) return asProxy(named, `the proxy-url of the cluster ${JSON.stringify(whose)}`)
  const url = new URL(server)
  const name = url.protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY'
  const [variable, value] = fromEnvironment(name)
  if (value === '' || isDirect(url, fromEnvironment('NO_PROXY')[1])) return undefined
  return asProxy(value.includes('://') ? value : `http://${value}`, `$${variable}`)
}

function fromEnvironment(name: string): readonly [variable: string, value: string] {
  for (const variable of [name, name.toLowerCase()]) {
    const value = process.env[variable]
    if (value) return [variable, value]
  }
  return [name, '']
}

function asProxy(text: string, what: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !schemes.includes(url.protocol) || url.hostname === '')
    throw new Error(
      `${what} is ${JSON.stringify(text)}; it must be a URL such as http://proxy:3128, https://proxy:3129 or socks5://proxy:1080`,
    )
  return url
}

/** Whether NO_PROXY covers this server. Loopback addresses never use a proxy. */
function isDirect(server: URL, list: string): boolean {
  const host = hostOf(server)
  const port = server.port || (server.protocol === 'https:' ? '443' : '80')
  const ip = parseIp(host)
  if (host === 'localhost' || (ip?.family === 4 && host.startsWith('127.')) || host === '::1') return true
  return list.split(',').some((text) => {
    const entry = text.trim().toLowerCase()
    if (entry === '') return false
    if (entry === '*') return true
    const cidr = parseCidr(entry)
    if (cidr !== undefined) return ip !== undefined && containsIp(cidr, ip)
    const [, name = entry, wanted] = /^(.*[^:]):(\d+)$/.exec(entry) ?? []
    if (wanted !== undefined && parseIp(entry) === undefined && wanted !== port) return false
    const domain = (parseIp(entry) === undefined ? name : entry).replace(/^\[|\]$/g, '').replace(/^\*?\./, '.')
    if (domain.startsWith('.')) return host.endsWith(domain)
    return host === domain || (ip === undefined && host.endsWith(`.${domain}`))
  })
}

function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '').toLowerCase()
}
