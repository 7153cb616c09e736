import type { Clock } from '../base/clock.ts'
import { type HttpAnswer, HttpConnection, type ServerAccess } from '../client/http-connection.ts'

const timeoutMs = 10_000

/** Requests /version, which every authenticated client may read; returns the problem in one line. */
export async function troubleReaching(access: ServerAccess, clock: Clock): Promise<string | undefined> {
  return troubleIn(await versionAnswer(access, clock), access)
}

/** The gitVersion of the cluster; undefined when it cannot be read. */
export async function gitVersionOf(access: ServerAccess, clock: Clock): Promise<string | undefined> {
  const answer = await versionAnswer(access, clock)
  if (answer.kind !== 'answer' || answer.code !== 200) return undefined
  try {
    const { gitVersion } = JSON.parse(answer.body) as { readonly gitVersion?: unknown }
    return typeof gitVersion === 'string' ? gitVersion : undefined
  } catch {
    return undefined
  }
}

async function versionAnswer(access: ServerAccess, clock: Clock): Promise<HttpAnswer> {
  const connection = new HttpConnection({ access, clock, userAgent: 'berth', timeoutMs: timeoutMs, maxSockets: 1 })
  const answer = await connection.exchange({ method: 'GET', path: '/version' })
  connection.close()
  return answer
}

export function troubleIn(answer: HttpAnswer, access: ServerAccess): string | undefined {
  const cluster = `the cluster at ${access.server}`
  if (answer.kind === 'timeout') return `${cluster} timed out after ${timeoutMs / 1000} s`
  if (answer.kind === 'lost') {
    // A server that checks the client certificate during the handshake ends it with an alert.
    const seen = answer.message.includes(' alert ') ? access.explainRefusal?.() : undefined
    return `cannot reach ${cluster}: ${seen ?? plainly(answer.message)}`
  }
  const { code, body } = answer
  if (code === 401) {
    const why = access.explainRefusal?.() ?? 'they may be wrong, or have expired'
    return `${cluster} does not accept these credentials (401): ${why}`
  }
  if (code === 400 && body.includes('HTTPS'))
    return `cannot reach ${cluster}: it expects https:// in the kubeconfig, not http://`
  if (code >= 500) return `${cluster} is unhealthy: /version returned ${code}`
  // A client that is forbidden to read /version is still authenticated.
  if (code === 403 || (code === 200 && body.includes('"gitVersion"'))) return undefined
  return `${access.server} is not a Kubernetes API server: /version returned ${code}`
}

/** Adds a plain explanation to messages of OpenSSL and the kernel. */
function plainly(message: string): string {
  const line = message.replace(/\s+/g, ' ').trim()
  const meaning = meanings.find(([pattern]) => pattern.test(line))?.[1]
  return meaning === undefined ? line : `${meaning} (${shortened(line)})`
}

const meanings: readonly (readonly [RegExp, string])[] = [
  [
    /wrong version number|packet length too long|EPROTO.*record/i,
    'the server does not use TLS; the kubeconfig may need http://',
  ],
  [/ENOTFOUND|EAI_AGAIN/, 'no such host'],
  [
    /unable to verify|self.signed certificate|unable to get (local )?issuer/i,
    'its certificate is not signed by the certificate authority in the kubeconfig',
  ],
  [/does not match certificate's altnames/, 'its certificate is for other names; tls-server-name may help'],
]

// `C0E7:error:0A00010B:SSL routines:ssl3_get_record:wrong version number:../deps/openssl/…:354:`
function shortened(line: string): string {
  return /:SSL routines:[^:]*:([^:]+):/.exec(line)?.[1] ?? line
}
