import { milliValueInt64, quantity } from '../../api/quantity.ts'
import type { KubernetesRelease } from '../../api/releases/kubernetes-release.ts'
import { Recent } from '../../base/recent.ts'
import { annotatedProfile, appArmorPrefix, isDerived, isSameProfile } from '../kinds/pods/app-armor.ts'
import { child, entryOf, list, type Obj, part, type Strings, strings, texts } from '../validation/reader.ts'
import { number, numberIfSet, text } from '../validation/scalars.ts'
import { ipWarnings } from './addresses.ts'
import { deprecatedLabel, termWarnings } from './node-labels.ts'
import { pathWarnings } from './volume-paths.ts'

const deadAnnotations = [
  ['scheduler.alpha.kubernetes.io/critical-pod', 'non-functional in v1.16+; use the "priorityClassName" field instead'],
  ['security.alpha.kubernetes.io/sysctls', 'non-functional in v1.11+; use the "sysctls" field instead'],
  ['security.alpha.kubernetes.io/unsafe-sysctls', 'non-functional in v1.11+; use the "sysctls" field instead'],
] as const

const deadVolumes = [
  ['photonPersistentDisk', 'deprecated in v1.11, non-functional in v1.16+'],
  ['gitRepo', 'deprecated in v1.11, and disabled by default in v1.33+'],
  ['scaleIO', 'deprecated in v1.16, non-functional in v1.22+'],
  ['flocker', 'deprecated in v1.22, non-functional in v1.25+'],
  ['storageos', 'deprecated in v1.22, non-functional in v1.25+'],
  ['quobyte', 'deprecated in v1.22, non-functional in v1.25+'],
  ['glusterfs', 'deprecated in v1.25, non-functional in v1.26+'],
  ['cephfs', 'deprecated in v1.28, non-functional in v1.31+'],
  ['rbd', 'deprecated in v1.28, non-functional in v1.31+'],
] as const
const podSeccomp = 'seccomp.security.alpha.kubernetes.io/pod'
const containerSeccomp = 'container.seccomp.security.alpha.kubernetes.io/'
const seccompText = 'non-functional in v1.27+; use the "seccompProfile" field instead'

const isFractional = (value: string): boolean => milliValueInt64(quantity(value)) % 1000n !== 0n

/** Byte quantities that are not integers. */
function fractionWarnings(amounts: Obj | undefined, names: readonly string[], path: string): readonly string[] {
  if (amounts === undefined) return []
  return names.flatMap((name) => {
    const value = entryOf(amounts as Strings, name)
    if (value === undefined || !isFractional(value)) return []
    return [`${path}[${name}]: fractional byte value ${JSON.stringify(value)} is invalid, must be an integer`]
  })
}

const byteResources = ['memory', 'ephemeral-storage']

interface Located {
  readonly container: Obj
  /** The path of the list. */
  readonly list: string
  readonly index: number
}

// Paths are formatted only for warnings: most containers have none.
const pathOf = ({ list, index }: Located): string => `${list}[${index}]`

function containersOf(spec: Obj, path: string): readonly Located[] {
  return ['initContainers', 'containers', 'ephemeralContainers'].flatMap((field) =>
    list(spec, field).map((container, index) => ({ container, list: `${path}.${field}`, index })),
  )
}

// Pods of one template share their spec. Annotations are rare, and checked each time.
const recent = new Recent<
  Obj,
  { readonly at: string; readonly release: KubernetesRelease; readonly warnings: readonly string[] }
>()

/**
 * The warnings about a pod spec (v1.36, pkg/api/pod warnings). `at` is empty for pods, otherwise the path of the
 * template.
 */
export function podWarnings(owner: Obj, at: string, release: KubernetesRelease): readonly string[] {
  for (const _ in strings(part(owner, 'metadata'), 'annotations')) return allWarnings(owner, at, release)
  const spec = part(owner, 'spec')
  const known = recent.get(spec)
  if (known !== undefined && known.at === at && known.release === release) return known.warnings
  const warnings = allWarnings(owner, at, release)
  recent.set(spec, { at, release, warnings })
  return warnings
}

