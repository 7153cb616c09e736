import type { Failure } from '../../../api/call.ts'
import { deepEqual } from '../../../api/equality.ts'
import type { KubeObject, ObjectMeta, StringMap } from '../../../api/objects/meta.ts'
import type { Pod, PodSpec } from '../../../api/objects/pod.ts'
import type { KubernetesRelease } from '../../../api/releases/kubernetes-release.ts'
import { lookupTable } from '../../../base/lookup-table.ts'
import { type FieldError, invalid, invalidObject } from '../../errors/field-error.ts'
import type { AdmissionRequest } from '../admission.ts'
import { refuse } from '../forbidden.ts'
import { type PodSecurityViolation, securityChecks } from './checks.ts'
import { type LevelVersion, type PodSecuritySettings, readSecurityVersion, securityLevels } from './settings.ts'

type NamespacePolicy = Pick<PodSecuritySettings, 'enforce' | 'audit' | 'warn'>

const prefix = 'pod-security.kubernetes.io/'
const shown = ({ level, minor }: LevelVersion): string => `${level}:${minor === undefined ? 'latest' : `v1.${minor}`}`
const isSame = (a: LevelVersion, b: LevelVersion): boolean => a.level === b.level && a.minor === b.minor
const rank = ({ level }: LevelVersion): number => securityLevels.indexOf(level)

/** The policy of a namespace by its labels (pod-security-admission/api, PolicyToEvaluate). */
function policyOf(
  labels: StringMap,
  defaults: NamespacePolicy,
): NamespacePolicy & { readonly errors: readonly FieldError[] } {
  const errors: FieldError[] = []
  const found = { enforce: { ...defaults.enforce }, audit: { ...defaults.audit }, warn: { ...defaults.warn } }
  const has = (name: string): boolean => Object.hasOwn(labels, `${prefix}${name}`)
  const wrong = (name: string, why: string) =>
    errors.push(invalid(`metadata.labels[${prefix}${name}]`, labels[`${prefix}${name}`], why))
  let isEnforced = false
  for (const mode of ['enforce', 'audit', 'warn'] as const) {
    if (has(mode)) {
      const level = labels[`${prefix}${mode}`] as LevelVersion['level']
      const isKnown = securityLevels.includes(level)
      if (!isKnown) wrong(mode, `must be one of ${securityLevels.join(', ')}`)
      // An unknown level is the strictest one for enforce, and has no effect in the other modes.
      found[mode] = { ...found[mode], level: isKnown ? level : mode === 'enforce' ? 'restricted' : 'privileged' }
      if (mode === 'enforce') isEnforced = isKnown
    }
    if (has(`${mode}-version`)) {
      const version = labels[`${prefix}${mode}-version`] as string
      const minor = readSecurityVersion(version)
      if (minor === null) wrong(`${mode}-version`, 'must be "latest" or "v1.x"')
      found[mode] = { ...found[mode], minor: minor ?? undefined }
    }
  }
  if (!has('warn') && isEnforced && rank(found.enforce) > rank(found.warn)) {
    found.warn = has('warn-version') ? { ...found.warn, level: found.enforce.level } : { ...found.enforce }
  }
  return { ...found, errors }
}

/** A server knows the standards up to its own minor, which is `latest`. */
function violations(
  { level, minor: wanted = Number.POSITIVE_INFINITY }: LevelVersion,
  { spec, metadata }: { readonly spec: PodSpec; readonly metadata: Partial<ObjectMeta> },
  release: KubernetesRelease,
): readonly PodSecurityViolation[] {
  if (level === 'privileged') return []
  const minor = Math.min(wanted, Number(release.minor.slice(release.minor.indexOf('.') + 1)))
  const checks = securityChecks.filter(
    (one) => one.since <= minor && (level === 'restricted' || one.level === 'baseline'),
  )
  const overridden = new Set(checks.flatMap(({ overrides = [] }) => overrides))
  return checks.flatMap((one) => (overridden.has(one.id) ? [] : (one.check(spec, metadata, minor) ?? [])))
}

