import type { ObjectMeta } from '../../../api/objects/meta.ts'
import type { Container, PodSpec } from '../../../api/objects/pod.ts'

/** Why a pod is not allowed: a short reason, and the details of this pod. */
export interface PodSecurityViolation {
  readonly reason: string
  readonly detail: string
}

export type PodCheck = (spec: PodSpec, metadata: Partial<ObjectMeta>, minor: number) => PodSecurityViolation | undefined

/** A rule of the Pod Security Standards that applies from a minor version on. */
export interface SecurityCheck {
  readonly id: string
  readonly level: 'baseline' | 'restricted'
  readonly since: number
  /** Baseline checks that this check replaces at the level restricted. */
  readonly overrides?: readonly string[]
  readonly check: PodCheck
}

type Loose = Readonly<Record<string, unknown>>

const part = (from: unknown, ...path: readonly string[]): unknown =>
  path.reduce<unknown>((here, name) => (here as Loose | undefined | null)?.[name] ?? undefined, from)

const quoted = (items: readonly string[]): string => `"${items.join('", "')}"`
const plural = (one: string, many: string, count: number): string => (count === 1 ? one : many)
const containerNames = (names: readonly string[]): string =>
  `${plural('container', 'containers', names.length)} ${quoted(names)}`
const sortedSet = (values: Iterable<string>): readonly string[] => [...new Set(values)].sort()

function containersOf(spec: PodSpec): readonly Container[] {
  const {
    initContainers = [],
    containers = [],
    ephemeralContainers = [],
  } = spec as PodSpec & {
    readonly ephemeralContainers?: readonly Container[]
  }
  return [...initContainers, ...containers, ...ephemeralContainers]
}

const security = (container: Container, ...path: readonly string[]): unknown =>
  part(container, 'securityContext', ...path)

const isWindows = (spec: PodSpec): boolean => part(spec, 'os', 'name') === 'windows'
const hasOwnUsers = (spec: PodSpec): boolean => part(spec, 'hostUsers') === false

/** The pod and the containers whose setting is wrong, as `pod and containers "a", "b"`. */
function setters(isPod: boolean, containers: readonly string[]): string {
  return [...(isPod ? ['pod'] : []), ...(containers.length === 0 ? [] : [containerNames(containers)])].join(' and ')
}

const allowPrivilegeEscalation: PodCheck = (spec, _, minor) => {
  if (minor >= 25 && isWindows(spec)) return undefined
  const bad = containersOf(spec).filter((one) => security(one, 'allowPrivilegeEscalation') !== false)
  if (bad.length === 0) return undefined
  return {
    reason: 'allowPrivilegeEscalation != false',
    detail: `${containerNames(bad.map(({ name }) => name))} must set securityContext.allowPrivilegeEscalation=false`,
  }
}

const appArmorPrefix = 'container.apparmor.security.beta.kubernetes.io/'

const appArmorProfile: PodCheck = (spec, { annotations = {} }) => {
  const allowed = (type: unknown) => type === 'RuntimeDefault' || type === 'Localhost'
  const pod = part(spec, 'securityContext', 'appArmorProfile')
  const isPodBad = pod !== undefined && !allowed(part(pod, 'type'))
  const bad = containersOf(spec).filter((one) => {
    const profile = security(one, 'appArmorProfile')
    return profile !== undefined && !allowed(part(profile, 'type'))
  })
  const noted = Object.entries(annotations)
    .filter(([key, value]) => {
      const isFine = value === '' || value === 'runtime/default' || value.startsWith('localhost/')
      return key.startsWith(appArmorPrefix) && !isFine
    })
    .map(([key, value]) => `${key}=${JSON.stringify(value)}`)
    .sort()
  const types = sortedSet([
    ...(isPodBad ? [String(part(pod, 'type') ?? '')] : []),
    ...bad.map((one) => String(security(one, 'appArmorProfile', 'type') ?? '')),
  ])
  const values = [...types, ...noted]
  const who = [
    setters(
      isPodBad,
      bad.map(({ name }) => name),
    ),
    ...(noted.length === 0 ? [] : [plural('annotation', 'annotations', noted.length)]),
  ].filter((text) => text !== '')
  if (who.length === 0) return undefined
  return {
    reason: plural('forbidden AppArmor profile', 'forbidden AppArmor profiles', values.length),
    detail: `${who.join(' and ')} must not set AppArmor profile type to ${quoted(values)}`,
  }
}

