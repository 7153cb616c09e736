import type { Pod } from '../../api/objects/pod.ts'
import { podLimits, podRequests } from '../../api/pod-resources.ts'
import { compareQuantities, formatQuantity, quantity } from '../../api/quantity.ts'
import { isHugePagesResource } from '../../api/resource-names.ts'
import { Recent } from '../../base/recent.ts'
import { duplicate, forbidden, invalid, notSupported, required, tooLong } from '../errors/field-error.ts'
import { checkIp } from './addresses.ts'
import { type ContainerScope, checkContainers, checkEphemeralContainers, checkInitContainers } from './containers.ts'
import { checkFileVolumes } from './environment.ts'
import { checkLabels } from './meta.ts'
import {
  checkLabelName,
  checkQualifiedName,
  checkSubdomain,
  looseSubdomainProblems,
  maxInt32,
  push,
  rangeProblem,
} from './names.ts'
import { checkPodResourceName, checkRequirements } from './quantities.ts'
import { child, type Errors, entryOf, list, type Obj, part, strings, texts } from './reader.ts'
import { flag, flagIfSet, number, numberIfSet, text, textIfSet } from './scalars.ts'
import { checkAffinity, checkSchedulingGates, checkSpreadConstraints, checkTolerations } from './scheduling.ts'
import { checkForeignSettings, checkHostProcess, checkPodSecurity, type PlacedContainer } from './security-context.ts'
import { checkVolumes } from './volumes.ts'

export interface PodScope {
  /** Absent for a template. */
  readonly pod?: { readonly name: string; readonly mirror: boolean }
}

const clean = new Recent<object, true>()

/** ValidatePodSpec. A valid spec is not checked again: pods of one template share their spec. */
export function checkPodSpec(errors: Errors, spec: Obj, path: string, scope: PodScope): void {
  // Ephemeral volume claims contain the pod name, and a mirror pod may have no claims.
  const depends =
    scope.pod?.mirror === true || list(spec, 'volumes').some((volume) => child(volume, 'ephemeral') !== undefined)
  const memoized = scope.pod !== undefined && !depends
  if (memoized && clean.get(spec) === true) return
  const before = errors.length
  checkAll(errors, spec, path, scope)
  if (memoized && errors.length === before) clean.set(spec, true)
}

const restartPolicies = ['Always', 'OnFailure', 'Never']
const dnsPolicies = ['ClusterFirstWithHostNet', 'ClusterFirst', 'Default', 'None']
const preemptionPolicies = ['PreemptLowerPriority', 'Never']

