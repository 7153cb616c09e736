import { createPrivateKey, createPublicKey, type KeyObject, sign, verify, X509Certificate } from 'node:crypto'
import { lookupTable } from '../base/lookup-table.ts'
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
} from './der.ts'

/** A PKCS#10 request, as far as it decides about a certificate. */
export interface ParsedRequest {
  /** DER. */
  readonly subject: Buffer
  readonly publicKey: Buffer
  /** The extension subjectAltName in DER, if it was requested. */
  readonly alternativeNames?: Buffer
  readonly commonName: string
  readonly organizations: readonly string[]
  readonly sans: { readonly dns: number; readonly ip: number; readonly email: number; readonly uri: number }
}

const extensionRequest = '1.2.840.113549.1.9.14'
const subjectAltName = '2.5.29.17'

/** By the identifier of the signature algorithm. */
const hashes = lookupTable<string>({
  '1.2.840.113549.1.1.11': 'sha256',
  '1.2.840.113549.1.1.12': 'sha384',
  '1.2.840.113549.1.1.13': 'sha512',
  '1.2.840.10045.4.3.2': 'sha256',
  '1.2.840.10045.4.3.3': 'sha384',
  '1.2.840.10045.4.3.4': 'sha512',
})

const children = ({ body }: DerValue): readonly DerValue[] => readDer(body)

/** Reads a request in PEM and checks its signature. Throws with the reason if it is not valid. */
export function parseCertificateRequest(pem: string): ParsedRequest {
  const block = /-----BEGIN (?:NEW )?CERTIFICATE REQUEST-----([A-Za-z0-9+/=\s]+)-----END/.exec(pem)?.[1]
  if (block === undefined) throw new Error('PEM block type must be CERTIFICATE REQUEST')
  const [outer] = readDer(Buffer.from(block, 'base64'))
  const [info, algorithm, signature] = outer === undefined ? [] : children(outer)
  if (info === undefined || algorithm === undefined || signature === undefined) throw new Error('invalid DER')
  const [, subject, publicKey, attributes] = children(info)
  if (subject === undefined || publicKey === undefined) throw new Error('invalid DER')
  const hash = hashes[readObjectId(children(algorithm)[0]?.body ?? Buffer.alloc(0))]
  const key = createPublicKey({ key: publicKey.raw, format: 'der', type: 'spki' })
  const isEdwards = key.asymmetricKeyType === 'ed25519'
  if (hash === undefined && !isEdwards) throw new Error('unsupported signature algorithm')
  if (!verify(isEdwards ? null : hash, info.raw, { key, dsaEncoding: 'der' }, signature.body.subarray(1))) {
    throw new Error('the signature does not match')
  }
  const names = children(subject).flatMap(children).map(children)
  const valuesOf = (id: string) =>
    names.flatMap(([type, value]) =>
      type && value && readObjectId(type.body) === id ? [value.body.toString('utf8')] : [],
    )
  const alternativeNames = attributes === undefined ? undefined : requestedNames(attributes)
  const general = alternativeNames === undefined ? [] : readDer(alternativeNames).flatMap(children)
  const kinds = general.map(({ tag }) => tag & 0x1f)
  const count = (kind: number) => kinds.filter((one) => one === kind).length
  return {
    subject: subject.raw,
    publicKey: publicKey.raw,
    ...(alternativeNames === undefined ? {} : { alternativeNames }),
    commonName: valuesOf('2.5.4.3').at(-1) ?? '',
    organizations: valuesOf('2.5.4.10'),
    sans: { dns: count(2), ip: count(7), email: count(1), uri: count(6) },
  }
}

function requestedNames(attributes: DerValue): Buffer | undefined {
  for (const [type, values] of children(attributes).map(children)) {
    if (type === undefined || values === undefined || readObjectId(type.body) !== extensionRequest) continue
    for (const extension of children(values).flatMap(children).map(children)) {
      const [id] = extension
      if (id !== undefined && readObjectId(id.body) === subjectAltName) return extension.at(-1)?.body
    }
  }
  return undefined
}

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

/** A certificate in PEM for a request (controller-manager's PermissiveSigningPolicy). */
export function signCertificate(
  request: ParsedRequest,
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
    context(3, sequence(...extensionsOf(request, usages))),
  )
  return certificatePem(sequence(tbs, algorithm, bitString(signed(tbs, key))))
}

const signed = (tbs: Buffer, key: KeyObject): Buffer => sign('sha256', tbs, { key, dsaEncoding: 'der' })

/** The subject of a certificate in DER: the issuer of those that it signs. */
function subjectOf(pem: string): Buffer {
  const [outer] = readDer(new X509Certificate(pem).raw)
  const [tbs] = outer === undefined ? [] : children(outer)
  const fields = tbs === undefined ? [] : children(tbs)
  // version, serial, algorithm, issuer, validity, subject
  return (fields[5] as DerValue).raw
}

function extensionsOf(request: ParsedRequest, usages: readonly string[]): readonly Buffer[] {
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
