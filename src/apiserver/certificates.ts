import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { bitString, boolean, context, integer, objectId, octetString, sequence, set, time, utf8 } from '../base/der.ts'

/**
 * The keys and certificates of a TLS server and its administrator, in PEM. Created once and stored in the data
 * directory.
 */
export interface ServerCredentials {
  readonly caCertificate: string
  readonly caKey: string
  /** Authorities whose client certificates are accepted. Absent: `caCertificate`. */
  readonly clientAuthorities?: string
  readonly serverCertificate: string
  readonly serverKey: string
  readonly adminCertificate: string
  readonly adminKey: string
  readonly adminToken: string
}

export interface CertificateRequest {
  readonly now: number
  /** DNS names and IP addresses of the server. */
  readonly hosts: readonly string[]
  readonly adminToken: string
}

interface CertificateSubject {
  readonly commonName: string
  readonly organization?: string
}

interface KeyPair {
  readonly publicKey: KeyObject
  readonly privateKey: KeyObject
}

const tenYearsMs = 10 * 365 * 24 * 3600 * 1000
const ecdsaWithSha256 = sequence(objectId('1.2.840.10045.4.3.2'))
const serverAuth = '1.3.6.1.5.5.7.3.1'
const clientAuth = '1.3.6.1.5.5.7.3.2'
// KeyUsage bits: digitalSignature is the first, keyCertSign the sixth.
const digitalSignature = bitString(Buffer.from([0x80]), 7)
const signsCertificates = bitString(Buffer.from([0x84]), 2)

/**
 * A certificate authority, a serving certificate signed by it, and a client certificate for `kubernetes-admin` in the
 * group `system:masters`, as kubeadm names them. The authority is private, so serial numbers only need to be distinct.
 */
export function createCredentials(request: CertificateRequest): ServerCredentials {
  // Tolerates a clock difference of one hour between this machine and its clients.
  const validity = sequence(time(request.now - 3600_000), time(request.now + tenYearsMs))
  const authority: CertificateSubject = { commonName: 'berth-ca' }
  const caKeys = newKeys()
  const issuer = extension('2.5.29.35', authorityKeyId(keyIdOf(caKeys.publicKey)))
  const issue = (serial: number, subject: CertificateSubject, keys: KeyPair, extensions: readonly Buffer[]) => {
    const tbs = sequence(
      context(0, integer(2)),
      integer(serial),
      ecdsaWithSha256,
      nameOf(authority),
      validity,
      nameOf(subject),
      keys.publicKey.export({ type: 'spki', format: 'der' }),
      context(3, sequence(...extensions, ...(keys === caKeys ? [] : [issuer]))),
    )
    const signature = sign('sha256', tbs, { key: caKeys.privateKey, dsaEncoding: 'der' })
    return pem('CERTIFICATE', sequence(tbs, ecdsaWithSha256, bitString(signature)))
  }
  const serverKeys = newKeys()
  const adminKeys = newKeys()
  return {
    caCertificate: issue(1, authority, caKeys, [
      extension('2.5.29.19', sequence(boolean(true)), true),
      extension('2.5.29.15', signsCertificates, true),
      extension('2.5.29.14', octetString(keyIdOf(caKeys.publicKey))),
    ]),
    caKey: privatePem(caKeys),
    serverCertificate: issue(2, { commonName: 'kube-apiserver' }, serverKeys, [
      extension('2.5.29.15', digitalSignature, true),
      extension('2.5.29.37', sequence(objectId(serverAuth))),
      extension('2.5.29.17', sequence(...request.hosts.map(alternativeName))),
    ]),
    serverKey: privatePem(serverKeys),
    adminCertificate: issue(3, { commonName: 'kubernetes-admin', organization: 'system:masters' }, adminKeys, [
      extension('2.5.29.15', digitalSignature, true),
      extension('2.5.29.37', sequence(objectId(clientAuth))),
    ]),
    adminKey: privatePem(adminKeys),
    adminToken: request.adminToken,
  }
}

export const newKeys = (): KeyPair => generateKeyPairSync('ec', { namedCurve: 'prime256v1' })

/** Distinguishes authorities with the same name (RFC 5280, 4.2.1.2). */
const keyIdOf = (key: KeyObject): Buffer =>
  createHash('sha1')
    .update(key.export({ type: 'spki', format: 'der' }))
    .digest()

/** The extension authorityKeyIdentifier. */
export const authorityKeyId = (keyId: Buffer): Buffer => sequence(context(0, keyId, 'primitive'))

/** A distinguished name in DER. */
export function nameOf({ commonName, organization }: CertificateSubject): Buffer {
  const attribute = (id: string, value: string) => set(sequence(objectId(id), utf8(value)))
  return sequence(
    ...(organization === undefined ? [] : [attribute('2.5.4.10', organization)]),
    attribute('2.5.4.3', commonName),
  )
}

function extension(id: string, value: Buffer, critical = false): Buffer {
  return sequence(objectId(id), ...(critical ? [boolean(true)] : []), octetString(value))
}

/** GeneralName: dNSName is context tag 2, iPAddress context tag 7, both primitive. */
function alternativeName(host: string): Buffer {
  const address = addressBytes(host)
  return address === undefined ? context(2, Buffer.from(host, 'ascii'), 'primitive') : context(7, address, 'primitive')
}

function addressBytes(host: string): Buffer | undefined {
  if (/^\d+\.\d+\.\d+\.\d+$/.test(host)) return Buffer.from(host.split('.').map(Number))
  if (!host.includes(':')) return undefined
  const [head = '', tail = ''] = host.split('::')
  const words = (text: string) => (text === '' ? [] : text.split(':').map((word) => Number.parseInt(word, 16)))
  const front = words(head)
  const back = words(tail)
  const all = [...front, ...Array(8 - front.length - back.length).fill(0), ...back] as number[]
  return Buffer.from(all.flatMap((word) => [word >> 8, word & 0xff]))
}

export const privatePem = ({ privateKey }: KeyPair) => privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()

function pem(label: string, der: Buffer): string {
  const lines = der.toString('base64').replace(/(.{64})(?!$)/g, '$1\n')
  return `-----BEGIN ${label}-----\n${lines}\n-----END ${label}-----\n`
}