function checkAll(errors: Errors, spec: Obj, path: string, scope: PodScope): void {
  if (numberIfSet(spec, 'terminationGracePeriodSeconds') === undefined) {
    errors.push(required(`${path}.terminationGracePeriodSeconds`))
  }
  const hostUsers = flagIfSet(spec, 'hostUsers') !== false
  const podName = scope.pod === undefined ? {} : { podName: scope.pod.name }
  const volumes = checkVolumes(errors, list(spec, 'volumes'), `${path}.volumes`, podName)
  const claims = list(spec, 'resourceClaims')
  const claimNames = claims.map((claim) => text(claim, 'name')).filter((name) => name !== '')
  checkResourceClaims(errors, claims, `${path}.resourceClaims`, scope)
  const containerScope: ContainerScope = { spec, volumes, claimNames, hostUsers }
  checkContainers(errors, containerScope, `${path}.containers`)
  checkInitContainers(errors, containerScope, `${path}.initContainers`)
  checkEphemeralContainers(errors, containerScope, `${path}.ephemeralContainers`)
  checkPodResources(errors, spec, claimNames, path)
  checkHostPortsMatch(errors, spec, path, scope)
  checkChoice(errors, text(spec, 'restartPolicy'), restartPolicies, `${path}.restartPolicy`)
  checkChoice(errors, text(spec, 'dnsPolicy'), dnsPolicies, `${path}.dnsPolicy`)
  checkLabels(errors, strings(spec, 'nodeSelector'), `${path}.nodeSelector`)
  checkPodSecurity(errors, spec, `${path}.securityContext`)
  checkAffinity(errors, child(spec, 'affinity'), `${path}.affinity`)
  checkDnsConfig(errors, child(spec, 'dnsConfig'), text(spec, 'dnsPolicy'), `${path}.dnsConfig`)
  list(spec, 'readinessGates').forEach((gate, i) => {
    checkQualifiedName(errors, text(gate, 'conditionType'), `${path}.readinessGates[${i}].conditionType`)
  })
  checkSchedulingGates(errors, list(spec, 'schedulingGates'), `${path}.schedulingGates`)
  checkSpreadConstraints(errors, list(spec, 'topologySpreadConstraints'), `${path}.topologySpreadConstraints`)
  const containers = placedContainers(spec, path)
  checkHostProcess(errors, spec, containers, path)
  checkHostUsers(errors, spec, path)
  checkHostName(errors, spec, path)
  checkNames(errors, spec, path)
  checkTolerations(errors, list(spec, 'tolerations'), `${path}.tolerations`)
  checkHostAliases(errors, list(spec, 'hostAliases'), `${path}.hostAliases`)
  const preemption = textIfSet(spec, 'preemptionPolicy')
  if (preemption !== undefined) checkChoice(errors, preemption, preemptionPolicies, `${path}.preemptionPolicy`)
  const overhead = child(spec, 'overhead')
  if (overhead !== undefined) checkRequirements(errors, { limits: overhead }, [], `${path}.overhead`)
  checkOs(errors, spec, containers, path)
  checkSchedulingGroup(errors, child(spec, 'schedulingGroup'), `${path}.schedulingGroup`)
  const byName = new Map(list(spec, 'volumes').map((volume) => [text(volume, 'name'), volume]))
  for (const { container, path: at } of containers) checkFileVolumes(errors, container, byName, at)
}

/** In the order in which upstream visits them. */
export function placedContainers(spec: Obj, path: string): readonly PlacedContainer[] {
  return ['initContainers', 'containers', 'ephemeralContainers'].flatMap((field) =>
    list(spec, field).map((container, i) => ({ container, path: `${path}.${field}[${i}]` })),
  )
}

export function checkChoice(errors: Errors, value: string, choices: readonly string[], path: string): void {
  if (value === '') errors.push(required(path))
  else if (!choices.includes(value)) errors.push(notSupported(path, value, choices))
}

function checkNames(errors: Errors, spec: Obj, path: string): void {
  for (const field of ['serviceAccountName', 'nodeName', 'priorityClassName']) {
    const name = text(spec, field)
    if (name !== '') checkSubdomain(errors, name, `${path}.${field}`)
  }
  const deadline = numberIfSet(spec, 'activeDeadlineSeconds')
  if (deadline !== undefined && (deadline < 1 || deadline > maxInt32)) {
    errors.push(invalid(`${path}.activeDeadlineSeconds`, deadline, rangeProblem(1, maxInt32)))
  }
  for (const field of ['hostname', 'subdomain']) {
    const name = text(spec, field)
    if (name !== '') checkLabelName(errors, name, `${path}.${field}`)
  }
  const runtimeClass = textIfSet(spec, 'runtimeClassName')
  if (runtimeClass !== undefined) checkSubdomain(errors, runtimeClass, `${path}.runtimeClassName`)
}

