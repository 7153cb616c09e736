import { annotations as wellKnown } from '../../api/well-known.ts'
import { forbidden, invalid } from '../errors/field-error.ts'
import { appArmorPrefix } from '../kinds/pods/app-armor.ts'
import { checkDescending } from './paths.ts'
import { placedContainers } from './pod-spec.ts'
import { child, type Errors, entryOf, type Obj, type Strings } from './reader.ts'
import { text, textIfSet } from './scalars.ts'
import { checkTolerations } from './scheduling.ts'

const tolerationsKey = 'scheduler.alpha.kubernetes.io/tolerations'
const seccompPodKey = 'seccomp.security.alpha.kubernetes.io/pod'
const seccompContainerPrefix = 'container.seccomp.security.alpha.kubernetes.io/'
const localhostPrefix = 'localhost/'

/** Annotations with a meaning for pods and pod templates (ValidatePodSpecificAnnotations). */
export function checkPodAnnotations(errors: Errors, annotations: Strings, spec: Obj, path: string): void {
  if (areNone(annotations)) return
  const mirror = entryOf(annotations, wellKnown.mirrorPod)
  if (mirror !== undefined && text(spec, 'nodeName') === '') {
    const why = 'must set spec.nodeName if mirror pod annotation is set'
    errors.push(invalid(`${path}[${wellKnown.mirrorPod}]`, mirror, why))
  }
  const tolerations = entryOf(annotations, tolerationsKey) ?? ''
  if (tolerations !== '') checkTolerationsAnnotation(errors, tolerations, path)
  const cost = entryOf(annotations, wellKnown.podDeletionCost)
  if (cost !== undefined && !isCost(cost)) {
    errors.push(invalid(`${path}[${wellKnown.podDeletionCost}]`, cost, 'must be a 32bit integer'))
  }
  for (const key in annotations) {
    const value = annotations[key] as string
    if (key === seccompPodKey || key.startsWith(seccompContainerPrefix)) {
      checkSeccompAnnotation(errors, value, `${path}.${key}`)
    }
    if (key.startsWith(appArmorPrefix)) checkAppArmorAnnotation(errors, key, value, spec, path)
  }
}

function areNone(annotations: Strings): boolean {
  for (const _ in annotations) return false
  return true
}

function checkTolerationsAnnotation(errors: Errors, value: string, path: string): void {
  try {
    const parsed: unknown = JSON.parse(value)
    if (Array.isArray(parsed)) checkTolerations(errors, parsed as readonly Obj[], `${path}.${tolerationsKey}`)
  } catch {
    errors.push(invalid(path, tolerationsKey, 'invalid character in the annotation'))
  }
}

// Go accepts a leading plus sign, but pod deletion costs may have neither a plus sign nor leading zeros.
function isCost(value: string): boolean {
  if (!/^(0|-[0-9]+|[1-9][0-9]*)$/.test(value)) return false
  const cost = Number(value)
  return cost <= 2 ** 31 - 1 && cost >= -(2 ** 31)
}

function checkSeccompAnnotation(errors: Errors, value: string, path: string): void {
  if (value === 'runtime/default' || value === 'docker/default' || value === 'unconfined') return
  if (value.startsWith(localhostPrefix)) checkDescending(errors, value.slice(localhostPrefix.length), path)
  else errors.push(invalid(path, value, 'must be a valid seccomp profile'))
}

function checkAppArmorAnnotation(errors: Errors, key: string, value: string, spec: Obj, path: string): void {
  const name = key.slice(appArmorPrefix.length)
  if (!placedContainers(spec, 'spec').some(({ container }) => text(container, 'name') === name)) {
    errors.push(invalid(`${path}[${key}]`, name, 'container not found'))
  }
  if (value === '' || value === 'runtime/default' || value === 'unconfined') return
  if (!value.startsWith(localhostPrefix)) {
    errors.push(invalid(`${path}[${key}]`, value, `invalid AppArmor profile name: ${JSON.stringify(value)}`))
  }
}

interface ProfileWords {
  readonly kind: 'seccomp' | 'apparmor'
  readonly defaults: readonly string[]
}

const seccompWords: ProfileWords = { kind: 'seccomp', defaults: ['runtime/default', 'docker/default'] }
const appArmorWords: ProfileWords = { kind: 'apparmor', defaults: ['runtime/default'] }

/** The old annotations and the fields that replaced them must be equal. */
export function checkProfilesMatch(errors: Errors, annotations: Strings, spec: Obj, path: string): void {
  if (areNone(annotations)) return
  const context = child(spec, 'securityContext')
  const podSeccomp = child(context, 'seccompProfile')
  const podAnnotation = entryOf(annotations, seccompPodKey)
  if (podSeccomp !== undefined && podAnnotation !== undefined) {
    checkMatch(errors, podSeccomp, podAnnotation, seccompWords, `${path}.securityContext.seccompProfile`)
  }
  const windows = text(child(spec, 'os'), 'name') === 'windows'
  for (const { container, path: at } of placedContainers(spec, path)) {
    const own = child(container, 'securityContext')
    const name = text(container, 'name')
    const seccomp = child(own, 'seccompProfile')
    const seccompAnnotation = entryOf(annotations, seccompContainerPrefix + name)
    if (seccomp !== undefined && seccompAnnotation !== undefined) {
      checkMatch(errors, seccomp, seccompAnnotation, seccompWords, `${at}.securityContext.seccompProfile`)
    }
    const appArmor = child(own, 'appArmorProfile') ?? child(context, 'appArmorProfile')
    const appArmorAnnotation = entryOf(annotations, appArmorPrefix + name)
    if (!windows && appArmor !== undefined && appArmorAnnotation !== undefined) {
      checkMatch(errors, appArmor, appArmorAnnotation, appArmorWords, `${at}.securityContext.appArmorProfile`)
    }
  }
}

function checkMatch(errors: Errors, profile: Obj, annotation: string, words: ProfileWords, path: string): void {
  const typeDiffers = forbidden(`${path}.type`, `${words.kind} type in annotation and field must match`)
  switch (text(profile, 'type')) {
    case 'Unconfined':
      if (annotation !== 'unconfined') errors.push(typeDiffers)
      return
    case 'RuntimeDefault':
      if (!words.defaults.includes(annotation)) errors.push(typeDiffers)
      return
    case 'Localhost':
      if (!annotation.startsWith(localhostPrefix)) errors.push(typeDiffers)
      else if (textIfSet(profile, 'localhostProfile') !== annotation.slice(localhostPrefix.length)) {
        const why = `${words.kind} profile in annotation and field must match`
        errors.push(forbidden(`${path}.localhostProfile`, why))
      }
  }
}

/** Immutable annotations of pods (ValidatePodSpecificAnnotationUpdates). */
export function checkPodAnnotationUpdates(errors: Errors, annotations: Strings, old: Strings, path: string): void {
  const guarded = (key: string): string | undefined => {
    if (key.startsWith(appArmorPrefix)) return 'AppArmor annotations'
    return key === wellKnown.mirrorPod ? 'mirror pod annotation' : undefined
  }
  for (const key in old) {
    const what = guarded(key)
    if (what === undefined || entryOf(annotations, key) === old[key]) continue
    errors.push(forbidden(`${path}[${key}]`, `may not remove or update ${what}`))
  }
  for (const key in annotations) {
    const what = guarded(key)
    if (what === undefined || entryOf(old, key) !== undefined) continue
    errors.push(forbidden(`${path}[${key}]`, `may not add ${what}`))
  }
}
