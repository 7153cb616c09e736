import { parseIp } from '../../api/ip-address.ts'
import { isLabelKey } from '../../api/label-syntax.ts'
import type { PodCondition } from '../../api/objects/pod.ts'
import { atLeast } from '../../api/releases/at-least.ts'
import { duplicate, forbidden, internalError, invalid } from '../errors/field-error.ts'
import { checkIp, isDualStackIps } from './addresses.ts'
import { checkImmutable, checkMetaUpdate, metaOf } from './meta.ts'
import { checkQualifiedName, checkSubdomain, idProblems, push } from './names.ts'
import { checkDeviceHealth, checkExtendedClaim } from './pod-device-status.ts'
import { checkAnnotationsAgain } from './pod-update.ts'
import { child, type Errors, list, numbers, type Obj, part } from './reader.ts'
import { number, text, textIfSet } from './scalars.ts'

const containerFields = ['containerStatuses', 'initContainerStatuses', 'ephemeralContainerStatuses']
const ownConditions = ['PodScheduled', 'Ready', 'Initialized']

/** ValidatePodStatusUpdate. */
export function checkPodStatus(errors: Errors, pod: Obj, old: Obj): void {
  checkMetaUpdate(errors, metaOf(pod), metaOf(old))
  checkAnnotationsAgain(errors, pod, old)
  const status = part(pod, 'status')
  const before = part(old, 'status')
  const spec = part(old, 'spec')
  checkPodConditions(errors, list(status, 'conditions') as unknown as readonly PodCondition[])
  checkNomination(errors, status, before, spec)
  const generation = number(status, 'observedGeneration')
  if (generation < 0) {
    errors.push(invalid('status.observedGeneration', generation, 'must be a non-negative integer'))
  }
  checkImmutable(errors, text(status, 'qosClass'), text(before, 'qosClass'), 'status.qosClass')
  checkTransitions(errors, status, before, spec, 'containerStatuses', 'containers')
  checkTransitions(errors, status, before, spec, 'initContainerStatuses', 'initContainers')
  checkTransitions(errors, status, before, spec, 'ephemeralContainerStatuses', undefined)
  checkClaimStatuses(errors, list(status, 'resourceClaimStatuses'), list(spec, 'resourceClaims'))
  checkExtendedClaim(errors, status, spec)
  checkAddresses(errors, status, before, 'podIPs')
  checkHostAddresses(errors, status, before)
  for (const field of containerFields) {
    list(status, field).forEach((container, i) => {
      const user = child(child(container, 'user'), 'linux')
      if (user !== undefined) checkUser(errors, user, spec, `status.${field}[${i}].user.linux`)
    })
  }
  checkDeviceHealth(errors, status, spec)
}

function checkPodConditions(errors: Errors, conditions: readonly PodCondition[]): void {
  for (let i = 0; i < conditions.length; i++) {
    const { type, observedGeneration: generation } = conditions[i] as PodCondition
    if (typeof generation === 'number' && generation < 0) {
      const at = `status.conditions[${i}].observedGeneration`
      errors.push(invalid(at, generation, 'must be a non-negative integer'))
    }
    if (!ownConditions.includes(type) && !isLabelKey(type)) {
      checkQualifiedName(errors, type, `status.conditions[${i}].Type`)
    }
  }
}

function checkNomination(errors: Errors, status: Obj, before: Obj, spec: Obj): void {
  const nominated = text(status, 'nominatedNodeName')
  if (nominated === '' || nominated === text(before, 'nominatedNodeName')) return
  checkSubdomain(errors, nominated, 'status.nominatedNodeName')
  const isCleared = errors.release.gates.has('ClearingNominatedNodeNameAfterBinding')
  if (isCleared && text(spec, 'nodeName') !== '') {
    errors.push(forbidden('status.nominatedNodeName', 'may not be set on pods that are already bound to a node'))
  }
}

/** A terminated container stays terminated unless a restart policy allows a restart. */
function checkTransitions(
  errors: Errors,
  status: Obj,
  before: Obj,
  spec: Obj,
  field: string,
  containersField: string | undefined,
): void {
  const known = list(before, field)
  // The identical list contains no change.
  if (known.length === 0 || known === list(status, field)) return
  const all = [...list(spec, 'containers'), ...list(spec, 'initContainers')]
  const mayRestartAll = errors.release.gates.has('RestartAllContainersOnContainerExits')
  if (containersField !== undefined && mayRestartAll && all.some(restartsAll)) return
  const after = list(status, field)
  known.forEach((old, i) => {
    const ended = child(child(old, 'state'), 'terminated')
    if (ended === undefined) return
    const now = after.find((one) => text(one, 'name') === text(old, 'name'))
    if (now === undefined || child(child(now, 'state'), 'terminated') !== undefined) return
    if (containersField !== undefined) {
      const container = list(spec, containersField).find((one) => text(one, 'name') === text(old, 'name'))
      if (container !== undefined && mayRestart(container, spec, number(ended, 'exitCode'))) return
    }
    errors.push(forbidden(`status.${field}[${i}].state`, 'may not be transitioned to non-terminated state'))
  })
}

