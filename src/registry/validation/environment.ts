import { subdomainProblems } from '../../api/name-problems.ts'
import { formatQuantity, quantity, quantitySign } from '../../api/quantity.ts'
import { lookupTable } from '../../base/lookup-table.ts'
import { invalid, missing, notSupported, required } from '../errors/field-error.ts'
import {
  checkLabelName,
  checkQualifiedName,
  configKeyProblems,
  environmentNameProblems,
  nameProblems,
  push,
} from './names.ts'
import { checkNoBacksteps } from './paths.ts'
import { child, type Errors, list, type Obj, partsIn } from './reader.ts'
import { text } from './scalars.ts'

const environmentFields = [
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
  'spec.nodeName',
  'spec.serviceAccountName',
  'status.hostIP',
  'status.hostIPs',
  'status.podIP',
  'status.podIPs',
]
export const volumeFields = [
  'metadata.annotations',
  'metadata.labels',
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
]
const podFields = new Set([
  ...environmentFields,
  ...volumeFields,
  'spec.restartPolicy',
  'spec.schedulerName',
  'status.phase',
])
const resourceFields = [
  'limits.cpu',
  'limits.ephemeral-storage',
  'limits.memory',
  'requests.cpu',
  'requests.ephemeral-storage',
  'requests.memory',
]

export function checkEnvironment(errors: Errors, variables: readonly Obj[], path: string): void {
  variables.forEach((variable, i) => {
    const at = `${path}[${i}]`
    const name = text(variable, 'name')
    if (name === '') errors.push(required(`${at}.name`))
    else push(errors, `${at}.name`, name, environmentNameProblems(name))
    const source = child(variable, 'valueFrom')
    if (source !== undefined) checkSource(errors, source, text(variable, 'value'), `${at}.valueFrom`)
  })
}

type EnvironmentCheck = (errors: Errors, selector: Obj, path: string) => void

const sources = lookupTable<EnvironmentCheck>({
  fieldRef: (errors, selector, path) => checkFieldSelector(errors, selector, environmentFields, path),
  resourceFieldRef: (errors, selector, path) => checkResourceSelector(errors, selector, path, false),
  configMapKeyRef: checkKeySelector,
  secretKeyRef: checkKeySelector,
  fileKeyRef: checkFileSelector,
})

function checkSource(errors: Errors, source: Obj, value: string, path: string): void {
  const found = partsIn(source, sources)
  for (const { name, entry: check, part } of found) check(errors, part, `${path}.${name}`)
  if (found.length === 0) {
    const last = errors.release.gates.has('EnvFiles') ? ', `secretKeyRef` or `fileKeyRef`' : ' or `secretKeyRef`'
    const why = `must specify one of: \`fieldRef\`, \`resourceFieldRef\`, \`configMapKeyRef\`${last}`
    errors.push(invalid(path, '', why))
  } else if (value !== '') errors.push(invalid(path, '', 'may not be specified when `value` is not empty'))
  else if (found.length > 1) errors.push(invalid(path, '', 'may not have more than one field specified at a time'))
}

const subscripted = /^(.+?)\['(.*)'\]$/

export function checkFieldSelector(errors: Errors, selector: Obj, fields: readonly string[], path: string): void {
  const version = text(selector, 'apiVersion')
  const fieldPath = text(selector, 'fieldPath')
  if (version === '') {
    errors.push(required(`${path}.apiVersion`))
    return
  }
  if (fieldPath === '') {
    errors.push(required(`${path}.fieldPath`))
    return
  }
  const subscript = subscripted.exec(fieldPath)
  const problem = conversionProblem(version, fieldPath, subscript)
  if (problem !== undefined) {
    errors.push(invalid(`${path}.fieldPath`, fieldPath, `error converting fieldPath: ${problem}`))
    return
  }
  if (subscript !== null) {
    const key = subscript[2] ?? ''
    checkQualifiedName(errors, subscript[1] === 'metadata.annotations' ? key.toLowerCase() : key, path)
    return
  }
  const internal = fieldPath === 'spec.host' ? 'spec.nodeName' : fieldPath
  if (!fields.includes(internal)) errors.push(notSupported(`${path}.fieldPath`, internal, fields))
}

function conversionProblem(version: string, fieldPath: string, subscript: RegExpExecArray | null): string | undefined {
  if (version !== 'v1') return `unsupported pod version: ${version}`
  if (subscript !== null) {
    const known = subscript[1] === 'metadata.annotations' || subscript[1] === 'metadata.labels'
    return known ? undefined : `field label does not support subscript: ${fieldPath}`
  }
  return podFields.has(fieldPath) || fieldPath === 'spec.host' ? undefined : `field label not supported: ${fieldPath}`
}

