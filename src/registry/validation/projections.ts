import { subdomainProblems } from '../../api/name-problems.ts'
import { lookupTable } from '../../base/lookup-table.ts'
import { forbidden, invalid, notSupported, required, tooLong } from '../errors/field-error.ts'
import { checkQualifiedName } from './names.ts'
import { checkMode, checkUnreserved } from './paths.ts'
import { child, type Errors, list, type Obj, partsIn, strings } from './reader.ts'
import { numberIfSet, text, textIfSet } from './scalars.ts'
import { checkLabelSelector } from './selectors.ts'
import { checkDownwardFile, checkKeyToPath } from './volume-files.ts'
import type { SourceCheck } from './volume-sources.ts'

interface Projection {
  readonly errors: Errors
  /** The path of the volume. */
  readonly path: string
  readonly taken: Set<string>
}

/** Sources of one projected volume must have different paths. */
export const checkProjected: SourceCheck = (errors, source, path) => {
  checkMode(errors, numberIfSet(source, 'defaultMode'), `${path}.defaultMode`)
  const projection: Projection = { errors, path, taken: new Set() }
  list(source, 'sources').forEach((one, i) => {
    const at = `${path}.sources[${i}]`
    const found = partsIn(one, checks)
    for (const { name, entry: check, part } of found) check(projection, part, `${at}.${name}`)
    if (found.length > 1) errors.push(forbidden(at, 'may not specify more than 1 volume type per source'))
  })
}

type ProjectionCheck = (projection: Projection, part: Obj, path: string) => void

function claim({ errors, path, taken }: Projection, file: string, shown: string): void {
  if (taken.has(file)) errors.push(invalid(path, shown, 'conflicting duplicate paths'))
  taken.add(file)
}

const checkItems: ProjectionCheck = (projection, part, path) => {
  if (text(part, 'name') === '') projection.errors.push(required(`${path}.name`))
  list(part, 'items').forEach((item, i) => {
    checkKeyToPath(projection.errors, item, `${path}.items[${i}]`)
    if (text(item, 'path') !== '') claim(projection, text(item, 'path'), text(part, 'name'))
  })
}

const checkDownward: ProjectionCheck = (projection, part, path) => {
  for (const file of list(part, 'items')) {
    checkDownwardFile(projection.errors, file, path)
    const name = text(file, 'path')
    if (name !== '') claim(projection, name, name)
  }
}

const checkToken: ProjectionCheck = ({ errors, path: volume }, part, path) => {
  const seconds = numberIfSet(part, 'expirationSeconds') ?? 0
  if (seconds < 600) {
    errors.push(invalid(`${path}.expirationSeconds`, seconds, 'may not specify a duration less than 10 minutes'))
  }
  if (seconds > 2 ** 32) {
    errors.push(invalid(`${path}.expirationSeconds`, seconds, 'may not specify a duration larger than 2^32 seconds'))
  }
  const file = text(part, 'path')
  if (file === '') errors.push(required(`${volume}.path`))
  else checkUnreserved(errors, file, `${volume}.path`)
}

const checkTrustBundle: ProjectionCheck = (projection, part, path) => {
  const { errors } = projection
  const name = textIfSet(part, 'name')
  const signer = textIfSet(part, 'signerName')
  const selector = child(part, 'labelSelector')
  if (name !== undefined && signer !== undefined) {
    errors.push(invalid(path, part, 'only one of name and signerName may be used'))
  } else if (name !== undefined) {
    if (name === '') errors.push(required(`${path}.name`, 'must be a valid object name'))
    for (const problem of bundleNameProblems(name)) {
      errors.push(invalid(`${path}.name`, name, `not a valid clustertrustbundlename: ${problem}`))
    }
    if (selector !== undefined) {
      errors.push(invalid(`${path}.labelSelector`, selector, 'labelSelector must be unset if name is specified'))
    }
  } else if (signer !== undefined) {
    if (signer === '') errors.push(required(`${path}.signerName`, 'must be a valid signer name'))
    checkSigner(errors, signer, `${path}.signerName`)
    checkLabelSelector(errors, selector, `${path}.labelSelector`)
  } else errors.push(required(path, 'either name or signerName must be specified'))
  const file = text(part, 'path')
  if (file === '') errors.push(required(`${path}.path`))
  checkUnreserved(errors, file, `${path}.path`)
  claim(projection, file, file)
}

