import { semanticEqual } from '../../api/equality.ts'
import { parseIp } from '../../api/ip-address.ts'
import { labelValueProblems } from '../../api/label-syntax.ts'
import { labelNameProblems, subdomainProblems } from '../../api/name-problems.ts'
import { duplicate, internalError, invalid, notSupported, required, tooMany } from '../errors/field-error.ts'
import { checkIp, checkStrictIp } from './addresses.ts'
import { checkImmutable, checkLabels, checkMeta, checkMetaUpdate, metaOf } from './meta.ts'
import { checkLabelName, checkQualifiedName, portProblems, push } from './names.ts'
import { child, type Errors, list, type Obj, strings, texts } from './reader.ts'
import { number, text, textIfSet } from './scalars.ts'
import { checkEndpointIp } from './services.ts'

const protocols = ['SCTP', 'TCP', 'UDP']

/** ValidateEndpoints (v1.36, pkg/apis/core/validation). */
export function checkEndpoints(errors: Errors, endpoints: Obj): void {
  checkMeta(errors, metaOf(endpoints), { namespaced: true, name: 'subdomain' })
  checkSubsets(errors, endpoints)
}

export function checkEndpointsUpdate(errors: Errors, endpoints: Obj, old: Obj): void {
  checkMetaUpdate(errors, metaOf(endpoints), metaOf(old))
  checkMeta(errors, metaOf(endpoints), { namespaced: true, name: 'subdomain' })
  // Stored addresses were accepted before.
  if (!semanticEqual(list(endpoints, 'subsets'), list(old, 'subsets'))) checkSubsets(errors, endpoints)
}

function checkSubsets(errors: Errors, endpoints: Obj): void {
  list(endpoints, 'subsets').forEach((subset, i) => {
    const at = `subsets[${i}]`
    const ready = list(subset, 'addresses')
    const waiting = list(subset, 'notReadyAddresses')
    if (ready.length + waiting.length === 0) {
      errors.push(required(at, 'must specify `addresses` or `notReadyAddresses`'))
    }
    ready.forEach((address, j) => {
      checkAddress(errors, address, `${at}.addresses[${j}]`)
    })
    waiting.forEach((address, j) => {
      checkAddress(errors, address, `${at}.notReadyAddresses[${j}]`)
    })
    const ports = list(subset, 'ports')
    ports.forEach((port, j) => {
      checkPort(errors, port, ports.length > 1, `${at}.ports[${j}]`)
    })
  })
}

function checkAddress(errors: Errors, address: Obj, at: string): void {
  const ip = text(address, 'ip')
  checkIp(errors, ip, `${at}.ip`)
  const hostname = text(address, 'hostname')
  if (hostname !== '') checkLabelName(errors, hostname, `${at}.hostname`)
  const node = textIfSet(address, 'nodeName')
  if (node !== undefined) push(errors, `${at}.nodeName`, node, subdomainProblems(node))
  checkEndpointIp(errors, ip, `${at}.ip`)
}

function checkPort(errors: Errors, port: Obj, named: boolean, at: string): void {
  const name = text(port, 'name')
  if (name !== '') checkLabelName(errors, name, `${at}.name`)
  else if (named) errors.push(required(`${at}.name`))
  push(errors, `${at}.port`, number(port, 'port'), portProblems(number(port, 'port')))
  const protocol = text(port, 'protocol')
  if (protocol === '') errors.push(required(`${at}.protocol`))
  else if (!protocols.includes(protocol)) errors.push(notSupported(`${at}.protocol`, protocol, protocols))
  const application = textIfSet(port, 'appProtocol')
  if (application !== undefined) checkQualifiedName(errors, application, `${at}.appProtocol`)
}

const addressTypes = ['FQDN', 'IPv4', 'IPv6']
const maxEndpoints = 1000
const maxAddresses = 100
const maxPorts = 20_000
const maxTopologyLabels = 16
const maxHints = 8
const zoneLabel = 'topology.kubernetes.io/zone'

/** ValidateEndpointSlice (v1.36, pkg/apis/discovery/validation). */
export function checkEndpointSlice(errors: Errors, slice: Obj): void {
  checkSliceHead(errors, slice)
  checkSliceEndpoints(errors, slice)
}

export function checkEndpointSliceUpdate(errors: Errors, slice: Obj, old: Obj): void {
  checkSliceHead(errors, slice)
  if (!semanticEqual(list(slice, 'endpoints'), list(old, 'endpoints'))) checkSliceEndpoints(errors, slice)
  checkImmutable(errors, text(slice, 'addressType'), text(old, 'addressType'), 'addressType')
}