const detailed = (found: readonly PodSecurityViolation[]): string =>
  found.map(({ reason, detail }) => (detail === '' ? reason : `${reason} (${detail})`)).join(', ')

/** The outcome of the plugin for a write. */
export interface PodSecurityVerdict {
  readonly refused?: Failure
  readonly warnings: readonly string[]
  readonly notes: readonly (readonly [string, string])[]
}

const silent: PodSecurityVerdict = { warnings: [], notes: [] }
const ignoredSubresources = new Set(['exec', 'attach', 'binding', 'eviction', 'log', 'portforward', 'proxy', 'status'])

const template = (object: KubeObject): unknown =>
  (object as { readonly spec?: { readonly template?: unknown } }).spec?.template

/** Finds the pod template in objects of each kind that has one. */
const templates = lookupTable<(object: KubeObject) => unknown>({
  podtemplates: (object) => (object as { readonly template?: unknown }).template,
  replicationcontrollers: template,
  'replicasets.apps': template,
  'deployments.apps': template,
  'statefulsets.apps': template,
  'daemonsets.apps': template,
  'jobs.batch': template,
  'cronjobs.batch': (object) =>
    (object as { readonly spec?: { readonly jobTemplate?: KubeObject } }).spec?.jobTemplate &&
    template((object as unknown as { readonly spec: { readonly jobTemplate: KubeObject } }).spec.jobTemplate),
})

/** The admission plugin PodSecurity (v1.36, pod-security-admission/admission). */
export function podSecurityVerdict(admission: AdmissionRequest, settings: PodSecuritySettings): PodSecurityVerdict {
  const { kind, context } = admission
  if (kind.resource === 'namespaces') return namespaceVerdict(admission, settings)
  const isPod = kind.resource === 'pods'
  if (!isPod && (templates[kind.resource] === undefined || context.subresource !== undefined)) return silent
  if (isPod && context.subresource !== undefined && ignoredSubresources.has(context.subresource)) return silent
  const namespace = admission.object.metadata.namespace ?? ''
  const noted = (why: string): PodSecurityVerdict => ({ ...silent, notes: [[`${prefix}exempt`, why]] })
  if (settings.exemptNamespaces.has(namespace)) return noted('namespace')
  if (settings.exemptUsers.has(context.caller.name)) return noted('user')
  const policy = policyOf(context.store.get('namespaces', namespace)?.metadata.labels ?? {}, settings)
  const { errors, enforce, audit, warn } = policy
  const isFree = rank(audit) === 0 && rank(warn) === 0 && (!isPod || rank(enforce) === 0)
  if (errors.length === 0 && isFree) {
    return isPod ? { ...silent, notes: [[`${prefix}enforce-policy`, 'privileged:latest']] } : silent
  }
  if (isPod && admission.old !== undefined && !isSignificant(admission.object as Pod, admission.old as Pod))
    return silent
  const made = isPod ? admission.object : templates[kind.resource]?.(admission.object)
  const { spec, metadata = {} } = (made ?? {}) as { readonly spec?: PodSpec; readonly metadata?: Partial<ObjectMeta> }
  if (spec === undefined) return silent
  if (spec.runtimeClassName !== undefined && settings.exemptRuntimeClasses.has(spec.runtimeClassName)) {
    return noted('runtimeClass')
  }
  return podVerdict(admission, policy, spec, metadata, isPod)
}

