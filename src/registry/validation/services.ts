import { parseIp } from '../../api/ip-address.ts'
import { duplicate, forbidden, invalid, notSupported, required } from '../errors/field-error.ts'
import { checkCidr, checkIp, isDualStackIps } from './addresses.ts'
import { checkPort } from './handlers.ts'
import { checkLabels, checkMeta, checkMetaUpdate, immutable, metaOf } from './meta.ts'
import { checkLabelName, checkQualifiedName, checkSubdomain, inRange, portProblems, push } from './names.ts'
import { child, type Errors, entryOf, list, type Obj, part, repeatedAt, strings, texts } from './reader.ts'
import { flagIfSet, number, numberIfSet, text, textIfSet } from './scalars.ts'

const types = ['ClusterIP', 'ExternalName', 'LoadBalancer', 'NodePort']
const protocols = ['SCTP', 'TCP', 'UDP']
const onlyBalanced = "may only be used when `type` is 'LoadBalancer'"
const unchanged = 'may not change once set'
const maxAffinitySeconds = 86_400
const rangesAnnotation = 'service.beta.kubernetes.io/load-balancer-source-ranges'

const isHeadless = (spec: Obj): boolean => {
  const ips = texts(spec, 'clusterIPs')
  return ips.length === 1 && ips[0] === 'None'
}

const shownList = (values: readonly string[]): readonly string[] | null => (values.length === 0 ? null : values)

/** ValidateServiceCreate. */
export function checkService(errors: Errors, service: Obj): void {
  const name = errors.release.gates.has('RelaxedServiceNameValidation') ? 'label' : 'label-1035'
  checkMeta(errors, metaOf(service), { namespaced: true, name })
  checkServiceSpec(errors, service, undefined)
}

/** ValidateServiceUpdate. */
export function checkServiceUpdate(errors: Errors, service: Obj, old: Obj): void {
  checkMetaUpdate(errors, metaOf(service), metaOf(old))
  const spec = part(service, 'spec')
  const before = part(old, 'spec')
  if (text(spec, 'type') !== 'ExternalName' && text(before, 'type') !== 'ExternalName') {
    checkKeptAddresses(errors, spec, before)
    checkKeptFamilies(errors, spec, before)
  }
  if (text(spec, 'type') === 'LoadBalancer' && text(before, 'type') === 'LoadBalancer') {
    const balancer = textIfSet(spec, 'loadBalancerClass')
    if (balancer !== textIfSet(before, 'loadBalancerClass')) {
      errors.push(invalid('spec.loadBalancerClass', balancer ?? null, unchanged))
    }
  }
  checkBalancerClass(errors, spec)
  if (needsHealthCheck(spec) && needsHealthCheck(before)) {
    if (number(spec, 'healthCheckNodePort') !== number(before, 'healthCheckNodePort')) {
      errors.push(forbidden('spec.healthCheckNodePort', immutable))
    }
  }
  checkServiceSpec(errors, service, old)
}

function checkKeptAddresses(errors: Errors, spec: Obj, before: Obj): void {
  if (isHeadless(spec) && isHeadless(before)) return
  const ips = texts(spec, 'clusterIPs')
  const old = texts(before, 'clusterIPs')
  const at = 'spec.clusterIPs[0]'
  if (old.length === ips.length) {
    old.forEach((ip, i) => {
      if (ip !== ips[i]) errors.push(invalid(`spec.clusterIPs[${i}]`, ips, unchanged))
    })
    return
  }
  if (ips.length === 0) errors.push(invalid(at, shownList(ips), 'primary clusterIP can not be unset'))
  if (old.length > 0 && ips.length > 0 && ips[0] !== old[0]) errors.push(invalid(at, ips, unchanged))
  if (old.length > ips.length && ips.length === 1) checkReleased(errors, spec, 'clusterIP')
}

function checkReleased(errors: Errors, spec: Obj, what: string): void {
  const policy = textIfSet(spec, 'ipFamilyPolicy')
  if (policy === 'SingleStack') return
  const why = `must be set to 'SingleStack' when releasing the secondary ${what}`
  errors.push(invalid('spec.ipFamilyPolicy', policy ?? null, why))
}

function checkKeptFamilies(errors: Errors, spec: Obj, before: Obj): void {
  if (isHeadless(spec) || isHeadless(before)) return
  const families = texts(spec, 'ipFamilies')
  const old = texts(before, 'ipFamilies')
  const ips = texts(spec, 'clusterIPs')
  const at = 'spec.ipFamilies[0]'
  if (old.length === families.length) {
    old.forEach((family, i) => {
      if (family !== families[i]) errors.push(invalid(at, families, unchanged))
    })
    return
  }
  if (old.length > families.length && ips.length === 0) {
    errors.push(invalid(at, shownList(families), 'primary ipFamily can not be unset'))
  }
  // Upstream shows the addresses here, not the families.
  if (old.length > 0 && families.length > 0 && families[0] !== old[0]) {
    errors.push(invalid(at, shownList(ips), unchanged))
  }
  if (old.length > families.length && families.length === 1) checkReleased(errors, spec, 'ipFamily')
}

