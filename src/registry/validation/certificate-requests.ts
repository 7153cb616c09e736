import { semanticEqual } from '../../api/equality.ts'
import { labelNameProblems, subdomainProblems } from '../../api/name-problems.ts'
import { readCertificateRequest } from '../../base/certificate-request.ts'
import { readDer } from '../../base/der.ts'
import { readPem } from '../../base/pem.ts'
import { duplicate, forbidden, invalid, notSupported, required, tooLong } from '../errors/field-error.ts'
import { checkMeta, checkMetaUpdate, metaOf } from './meta.ts'
import { child, type Errors, list, type Obj, part, repeatedAt, texts } from './reader.ts'
import { numberIfSet, text } from './scalars.ts'

// v1.36, pkg/apis/certificates/validation.

const legacySigner = 'kubernetes.io/legacy-unknown'

/** Sorted, as messages list them. */
const knownUsages = [
  ...['any', 'cert sign', 'client auth', 'code signing', 'content commitment', 'crl sign', 'data encipherment'],
  ...['decipher only', 'digital signature', 'email protection', 'encipher only', 'ipsec end system', 'ipsec tunnel'],
  ...['ipsec user', 'key agreement', 'key encipherment', 'microsoft sgc', 'netscape sgc', 'ocsp signing', 's/mime'],
  ...['server auth', 'signing', 'timestamping'],
]

/** Values that are accepted because they are already stored, or because of the subresource. */
interface Leniency {
  readonly decides: boolean
  readonly setsCertificate: boolean
  readonly old?: Obj
}

export function checkCertificateRequest(errors: Errors, request: Obj): void {
  checkRequest(errors, request, { decides: false, setsCertificate: false })
}

const updateCheck = (subresource: 'status' | 'approval' | undefined) => (errors: Errors, request: Obj, old: Obj) => {
  const decides = subresource === 'approval'
  const setsCertificate = subresource === 'status'
  checkRequest(errors, request, { decides, setsCertificate, old })
  checkChangedConditions(errors, request, old, decides)
  const [before, after] = [certificateOf(old), certificateOf(request)]
  if (before !== after) {
    if (!setsCertificate) errors.push(forbidden('status.certificate', 'updates may not set certificate content'))
    else if (before !== '') {
      errors.push(forbidden('status.certificate', 'updates may not modify existing certificate content'))
    }
  }
  checkMetaUpdate(errors, metaOf(request), metaOf(old))
}

export const checkCertificateRequestUpdate = updateCheck(undefined)
export const checkCertificateRequestStatus = updateCheck('status')
export const checkCertificateRequestApproval = updateCheck('approval')

const certificateOf = (request: Obj): string => text(part(request, 'status'), 'certificate')
const conditionsOf = (request: Obj | undefined): readonly Obj[] => list(child(request, 'status'), 'conditions')
const ofType = (conditions: readonly Obj[], type: string) => conditions.filter((one) => text(one, 'type') === type)

const hasDuplicates = (values: readonly string[]): boolean => new Set(values).size < values.length

function checkRequest(errors: Errors, request: Obj, leniency: Leniency): void {
  const { old } = leniency
  const spec = part(request, 'spec')
  // The common rules check the name, if there is no other error (ValidateCertificateRequestName).
  checkMeta(errors, metaOf(request), { namespaced: false, name: 'anything' })
  const given = text(spec, 'request')
  const parsed = readCertificateRequest(Buffer.from(given, 'base64').toString('latin1'))
  const problem = parsed.ok ? parsed.value.signatureProblem() : parsed.message
  if (problem !== undefined) errors.push(invalid('spec.request', spec['request'] ?? null, problem))
  const usages = texts(spec, 'usages')
  const oldUsages = texts(child(old, 'spec'), 'usages')
  if (usages.length === 0) errors.push(required('spec.usages'))
  const knows = (usage: string) => knownUsages.includes(usage)
  if (oldUsages.every(knows)) {
    usages.forEach((usage, i) => {
      if (!knows(usage)) errors.push(notSupported(`spec.usages[${i}]`, usage, knownUsages))
    })
  }
  if (!hasDuplicates(oldUsages)) {
    const repeated = repeatedAt(usages)
    usages.forEach((usage, i) => {
      if (repeated.has(i)) errors.push(duplicate(`spec.usages[${i}]`, usage))
    })
  }
  checkSigner(errors, text(spec, 'signerName'), text(child(old, 'spec'), 'signerName') === legacySigner)
  const seconds = numberIfSet(spec, 'expirationSeconds')
  if (seconds !== undefined && seconds < 600) {
    const why = 'may not specify a duration less than 600 seconds (10 minutes)'
    errors.push(invalid('spec.expirationSeconds', seconds, why))
  }
  checkConditions(errors, conditionsOf(request), conditionsOf(old))
  const certificate = certificateOf(request)
  const before = old === undefined ? undefined : certificateOf(old)
  if (before !== undefined && (before === certificate || certificateProblem(before) !== undefined)) return
  const wrong = certificateProblem(certificate)
  if (wrong !== undefined) errors.push(invalid('status.certificate', '<certificate data>', wrong))
}