const defaultCapabilities = new Set(
  'AUDIT_WRITE CHOWN DAC_OVERRIDE FOWNER FSETID KILL MKNOD NET_BIND_SERVICE SETFCAP SETGID SETPCAP SETUID SYS_CHROOT'.split(
    ' ',
  ),
)

const added = (container: Container): readonly string[] =>
  (security(container, 'capabilities', 'add') as readonly string[] | undefined) ?? []

function addingOther(spec: PodSpec, allowed: (capability: string) => boolean): string | undefined {
  const bad = containersOf(spec).filter((one) => added(one).some((capability) => !allowed(capability)))
  if (bad.length === 0) return undefined
  const other = sortedSet(bad.flatMap((one) => added(one).filter((capability) => !allowed(capability))))
  return `${containerNames(bad.map(({ name }) => name))} must not include ${quoted(other)} in securityContext.capabilities.add`
}

const capabilitiesBaseline: PodCheck = (spec) => {
  const detail = addingOther(spec, (capability) => defaultCapabilities.has(capability))
  return detail === undefined ? undefined : { reason: 'non-default capabilities', detail }
}

const capabilitiesRestricted: PodCheck = (spec, _, minor) => {
  if (minor >= 25 && isWindows(spec)) return undefined
  const keeping = containersOf(spec).filter((one) => {
    const dropped = (security(one, 'capabilities', 'drop') as readonly string[] | undefined) ?? []
    return !dropped.includes('ALL')
  })
  const names = keeping.map(({ name }) => name)
  const details = [
    ...(names.length === 0 ? [] : [`${containerNames(names)} must set securityContext.capabilities.drop=["ALL"]`]),
    addingOther(spec, (capability) => capability === 'NET_BIND_SERVICE'),
  ].filter((detail) => detail !== undefined)
  return details.length === 0 ? undefined : { reason: 'unrestricted capabilities', detail: details.join('; ') }
}

const hostNamespaces: PodCheck = (spec) => {
  const used = ['hostNetwork', 'hostPID', 'hostIPC'].filter((name) => part(spec, name) === true)
  return used.length === 0
    ? undefined
    : { reason: 'host namespaces', detail: used.map((name) => `${name}=true`).join(', ') }
}

const hostPathVolumes: PodCheck = (spec) => {
  const names = (spec.volumes ?? []).filter((one) => part(one, 'hostPath') !== undefined).map(({ name }) => name)
  if (names.length === 0) return undefined
  return { reason: 'hostPath volumes', detail: `${plural('volume', 'volumes', names.length)} ${quoted(names)}` }
}

const hostPorts: PodCheck = (spec) => {
  const portsOf = (one: Container) => (one.ports ?? []).filter(({ hostPort = 0 }) => hostPort !== 0)
  const bad = containersOf(spec).filter((one) => portsOf(one).length > 0)
  if (bad.length === 0) return undefined
  const ports = sortedSet(bad.flatMap((one) => portsOf(one).map(({ hostPort }) => String(hostPort))))
  const verb = plural('uses', 'use', bad.length)
  const what = plural('hostPort', 'hostPorts', ports.length)
  return {
    reason: 'hostPort',
    detail: `${containerNames(bad.map(({ name }) => name))} ${verb} ${what} ${ports.join(', ')}`,
  }
}

const handlers: readonly (readonly string[])[] = [
  ...[['livenessProbe'], ['readinessProbe'], ['startupProbe']],
  ...[
    ['lifecycle', 'postStart'],
    ['lifecycle', 'preStop'],
  ],
]