function checkServiceSpec(errors: Errors, service: Obj, old: Obj | undefined): void {
  const annotations = strings(metaOf(service), 'annotations')
  const spec = part(service, 'spec')
  const before = part(old, 'spec')
  checkTopologyMode(errors, annotations)
  const type = text(spec, 'type')
  const ports = list(spec, 'ports')
  if (ports.length === 0 && !isHeadless(spec) && type !== 'ExternalName') errors.push(required('spec.ports'))
  checkType(errors, spec, type)
  const names = new Set<string>()
  ports.forEach((port, i) => {
    checkServicePort(errors, port, ports.length > 1, names, `spec.ports[${i}]`)
  })
  checkLabels(errors, strings(spec, 'selector'), 'spec.selector')
  checkAffinity(errors, spec)
  if (type !== 'ExternalName') checkClusterIps(errors, spec, texts(before, 'clusterIPs'))
  texts(spec, 'externalIPs').forEach((ip, i) => {
    const found = errors.length
    checkIp(errors, ip, `spec.externalIPs[${i}]`, texts(before, 'externalIPs'))
    if (errors.length === found) checkEndpointIp(errors, ip, `spec.externalIPs[${i}]`)
  })
  if (type === '') errors.push(required('spec.type'))
  else if (!types.includes(type)) errors.push(notSupported('spec.type', type, types))
  checkPortsTogether(errors, ports, type)
  checkSourceRanges(errors, annotations, spec, old)
  const allocates = flagIfSet(spec, 'allocateLoadBalancerNodePorts')
  if (allocates !== undefined && type !== 'LoadBalancer') {
    errors.push(forbidden('spec.allocateLoadBalancerNodePorts', onlyBalanced))
  }
  if (allocates === undefined && type === 'LoadBalancer') errors.push(required('allocateLoadBalancerNodePorts'))
  checkBalancerClass(errors, spec)
  checkTrafficPolicies(errors, spec, type)
}

function checkTopologyMode(errors: Errors, annotations: Readonly<Record<string, string>>): void {
  const hintsKey = 'service.kubernetes.io/topology-aware-hints'
  const modeKey = 'service.kubernetes.io/topology-mode'
  const hints = entryOf(annotations, hintsKey)
  const mode = entryOf(annotations, modeKey)
  if (hints === undefined || mode === undefined || hints === mode) return
  const why = `must match annotations[${hintsKey}] when both are specified`
  errors.push(invalid(`metadata.annotations[${modeKey}]`, mode, why))
}

function checkType(errors: Errors, spec: Obj, type: string): void {
  if ((type === 'LoadBalancer' || type === 'NodePort') && isHeadless(spec)) {
    errors.push(invalid('spec.clusterIPs[0]', 'None', `may not be set to 'None' for ${type} services`))
  }
  if (type !== 'ExternalName') return
  const why = 'may not be set for ExternalName services'
  for (const field of ['clusterIPs', 'ipFamilies']) {
    if (texts(spec, field).length > 0) errors.push(forbidden(`spec.${field}`, why))
  }
  if (textIfSet(spec, 'ipFamilyPolicy') !== undefined) errors.push(forbidden('spec.ipFamilyPolicy', why))
  const name = text(spec, 'externalName').replace(/\.$/, '')
  if (name === '') errors.push(required('spec.externalName'))
  else checkSubdomain(errors, name, 'spec.externalName')
}

function checkServicePort(errors: Errors, port: Obj, named: boolean, names: Set<string>, path: string): void {
  const name = text(port, 'name')
  if (name === '') {
    if (named) errors.push(required(`${path}.name`))
  } else {
    checkLabelName(errors, name, `${path}.name`)
    if (names.has(name)) errors.push(duplicate(`${path}.name`, name))
    names.add(name)
  }
  push(errors, `${path}.port`, number(port, 'port'), portProblems(number(port, 'port')))
  const protocol = text(port, 'protocol')
  if (protocol === '') errors.push(required(`${path}.protocol`))
  else if (!protocols.includes(protocol)) errors.push(notSupported(`${path}.protocol`, protocol, protocols))
  checkPort(errors, port['targetPort'] ?? 0, `${path}.targetPort`)
  const application = textIfSet(port, 'appProtocol')
  if (application !== undefined) checkQualifiedName(errors, application, `${path}.appProtocol`)
}