function allWarnings(owner: Obj, at: string, release: KubernetesRelease): readonly string[] {
  const spec = part(owner, 'spec')
  const prefix = at === '' ? '' : `${at}.`
  const path = `${prefix}spec`
  const annotations = strings(part(owner, 'metadata'), 'annotations')
  // Most pods have no annotations, so their containers need no lookup.
  const ofContainers = Object.keys(annotations).length === 0 ? undefined : annotations
  const notePath = `${prefix}metadata.annotations`
  const volumes = list(spec, 'volumes')
  const containers = containersOf(spec, path)
  return [
    ...placementWarnings(spec, path),
    ...deadAnnotations
      .filter(([key]) => Object.hasOwn(annotations, key))
      .map(([key, why]) => `${notePath}[${key}]: ${why}`),
    ...volumes.flatMap((volume, i) => volumeWarnings(volume, `${path}.volumes[${i}]`)),
    ...pathWarnings(volumes),
    ...repeated(list(spec, 'hostAliases'), 'ip', `${path}.hostAliases`),
    ...repeated(list(spec, 'imagePullSecrets'), 'name', `${path}.imagePullSecrets`),
    ...list(spec, 'imagePullSecrets').flatMap((secret, i) =>
      text(secret, 'name') === '' ? [`${path}.imagePullSecrets[${i}].name: invalid empty name ""`] : [],
    ),
    ...fractionWarnings(part(spec, 'overhead'), byteResources, `${path}.overhead`),
    ...(Object.hasOwn(annotations, podSeccomp) && child(child(spec, 'securityContext'), 'seccompProfile') === undefined
      ? [`${notePath}[${podSeccomp}]: ${seccompText}`]
      : []),
    ...containers.flatMap((one) => containerWarnings(one, spec, ofContainers, at, notePath)),
    ...portWarnings(containers),
    ...((numberIfSet(spec, 'terminationGracePeriodSeconds') ?? 0) < 0
      ? [`${path}.terminationGracePeriodSeconds: must be >= 0; negative values are invalid and will be treated as 1`]
      : []),
    ...affinityWarnings(child(spec, 'affinity'), `${path}.affinity`),
    ...texts(child(spec, 'dnsConfig'), 'nameservers').flatMap((ip, i) =>
      ipWarnings(`${path}.dnsConfig.nameservers[${i}]`, ip, release),
    ),
    ...list(spec, 'hostAliases').flatMap((alias, i) =>
      ipWarnings(`${path}.hostAliases[${i}].ip`, text(alias, 'ip'), release),
    ),
  ]
}

function placementWarnings(spec: Obj, path: string): readonly string[] {
  const selector = Object.keys(strings(spec, 'nodeSelector')).flatMap((key) => {
    const why = deprecatedLabel(key)
    return why === undefined ? [] : [`${path}.nodeSelector[${key}]: ${why}`]
  })
  const affinity = child(child(spec, 'affinity'), 'nodeAffinity')
  const [hard, soft] = [
    'requiredDuringSchedulingIgnoredDuringExecution',
    'preferredDuringSchedulingIgnoredDuringExecution',
  ]
  const at = `${path}.affinity.nodeAffinity`
  const terms = list(child(affinity, hard), 'nodeSelectorTerms').flatMap((term, i) =>
    termWarnings(term, false, `${at}.${hard}.nodeSelectorTerms[${i}]`),
  )
  const wishes = list(affinity, soft).flatMap((term, i) =>
    termWarnings(part(term, 'preference'), true, `${at}.${soft}[${i}].preference`),
  )
  const spread = list(spec, 'topologySpreadConstraints').flatMap((constraint, i) => {
    const key = text(constraint, 'topologyKey')
    const why = deprecatedLabel(key)
    const where = `${path}.topologySpreadConstraints[${i}]`
    return [
      ...(why === undefined ? [] : [`${where}.topologyKey: ${key} is ${why}`]),
      ...(child(constraint, 'labelSelector') === undefined ? [`${where}.labelSelector: ${noSelector}`] : []),
    ]
  })
  return [...selector, ...terms, ...wishes, ...spread]
}