const hostProbes: PodCheck = (spec) => {
  const hostsOf = (one: Container): readonly string[] =>
    handlers.flatMap((path) =>
      ['httpGet', 'tcpSocket']
        .map((kind) => String(part(one, ...path, kind, 'host') ?? ''))
        .filter((host) => host !== ''),
    )
  const bad = sortedSet(
    containersOf(spec)
      .filter((one) => hostsOf(one).length > 0)
      .map(({ name }) => name),
  )
  if (bad.length === 0) return undefined
  const hosts = sortedSet(containersOf(spec).flatMap(hostsOf))
  const what = plural('probe or lifecycle host', 'probe or lifecycle hosts', hosts.length)
  const detail = `${containerNames(bad)} ${plural('uses', 'use', bad.length)} ${what} ${quoted(hosts)}`
  return { reason: 'probe or lifecycle host', detail }
}

const privileged: PodCheck = (spec) => {
  const bad = containersOf(spec).filter((one) => security(one, 'privileged') === true)
  if (bad.length === 0) return undefined
  const detail = `${containerNames(bad.map(({ name }) => name))} must not set securityContext.privileged=true`
  return { reason: 'privileged', detail }
}

const procMount: PodCheck = (spec) => {
  const mountOf = (one: Container) => security(one, 'procMount') as string | undefined
  const bad = containersOf(spec).filter((one) => mountOf(one) !== undefined && mountOf(one) !== 'Default')
  if (bad.length === 0) return undefined
  const types = sortedSet(bad.map((one) => mountOf(one) ?? ''))
  const names = containerNames(bad.map(({ name }) => name))
  return { reason: 'procMount', detail: `${names} must not set securityContext.procMount to ${quoted(types)}` }
}

const procMountBaseline: PodCheck = (spec, metadata, minor) =>
  minor >= 35 && hasOwnUsers(spec) ? undefined : procMount(spec, metadata, minor)

const allowedVolumes =
  'configMap csi downwardAPI emptyDir ephemeral image persistentVolumeClaim projected secret'.split(' ')
const otherVolumes =
  'hostPath gcePersistentDisk awsElasticBlockStore gitRepo nfs iscsi glusterfs rbd flexVolume cinder cephfs flocker fc azureFile vsphereVolume quobyte azureDisk photonPersistentDisk portworxVolume scaleIO storageos'.split(
    ' ',
  )

const restrictedVolumes: PodCheck = (spec) => {
  const isOf = (volume: unknown) => (type: string) => part(volume, type) !== undefined
  const bad = (spec.volumes ?? []).filter((volume) => !allowedVolumes.some(isOf(volume)))
  if (bad.length === 0) return undefined
  const types = sortedSet(bad.map((volume) => otherVolumes.find(isOf(volume)) ?? 'unknown'))
  const names = `${plural('volume', 'volumes', bad.length)} ${quoted(bad.map(({ name }) => name))}`
  const what = plural('restricted volume type', 'restricted volume types', types.length)
  return {
    reason: 'restricted volume types',
    detail: `${names} ${plural('uses', 'use', bad.length)} ${what} ${quoted(types)}`,
  }
}

const runAsNonRoot: PodCheck = (spec, _, minor) => {
  if (minor >= 35 && hasOwnUsers(spec)) return undefined
  const pod = part(spec, 'securityContext', 'runAsNonRoot')
  const explicit = containersOf(spec).filter((one) => security(one, 'runAsNonRoot') === false)
  const reason = 'runAsNonRoot != true'
  if (pod === false || explicit.length > 0) {
    const who = setters(
      pod === false,
      explicit.map(({ name }) => name),
    )
    return { reason, detail: `${who} must not set securityContext.runAsNonRoot=false` }
  }
  const implicit = containersOf(spec).filter((one) => security(one, 'runAsNonRoot') === undefined && pod !== true)
  if (implicit.length === 0) return undefined
  const names = containerNames(implicit.map(({ name }) => name))
  return { reason, detail: `pod or ${names} must set securityContext.runAsNonRoot=true` }
}

