import type { Clock } from '../base/clock.ts'
import { type HttpAnswer, HttpConnection, type ServerAccess } from '../client/http-connection.ts'

const patienceMs = 10_000

/** One question to the server that anybody may ask who is known to it; what is wrong with the answer, in one line. */
export async function troubleReaching(access: ServerAccess, clock: Clock): Promise<string | undefined> {
  const connection = new HttpConnection({ access, clock, userAgent: 'berth', timeoutMs: patienceMs, maxSockets: 1 })
  const answer = await connection.exchange({ method: 'GET', path: '/version' })
  connection.close()
  return troubleIn(answer, access)
}

export function troubleIn(answer: HttpAnswer, access: ServerAccess): string | undefined {
  const cluster = `the cluster at ${access.server}`
  if (answer.kind === 'timeout') return `${cluster} did not answer within ${patienceMs / 1000} s`
  if (answer.kind === 'lost') {
    // A server that looks at the certificate of its client at once ends the handshake with an alert.
    const seen = answer.message.includes(' alert ') ? access.explainRefusal?.() : undefined
    return `${cluster} could not be reached: ${seen ?? plainly(answer.message)}`
  }
  const { code, body } = answer
  if (code === 401) {
    const why = access.explainRefusal?.() ?? 'they may be wrong, or have expired'
    return `${cluster} does not accept these credentials (401): ${why}`
  }
  if (code === 400 && body.includes('HTTPS'))
    return `${cluster} could not be reached: it wants https:// in the kubeconfig, not http://`
  if (code >= 500) return `${cluster} is not well: it answered with ${code}`
  // Whoever may not read it is known to a Kubernetes API server all the same.
  if (code === 403 || (code === 200 && body.includes('"gitVersion"'))) return undefined
  return `there is no Kubernetes API server at ${access.server}: it answered ${code} to /version`
}

/** OpenSSL and the kernel speak to programmers; what they mean is added for those who only have to mend it. */
function plainly(message: string): string {
  const line = message.replace(/\s+/g, ' ').trim()
  const meaning = meanings.find(([pattern]) => pattern.test(line))?.[1]
  return meaning === undefined ? line : `${meaning} (${shortened(line)})`
}

const meanings: readonly (readonly [RegExp, string])[] = [
  [
    /wrong version number|packet length too long|EPROTO.*record/i,
    'it does not speak TLS: the kubeconfig may need http://',
  ],
  [/ENOTFOUND|EAI_AGAIN/, 'there is no host of that name'],
  [
    /unable to verify|self.signed certificate|unable to get (local )?issuer/i,
    'its certificate is not of the certificate authority in the kubeconfig',
  ],
  [/does not match certificate's altnames/, 'its certificate is for other names; tls-server-name may help'],
]

// `C0E7:error:0A00010B:SSL routines:ssl3_get_record:wrong version number:../deps/openssl/…:354:`
function shortened(line: string): string {
  return /:SSL routines:[^:]*:([^:]+):/.exec(line)?.[1] ?? line
}
