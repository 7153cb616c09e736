import { createPublicKey, type KeyObject, verify, X509Certificate } from 'node:crypto'
import { type DerValue, readDer, readObjectId } from './der.ts'
import { lookupTable } from './lookup-table.ts'
import { readPem } from './pem.ts'
import { done, failed, must, type Result } from './result.ts'

/** The parts of a PKCS#10 request that determine the certificate. */
export interface ParsedRequest {
  /** DER. */
  readonly subject: Buffer
  readonly publicKey: Buffer
  /** The extension subjectAltName in DER, if it was requested. */
  readonly alternativeNames?: Buffer
  readonly commonName: string
  readonly organizations: readonly string[]
  readonly sans: { readonly dns: number; readonly ip: number; readonly email: number; readonly uri: number }
  /** Why the request is not signed with its own key. */
  readonly signatureProblem: () => string | undefined
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

/** Reads a request in PEM. Its signature is not checked. */
export function readCertificateRequest(pem: string): Result<ParsedRequest> {
  const [block] = readPem(pem)
  if (block?.type !== 'CERTIFICATE REQUEST') return failed('PEM block type must be CERTIFICATE REQUEST')
  try {
    return done(parsedRequest(block.bytes))
  } catch {
    return failed('asn1: syntax error: the request is not valid DER')
  }
}

/** Reads a request and checks its signature. Throws an error with the reason if it is invalid. */
export function parseCertificateRequest(pem: string): ParsedRequest {
  const request = must(readCertificateRequest(pem))
  const problem = request.signatureProblem()
  if (problem !== undefined) throw new Error(problem)
  return request
}

function parsedRequest(der: Buffer): ParsedRequest {
  const [outer] = readDer(der)
  const [info, algorithm, signature] = outer === undefined ? [] : children(outer)
  if (info === undefined || algorithm === undefined || signature === undefined) throw new Error('invalid DER')
  const [, subject, publicKey, attributes] = children(info)
  if (subject === undefined || publicKey === undefined) throw new Error('invalid DER')
  const key = createPublicKey({ key: publicKey.raw, format: 'der', type: 'spki' })
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
    signatureProblem: () => {
      const hash = hashes[readObjectId(children(algorithm)[0]?.body ?? Buffer.alloc(0))]
      return signatureProblem(key, hash, info.raw, signature.body.subarray(1))
    },
  }
}

const mismatches = lookupTable<string>({
  rsa: 'crypto/rsa: verification error',
  ec: 'x509: ECDSA verification failure',
  ed25519: 'x509: Ed25519 verification failure',
})

/** The messages of Go's crypto/x509. */
function signatureProblem(key: KeyObject, hash: string | undefined, signed: Buffer, signature: Buffer) {
  const type = key.asymmetricKeyType ?? ''
  const isEdwards = type === 'ed25519'
  const mismatch = mismatches[type]
  if (mismatch === undefined || (hash === undefined && !isEdwards)) {
    return 'x509: cannot verify signature: algorithm unimplemented'
  }
  return verify(isEdwards ? null : hash, signed, { key, dsaEncoding: 'der' }, signature) ? undefined : mismatch
}

/** The time at which the first certificate of a text in PEM expires. Undefined if it cannot be read. */
export function certificateEnd(pem: string): number | undefined {
  try {
    return Date.parse(new X509Certificate(pem).validTo)
  } catch {
    return undefined
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
