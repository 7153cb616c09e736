import { parseCidr } from '../../api/cidr.ts'
import { labelValueProblems } from '../../api/label-syntax.ts'
import { labelNameProblems, subdomainProblems } from '../../api/name-problems.ts'
import { atLeast } from '../../api/releases/at-least.ts'
import { Recent } from '../../base/recent.ts'
import { duplicate, forbidden, internalError, invalid, required } from '../errors/field-error.ts'
import { checkCidr, isDualStackCidrs } from './addresses.ts'
import { checkMeta, checkMetaUpdate, checkPositive, metaOf } from './meta.ts'
import { checkQualifiedName, configKeyProblems, push } from './names.ts'
import { checkResourceQuantity } from './quantities.ts'
import { child, type Errors, list, type Obj, part, type Strings, strings, texts } from './reader.ts'
import { numberIfSet, text } from './scalars.ts'
import { checkTaintEffect } from './scheduling.ts'

export function checkNode(errors: Errors, node: Obj): void {
  checkMeta(errors, metaOf(node), { namespaced: false, name: 'subdomain' })
  const spec = part(node, 'spec')
  // Upstream reports taints under metadata, where they were an annotation in the past.
  checkTaints(errors, list(spec, 'taints'), 'metadata.taints')
  checkNodeResources(errors, node)
  const swap = numberIfSet(child(part(part(node, 'status'), 'nodeInfo'), 'swap'), 'capacity')
  if (swap !== undefined) checkPositive(errors, swap, 'metadata.nodeSwapStatus.capacity')
  checkFeatures(errors, texts(part(node, 'status'), 'declaredFeatures'))
  checkPodCidrs(errors, texts(spec, 'podCIDRs'))
}

function checkPodCidrs(errors: Errors, cidrs: readonly string[]): void {
  cidrs.forEach((cidr, i) => {
    checkCidr(errors, cidr, `spec.podCIDRs[${i}]`)
  })
  if (cidrs.length < 2) return
  const bad = cidrs.findIndex((cidr) => parseCidr(cidr) === undefined)
  if (bad >= 0) {
    const found = `invalid CIDR[${bad}]: <nil> (invalid CIDR address: ${cidrs[bad]})`
    errors.push(internalError('spec.podCIDRs', `invalid PodCIDRs. failed to check with dual stack with error:${found}`))
  }
  if (bad >= 0 || cidrs.length > 2 || !isDualStackCidrs(cidrs)) {
    errors.push(invalid('spec.podCIDRs', cidrs, 'may specify no more than one CIDR for each IP family'))
  }
}

export function checkTaints(errors: Errors, taints: readonly Obj[], path: string): void {
  const seen = new Set<string>()
  taints.forEach((taint, i) => {
    const at = `${path}[${i}]`
    const key = text(taint, 'key')
    const value = text(taint, 'value')
    const effect = text(taint, 'effect')
    checkQualifiedName(errors, key, `${at}.key`)
    const problems = labelValueProblems(value)
    if (problems.length > 0) errors.push(invalid(`${at}.value`, value, problems.join(';')))
    if (effect === '') errors.push(required(`${at}.effect`))
    else checkTaintEffect(errors, effect, `${at}.effect`)
    const identity = `${effect}\u0000${key}`
    if (seen.has(identity)) {
      const shown = { Key: key, Value: value, Effect: effect, TimeAdded: taint['timeAdded'] ?? null }
      errors.push(duplicate(at, shown, 'taints must be unique by key and effect pair'))
    }
    seen.add(identity)
  })
}

// Most fields of a node do not change from one version to the next.
const goodAmounts = new Recent<Strings, true>()

function checkNodeResources(errors: Errors, node: Obj): void {
  const status = part(node, 'status')
  for (const field of ['capacity', 'allocatable']) {
    const amounts = strings(status, field)
    if (goodAmounts.get(amounts) === true) continue
    const before = errors.length
    for (const name in amounts) {
      checkResourceQuantity(errors, name, amounts[name] as string, `status.${field}.${name}`)
    }
    if (errors.length === before) goodAmounts.set(amounts, true)
  }
}

const featurePattern = /^[A-Z][a-zA-Z0-9]*(\/[a-zA-Z][a-zA-Z0-9]*)*$/

