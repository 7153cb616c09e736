import { subdomainProblems } from '../../api/name-problems.ts'
import { atLeast } from '../../api/releases/at-least.ts'
import { duplicate, forbidden, invalid, notSupported, required, tooLong } from '../errors/field-error.ts'
import { idProblems, push } from './names.ts'
import { checkDescending } from './paths.ts'
import { child, type Errors, list, numbers, type Obj, texts } from './reader.ts'
import { flag, flagIfSet, numberIfSet, text, textIfSet } from './scalars.ts'

const profileTypes = ['Localhost', 'RuntimeDefault', 'Unconfined']

function checkId(errors: Errors, context: Obj, field: string, path: string): void {
  const id = numberIfSet(context, field)
  if (id !== undefined) push(errors, `${path}.${field}`, id, idProblems(id))
}

function checkSeccomp(errors: Errors, profile: Obj | undefined, path: string): void {
  if (profile === undefined) return
  const type = text(profile, 'type')
  if (type === '') errors.push(required(`${path}.type`, 'type is required when seccompProfile is set'))
  else if (!profileTypes.includes(type)) errors.push(notSupported(`${path}.type`, type, profileTypes))
  const local = textIfSet(profile, 'localhostProfile')
  const at = `${path}.localhostProfile`
  if (type === 'Localhost') {
    if (local === undefined) errors.push(required(at, 'must be set when seccomp type is Localhost'))
    else checkDescending(errors, local, at)
  } else if (local !== undefined) {
    const shown = { Type: type, LocalhostProfile: local }
    errors.push(invalid(at, shown, 'can only be set when seccomp type is Localhost'))
  }
}

function checkAppArmor(errors: Errors, profile: Obj | undefined, path: string): void {
  if (profile === undefined) return
  const type = text(profile, 'type')
  const local = textIfSet(profile, 'localhostProfile')
  const at = `${path}.localhostProfile`
  const needed = 'must be set when AppArmor type is Localhost'
  if (type === '') errors.push(required(`${path}.type`, 'type is required when appArmorProfile is set'))
  else if (type === 'Localhost') {
    if (local === undefined) {
      errors.push(required(at, needed))
      return
    }
    if (local.trim() !== local) errors.push(invalid(at, local, 'must not be padded with whitespace'))
    else if (local === '') errors.push(required(at, needed))
    if (Buffer.byteLength(local) > 4095) errors.push(tooLong(at, 4095))
  } else if (!profileTypes.includes(type)) errors.push(notSupported(`${path}.type`, type, profileTypes))
  else if (local !== undefined) errors.push(invalid(at, local, 'can only be set when AppArmor type is Localhost'))
}