function checkResourceClaims(errors: Errors, claims: readonly Obj[], path: string, scope: PodScope): void {
  const seen = new Set<string>()
  claims.forEach((claim, i) => {
    const at = `${path}[${i}]`
    if (scope.pod?.mirror === true) {
      errors.push(forbidden('', 'static pods do not support resource claims'))
      return
    }
    const name = text(claim, 'name')
    if (name === '') errors.push(required(`${at}.name`))
    else if (seen.has(name)) errors.push(duplicate(`${at}.name`, name))
    else checkLabelName(errors, name, `${at}.name`)
    seen.add(name)
    const own = textIfSet(claim, 'resourceClaimName')
    const template = textIfSet(claim, 'resourceClaimTemplateName')
    const shown = { Name: name, ResourceClaimName: own ?? null, ResourceClaimTemplateName: template ?? null }
    if (own !== undefined && template !== undefined) {
      const why = 'at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified'
      errors.push(invalid(at, shown, why))
    }
    if (own === undefined && template === undefined) {
      errors.push(invalid(at, shown, 'must specify one of: `resourceClaimName`, `resourceClaimTemplateName`'))
    }
    if (own !== undefined) checkSubdomain(errors, own, `${at}.resourceClaimName`)
    if (template !== undefined) checkSubdomain(errors, template, `${at}.resourceClaimTemplateName`)
  })
}

function checkPodResources(errors: Errors, spec: Obj, claimNames: readonly string[], path: string): void {
  const resources = child(spec, 'resources')
  if (resources === undefined) return
  const at = `${path}.resources`
  if (text(child(spec, 'os'), 'name') === 'windows') {
    errors.push(forbidden(at, 'may not be set for a windows pod'))
    return
  }
  if (resources['claims'] !== undefined) {
    errors.push(forbidden(`${at}.claims`, 'claims may not be set for Resources at pod-level'))
  }
  checkRequirements(errors, resources, claimNames, at, checkPodResourceName)
  checkConsistency(errors, spec, resources, at)
}

/** The resources of the containers must fit into the pod-level resources. */
function checkConsistency(errors: Errors, spec: Obj, resources: Obj, path: string): void {
  const { resources: _, overhead: __, ...bare } = spec
  const pod = { metadata: { name: '' }, spec: { ...bare, containers: list(spec, 'containers') } } as unknown as Pod
  const requests = strings(resources, 'requests')
  for (const [name, sum] of podRequests(pod)) {
    const own = entryOf(requests, name)
    if (own === undefined || compareQuantities(sum, quantity(own)) <= 0) continue
    const why = `must be greater than or equal to aggregate container requests of ${formatQuantity(sum)}`
    errors.push(invalid(`${path}.requests[${name}]`, formatQuantity(quantity(own)), why))
  }
  const limits = strings(resources, 'limits')
  for (const [name, sum] of podLimits(pod)) {
    const own = entryOf(limits, name)
    if (!isHugePagesResource(name) || own === undefined || compareQuantities(sum, quantity(own)) <= 0) continue
    const why = `must be greater than or equal to aggregate container limits of ${formatQuantity(sum)}`
    errors.push(invalid(`${path}.limits[${name}]`, formatQuantity(quantity(own)), why))
  }
  list(spec, 'containers').forEach((container, i) => {
    const ownLimits = strings(part(container, 'resources'), 'limits')
    for (const name in ownLimits) {
      const podLimit = entryOf(limits, name)
      const limit = quantity(ownLimits[name] as string)
      if (podLimit === undefined || compareQuantities(limit, quantity(podLimit)) <= 0) continue
      const why = `must be less than or equal to pod limits of ${formatQuantity(quantity(podLimit))}`
      errors.push(invalid(`${path}.containers[${i}][${name}].limits`, formatQuantity(limit), why))
    }
  })
}

function checkHostPortsMatch(errors: Errors, spec: Obj, path: string, scope: PodScope): void {
  if (!flag(spec, 'hostNetwork')) return
  list(spec, 'containers').forEach((container, i) => {
    list(container, 'ports').forEach((port, j) => {
      const hostPort = number(port, 'hostPort')
      if (hostPort === number(port, 'containerPort') || (scope.pod === undefined && hostPort === 0)) return
      const why = 'must match `containerPort` when `hostNetwork` is true'
      errors.push(invalid(`${path}.containers[${i}].ports[${j}].hostPort`, hostPort, why))
    })
  })
}