const runAsUser: PodCheck = (spec, _, minor) => {
  if (minor >= 35 && hasOwnUsers(spec)) return undefined
  const isPodBad = part(spec, 'securityContext', 'runAsUser') === 0
  const bad = containersOf(spec).filter((one) => security(one, 'runAsUser') === 0)
  if (!isPodBad && bad.length === 0) return undefined
  const who = setters(
    isPodBad,
    bad.map(({ name }) => name),
  )
  return { reason: 'runAsUser=0', detail: `${who} must not set runAsUser=0` }
}

const seLinuxTypes = ['', 'container_t', 'container_init_t', 'container_kvm_t']

const seLinuxOptions: PodCheck = (spec, _, minor) => {
  const types = minor >= 31 ? [...seLinuxTypes, 'container_engine_t'] : seLinuxTypes
  const text = (options: unknown, name: string) => String(part(options, name) ?? '')
  const isBad = (options: unknown) =>
    options !== undefined &&
    (!types.includes(text(options, 'type')) || text(options, 'user') !== '' || text(options, 'role') !== '')
  const pod = part(spec, 'securityContext', 'seLinuxOptions')
  const bad = containersOf(spec).filter((one) => isBad(security(one, 'seLinuxOptions')))
  const who = setters(
    isBad(pod),
    bad.map(({ name }) => name),
  )
  if (who === '') return undefined
  const all = [pod, ...bad.map((one) => security(one, 'seLinuxOptions'))].filter(isBad)
  const wrong = sortedSet(all.map((one) => text(one, 'type')).filter((type) => !types.includes(type)))
  const data = [
    ...(wrong.length === 0 ? [] : [`${plural('type', 'types', wrong.length)} ${quoted(wrong)}`]),
    ...(all.some((one) => text(one, 'user') !== '') ? ['user may not be set'] : []),
    ...(all.some((one) => text(one, 'role') !== '') ? ['role may not be set'] : []),
  ]
  return {
    reason: 'seLinuxOptions',
    detail: `${who} set forbidden securityContext.seLinuxOptions: ${data.join('; ')}`,
  }
}

const seccomp =
  (requires: boolean): PodCheck =>
  (spec) => {
    const reason = 'seccompProfile'
    const allowed = (profile: unknown) => ['Localhost', 'RuntimeDefault'].includes(String(part(profile, 'type') ?? ''))
    const pod = part(spec, 'securityContext', 'seccompProfile')
    const isPodBad = pod !== undefined && !allowed(pod)
    const profileOf = (one: Container) => security(one, 'seccompProfile')
    const bad = containersOf(spec).filter((one) => profileOf(one) !== undefined && !allowed(profileOf(one)))
    const who = setters(
      isPodBad,
      bad.map(({ name }) => name),
    )
    if (who !== '') {
      const values = sortedSet(
        [...(isPodBad ? [pod] : []), ...bad.map(profileOf)].map((one) => String(part(one, 'type') ?? '')),
      )
      return { reason, detail: `${who} must not set securityContext.seccompProfile.type to ${quoted(values)}` }
    }
    const implicit = containersOf(spec).filter((one) => profileOf(one) === undefined && pod === undefined)
    if (!requires || implicit.length === 0) return undefined
    const names = containerNames(implicit.map(({ name }) => name))
    return {
      reason,
      detail: `pod or ${names} must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost"`,
    }
  }

const seccompRestricted: PodCheck = (spec, metadata, minor) =>
  minor >= 25 && isWindows(spec) ? undefined : seccomp(true)(spec, metadata, minor)

const seccompAnnotations: PodCheck = (spec, { annotations = {} }) => {
  const keys = [
    'seccomp.security.alpha.kubernetes.io/pod',
    ...containersOf(spec).map(({ name }) => `container.seccomp.security.alpha.kubernetes.io/${name}`),
  ]
  const bad = sortedSet(
    keys
      .filter((key) => Object.hasOwn(annotations, key))
      .filter((key) => !/^(runtime\/default|docker\/default|localhost\/.*)$/s.test(annotations[key] as string))
      .map((key) => `${key}=${JSON.stringify(annotations[key])}`),
  )
  if (bad.length === 0) return undefined
  return {
    reason: 'seccompProfile',
    detail: `forbidden ${plural('annotation', 'annotations', bad.length)} ${bad.join(', ')}`,
  }
}