const noSelector = 'a null labelSelector results in matching no pod'

function affinityWarnings(affinity: Obj | undefined, path: string): readonly string[] {
  return ['podAffinity', 'podAntiAffinity'].flatMap((side) => {
    const terms = child(affinity, side)
    const [hard, soft] = [
      'requiredDuringSchedulingIgnoredDuringExecution',
      'preferredDuringSchedulingIgnoredDuringExecution',
    ]
    const isLoose = (term: Obj | undefined): boolean => child(term, 'labelSelector') === undefined
    return [
      ...list(terms, hard).flatMap((term, i) =>
        isLoose(term) ? [`${path}.${side}.${hard}[${i}].labelSelector: ${noSelector}`] : [],
      ),
      ...list(terms, soft).flatMap((term, i) =>
        isLoose(child(term, 'podAffinityTerm'))
          ? [`${path}.${side}.${soft}[${i}].podAffinityTerm.labelSelector: ${noSelector}`]
          : [],
      ),
    ]
  })
}

function volumeWarnings(volume: Obj, path: string): readonly string[] {
  const warnings: string[] = []
  for (const [field, why] of deadVolumes) {
    if (child(volume, field) === undefined) continue
    warnings.push(`${path}.${field === 'storageos' ? 'storageOS' : field}: ${why}`)
  }
  const claim = child(child(volume, 'ephemeral'), 'volumeClaimTemplate')
  if (claim === undefined) return warnings
  return [...warnings, ...claimSpecWarnings(child(claim, 'spec'), `${path}.ephemeral.volumeClaimTemplate.spec`)]
}

export function claimSpecWarnings(spec: Obj | undefined, path: string): readonly string[] {
  const resources = child(spec, 'resources')
  return ['requests', 'limits'].flatMap((field) =>
    fractionWarnings(child(resources, field), ['storage'], `${path}.resources.${field}`),
  )
}

function repeated(items: readonly Obj[], field: string, path: string): readonly string[] {
  const seen = new Set<string>()
  return items.flatMap((item, i) => {
    const value = text(item, field)
    if (seen.has(value)) return [`${path}[${i}].${field}: duplicate ${field} ${JSON.stringify(value)}`]
    seen.add(value)
    return []
  })
}

function containerWarnings(
  located: Located,
  spec: Obj,
  annotations: Readonly<Record<string, string>> | undefined,
  at: string,
  notePath: string,
): readonly string[] {
  const { container } = located
  const name = text(container, 'name')
  const security = child(container, 'securityContext')
  const warnings: string[] = []
  if (annotations !== undefined) {
    const seccompKey = `${containerSeccomp}${name}`
    if (child(security, 'seccompProfile') === undefined && Object.hasOwn(annotations, seccompKey)) {
      warnings.push(`${notePath}[${seccompKey}]: ${seccompText}`)
    }
    if (at !== '') warnings.push(...appArmorWarning(container, spec, annotations, notePath))
  }
  const limits = child(child(container, 'resources'), 'limits')
  const requests = child(child(container, 'resources'), 'requests')
  for (const resource of limits === undefined && requests === undefined ? [] : byteResources) {
    const path = `${pathOf(located)}.resources`
    warnings.push(...fractionWarnings(limits, [resource], `${path}.limits`))
    warnings.push(...fractionWarnings(requests, [resource], `${path}.requests`))
  }
  const env = list(container, 'env')
  return env.length === 0 ? warnings : [...warnings, ...hiddenVariables(env, `${pathOf(located)}.env`)]
}

function appArmorWarning(
  container: Obj,
  spec: Obj,
  annotations: Readonly<Record<string, string>>,
  notePath: string,
): readonly string[] {
  const key = `${appArmorPrefix}${text(container, 'name')}`
  const annotated = entryOf(annotations, key)
  const profile = child(child(container, 'securityContext'), 'appArmorProfile')
  if (annotated === undefined || (profile !== undefined && !isDerived(profile))) return []
  const ofPod = child(child(spec, 'securityContext'), 'appArmorProfile')
  return isSameProfile(ofPod, annotatedProfile(annotated)) ? [] : [`${notePath}[${key}]: ${appArmorText}`]
}