function checkAffinity(errors: Errors, spec: Obj): void {
  const affinity = text(spec, 'sessionAffinity')
  const config = child(spec, 'sessionAffinityConfig')
  const at = 'spec.sessionAffinityConfig'
  if (affinity === '') errors.push(required('spec.sessionAffinity'))
  else if (affinity === 'None') {
    if (config !== undefined) errors.push(forbidden(at, 'must not be set when session affinity is None'))
  } else if (affinity === 'ClientIP') {
    const why = 'when session affinity type is ClientIP'
    const client = child(config, 'clientIP')
    const seconds = numberIfSet(client, 'timeoutSeconds')
    if (config === undefined) errors.push(required(at, why))
    else if (client === undefined) errors.push(required(`${at}.clientIP`, why))
    else if (seconds === undefined) errors.push(required(`${at}.clientIP.timeoutSeconds`, why))
    else if (inRange(seconds, 1, maxAffinitySeconds).length > 0) {
      const range = `must be greater than 0 and less than ${maxAffinitySeconds}`
      errors.push(invalid(`${at}.clientIP.timeoutSeconds`, seconds, range))
    }
  } else errors.push(notSupported('spec.sessionAffinity', affinity, ['ClientIP', 'None']))
}

const families = ['IPv4', 'IPv6']
const familyPolicies = ['PreferDualStack', 'RequireDualStack', 'SingleStack']

/** ValidateServiceClusterIPsRelatedFields. */
export function checkClusterIps(errors: Errors, spec: Obj, existing: readonly string[]): void {
  const at = 'spec.clusterIPs'
  const single = text(spec, 'clusterIP')
  const ips = texts(spec, 'clusterIPs')
  if (single === '') {
    if (ips.length > 0) errors.push(invalid(at, ips, 'must be empty when `clusterIP` is not specified'))
  } else if (ips.length === 0) errors.push(required(at))
  else if (ips[0] !== single) errors.push(invalid(at, ips, 'first value must match `clusterIP`'))
  const named = texts(spec, 'ipFamilies')
  const repeated = repeatedAt(named)
  named.forEach((family, i) => {
    if (!families.includes(family)) errors.push(notSupported(`spec.ipFamilies[${i}]`, family, families))
    if (repeated.has(i)) errors.push(duplicate(`spec.ipFamilies[${i}]`, family))
  })
  const policy = textIfSet(spec, 'ipFamilyPolicy')
  if (policy !== undefined && !familyPolicies.includes(policy)) {
    errors.push(notSupported('spec.ipFamilyPolicy', policy, familyPolicies))
  }
  const found = errors.length
  ips.forEach((ip, i) => {
    if (i > 0 || ip !== 'None') checkIp(errors, ip, `${at}[${i}]`, existing)
    else if (ips.length > 1) errors.push(invalid(at, ips, "'None' must be the first and only value"))
  })
  const areBad = errors.length > found
  if (ips.length > 2) errors.push(invalid(at, ips, 'may only hold up to 2 values'))
  if (areBad) return
  if (ips.length > 1 && !isDualStackIps(ips)) {
    errors.push(invalid(at, ips, 'may specify no more than one IP for each IP family'))
  }
  if (isHeadless(spec)) return
  ips.forEach((ip, i) => {
    const family = named[i]
    if (family !== 'IPv4' && family !== 'IPv6') return
    if ((family === 'IPv6') === (parseIp(ip)?.family === 6)) return
    errors.push(invalid(`${at}[${i}]`, ip, `expected an ${family} value as indicated by \`ipFamilies[${i}]\``))
  })
}

/** Addresses that are not reachable from other hosts (ValidateEndpointIP). */
export function checkEndpointIp(errors: Errors, value: string, path: string): void {
  const ip = parseIp(value)
  if (ip === undefined) {
    errors.push(invalid(path, value, 'must be a valid IP address'))
    return
  }
  const { bits } = ip
  const starts = (prefix: bigint, length: number): boolean =>
    bits >> BigInt((ip.family === 4 ? 32 : 128) - length) === prefix
  const is4 = ip.family === 4
  if (bits === 0n) errors.push(invalid(path, value, `may not be unspecified (${value})`))
  if (is4 ? starts(127n, 8) : bits === 1n) {
    errors.push(invalid(path, value, 'may not be in the loopback range (127.0.0.0/8, ::1/128)'))
  }
  if (is4 ? starts(0xa9fen, 16) : starts(0x3fan, 10)) {
    errors.push(invalid(path, value, 'may not be in the link-local range (169.254.0.0/16, fe80::/10)'))
  }
  if (is4 ? starts(0xe00000n, 24) : ((bits >> 112n) & 0xff0fn) === 0xff02n) {
    errors.push(invalid(path, value, 'may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)'))
  }
}