function checkDnsConfig(errors: Errors, config: Obj | undefined, policy: string, path: string): void {
  const servers = texts(config, 'nameservers')
  if (policy === 'None') {
    if (config === undefined) {
      errors.push(required(path, 'must provide `dnsConfig` when `dnsPolicy` is None'))
      return
    }
    if (servers.length === 0) {
      const why = 'must provide at least one DNS nameserver when `dnsPolicy` is None'
      errors.push(required(`${path}.nameservers`, why))
      return
    }
  }
  if (config === undefined) return
  if (servers.length > 3) {
    errors.push(invalid(`${path}.nameservers`, servers, 'must not have more than 3 nameservers'))
  }
  servers.forEach((server, i) => {
    checkIp(errors, server, `${path}.nameservers[${i}]`)
  })
  const searches = texts(config, 'searches')
  if (searches.length > 32) {
    errors.push(invalid(`${path}.searches`, searches, 'must not have more than 32 search paths'))
  }
  if (searches.join(' ').length > 2048) {
    const why = 'must not have more than 2048 characters (including spaces) in the search list'
    errors.push(invalid(`${path}.searches`, searches, why))
  }
  searches.forEach((search, i) => {
    if (search === '.') return
    const bare = search.endsWith('.') ? search.slice(0, -1) : search
    push(errors, `${path}.searches[${i}]`, bare, looseSubdomainProblems(bare))
  })
  list(config, 'options').forEach((option, i) => {
    if (text(option, 'name') === '') errors.push(required(`${path}.options[${i}]`, 'must not be empty'))
  })
}

function checkHostUsers(errors: Errors, spec: Obj, path: string): void {
  if (flagIfSet(spec, 'hostUsers') !== false) return
  const why = 'when `hostUsers` is false'
  if (flag(spec, 'hostNetwork') && !errors.release.gates.has('UserNamespacesHostNetworkSupport')) {
    errors.push(forbidden(`${path}.hostNetwork`, why))
  }
  if (flag(spec, 'hostPID')) errors.push(forbidden(`${path}.HostPID`, why))
  if (flag(spec, 'hostIPC')) errors.push(forbidden(`${path}.HostIPC`, why))
  for (const { container, path: at } of placedContainers(spec, path)) {
    if (list(container, 'volumeDevices').length > 0) errors.push(forbidden(`${at}.volumeDevices`, why))
  }
}

function checkHostName(errors: Errors, spec: Obj, path: string): void {
  const name = textIfSet(spec, 'hostnameOverride')
  if (name === undefined) return
  const at = `${path}.hostnameOverride`
  if (flag(spec, 'setHostnameAsFQDN')) {
    errors.push(forbidden(at, 'may not be specified when setHostnameAsFQDN is true'))
  }
  if (flag(spec, 'hostNetwork')) errors.push(forbidden(at, 'may not be specified when hostNetwork is true'))
  if (Buffer.byteLength(name) > 64) errors.push(tooLong(at, 64))
  checkSubdomain(errors, name, at)
}

function checkHostAliases(errors: Errors, aliases: readonly Obj[], path: string): void {
  aliases.forEach((alias, i) => {
    checkIp(errors, text(alias, 'ip'), `${path}[${i}].ip`)
    texts(alias, 'hostnames').forEach((name, j) => {
      checkSubdomain(errors, name, `${path}[${i}].hostnames[${j}]`)
    })
  })
}

function checkOs(errors: Errors, spec: Obj, containers: readonly PlacedContainer[], path: string): void {
  const os = child(spec, 'os')
  if (os === undefined) return
  const name = text(os, 'name')
  if (name === '') errors.push(required(`${path}.os.name`))
  else if (name !== 'linux' && name !== 'windows') errors.push(notSupported(`${path}.os`, name, ['linux', 'windows']))
  else checkForeignSettings(errors, spec, containers, path)
}

function checkSchedulingGroup(errors: Errors, group: Obj | undefined, path: string): void {
  if (group === undefined) return
  const name = textIfSet(group, 'podGroupName')
  if (name === undefined) errors.push(invalid(`${path}.podGroupName`, null, 'must specify one of: `podGroupName`'))
  else checkSubdomain(errors, name, `${path}.podGroupName`)
}
