import { parseIp } from '../../api/ip-address.ts'
import { label1035Problems, labelNameProblems, subdomainProblems } from '../../api/name-problems.ts'
import { forbidden, invalid, notSupported, required, tooLong } from '../errors/field-error.ts'
import { checkIp } from './addresses.ts'
import { checkImmutable, checkMeta, checkMetaUpdate, metaOf } from './meta.ts'
import {
  domainPathProblems,
  pathSegmentProblems,
  portNameProblems,
  portProblems,
  push,
  wildcardProblems,
} from './names.ts'
import { child, type Errors, entryOf, list, noErrors, type Obj, part, strings, texts } from './reader.ts'
import { number, text, textIfSet } from './scalars.ts'

const classAnnotation = 'kubernetes.io/ingress.class'
const pathTypes = ['Exact', 'ImplementationSpecific', 'Prefix']
const badSequences = ['//', '/./', '/../', '%2f', '%2F']
const badEnds = ['/..', '/.']
const notAnAddress = 'must be a DNS name, not an IP address'

/** Values that were stored before these rules existed are accepted. */
interface IngressLeniency {
  readonly secretNames: boolean
  readonly wildcardRules: boolean
}

const strict: IngressLeniency = { secretNames: false, wildcardRules: false }

/** ValidateIngressCreate (v1.36, pkg/apis/networking/validation). */
export function checkIngress(errors: Errors, ingress: Obj): void {
  checkWhole(errors, ingress, strict)
  const annotated = entryOf(strings(metaOf(ingress), 'annotations'), classAnnotation)
  const named = textIfSet(part(ingress, 'spec'), 'ingressClassName')
  if (annotated === undefined || named === undefined || annotated === named) return
  const why = 'must match `ingressClassName` when both are specified'
  errors.push(invalid(`annotations.${classAnnotation}`, annotated, why))
}

export function checkIngressUpdate(errors: Errors, ingress: Obj, old: Obj): void {
  checkMetaUpdate(errors, metaOf(ingress), metaOf(old))
  const before = part(old, 'spec')
  checkWhole(errors, ingress, {
    secretNames: list(before, 'tls').some((tls) => secretProblems(text(tls, 'secretName')).length > 0),
    wildcardRules: list(before, 'rules').some((rule) => text(rule, 'host').includes('*') && hasBadRule(errors, rule)),
  })
}

function hasBadRule({ release }: Errors, rule: Obj): boolean {
  const errors = noErrors(release)
  checkRule(errors, rule, '')
  return errors.length > 0
}

function checkWhole(errors: Errors, ingress: Obj, lenient: IngressLeniency): void {
  checkMeta(errors, metaOf(ingress), { namespaced: true, name: 'subdomain' })
  const spec = part(ingress, 'spec')
  const rules = list(spec, 'rules')
  const backend = child(spec, 'defaultBackend')
  if (rules.length === 0 && backend === undefined) {
    errors.push(invalid('spec', null, 'either `defaultBackend` or `rules` must be specified'))
  }
  if (backend !== undefined) checkBackend(errors, backend, 'spec.defaultBackend')
  rules.forEach((rule, i) => {
    checkHostRule(errors, rule, lenient, `spec.rules[${i}]`)
  })
  list(spec, 'tls').forEach((tls, i) => {
    texts(tls, 'hosts').forEach((host, j) => {
      const problems = host.includes('*') ? wildcardProblems(host) : subdomainProblems(host)
      push(errors, `spec.tls[${i}].hosts[${j}]`, host, problems)
    })
    const secret = text(tls, 'secretName')
    if (!lenient.secretNames) push(errors, `spec.tls[${i}].secretName`, secret, secretProblems(secret))
  })
  const named = textIfSet(spec, 'ingressClassName')
  if (named !== undefined) push(errors, 'spec.ingressClassName', named, subdomainProblems(named))
}

const secretProblems = (name: string): readonly string[] => (name === '' ? [] : subdomainProblems(name))

function checkHostRule(errors: Errors, rule: Obj, lenient: IngressLeniency, at: string): void {
  const host = text(rule, 'host')
  const isWild = host.includes('*')
  if (host !== '') {
    if (parseIp(host) !== undefined) errors.push(invalid(`${at}.host`, host, notAnAddress))
    push(errors, `${at}.host`, host, isWild ? wildcardProblems(host) : subdomainProblems(host))
  }
  if (!isWild || !lenient.wildcardRules) checkRule(errors, rule, at)
}

function checkRule(errors: Errors, rule: Obj, at: string): void {
  const http = child(rule, 'http')
  if (http === undefined) return
  const paths = list(http, 'paths')
  if (paths.length === 0) errors.push(required(`${at}.http.paths`))
  paths.forEach((path, i) => {
    checkPath(errors, path, `${at}.http.paths[${i}]`)
  })
}