function podVerdict(
  { kind, object, context: { release } }: AdmissionRequest,
  { enforce, audit, warn, errors }: ReturnType<typeof policyOf>,
  spec: PodSpec,
  metadata: Partial<ObjectMeta>,
  isPod: boolean,
): PodSecurityVerdict {
  const notes: [string, string][] = []
  if (errors.length > 0) {
    const why = errors.map(({ field, message }) => `${field}: ${message}`)
    notes.push([`${prefix}error`, `Failed to parse policy: ${why.length === 1 ? why[0] : `[${why.join(', ')}]`}`])
  }
  const pod = { spec, metadata }
  const denied = isPod ? violations(enforce, pod, release) : []
  if (isPod) notes.push([`${prefix}enforce-policy`, shown(enforce)])
  const audited = violations(audit, pod, release)
  const would = (level: LevelVersion, found: readonly PodSecurityViolation[]) =>
    `would violate PodSecurity ${JSON.stringify(shown(level))}: ${detailed(found)}`
  if (audited.length > 0) notes.push([`${prefix}audit-violations`, would(audit, audited)])
  if (denied.length > 0) {
    const why = `violates PodSecurity ${JSON.stringify(shown(enforce))}: ${detailed(denied)}`
    return { refused: refuse(kind, object.metadata.name, why), warnings: [], notes }
  }
  const warned = violations(warn, pod, release)
  return { warnings: warned.length === 0 ? [] : [would(warn, warned)], notes }
}

/** Whether an update can change the verdict: it changes the containers, their images or the security annotations. */
function isSignificant(pod: Pod, old: Pod): boolean {
  const lists = ['containers', 'initContainers', 'ephemeralContainers'] as const
  const listOf = (from: Pod, name: (typeof lists)[number]) =>
    (from.spec as unknown as Record<string, readonly { readonly image?: string }[] | undefined>)[name] ?? []
  if (lists.some((name) => listOf(pod, name).length !== listOf(old, name).length)) return true
  const images = (from: Pod) => lists.map((name) => listOf(from, name).map(({ image }) => image))
  const noted = (from: Pod) =>
    Object.entries(from.metadata.annotations ?? {})
      .filter(([key]) => /^(seccomp\.security|container\.(seccomp|apparmor)\.security)/.test(key))
      .sort()
  return !deepEqual(images(pod), images(old)) || !deepEqual(noted(pod), noted(old))
}

const maxPods = 3000

function namespaceVerdict(
  { kind, object, old, context }: AdmissionRequest,
  settings: PodSecuritySettings,
): PodSecurityVerdict {
  if (context.subresource !== undefined) return silent
  const { name, labels = {} } = object.metadata
  const policy = policyOf(labels, settings)
  const before = old === undefined ? undefined : policyOf(old.metadata.labels ?? {}, settings)
  const { errors, enforce } = policy
  if (errors.length > 0 && (before === undefined || !deepEqual(errors, before.errors))) {
    return { ...silent, refused: invalidObject('Namespace', kind.resource, name, errors) }
  }
  if (before === undefined || isSame(enforce, before.enforce) || rank(enforce) === 0) return silent
  if (enforce.minor === before.enforce.minor && rank(enforce) <= rank(before.enforce)) return silent
  if (settings.exemptNamespaces.has(name)) return silent
  return {
    ...silent,
    warnings: existingViolations(
      context.store.list('pods', { namespace: name }) as readonly Pod[],
      name,
      enforce,
      context.release,
    ),
  }
}

function existingViolations(
  pods: readonly Pod[],
  namespace: string,
  enforce: LevelVersion,
  release: KubernetesRelease,
): readonly string[] {
  const counted = new Map<string, { name: string; count: number }>()
  for (const pod of pods.slice(0, maxPods)) {
    const found = violations(enforce, pod, release)
    if (found.length === 0) continue
    const reason = found.map((one) => one.reason).join(', ')
    const known = counted.get(reason)
    if (known === undefined) counted.set(reason, { name: pod.metadata.name, count: 1 })
    else known.count++
  }
  const warnings: string[] = []
  if (pods.length > maxPods) {
    warnings.push(
      `new PodSecurity enforce level only checked against the first ${maxPods} of ${pods.length} existing pods`,
    )
  }
  if (counted.size > 0) {
    const level = JSON.stringify(shown(enforce))
    warnings.push(
      `existing pods in namespace ${JSON.stringify(namespace)} violate the new PodSecurity enforce level ${level}`,
    )
  }
  const others = (count: number) =>
    count === 1 ? '' : count === 2 ? ' (and 1 other pod)' : ` (and ${count - 1} other pods)`
  return [...warnings, ...[...counted].map(([reason, { name, count }]) => `${name}${others(count)}: ${reason}`).sort()]
}