function checkSliceHead(errors: Errors, slice: Obj): void {
  checkMeta(errors, metaOf(slice), { namespaced: true, name: 'subdomain' })
  const type = text(slice, 'addressType')
  if (type === '') errors.push(required('addressType'))
  else if (!addressTypes.includes(type)) errors.push(notSupported('addressType', type, addressTypes))
  const ports = list(slice, 'ports')
  if (ports.length > maxPorts) {
    errors.push(tooMany('ports', ports.length, maxPorts))
    return
  }
  const names = new Set<string>()
  ports.forEach((port, i) => {
    const at = `ports[${i}]`
    const name = text(port, 'name')
    if (name !== '') checkLabelName(errors, name, `${at}.name`)
    if (names.has(name)) errors.push(duplicate(`${at}.name`, name))
    names.add(name)
    const protocol = textIfSet(port, 'protocol')
    if (protocol === undefined) errors.push(required(`${at}.protocol`))
    else if (!protocols.includes(protocol)) errors.push(notSupported(`${at}.protocol`, protocol, protocols))
    const application = textIfSet(port, 'appProtocol')
    if (application !== undefined) checkQualifiedName(errors, application, `${at}.appProtocol`)
  })
}

function checkSliceEndpoints(errors: Errors, slice: Obj): void {
  const endpoints = list(slice, 'endpoints')
  if (endpoints.length > maxEndpoints) {
    errors.push(tooMany('endpoints', endpoints.length, maxEndpoints))
    return
  }
  endpoints.forEach((endpoint, i) => {
    checkSliceEndpoint(errors, endpoint, text(slice, 'addressType'), `endpoints[${i}]`)
  })
}

function checkSliceEndpoint(errors: Errors, endpoint: Obj, type: string, at: string): void {
  const addresses = texts(endpoint, 'addresses')
  const path = `${at}.addresses`
  if (addresses.length === 0) errors.push(required(path, 'must contain at least 1 address'))
  else if (addresses.length > maxAddresses) errors.push(tooMany(path, addresses.length, maxAddresses))
  addresses.forEach((address, i) => {
    checkSliceAddress(errors, address, type, path, `${path}[${i}]`)
  })
  const node = textIfSet(endpoint, 'nodeName')
  if (node !== undefined) push(errors, `${at}.nodeName`, node, subdomainProblems(node))
  const topology = strings(endpoint, 'deprecatedTopology')
  const count = Object.keys(topology).length
  if (count > maxTopologyLabels) errors.push(tooMany(`${at}.deprecatedTopology`, count, maxTopologyLabels))
  checkLabels(errors, topology, `${at}.deprecatedTopology`)
  if (Object.hasOwn(topology, zoneLabel)) {
    const where = `${at}.deprecatedTopology[${zoneLabel}]`
    errors.push(internalError(where, 'reserved key was not removed in conversion'))
  }
  const hostname = textIfSet(endpoint, 'hostname')
  if (hostname !== undefined) checkLabelName(errors, hostname, `${at}.hostname`)
  const hints = child(endpoint, 'hints')
  if (hints === undefined) return
  if (checkHints(errors, list(hints, 'forZones'), labelValueProblems, `${at}.hints.forZones`)) {
    checkHints(errors, list(hints, 'forNodes'), subdomainProblems, `${at}.hints.forNodes`)
  }
}

function checkSliceAddress(errors: Errors, address: string, type: string, list: string, at: string): void {
  const found = errors.length
  if (type === 'FQDN') {
    checkFullName(errors, address, at)
    return
  }
  if (type === 'IPv4') checkIp(errors, address, at)
  else if (type === 'IPv6') checkStrictIp(errors, address, at)
  else return
  if (errors.length > found) return
  const family = type === 'IPv4' ? 4 : 6
  if (parseIp(address)?.family !== family) errors.push(invalid(list, address, `must be an ${type} address`))
  checkEndpointIp(errors, address, at)
}

/** IsFullyQualifiedDomainName. */
function checkFullName(errors: Errors, value: string, at: string): void {
  if (value === '') {
    errors.push(required(at))
    return
  }
  const name = value.replace(/\.$/, '')
  const problems = subdomainProblems(name)
  if (problems.length > 0) {
    errors.push(invalid(at, name, problems.join(',')))
    return
  }
  const labels = name.split('.')
  if (labels.length < 2) {
    errors.push(invalid(at, name, 'should be a domain with at least two segments separated by dots'))
    return
  }
  const bad = labels.find((label) => labelNameProblems(label).length > 0)
  if (bad !== undefined) errors.push(invalid(at, bad, labelNameProblems(bad).join(',')))
}

function checkHints(
  errors: Errors,
  hints: readonly Obj[],
  problems: (name: string) => readonly string[],
  at: string,
): boolean {
  if (hints.length > maxHints) {
    errors.push(tooMany(at, hints.length, maxHints))
    return false
  }
  const seen = new Set<string>()
  hints.forEach((hint, i) => {
    const name = text(hint, 'name')
    if (seen.has(name)) errors.push(duplicate(`${at}[${i}].name`, name))
    seen.add(name)
    push(errors, `${at}[${i}].name`, name, problems(name))
  })
  return true
}