/** `volume`: in a volume, the container name is required. */
export function checkResourceSelector(errors: Errors, selector: Obj, path: string, volume: boolean): void {
  const resource = text(selector, 'resource')
  const isHugePages = resource.startsWith('requests.hugepages-') || resource.startsWith('limits.hugepages-')
  if (volume && text(selector, 'containerName') === '') errors.push(required(`${path}.containerName`))
  else if (resource === '') errors.push(required(`${path}.resource`))
  else if (!resourceFields.includes(resource) && !isHugePages) {
    errors.push(notSupported(`${path}.resource`, resource, resourceFields))
  }
  checkDivisor(errors, selector, resource, isHugePages, path)
}

const byteDivisors = ['1', '1k', '1M', '1G', '1T', '1P', '1E', '1Ki', '1Mi', '1Gi', '1Ti', '1Pi', '1Ei']

function checkDivisor(errors: Errors, selector: Obj, resource: string, isHugePages: boolean, path: string): void {
  const divisor = quantity(text(selector, 'divisor') || '0')
  if (quantitySign(divisor) === 0) return
  const shown = formatQuantity(divisor)
  const refuse = (divisors: string, what: string): void => {
    const why = `only divisor's values ${divisors} are supported with the ${what} resource`
    errors.push(invalid(`${path}.divisor`, resource, why))
  }
  const bytes = byteDivisors.join(', ')
  if (resource.endsWith('.cpu')) {
    if (shown !== '1m' && shown !== '1') refuse('1m and 1', 'cpu')
  } else if (byteDivisors.includes(shown)) return
  else if (resource.endsWith('.memory')) refuse(bytes, 'memory')
  else if (resource.endsWith('.ephemeral-storage')) refuse(bytes, 'local ephemeral storage')
  else if (isHugePages) refuse(bytes, 'hugepages')
}

function checkKeySelector(errors: Errors, selector: Obj, path: string): void {
  const name = text(selector, 'name')
  push(errors, `${path}.name`, name, subdomainProblems(name))
  const key = text(selector, 'key')
  if (key === '') errors.push(required(`${path}.key`))
  else push(errors, `${path}.key`, key, configKeyProblems(key))
}

function checkFileSelector(errors: Errors, selector: Obj, path: string): void {
  const key = text(selector, 'key')
  if (key === '') errors.push(required(`${path}.key`))
  else push(errors, `${path}.key`, key, environmentNameProblems(key))
  const volume = text(selector, 'volumeName')
  if (volume === '') errors.push(required(`${path}.volumeName`))
  else checkLabelName(errors, volume, `${path}.volumeName`)
  const file = text(selector, 'path')
  if (file === '') errors.push(required(`${path}.path`))
  else checkNoBacksteps(errors, file, `${path}.path`)
}

export function checkEnvironmentFrom(errors: Errors, from: readonly Obj[], path: string): void {
  from.forEach((source, i) => {
    const at = `${path}[${i}]`
    const prefix = text(source, 'prefix')
    if (prefix !== '') push(errors, `${at}.prefix`, prefix, environmentNameProblems(prefix))
    let found = 0
    for (const field of ['configMapRef', 'secretRef']) {
      const reference = child(source, field)
      if (reference === undefined) continue
      found++
      const name = text(reference, 'name')
      if (name === '') errors.push(required(`${at}.${field}.name`))
      else push(errors, `${at}.${field}.name`, name, nameProblems('subdomain', name, true))
    }
    if (found === 0) errors.push(invalid(path, '', 'must specify one of: `configMapRef` or `secretRef`'))
    else if (found > 1) errors.push(invalid(path, '', 'may not have more than one field specified at a time'))
  })
}

/** Variables from files need a volume of the pod with a suitable type (validateFileKeyRefVolumes). */
export function checkFileVolumes(
  errors: Errors,
  container: Obj,
  volumes: ReadonlyMap<string, Obj>,
  path: string,
): void {
  list(container, 'env').forEach((variable, i) => {
    const reference = child(child(variable, 'valueFrom'), 'fileKeyRef')
    if (reference === undefined) return
    const name = text(reference, 'volumeName')
    const at = `${path}.env[${i}].valueFrom.fileKeyRef.volumeName`
    const volume = volumes.get(name)
    if (volume === undefined) {
      errors.push(missing(at, name))
    } else if (child(volume, 'emptyDir') === undefined) {
      errors.push(invalid(at, name, 'referenced volume must be of type emptyDir'))
    }
  })
}
