import type { ParsedUrl } from '../value.ts'

type UrlResult = { readonly ok: true; readonly url: ParsedUrl } | { readonly ok: false; readonly why: string }

const wrong = (raw: string, why: string): UrlResult => ({ ok: false, why: `parse ${JSON.stringify(raw)}: ${why}` })

/** An absolute URI or an absolute path, as in Go's url.ParseRequestURI. */
export function readUrl(raw: string): UrlResult {
  if (raw === '') return wrong(raw, 'empty url')
  // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what is refused.
  if (/[\x00-\x1f\x7f]/.test(raw)) return wrong(raw, 'net/url: invalid control character in URL')
  const match = /^([a-zA-Z][a-zA-Z0-9+.-]*):(.*)$/s.exec(raw)
  if (match === null) {
    if (raw.startsWith(':')) return wrong(raw, 'missing protocol scheme')
    if (!raw.startsWith('/')) return wrong(raw, 'invalid URI for request')
  }
  const scheme = (match?.[1] ?? '').toLowerCase()
  const rest = match?.[2] ?? raw
  const [beforeFragment = ''] = rest.split('#')
  const mark = beforeFragment.indexOf('?')
  const query = mark < 0 ? '' : beforeFragment.slice(mark + 1)
  const hierarchy = mark < 0 ? beforeFragment : beforeFragment.slice(0, mark)
  if (!hierarchy.startsWith('/')) {
    // Opaque URIs, such as mailto:a@b, have neither host nor path.
    return scheme === ''
      ? wrong(raw, 'invalid URI for request')
      : { ok: true, url: { scheme, host: '', path: '', query, text: raw } }
  }
  let host = ''
  let path = hierarchy
  if (hierarchy.startsWith('//') && (scheme !== '' || !hierarchy.startsWith('///'))) {
    const slash = hierarchy.indexOf('/', 2)
    host = slash < 0 ? hierarchy.slice(2) : hierarchy.slice(2, slash)
    path = slash < 0 ? '' : hierarchy.slice(slash)
    host = host.slice(host.lastIndexOf('@') + 1)
    const port = /:([^:\]]*)$/.exec(host)?.[1]
    if (port !== undefined && !/^\d*$/.test(port)) {
      return wrong(raw, `invalid port ${JSON.stringify(`:${port}`)} after host`)
    }
    if (/[ "<>^`{|}\\]/.test(host)) return wrong(raw, `invalid character ${JSON.stringify(/[ "<>^`{|}\\]/.exec(host)?.[0])} in host name`) // biome-ignore format: one line
  }
  const broken = /%(?![0-9a-fA-F]{2}).{0,2}/.exec(path)
  if (broken !== null) return wrong(raw, `invalid URL escape ${JSON.stringify(broken[0])}`)
  return { ok: true, url: { scheme, host, path: escapedPath(path), query, text: raw } }
}

/** Escapes characters that are not allowed in a path. */
function escapedPath(path: string): string {
  const text = path.replace(/\p{Cs}/gu, '\ufffd')
  return text.replace(/[^A-Za-z0-9\-._~!$&'()*+,;=:@/%[\]]+/gu, encodeURIComponent)
}
