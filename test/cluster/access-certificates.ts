import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { request } from 'node:https'
import { join } from 'node:path'

export interface Identity {
  readonly cert: string
  readonly key: string
}

/** Client certificates of every kind, signed by the authority whose files lie in the folder. */
export function issueCertificates(folder: string, ca: Identity): Readonly<Record<string, Identity>> {
  const file = (name: string) => join(folder, name)
  const run = (...args: readonly string[]) => execFileSync('openssl', args, { stdio: 'ignore' })
  const key = (name: string) => run('ecparam', '-name', 'prime256v1', '-genkey', '-noout', '-out', file(name))
  writeFileSync(file('ca.crt'), ca.cert)
  writeFileSync(file('ca.key'), ca.key)
  key('other-ca.key')
  const forTenDays = ['-days', '10']
  run(
    'req',
    '-x509',
    '-new',
    '-key',
    file('other-ca.key'),
    '-subj',
    '/CN=other',
    '-out',
    file('other-ca.crt'),
    ...forTenDays,
  )
  const issue = (
    name: string,
    subject: string,
    usage: string,
    validity: readonly string[],
    authority = 'ca',
  ): Identity => {
    key(`${name}.key`)
    run('req', '-new', '-key', file(`${name}.key`), '-subj', subject, '-out', file(`${name}.csr`))
    writeFileSync(file(`${name}.ext`), usage === '' ? 'basicConstraints=CA:FALSE\n' : `extendedKeyUsage=${usage}\n`)
    run(
      ...[
        'x509',
        '-req',
        '-in',
        file(`${name}.csr`),
        '-CA',
        file(`${authority}.crt`),
        '-CAkey',
        file(`${authority}.key`),
      ],
      ...['-CAcreateserial', '-extfile', file(`${name}.ext`), '-out', file(`${name}.crt`), ...validity],
    )
    return { cert: readFileSync(file(`${name}.crt`), 'utf8'), key: readFileSync(file(`${name}.key`), 'utf8') }
  }
  return {
    valid: issue('valid', '/O=dev/CN=ann', 'clientAuth', forTenDays),
    'in several groups': issue('groups', '/O=dev/O=ops/CN=ann', 'clientAuth', forTenDays),
    'with two common names': issue('two', '/CN=ann/CN=bob', 'clientAuth', forTenDays),
    'without a common name': issue('nameless', '/O=dev', 'clientAuth', forTenDays),
    'in the masters group': issue('masters', '/O=system:masters/CN=root', 'clientAuth', forTenDays),
    'with a uid': issue('uid', '/CN=ann/1.3.6.1.4.1.57683.2=u-1', 'clientAuth', forTenDays),
    'for any use': issue('any', '/CN=ann', '', forTenDays),
    'for servers only': issue('server', '/CN=ann', 'serverAuth', forTenDays),
    expired: issue('expired', '/CN=ann', 'clientAuth', ['-days', '-1']),
    'of another authority': issue('foreign', '/O=system:masters/CN=root', 'clientAuth', forTenDays, 'other-ca'),
  }
}

/** The identity of the client for a server: the status of a SelfSubjectReview, or the code of an error. */
export function whoAmI(
  url: string,
  ca: string,
  identity: Identity | undefined,
  token: string | undefined,
): Promise<unknown> {
  const headers = {
    'content-type': 'application/json',
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
  }
  return new Promise((done, fail) => {
    const path = '/apis/authentication.k8s.io/v1/selfsubjectreviews'
    const sent = request(`${url}${path}`, { method: 'POST', ca, headers, agent: false, ...identity }, (response) => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (chunk: string) => {
        text += chunk
      })
      response.on('end', () => {
        const body = JSON.parse(text) as {
          readonly status?: { readonly userInfo?: unknown }
          readonly message?: string
        }
        done({ code: response.statusCode, says: body.status?.userInfo ?? body.message })
      })
    })
    sent.on('error', fail)
    sent.end('{}')
  })
}