function checkPath(errors: Errors, owner: Obj, at: string): void {
  const type = textIfSet(owner, 'pathType')
  const path = text(owner, 'path')
  if (type === undefined) {
    errors.push(required(`${at}.pathType`, 'pathType must be specified'))
    return
  }
  if (!pathTypes.includes(type)) errors.push(notSupported(`${at}.pathType`, type, pathTypes))
  else if (type === 'ImplementationSpecific') {
    if (path !== '' && !path.startsWith('/')) errors.push(invalid(`${at}.path`, path, 'must be an absolute path'))
  } else {
    if (!path.startsWith('/')) errors.push(invalid(`${at}.path`, path, 'must be an absolute path'))
    for (const bad of badSequences) {
      if (path.includes(bad)) errors.push(invalid(`${at}.path`, path, `must not contain '${bad}'`))
    }
    for (const bad of badEnds) {
      if (path.endsWith(bad)) errors.push(invalid(`${at}.path`, path, `cannot end with '${bad}'`))
    }
  }
  checkBackend(errors, part(owner, 'backend'), `${at}.backend`)
}

function checkBackend(errors: Errors, backend: Obj, at: string): void {
  const resource = child(backend, 'resource')
  const service = child(backend, 'service')
  if (resource !== undefined && service !== undefined) {
    errors.push(invalid(at, '', 'cannot set both resource and service backends'))
  } else if (resource !== undefined) checkReference(errors, resource, `${at}.resource`)
  else if (service === undefined) errors.push(invalid(at, '', 'resource or service backend is required'))
  else {
    const name = text(service, 'name')
    if (name === '') errors.push(required(`${at}.service.name`))
    else push(errors, `${at}.service.name`, name, serviceNameProblems(errors, name))
    const port = part(service, 'port')
    const named = text(port, 'name')
    const numbered = number(port, 'number')
    if (named !== '' && numbered !== 0) errors.push(invalid(at, '', 'cannot set both port name & port number'))
    else if (named !== '') push(errors, `${at}.service.port.name`, named, portNameProblems(named))
    else if (numbered !== 0) push(errors, `${at}.service.port.number`, numbered, portProblems(numbered))
    else errors.push(required(at, 'port name or number is required'))
  }
}

function serviceNameProblems({ release }: Errors, name: string): readonly string[] {
  return release.gates.has('RelaxedServiceNameValidation') ? labelNameProblems(name) : label1035Problems(name)
}

function checkReference(errors: Errors, reference: Obj, at: string): void {
  const group = textIfSet(reference, 'apiGroup')
  if (group !== undefined) push(errors, `${at}.apiGroup`, group, subdomainProblems(group))
  for (const field of ['kind', 'name']) {
    const value = text(reference, field)
    if (value === '') errors.push(required(`${at}.${field}`))
    else push(errors, `${at}.${field}`, value, pathSegmentProblems(value))
  }
}

/** ValidateIngressStatusUpdate. */
export function checkIngressStatus(errors: Errors, ingress: Obj, old: Obj): void {
  checkMetaUpdate(errors, metaOf(ingress), metaOf(old))
  const pointsOf = (from: Obj): readonly Obj[] => list(part(part(from, 'status'), 'loadBalancer'), 'ingress')
  const accepted = pointsOf(old).map((point) => text(point, 'ip'))
  pointsOf(ingress).forEach((point, i) => {
    const at = `status.loadBalancer.ingress[${i}]`
    const ip = text(point, 'ip')
    const host = text(point, 'hostname')
    if (ip !== '') checkIp(errors, ip, `${at}.ip`, accepted)
    if (host === '') return
    push(errors, `${at}.hostname`, host, subdomainProblems(host))
    if (parseIp(host) !== undefined) errors.push(invalid(`${at}.hostname`, host, notAnAddress))
  })
}

const maxControllerBytes = 250
const scopes = ['Cluster', 'Namespace']

/** ValidateIngressClass. */
export function checkIngressClass(errors: Errors, ingressClass: Obj): void {
  checkMeta(errors, metaOf(ingressClass), { namespaced: false, name: 'subdomain' })
  const spec = part(ingressClass, 'spec')
  const controller = text(spec, 'controller')
  if (Buffer.byteLength(controller) > maxControllerBytes) errors.push(tooLong('spec.controller', maxControllerBytes))
  if (controller === '') errors.push(required('spec.controller'))
  for (const { value, problem } of domainPathProblems(controller)) {
    errors.push(invalid('spec.controller', value, problem))
  }
  checkParameters(errors, child(spec, 'parameters'), 'spec.parameters')
}

function checkParameters(errors: Errors, parameters: Obj | undefined, at: string): void {
  if (parameters === undefined) return
  checkReference(errors, parameters, at)
  const scope = textIfSet(parameters, 'scope')
  const namespace = textIfSet(parameters, 'namespace')
  if (scope === undefined) errors.push(required(`${at}.scope`))
  else if (!scopes.includes(scope)) errors.push(notSupported(`${at}.scope`, scope, scopes))
  else if (scope === 'Cluster') {
    if (namespace !== undefined) errors.push(forbidden(`${at}.namespace`, "`parameters.scope` is set to 'Cluster'"))
  } else if (namespace === undefined) {
    errors.push(required(`${at}.namespace`, "`parameters.scope` is set to 'Namespace'"))
  } else push(errors, `${at}.namespace`, namespace, labelNameProblems(namespace))
}

export function checkIngressClassUpdate(errors: Errors, ingressClass: Obj, old: Obj): void {
  checkMetaUpdate(errors, metaOf(ingressClass), metaOf(old))
  const controllerOf = (from: Obj): string => text(part(from, 'spec'), 'controller')
  checkImmutable(errors, controllerOf(ingressClass), controllerOf(old), 'spec.controller')
  checkIngressClass(errors, ingressClass)
}