function checkPortsTogether(errors: Errors, ports: readonly Obj[], type: string): void {
  if (type === 'ClusterIP') {
    ports.forEach((port, i) => {
      if (number(port, 'nodePort') === 0) return
      errors.push(forbidden(`spec.ports[${i}].nodePort`, "may not be used when `type` is 'ClusterIP'"))
    })
  }
  const nodePorts = new Set<string>()
  ports.forEach((port, i) => {
    const nodePort = number(port, 'nodePort')
    const key = `${text(port, 'protocol')}/${nodePort}`
    if (nodePort === 0) return
    if (nodePorts.has(key)) errors.push(duplicate(`spec.ports[${i}].nodePort`, nodePort))
    nodePorts.add(key)
  })
  const seen = new Set<string>()
  ports.forEach((port, i) => {
    const [Protocol, Port] = [text(port, 'protocol'), number(port, 'port')]
    const key = `${Protocol}/${Port}`
    if (seen.has(key)) {
      const shown = { Name: '', Protocol, AppProtocol: null, Port, TargetPort: 0, NodePort: 0 }
      errors.push(duplicate(`spec.ports[${i}]`, shown))
    }
    seen.add(key)
  })
}

function checkSourceRanges(
  errors: Errors,
  annotations: Readonly<Record<string, string>>,
  spec: Obj,
  old: Obj | undefined,
): void {
  const isBalanced = text(spec, 'type') === 'LoadBalancer'
  const ranges = texts(spec, 'loadBalancerSourceRanges')
  const annotated = entryOf(annotations, rangesAnnotation)
  if (ranges.length > 0) {
    const at = 'spec.LoadBalancerSourceRanges'
    if (!isBalanced) errors.push(forbidden(at, onlyBalanced))
    const existing = texts(part(old, 'spec'), 'loadBalancerSourceRanges').map((range) => range.trim())
    ranges.forEach((range, i) => {
      checkCidr(errors, range.trim(), `${at}[${i}]`, existing)
    })
  } else if (annotated !== undefined) {
    const at = `metadata.annotations[${rangesAnnotation}]`
    if (!isBalanced) errors.push(forbidden(at, onlyBalanced))
    const before = old === undefined ? undefined : entryOf(strings(metaOf(old), 'annotations'), rangesAnnotation)
    if (before === annotated || annotated.trim() === '') return
    for (const range of annotated.split(',')) checkCidr(errors, range.trim(), at)
  }
}

function checkBalancerClass(errors: Errors, spec: Obj): void {
  const balancer = textIfSet(spec, 'loadBalancerClass')
  if (balancer === undefined) return
  const at = 'spec.loadBalancerClass'
  if (text(spec, 'type') === 'LoadBalancer') checkQualifiedName(errors, balancer, at)
  else errors.push(forbidden(at, onlyBalanced))
}

const isOutside = (spec: Obj): boolean => {
  const type = text(spec, 'type')
  return (
    type === 'LoadBalancer' || type === 'NodePort' || (type === 'ClusterIP' && texts(spec, 'externalIPs').length > 0)
  )
}

const needsHealthCheck = (spec: Obj): boolean =>
  text(spec, 'type') === 'LoadBalancer' && text(spec, 'externalTrafficPolicy') === 'Local'

const trafficPolicies = ['Cluster', 'Local']
const distributions = ['PreferClose', 'PreferSameZone', 'PreferSameNode']

function checkTrafficPolicies(errors: Errors, spec: Obj, type: string): void {
  const outer = text(spec, 'externalTrafficPolicy')
  const outerAt = 'spec.externalTrafficPolicy'
  if (!isOutside(spec)) {
    if (outer !== '') errors.push(invalid(outerAt, outer, 'may only be set for externally-accessible services'))
  } else if (outer === '') errors.push(required(outerAt))
  else if (!trafficPolicies.includes(outer)) errors.push(notSupported(outerAt, outer, trafficPolicies))
  const health = number(spec, 'healthCheckNodePort')
  const healthAt = 'spec.healthCheckNodePort'
  if (!needsHealthCheck(spec)) {
    const why = "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'"
    if (health !== 0) errors.push(invalid(healthAt, health, why))
  } else if (health === 0) errors.push(required(healthAt))
  else push(errors, healthAt, health, portProblems(health))
  const inner = textIfSet(spec, 'internalTrafficPolicy')
  const innerAt = 'spec.internalTrafficPolicy'
  if (inner === undefined) {
    if (type !== 'ExternalName' && types.includes(type)) errors.push(required(innerAt))
  } else if (!trafficPolicies.includes(inner)) errors.push(notSupported(innerAt, inner, trafficPolicies))
  const distribution = textIfSet(spec, 'trafficDistribution')
  if (distribution !== undefined && !distributions.includes(distribution)) {
    errors.push(notSupported('spec.trafficDistribution', distribution, distributions))
  }
}