function bundleNameProblems(name: string): readonly string[] {
  const colon = name.lastIndexOf(':')
  if (colon < 0) return subdomainProblems(name)
  return subdomainProblems(name.slice(colon + 1)).map((problem) => `${problem}`)
}

function checkSigner(errors: Errors, signer: string, path: string): void {
  if (signer === '') {
    errors.push(required(path))
    return
  }
  const [domain = '', ...rest] = signer.split('/')
  if (rest.length !== 1 || rest[0] === '') {
    errors.push(
      invalid(path, signer, "must be a fully qualified domain and path of the form 'example.com/signer-name'"),
    )
    return
  }
  for (const problem of subdomainProblems(domain)) errors.push(invalid(path, domain, problem))
}

const keyTypes = ['RSA3072', 'RSA4096', 'ECDSAP256', 'ECDSAP384', 'ECDSAP521', 'ED25519']
const maxExpirationSeconds = 91 * 24 * 3600
const maxKubernetesExpirationSeconds = 24 * 3600

const checkCertificate: ProjectionCheck = (projection, part, path) => {
  const { errors } = projection
  const signer = text(part, 'signerName')
  checkSigner(errors, signer, `${path}.signerName`)
  checkUserAnnotations(errors, strings(part, 'userAnnotations'), `${path}.userAnnotations`)
  const keyType = text(part, 'keyType')
  if (!keyTypes.includes(keyType)) errors.push(notSupported(`${path}.keyType`, keyType, keyTypes))
  const seconds = numberIfSet(part, 'maxExpirationSeconds')
  if (seconds !== undefined) {
    const field = `${path}.maxExpirationSeconds`
    if (seconds < 3600) errors.push(invalid(field, seconds, 'if provided, maxExpirationSeconds must be >= 3600'))
    const max = /(^|\.)kubernetes\.io$/.test(signer.split('/')[0] ?? '')
      ? maxKubernetesExpirationSeconds
      : maxExpirationSeconds
    if (seconds > max) errors.push(invalid(field, seconds, `if provided, maxExpirationSeconds must be <= ${max}`))
  }
  const files = ['credentialBundlePath', 'keyPath', 'certificateChainPath'].filter((field) => text(part, field) !== '')
  for (const field of files) {
    checkUnreserved(errors, text(part, field), `${path}.${field}`)
    claim(projection, text(part, field), text(part, field))
  }
  if (files.length > 0) return
  errors.push(required(path, 'specify at least one of credentialBundlePath, keyPath, and certificateChainPath'))
}

function checkUserAnnotations(errors: Errors, annotations: Readonly<Record<string, string>>, path: string): void {
  let size = 0
  for (const key in annotations) {
    size += Buffer.byteLength(key) + Buffer.byteLength(annotations[key] as string)
    const name = key.toLowerCase()
    if (name === '') {
      errors.push(required(path))
      continue
    }
    const before = errors.length
    checkQualifiedName(errors, name, path)
    if (errors.length === before && !name.includes('/')) {
      errors.push(invalid(path, name, 'must be a domain-prefixed key (such as "acme.io/foo")'))
    }
  }
  if (size > 256 * 1024) errors.push(tooLong(path, 256 * 1024))
}

const checks = lookupTable<ProjectionCheck>({
  secret: checkItems,
  configMap: checkItems,
  downwardAPI: checkDownward,
  serviceAccountToken: checkToken,
  clusterTrustBundle: checkTrustBundle,
  podCertificate: checkCertificate,
})
