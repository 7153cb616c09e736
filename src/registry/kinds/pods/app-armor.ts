import type { JsonObject, StringMap } from '../../../api/objects/meta.ts'
import type { Container, Pod } from '../../../api/objects/pod.ts'

export const appArmorPrefix = 'container.apparmor.security.beta.kubernetes.io/'

interface AppArmorProfile {
  readonly type: string
  readonly localhostProfile?: string
}

const longestProfile = 4095

/** The profile of an AppArmor annotation, if it has a valid value. */
export function annotatedProfile(annotation: string): AppArmorProfile | undefined {
  if (annotation === 'unconfined') return { type: 'Unconfined' }
  if (annotation === 'runtime/default') return { type: 'RuntimeDefault' }
  if (!annotation.startsWith('localhost/')) return undefined
  const localhostProfile = annotation.slice('localhost/'.length)
  const isGood = localhostProfile !== '' && localhostProfile.trim() === localhostProfile
  return isGood && localhostProfile.length <= longestProfile ? { type: 'Localhost', localhostProfile } : undefined
}

export const isSameProfile = (a: Partial<AppArmorProfile> | undefined, b: AppArmorProfile | undefined): boolean =>
  a !== undefined && b !== undefined && a.type === b.type && a.localhostProfile === b.localhostProfile

/** Profiles that come from annotations. The client gets a warning, although the field is set by then. */
const derived = new WeakSet<object>()

export const isDerived = (profile: object): boolean => derived.has(profile)

/**
 * A new pod with its AppArmor annotations copied to fields, because kubelets read only the fields (v1.36,
 * registry/core/pod applyAppArmorVersionSkew).
 */
export function withAppArmorFields(pod: Pod): Pod {
  const { annotations } = pod.metadata
  if (annotations === undefined || annotations === null || !hasProfile(annotations)) return pod
  const { spec } = pod
  if (spec.os?.name === 'windows') return pod
  const podProfile = profileOf(spec.securityContext)
  const change = (container: Container): Container => {
    const annotation = annotations[appArmorPrefix + container.name]
    if (annotation === undefined || profileOf(container.securityContext) !== undefined) return container
    const profile = annotatedProfile(annotation)
    if (profile === undefined || isSameProfile(podProfile, profile)) return container
    derived.add(profile)
    const appArmorProfile = profile as unknown as JsonObject
    return { ...container, securityContext: { ...container.securityContext, appArmorProfile } }
  }
  const changed: { containers?: readonly Container[]; initContainers?: readonly Container[] } = {}
  if (Array.isArray(spec.containers)) changed.containers = spec.containers.map(change)
  if (Array.isArray(spec.initContainers)) changed.initContainers = spec.initContainers.map(change)
  return { ...pod, spec: { ...spec, ...changed } as Pod['spec'] }
}

function hasProfile(annotations: StringMap): boolean {
  for (const key in annotations) if (key.startsWith(appArmorPrefix)) return true
  return false
}

function profileOf(context: unknown): AppArmorProfile | undefined {
  return (context as { readonly appArmorProfile?: AppArmorProfile } | undefined)?.appArmorProfile ?? undefined
}