function checkSigner(errors: Errors, name: string, allowsLegacy: boolean): void {
  const path = 'spec.signerName'
  if (!allowsLegacy && name === legacySigner) {
    errors.push(invalid(path, name, 'the legacy signerName is not allowed via this API version'))
    return
  }
  checkSignerName(errors, name, path)
}

/** pkg/apis/core/validation, ValidateSignerName. */
function checkSignerName(errors: Errors, name: string, path: string): void {
  if (name === '') {
    errors.push(required(path))
    return
  }
  const [domain = '', segment = '', ...more] = name.split('/')
  if (!name.includes('/') || more.length > 0) {
    const why = "must be a fully qualified domain and path of the form 'example.com/signer-name'"
    errors.push(invalid(path, name, why))
    return
  }
  if (domain.length > 253) errors.push(tooLong(path, 253))
  const labels = domain.split('.')
  pushFirst(errors, path, domain, labels, labelNameProblems)
  if (labels.length < 2) {
    errors.push(invalid(path, domain, 'should be a domain with at least two segments separated by dots'))
  }
  pushFirst(errors, path, segment, segment.split('.'), subdomainProblems)
  if (name.length > 571) errors.push(tooLong(path, 571))
}

/** The problems of the first label that has any. */
function pushFirst(
  errors: Errors,
  path: string,
  value: string,
  labels: readonly string[],
  problemsOf: (label: string) => readonly string[],
): void {
  for (const label of labels) {
    const problems = problemsOf(label)
    for (const why of problems) errors.push(invalid(path, value, `validating label ${JSON.stringify(label)}: ${why}`))
    if (problems.length > 0) return
  }
}

const decisions = ['Approved', 'Denied']
const onlyTrue = ['Approved', 'Denied', 'Failed']

function checkConditions(errors: Errors, conditions: readonly Obj[], old: readonly Obj[]): void {
  const path = 'status.conditions'
  const oldTypes = old.map((one) => text(one, 'type'))
  const seen = new Set<string>()
  conditions.forEach((condition, i) => {
    const type = text(condition, 'type')
    const status = text(condition, 'status')
    const allowed = onlyTrue.includes(type) ? ['True'] : ['False', 'True', 'Unknown']
    if (type === '' && !oldTypes.includes('')) errors.push(required(`${path}[${i}].type`))
    if (status === '') errors.push(required(`${path}[${i}].status`))
    else if (!allowed.includes(status)) errors.push(notSupported(`${path}[${i}].status`, status, allowed))
    const other = decisions.find((one) => one !== type) ?? ''
    const isDecided = decisions.includes(type) && seen.has(other)
    if (isDecided && !decisions.every((one) => oldTypes.includes(one))) {
      errors.push(invalid(path, type, 'Approved and Denied conditions are mutually exclusive'))
    }
    if (seen.has(type) && !hasDuplicates(oldTypes)) errors.push(duplicate(`${path}[${i}].type`, type))
    seen.add(type)
  })
}

function checkChangedConditions(errors: Errors, request: Obj, old: Obj, decides: boolean): void {
  const path = 'status.conditions'
  const [after, before] = [conditionsOf(request), conditionsOf(old)]
  for (const type of onlyTrue) {
    if (ofType(after, type).length < ofType(before, type).length) {
      errors.push(forbidden(path, `updates may not remove a condition of type ${JSON.stringify(type)}`))
    }
  }
  if (decides) return
  for (const type of decisions) {
    const [is, was] = [ofType(after, type), ofType(before, type)]
    if (is.length > was.length) {
      errors.push(forbidden(path, `updates may not add a condition of type ${JSON.stringify(type)}`))
    } else if (is.length === was.length && !semanticEqual(is, was)) {
      errors.push(forbidden(path, `updates may not modify a condition of type ${JSON.stringify(type)}`))
    }
  }
}

/** Whether a certificate in base64 is PEM with certificates only. */
function certificateProblem(base64: string): string | undefined {
  if (base64 === '') return undefined
  const blocks = readPem(Buffer.from(base64, 'base64').toString('latin1'))
  for (const { type, hasHeaders, bytes } of blocks) {
    if (type !== 'CERTIFICATE') return `only CERTIFICATE PEM blocks are allowed, found ${JSON.stringify(type)}`
    if (hasHeaders) return 'no PEM block headers are permitted'
    if (bytes.length === 0) return 'found CERTIFICATE PEM block containing 0 certificates'
    if (!isCertificate(bytes)) return 'x509: malformed certificate'
  }
  return blocks.length === 0 ? 'must contain at least one CERTIFICATE PEM block' : undefined
}

function isCertificate(der: Buffer): boolean {
  try {
    return readDer(der).every(({ tag, body }) => tag === 0x30 && readDer(body).length === 3)
  } catch {
    return false
  }
}