const restartsAll = (container: Obj): boolean =>
  list(container, 'restartPolicyRules').some((rule) => text(rule, 'action') === 'RestartAllContainers')

function mayRestart(container: Obj, spec: Obj, exitCode: number): boolean {
  for (const rule of list(container, 'restartPolicyRules')) {
    const codes = child(rule, 'exitCodes')
    if (codes === undefined) continue
    if (numbers(codes, 'values').includes(exitCode) === (text(codes, 'operator') === 'In')) {
      return text(rule, 'action') === 'Restart'
    }
  }
  const policy = text(container, 'restartPolicy') || text(spec, 'restartPolicy')
  return policy === 'Always' || (policy === 'OnFailure' && exitCode !== 0)
}

function checkClaimStatuses(errors: Errors, statuses: readonly Obj[], claims: readonly Obj[]): void {
  if (statuses.length === 0) return
  const seen = new Set<string>()
  statuses.forEach((status, i) => {
    const at = `status.resourceClaimStatuses[${i}]`
    const name = text(status, 'name')
    if (!claims.some((claim) => text(claim, 'name') === name)) {
      errors.push(invalid(`${at}.name`, name, 'must match the name of an entry in `spec.resourceClaims`'))
    }
    if (seen.has(name)) errors.push(duplicate(`${at}.name`, name))
    seen.add(name)
    const claim = textIfSet(status, 'resourceClaimName')
    const field = atLeast(errors.release, '1.36') ? 'resourceClaimName' : 'name'
    if (claim !== undefined) checkSubdomain(errors, claim, `${at}.${field}`)
  })
}

function checkAddresses(errors: Errors, status: Obj, before: Obj, field: 'podIPs' | 'hostIPs'): void {
  const stated = list(status, field)
  // Accepts addresses that were accepted before, except a second address.
  if (stated.length === 0 || (stated.length === 1 && stated === list(before, field))) return
  const addresses = stated.map((one) => text(one, 'ip'))
  const known = list(before, field).map((one) => text(one, 'ip'))
  addresses.forEach((ip, i) => {
    checkIp(errors, ip, `status.${field}[${i}]`, known)
  })
  if (addresses.length < 2) return
  const bad = addresses.findIndex((ip) => parseIp(ip) === undefined)
  if (bad >= 0) {
    const why = `failed to check for dual stack with error:invalid IP[${bad}]: ${addresses[bad]}`
    errors.push(internalError(`status.${field}`, why))
  }
  if (bad >= 0 || addresses.length > 2 || !isDualStackIps(addresses)) {
    const shown = addresses.map((ip) => ({ IP: ip }))
    errors.push(invalid(`status.${field}`, shown, 'may specify no more than one IP for each IP family'))
  }
}

function checkHostAddresses(errors: Errors, status: Obj, before: Obj): void {
  const first = list(status, 'hostIPs')[0]
  if (first === undefined) return
  if (text(status, 'hostIP') !== text(first, 'ip')) {
    errors.push(invalid('status.hostIPs[0].ip', text(first, 'ip'), 'must be equal to `hostIP`'))
  }
  checkAddresses(errors, status, before, 'hostIPs')
}

const maxUint32 = 2 ** 32 - 1

function checkUser(errors: Errors, user: Obj, spec: Obj, path: string): void {
  if (text(child(spec, 'os'), 'name') === 'windows') {
    errors.push(forbidden(path, 'cannot be set for a windows pod'))
    return
  }
  const uid = number(user, 'uid')
  if (!atLeast(errors.release, '1.37')) push(errors, `${path}.uid`, uid, idProblems(uid))
  else if (uid < 0 || uid > maxUint32) {
    errors.push(invalid(`${path}.uid`, uid, `must be between 0 and ${maxUint32}, inclusive`))
  }
  push(errors, `${path}.gid`, number(user, 'gid'), idProblems(number(user, 'gid')))
  numbers(user, 'supplementalGroups').forEach((id, i) => {
    push(errors, `${path}.supplementalGroups[${i}]`, id, idProblems(id))
  })
}
