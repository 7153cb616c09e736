import { createPrivateKey, type KeyObject, sign, X509Certificate } from 'node:crypto'
import type { ParsedRequest } from '../base/certificate-request.ts'
import {
  bitString,
  boolean,
  context,
  type DerValue,
  integer,
  integerOf,
  objectId,
  octetString,
  readDer,
  readObjectId,
  sequence,
  time,
} from '../base/der.ts'
import { lookupTable } from '../base/lookup-table.ts'
import { authorityKeyId } from './certificates.ts'

const subjectAltName = '2.5.29.17'

const children = ({ body }: DerValue): readonly DerValue[] => readDer(body)

const keyUsages = [
  'digital signature',
  'content commitment',
  'key encipherment',
  'data encipherment',
  'key agreement',
  'cert sign',
  'crl sign',
  'encipher only',
]

const extendedUsages = lookupTable<string>({
  any: '2.5.29.37.0',
  'server auth': '1.3.6.1.5.5.7.3.1',
  'client auth': '1.3.6.1.5.5.7.3.2',
  'code signing': '1.3.6.1.5.5.7.3.3',
  'email protection': '1.3.6.1.5.5.7.3.4',
  's/mime': '1.3.6.1.5.5.7.3.4',
  'ipsec end system': '1.3.6.1.5.5.7.3.5',
  'ipsec tunnel': '1.3.6.1.5.5.7.3.6',
  'ipsec user': '1.3.6.1.5.5.7.3.7',
  timestamping: '1.3.6.1.5.5.7.3.8',
  'ocsp signing': '1.3.6.1.5.5.7.3.9',
})

export interface CertificateAuthority {
  /** PEM. */
  readonly certificate: string
  readonly key: string
}

const signatures = lookupTable<string>({ ec: '1.2.840.10045.4.3.2', rsa: '1.2.840.113549.1.1.11' })

/** Signs a request, and returns the certificate in PEM (controller-manager's PermissiveSigningPolicy). */
export function signCertificate(
  request: Pick<ParsedRequest, 'subject' | 'publicKey' | 'alternativeNames'>,
  { usages, fromMs, toMs, serial }: { usages: readonly string[]; fromMs: number; toMs: number; serial: Buffer },
  authority: CertificateAuthority,
): string {
  const key = createPrivateKey(authority.key)
  const type = key.asymmetricKeyType ?? ''
  const algorithmId = signatures[type]
  if (algorithmId === undefined) throw new Error(`certificates cannot be signed with a key of type ${type}`)
  const algorithm = sequence(objectId(algorithmId), ...(type === 'rsa' ? [Buffer.from([0x05, 0x00])] : []))
  const tbs = sequence(
    context(0, integer(2)),
    integerOf(serial),
    algorithm,
    subjectOf(authority.certificate),
    sequence(time(fromMs), time(toMs)),
    request.subject,
    request.publicKey,
    context(3, sequence(...extensionsOf(request, usages), ...issuerOf(authority.certificate))),
  )
  return certificatePem(sequence(tbs, algorithm, bitString(signed(tbs, key))))
}

const signed = (tbs: Buffer, key: KeyObject): Buffer => sign('sha256', tbs, { key, dsaEncoding: 'der' })

/** The subject of a certificate in DER, which is the issuer in certificates that it signs. */
function subjectOf(pem: string): Buffer {
  const [outer] = readDer(new X509Certificate(pem).raw)
  const [tbs] = outer === undefined ? [] : children(outer)
  const fields = tbs === undefined ? [] : children(tbs)
  // version, serial, algorithm, issuer, validity, subject
  return (fields[5] as DerValue).raw
}

/** The extension that names the key of the authority, if its certificate names it. */
function issuerOf(pem: string): readonly Buffer[] {
  const [outer] = readDer(new X509Certificate(pem).raw)
  const [tbs] = outer === undefined ? [] : children(outer)
  const extensions = tbs === undefined ? [] : children(tbs).filter(({ tag }) => tag === 0xa3)
  for (const [id, ...rest] of extensions.flatMap(children).flatMap(children).map(children)) {
    if (id === undefined || readObjectId(id.body) !== '2.5.29.14') continue
    const [keyId] = readDer(rest.at(-1)?.body ?? Buffer.alloc(0))
    if (keyId !== undefined) return [sequence(objectId('2.5.29.35'), octetString(authorityKeyId(keyId.body)))]
  }
  return []
}

function extensionsOf(request: Pick<ParsedRequest, 'alternativeNames'>, usages: readonly string[]): readonly Buffer[] {
  const extension = (id: string, value: Buffer, critical = false) =>
    sequence(objectId(id), ...(critical ? [boolean(true)] : []), octetString(value))
  const bits = usages.flatMap((usage) => {
    const index = keyUsages.indexOf(usage === 'signing' ? 'digital signature' : usage)
    return index < 0 ? [] : [index]
  })
  const extended = [...new Set(usages.flatMap((usage) => extendedUsages[usage] ?? []))]
  const mask = bits.reduce((sum, bit) => sum | (0x80 >> bit), 0)
  const unused = bits.length === 0 ? 0 : 7 - Math.max(...bits)
  return [
    ...(bits.length === 0 ? [] : [extension('2.5.29.15', bitString(Buffer.from([mask]), unused), true)]),
    ...(extended.length === 0 ? [] : [extension('2.5.29.37', sequence(...extended.map(objectId)))]),
    extension('2.5.29.19', sequence(), true),
    ...(request.alternativeNames === undefined ? [] : [extension(subjectAltName, request.alternativeNames)]),
  ]
}

function certificatePem(der: Buffer): string {
  const lines = der.toString('base64').replace(/(.{64})(?!$)/g, '$1\n')
  return `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`
}