function checkFeatures(errors: Errors, features: readonly string[]): void {
  features.forEach((feature, i) => {
    const at = `status.declaredFeatures[${i}]`
    if (feature.length > 253) {
      const why = `invalid feature name ${JSON.stringify(feature)}: must be no more than 253 characters`
      errors.push(invalid(at, feature, why))
    } else if (!featurePattern.test(feature)) {
      const why = `invalid feature name ${JSON.stringify(feature)}: must start with an UpperCamelCase segment, with subsequent segments separated by '/' (e.g., MyFeature or MyFeature/mySubFeature), and contain only alphanumeric characters and slashes`
      errors.push(invalid(at, feature, why))
    }
    const next = features[i + 1]
    const nextAt = `status.declaredFeatures[${i + 1}]`
    if (next === feature) errors.push(duplicate(nextAt, next))
    else if (next !== undefined && feature > next) {
      errors.push(invalid(nextAt, next, 'list must be sorted alphabetically'))
    }
  })
}

/** ValidateNodeUpdate, for the node and for its status. */
export function checkNodeUpdate(errors: Errors, node: Obj, old: Obj): void {
  checkMetaUpdate(errors, metaOf(node), metaOf(old))
  checkNodeResources(errors, node)
  const status = part(node, 'status')
  checkFeatures(errors, texts(status, 'declaredFeatures'))
  checkAddresses(errors, list(status, 'addresses'))
  const spec = part(node, 'spec')
  const before = part(old, 'spec')
  checkKeptCidrs(errors, texts(spec, 'podCIDRs'), texts(before, 'podCIDRs'))
  const provider = text(before, 'providerID')
  if (provider !== '' && provider !== text(spec, 'providerID')) {
    if (atLeast(errors.release, '1.37')) {
      const verb = text(spec, 'providerID') === '' ? 'cleared' : 'modified'
      errors.push(invalid('spec.providerID', null, `field cannot be ${verb} once set`))
    } else errors.push(forbidden('spec.providerID', 'node updates may not change providerID except from "" to valid'))
  }
  checkConfigSource(errors, child(spec, 'configSource'), 'spec.configSource')
  checkTaints(errors, list(spec, 'taints'), 'metadata.taints')
  if (text(spec, 'externalID') !== text(before, 'externalID')) {
    errors.push(forbidden('spec.externalID', 'may not be updated'))
  }
}

function checkAddresses(errors: Errors, addresses: readonly Obj[]): void {
  const seen = new Map<string, Set<string>>()
  for (let i = 0; i < addresses.length; i++) {
    const type = text(addresses[i], 'type')
    const address = text(addresses[i], 'address')
    const types = seen.get(address)
    if (types === undefined) seen.set(address, new Set([type]))
    else if (types.has(type)) errors.push(duplicate(`status.addresses[${i}]`, { Type: type, Address: address }))
    else types.add(type)
  }
}

function checkKeptCidrs(errors: Errors, cidrs: readonly string[], before: readonly string[]): void {
  if (before.length === 0) return
  const error = forbidden('spec.podCIDRs', 'node updates may not change podCIDR except from "" to valid')
  if (before.length !== cidrs.length) errors.push(error)
  else {
    before.forEach((cidr, i) => {
      if (cidr !== cidrs[i]) errors.push(error)
    })
  }
}

function checkConfigSource(errors: Errors, source: Obj | undefined, path: string): void {
  if (source === undefined) return
  const map = child(source, 'configMap')
  if (map === undefined) {
    errors.push(invalid(path, source, 'exactly one reference subfield must be non-nil'))
    return
  }
  const at = `${path}.configMap`
  for (const field of ['uid', 'resourceVersion']) {
    if (text(map, field) !== '') errors.push(forbidden(`${at}.${field}`, `${field} must not be set in spec`))
  }
  const rules = { namespace: labelNameProblems, name: subdomainProblems, kubeletConfigKey: configKeyProblems } as const
  for (const [field, problems] of Object.entries(rules)) {
    const value = text(map, field)
    if (value === '') errors.push(required(`${at}.${field}`))
    else push(errors, `${at}.${field}`, value, problems(value))
  }
}