/** Warnings that are returned even if the pod is rejected, because upstream adds them while it prepares the pod. */
export function preparedPodWarnings(pod: Obj): readonly string[] {
  const annotations = strings(part(pod, 'metadata'), 'annotations')
  const spec = part(pod, 'spec')
  for (const _ in annotations) {
    if (text(child(spec, 'os'), 'name') === 'windows') return []
    return containersOf(spec, 'spec').flatMap(({ container }) =>
      appArmorWarning(container, spec, annotations, 'metadata.annotations'),
    )
  }
  return []
}

const appArmorText = 'deprecated since v1.30; use the "appArmorProfile" field instead'

function hiddenVariables(env: readonly Obj[], path: string): readonly string[] {
  const seen = new Set<string>()
  return env.flatMap((variable, i) => {
    const name = text(variable, 'name')
    if (!seen.has(name)) {
      seen.add(name)
      return []
    }
    const reference = `$(${name})`
    const value = text(variable, 'value')
    const hides = child(variable, 'valueFrom') !== undefined || value === reference || !value.includes(reference)
    if (!hides) return []
    return [
      `${path}[${i}]: hides previous definition of ${JSON.stringify(name)}, which may be dropped when using apply`,
    ]
  })
}

interface Port {
  readonly at: string
  readonly hostIP: string
  readonly hostPort: number
}

// A response contains the first 4,096 characters of warnings (apiserver, endpoints/filters/warning.go), so later ones
// are never shown, and not all pairs of ports need to be compared.
const maxPortWarnings = 1000
const maxComparisons = 1_000_000

function portWarnings(containers: readonly Located[]): readonly string[] {
  const warnings: string[] = []
  let comparisons = 0
  const known = new Map<string, Port[]>()
  const names = new Map<string, string>()
  const named: string[] = []
  for (const located of containers) {
    list(located.container, 'ports').forEach((port, i) => {
      const mine: Port = {
        at: `${pathOf(located)}.ports[${i}]`,
        hostIP: text(port, 'hostIP'),
        hostPort: number(port, 'hostPort'),
      }
      if (mine.hostIP !== '' && mine.hostPort === 0) {
        warnings.push(`${mine.at}: hostIP set without hostPort: ${goPort(port)}`)
      }
      const key = `${number(port, 'containerPort')}/${text(port, 'protocol')}`
      const others = known.get(key) ?? []
      for (const other of others) {
        if (warnings.length >= maxPortWarnings || comparisons++ >= maxComparisons) break
        const how = collision(mine, other)
        if (how !== undefined) warnings.push(`${mine.at}: ${how} port definition with ${other.at}`)
      }
      if (others.length === 0) known.set(key, others)
      others.push(mine)
      const name = text(port, 'name')
      const first = names.get(name)
      if (name === '') return
      if (first === undefined) names.set(name, mine.at)
      else {
        const which = `services and probes that select ports by name will use ${first}`
        named.push(`${mine.at}: duplicate port name ${JSON.stringify(name)} with ${first}, ${which}`)
      }
    })
  }
  return [...warnings, ...named]
}

function collision(one: Port, other: Port): string | undefined {
  if (one.hostIP === other.hostIP && one.hostPort === other.hostPort) return 'duplicate'
  if (one.hostPort === 0 || other.hostPort === 0) return 'overlapping'
  const isHalfBound = (one.hostIP === '') !== (other.hostIP === '')
  return one.hostPort === other.hostPort && isHalfBound ? 'dangerously ambiguous' : undefined
}

/** Formats a port as Go prints the struct. */
const goPort = (port: Obj): string =>
  `{Name:${text(port, 'name')} HostPort:${number(port, 'hostPort')} ContainerPort:${number(port, 'containerPort')} ` +
  `Protocol:${text(port, 'protocol')} HostIP:${text(port, 'hostIP')}}`