const netBios = /^[^\\/:*?"<>|.][^\\/:*?"<>|]{0,14}$/
const windowsDomain =
  /^[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*$/

function checkWindows(errors: Errors, options: Obj | undefined, path: string): void {
  if (options === undefined) return
  const specName = textIfSet(options, 'gmsaCredentialSpecName')
  if (specName !== undefined) push(errors, `${path}.gmsaCredentialSpecName`, specName, subdomainProblems(specName))
  const spec = textIfSet(options, 'gmsaCredentialSpec')
  if (spec === '') {
    errors.push(invalid(`${path}.gmsaCredentialSpec`, spec, 'gmsaCredentialSpec cannot be an empty string'))
  } else if (spec !== undefined && Buffer.byteLength(spec) > 64 * 1024) {
    errors.push(invalid(`${path}.gmsaCredentialSpec`, spec, 'gmsaCredentialSpec size must be under 64 KiB'))
  }
  const user = textIfSet(options, 'runAsUserName')
  if (user !== undefined) push(errors, `${path}.runAsUserName`, user, windowsUserProblems(user))
}

function windowsUserProblems(name: string): readonly string[] {
  if (name === '') return ['runAsUserName cannot be an empty string']
  if (/\p{Cc}/u.test(name)) return ['runAsUserName cannot contain control characters']
  const parts = name.split('\\')
  if (parts.length > 2) return ['runAsUserName cannot contain more than one backslash']
  const user = parts.at(-1) ?? ''
  const domain = parts.length === 2 ? (parts[0] ?? '') : undefined
  const problems: string[] = []
  if (domain !== undefined) {
    if (domain.length >= 256) problems.push("runAsUserName's Domain length must be under 256 characters")
    if (!netBios.test(domain) && !windowsDomain.test(domain)) {
      problems.push("runAsUserName's Domain doesn't match the NetBios nor the DNS format")
    }
  }
  if (user === '') problems.push("runAsUserName's User cannot be empty")
  else if (user.length > 104) problems.push("runAsUserName's User length must not be longer than 104 characters")
  if (/^[. ]+$/.test(user)) problems.push("runAsUserName's User cannot contain only periods or spaces")
  if (/["/\\:;|=,+*?<>@[\]]/.test(user)) {
    problems.push('runAsUserName\'s User cannot contain the following characters: "/\\:;|=,+*?<>@[]')
  }
  return problems
}

const procMounts = ['Default', 'Unmasked']

/** ValidateSecurityContext. Privileged containers are allowed. */
export function checkContainerSecurity(
  errors: Errors,
  context: Obj | undefined,
  hostUsers: boolean,
  path: string,
): void {
  if (context === undefined) return
  checkId(errors, context, 'runAsUser', path)
  checkId(errors, context, 'runAsGroup', path)
  const procMount = textIfSet(context, 'procMount')
  if (procMount !== undefined) {
    if (!procMounts.includes(procMount)) errors.push(notSupported(`${path}.procMount`, procMount, procMounts))
    if (hostUsers && procMount === 'Unmasked') {
      errors.push(invalid(`${path}.procMount`, procMount, '`hostUsers` must be false to use `Unmasked`'))
    }
  }
  checkSeccomp(errors, child(context, 'seccompProfile'), `${path}.seccompProfile`)
  if (flagIfSet(context, 'allowPrivilegeEscalation') === false) {
    if (flag(context, 'privileged')) {
      const why = 'cannot set `allowPrivilegeEscalation` to false and `privileged` to true'
      errors.push(invalid(path, internalContext(context), why))
    }
    for (const capability of texts(child(context, 'capabilities'), 'add')) {
      if (capability !== 'CAP_SYS_ADMIN') continue
      const why = 'cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` CAP_SYS_ADMIN'
      errors.push(invalid(path, internalContext(context), why))
    }
  }
  checkWindows(errors, child(context, 'windowsOptions'), `${path}.windowsOptions`)
  checkAppArmor(errors, child(context, 'appArmorProfile'), `${path}.appArmorProfile`)
}

/** The context as messages print upstream's internal type. */
function internalContext(context: Obj): Obj {
  const capabilities = child(context, 'capabilities')
  return {
    Capabilities:
      capabilities === undefined ? null : { Add: capabilities['add'] ?? null, Drop: capabilities['drop'] ?? null },
    Privileged: context['privileged'] ?? null,
    SELinuxOptions: context['seLinuxOptions'] ?? null,
    WindowsOptions: context['windowsOptions'] ?? null,
    RunAsUser: context['runAsUser'] ?? null,
    RunAsGroup: context['runAsGroup'] ?? null,
    RunAsNonRoot: context['runAsNonRoot'] ?? null,
    ReadOnlyRootFilesystem: context['readOnlyRootFilesystem'] ?? null,
    AllowPrivilegeEscalation: context['allowPrivilegeEscalation'] ?? null,
    ProcMount: context['procMount'] ?? null,
    SeccompProfile: context['seccompProfile'] ?? null,
    AppArmorProfile: context['appArmorProfile'] ?? null,
  }
}

const sysctlSegment = '[a-z0-9]([-_a-z0-9]*[a-z0-9])?'
const sysctlPattern = `^(${sysctlSegment}[\\./])*${sysctlSegment}$`
const sysctlExpression = new RegExp(sysctlPattern)

function checkSysctls(errors: Errors, sysctls: readonly Obj[], spec: Obj, path: string): void {
  const seen = new Set<string>()
  sysctls.forEach((sysctl, i) => {
    const at = `${path}[${i}].name`
    const name = text(sysctl, 'name')
    if (name === '') errors.push(required(at))
    else if (name.length > 253 || !sysctlExpression.test(name)) {
      errors.push(invalid(at, name, `must have at most 253 characters and match regex ${sysctlPattern}`))
    } else if (seen.has(name)) errors.push(duplicate(at, name))
    const dotted = name.replaceAll('/', '.')
    if (flag(spec, 'hostNetwork') && dotted.startsWith('net.')) {
      errors.push(invalid(at, name, "may not be specified when 'hostNetwork' is true"))
    } else if (flag(spec, 'hostIPC') && /^(kernel\.(shm|msg|sem)|fs\.mqueue\.)/.test(dotted)) {
      errors.push(invalid(at, name, "may not be specified when 'hostIPC' is true"))
    }
    seen.add(name)
  })
}

function checkOneOf(errors: Errors, context: Obj, field: string, values: readonly string[], path: string): void {
  const value = textIfSet(context, field)
  if (value !== undefined && !values.includes(value)) errors.push(notSupported(`${path}.${field}`, value, values))
}

/** validatePodSpecSecurityContext; in v1, the host namespaces are fields of the pod spec. */
export function checkPodSecurity(errors: Errors, spec: Obj, path: string): void {
  const context = child(spec, 'securityContext')
  if (context === undefined) return
  for (const field of ['fsGroup', 'runAsUser', 'runAsGroup']) checkId(errors, context, field, path)
  numbers(context, 'supplementalGroups').forEach((id, i) => {
    push(errors, `${path}.supplementalGroups[${i}]`, id, idProblems(id))
  })
  if (flag(spec, 'shareProcessNamespace') && flag(spec, 'hostPID')) {
    const why = 'ShareProcessNamespace and HostPID cannot both be enabled'
    const at = atLeast(errors.release, '1.37') ? path.slice(0, path.lastIndexOf('.')) : path
    errors.push(invalid(`${at}.shareProcessNamespace`, true, why))
  }
  checkSysctls(errors, list(context, 'sysctls'), spec, `${path}.sysctls`)
  checkOneOf(errors, context, 'fsGroupChangePolicy', ['Always', 'OnRootMismatch'], path)
  checkSeccomp(errors, child(context, 'seccompProfile'), `${path}.seccompProfile`)
  checkWindows(errors, child(context, 'windowsOptions'), `${path}.windowsOptions`)
  checkAppArmor(errors, child(context, 'appArmorProfile'), `${path}.appArmorProfile`)
  checkOneOf(errors, context, 'supplementalGroupsPolicy', ['Merge', 'Strict'], path)
  const changePolicies = errors.release.gates.has('SELinuxMount') ? ['MountOption', 'Recursive'] : ['Recursive']
  checkOneOf(errors, context, 'seLinuxChangePolicy', changePolicies, path)
}

const windowsPodFields = [
  'appArmorProfile',
  'seLinuxOptions',
  'seccompProfile',
  'fsGroup',
  'fsGroupChangePolicy',
  'sysctls',
  'runAsUser',
  'runAsGroup',
  'supplementalGroups',
  'supplementalGroupsPolicy',
  'seLinuxChangePolicy',
]
const windowsContainerFields = [
  'appArmorProfile',
  'seLinuxOptions',
  'seccompProfile',
  'capabilities',
  'readOnlyRootFilesystem',
  'privileged',
  'allowPrivilegeEscalation',
  'procMount',
  'runAsUser',
  'runAsGroup',
]

export interface PlacedContainer {
  readonly container: Obj
  readonly path: string
}

/** Fields that an operating system does not support (validateLinux, validateWindows). */
export function checkForeignSettings(
  errors: Errors,
  spec: Obj,
  containers: readonly PlacedContainer[],
  path: string,
): void {
  const os = text(child(spec, 'os'), 'name')
  const context = child(spec, 'securityContext')
  if (os === 'linux') {
    const why = 'windows options cannot be set for a linux pod'
    if (child(context, 'windowsOptions') !== undefined) {
      errors.push(forbidden(`${path}.securityContext.windowsOptions`, why))
    }
    for (const { container, path: at } of containers) {
      if (child(child(container, 'securityContext'), 'windowsOptions') === undefined) continue
      errors.push(forbidden(`${at}.securityContext.windowsOptions`, why))
    }
    return
  }
  const why = 'cannot be set for a windows pod'
  for (const field of ['hostUsers', 'hostPID', 'hostIPC', 'shareProcessNamespace']) {
    if (spec[field] !== undefined) errors.push(forbidden(`${path}.${field}`, why))
  }
  for (const field of windowsPodFields) {
    if (context?.[field] !== undefined) errors.push(forbidden(`${path}.securityContext.${field}`, why))
  }
  for (const { container, path: at } of containers) {
    const own = child(container, 'securityContext')
    for (const field of windowsContainerFields) {
      if (own?.[field] !== undefined) errors.push(forbidden(`${at}.securityContext.${field}`, why))
    }
  }
}

/** Either all or no containers of a pod are Windows host process containers (validateWindowsHostProcessPod). */
export function checkHostProcess(
  errors: Errors,
  spec: Obj,
  containers: readonly PlacedContainer[],
  path: string,
): void {
  const ofPod = flagIfSet(child(child(spec, 'securityContext'), 'windowsOptions'), 'hostProcess')
  let count = 0
  for (const { container, path: at } of containers) {
    const own = flagIfSet(child(child(container, 'securityContext'), 'windowsOptions'), 'hostProcess')
    if (ofPod !== undefined && own !== undefined && ofPod !== own) {
      const why = `pod hostProcess value must be identical if both are specified, was ${ofPod}`
      errors.push(invalid(`${at}.securityContext.windowsOptions.hostProcess`, own, why))
    }
    if (own ?? ofPod) count++
  }
  if (count === 0) return
  if (count !== containers.length) {
    const why = 'If pod contains any hostProcess containers then all containers must be HostProcess containers'
    errors.push(invalid(path, '', why))
  }
  if (!flag(spec, 'hostNetwork')) {
    const why = 'hostNetwork must be true if pod contains any hostProcess containers'
    errors.push(invalid(`${path}.hostNetwork`, false, why))
  }
}