const seccompBaseline: PodCheck = (spec, metadata, minor) =>
  (minor >= 19 ? seccomp(false) : seccompAnnotations)(spec, metadata, minor)

/** The minor version since which a sysctl is safe. */
const safeSysctls = new Map<string, number>([
  ...(['kernel.shm_rmid_forced', 'net.ipv4.ip_local_port_range', 'net.ipv4.tcp_syncookies'] as const).map(
    (name) => [name, 0] as const,
  ),
  ...(['net.ipv4.ping_group_range', 'net.ipv4.ip_unprivileged_port_start'] as const).map((name) => [name, 0] as const),
  ['net.ipv4.ip_local_reserved_ports', 27],
  ...(['tcp_keepalive_time', 'tcp_fin_timeout', 'tcp_keepalive_intvl', 'tcp_keepalive_probes'] as const).map(
    (name) => [`net.ipv4.${name}`, 29] as const,
  ),
  ['net.ipv4.tcp_rmem', 32],
  ['net.ipv4.tcp_wmem', 32],
  ['net.ipv4.tcp_slow_start_after_idle', 37],
  ['net.ipv4.tcp_notsent_lowat', 37],
])

const sysctls: PodCheck = (spec, _, minor) => {
  const used = (part(spec, 'securityContext', 'sysctls') as readonly { readonly name: string }[] | undefined) ?? []
  const bad = used.map(({ name }) => name).filter((name) => (safeSysctls.get(name) ?? Number.POSITIVE_INFINITY) > minor)
  return bad.length === 0 ? undefined : { reason: 'forbidden sysctls', detail: bad.join(', ') }
}

const windowsHostProcess: PodCheck = (spec) => {
  const isPodBad = part(spec, 'securityContext', 'windowsOptions', 'hostProcess') === true
  const bad = containersOf(spec).filter((one) => security(one, 'windowsOptions', 'hostProcess') === true)
  const who = setters(
    isPodBad,
    bad.map(({ name }) => name),
  )
  if (who === '') return undefined
  return { reason: 'hostProcess', detail: `${who} must not set securityContext.windowsOptions.hostProcess=true` }
}

const baseline = (id: string, check: PodCheck, since = 0): SecurityCheck => ({ id, level: 'baseline', since, check })
const restricted = (id: string, check: PodCheck, since = 0, overrides: readonly string[] = []): SecurityCheck => ({
  ...{ id, level: 'restricted', since, check },
  overrides,
})

/** Baseline checks first, each level by name (v1.36, pod-security-admission/policy). */
export const securityChecks: readonly SecurityCheck[] = [
  baseline('appArmorProfile', appArmorProfile),
  baseline('capabilities_baseline', capabilitiesBaseline),
  baseline('hostNamespaces', hostNamespaces),
  baseline('hostPathVolumes', hostPathVolumes),
  baseline('hostPorts', hostPorts),
  baseline('hostProbesAndHostLifecycle', hostProbes, 34),
  baseline('privileged', privileged),
  baseline('procMount', procMountBaseline),
  baseline('seLinuxOptions', seLinuxOptions),
  baseline('seccompProfile_baseline', seccompBaseline),
  baseline('sysctls', sysctls),
  baseline('windowsHostProcess', windowsHostProcess),
  restricted('allowPrivilegeEscalation', allowPrivilegeEscalation, 8),
  restricted('capabilities_restricted', capabilitiesRestricted, 22, ['capabilities_baseline']),
  restricted('procMount_restricted', procMount, 35, ['procMount']),
  restricted('restrictedVolumes', restrictedVolumes, 0, ['hostPathVolumes']),
  restricted('runAsNonRoot', runAsNonRoot),
  restricted('runAsUser', runAsUser, 23),
  restricted('seccompProfile_restricted', seccompRestricted, 19, ['seccompProfile_baseline']),
]
