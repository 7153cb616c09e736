import { semanticEqual } from '../../api/equality.ts'
import type { Pod } from '../../api/objects/pod.ts'
import { computeQosClass, qosClassOf } from '../../api/qos-class.ts'
import { atLeast } from '../../api/releases/at-least.ts'
import { annotations as wellKnown } from '../../api/well-known.ts'
import { type FieldError, forbidden, invalid } from '../errors/field-error.ts'
import { checkMetaUpdate, metaOf } from './meta.ts'
import { checkPod } from './pod.ts'
import { checkAnnotationsAgain } from './pod-update.ts'
import { child, type Errors, entryOf, list, type Obj, part, type Strings, strings } from './reader.ts'
import { text } from './scalars.ts'

const isMirror = (pod: Obj): boolean => entryOf(strings(metaOf(pod), 'annotations'), wellKnown.mirrorPod) !== undefined

/** ValidatePodEphemeralContainersUpdate: only ephemeral containers may be added. */
export function checkEphemeralUpdate(errors: Errors, pod: Obj, old: Obj): void {
  checkMetaUpdate(errors, metaOf(pod), metaOf(old))
  checkPod(errors, pod)
  checkAnnotationsAgain(errors, pod, old)
  if (isMirror(old)) {
    errors.splice(0, errors.length, forbidden('', 'static pods do not support ephemeral containers'))
    return
  }
  const at = 'spec.ephemeralContainers'
  const after = new Map(list(part(pod, 'spec'), 'ephemeralContainers').map((one) => [text(one, 'name'), one]))
  for (const container of list(part(old, 'spec'), 'ephemeralContainers')) {
    const name = text(container, 'name')
    const now = after.get(name)
    const which = `existing ephemeral containers ${JSON.stringify(name)}`
    if (now === undefined) errors.push(forbidden(at, `${which} may not be removed\n`))
    else if (!semanticEqual(now, container)) errors.push(forbidden(at, `${which} may not be changed\n`))
  }
}

/** ValidatePodResize: only requests and limits of cpu and memory may change. */
export function checkPodResize(errors: Errors, pod: Obj, old: Obj): void {
  checkMetaUpdate(errors, metaOf(pod), metaOf(old))
  checkPod(errors, pod)
  const spec = part(pod, 'spec')
  const before = part(old, 'spec')
  const hasPodLevel = [spec, before].some(hasResources)
  if (hasPodLevel && !atLeast(errors.release, '1.35')) {
    errors.splice(0, errors.length, forbidden('', 'pods with pod-level resources cannot be resized'))
    return
  }
  if (isMirror(old)) {
    errors.splice(0, errors.length, forbidden('', 'static pods cannot be resized'))
    return
  }
  if (text(child(before, 'os'), 'name') === 'windows') {
    errors.splice(0, errors.length, forbidden('', 'windows pods cannot be resized'))
    return
  }
  if (qosClassOf(old as unknown as Pod) !== computeQosClass(pod as unknown as Pod, errors.release)) {
    const shown = text(part(pod, 'status'), 'qosClass')
    errors.push(invalid('spec', shown, 'Pod QOS Class may not change as a result of resizing'))
  }
  if (!isResizable(old)) errors.push(forbidden('spec', 'Pod running on node without support for resize'))
  const rest: Record<string, unknown> = { ...spec }
  if (hasPodLevel && !errors.release.gates.has('InPlacePodLevelResourcesVerticalScaling')) {
    const gate = 'InPlacePodLevelResourcesVerticalScalingEnabled feature gate'
    errors.push(forbidden('', `resize of pods with pod-level resources is forbidden when ${gate} is disabled`))
    return
  }
  if (hasPodLevel) checkPodLevel(errors, rest, before)
  checkNodeAllocatable(errors, old)
  if (!checkOrder(errors, spec, before)) return
  for (const field of ['initContainers', 'containers']) checkRemovals(errors, spec, before, field)
  checkOnlyResources(errors, rest, before)
  if (errors.length === 0 && !semanticEqual(rest, before)) {
    errors.push(forbidden('spec', 'only cpu and memory resources are mutable'))
  }
}

function hasResources(spec: Obj): boolean {
  const resources = part(spec, 'resources')
  return ['requests', 'limits'].some((kind) => Object.keys(strings(resources, kind)).length > 0)
}

/** Only v1.36 refuses to resize pods whose claims use resources of the node. */
function checkNodeAllocatable(errors: Errors, old: Obj): void {
  if (!atLeast(errors.release, '1.36') || atLeast(errors.release, '1.37')) return
  if (list(part(old, 'status'), 'nodeAllocatableResourceClaimStatuses').length === 0) return
  errors.push(forbidden('spec', 'pods with node allocatable resource claims cannot be resized'))
}

const isSidecar = (container: Obj): boolean => text(container, 'restartPolicy') === 'Always'

/**
 * Whether a resize may change the container. Without the gate, sidecars are the only init containers that it may change
 * (v1.36).
 */
const mayResize = ({ release }: Errors, container: Obj, field: string): boolean =>
  field === 'containers' || isSidecar(container) || release.gates.has('InPlacePodVerticalScalingInitContainers')

function isResizable(pod: Obj): boolean {
  const running = list(part(pod, 'status'), 'containerStatuses').find(
    (status) => child(child(status, 'state'), 'running') !== undefined,
  )
  return running === undefined || child(running, 'resources') !== undefined
}

function checkOrder(errors: Errors, spec: Obj, before: Obj): boolean {
  const found = errors.length
  for (const field of ['containers', 'initContainers']) {
    const after = list(spec, field)
    const old = list(before, field)
    if (after.length !== old.length) {
      errors.push(forbidden(`spec.${field}`, `${field} may not be added or removed on resize`))
      continue
    }
    old.forEach((container, i) => {
      if (text(container, 'name') === text(after[i], 'name')) return
      errors.push(forbidden(`spec.${field}[${i}].name`, `${field} may not be renamed or reordered on resize`))
    })
  }
  return errors.length === found
}

const isRemoved = (now: Strings, old: Strings): boolean =>
  Object.keys(old).some((name) => entryOf(now, name) === undefined)

function checkRemovals(errors: Errors, spec: Obj, before: Obj, field: string): void {
  list(before, field).forEach((container, i) => {
    if (!mayResize(errors, container, field)) return
    const now = part(list(spec, field)[i], 'resources')
    const old = part(container, 'resources')
    for (const kind of ['requests', 'limits']) {
      if (!isRemoved(strings(now, kind), strings(old, kind))) continue
      const at = `spec.${field}[${i}].resources.${kind}`
      errors.push(forbidden(at, `resource ${kind} cannot be removed`))
    }
  })
}

/** The resource list with the old values for cpu and memory. */
function putBack(list: Strings, old: Strings): Strings {
  const { cpu: _, memory: __, ...rest } = list
  const out: Record<string, string> = { ...rest }
  for (const name of ['cpu', 'memory']) {
    const value = entryOf(old, name)
    if (value !== undefined) out[name] = value
  }
  return out
}

function putBackResources(now: Obj, old: Obj): Obj {
  return {
    limits: putBack(strings(now, 'limits'), strings(old, 'limits')),
    requests: putBack(strings(now, 'requests'), strings(old, 'requests')),
  }
}

function checkOnlyResources(errors: Errors, rest: Record<string, unknown>, before: Obj): void {
  for (const field of ['containers', 'initContainers']) {
    const old = list(before, field)
    if (rest[field] === undefined) continue
    rest[field] = list(rest, field).map((container, i) => {
      const was = old[i] ?? {}
      if (!mayResize(errors, container, field)) {
        if (!semanticEqual(container, was)) {
          errors.push(forbidden('spec', 'resources for non-sidecar init containers are immutable'))
        }
        return container
      }
      const restored = {
        ...container,
        resources: putBackResources(part(container, 'resources'), part(was, 'resources')),
      }
      const changed = !semanticEqual(container, was)
      if (!semanticEqual(restored, was)) {
        errors.push(otherChange(errors, field, i))
      }
      if (field === 'initContainers' && changed && !isSidecar(container)) {
        for (const policy of list(container, 'resizePolicy')) {
          if (text(policy, 'restartPolicy') !== 'RestartContainer') continue
          const why = 'non-sidecar init containers with a resize policy of RestartContainer cannot be resized'
          errors.push(forbidden(`spec.${field}[${i}]`, why))
        }
      }
      return restored
    })
  }
}

/** The error for a change of anything other than cpu and memory. */
function otherChange({ release }: Errors, field: string, i: number): FieldError {
  if (field === 'containers') return forbidden('spec', 'only cpu and memory resources are mutable')
  if (!atLeast(release, '1.36'))
    return forbidden('spec', 'only cpu and memory resources for sidecar containers are mutable')
  return forbidden(`spec.${field}[${i}]`, 'only cpu and memory resources for init or sidecar containers are mutable')
}

function checkPodLevel(errors: Errors, rest: Record<string, unknown>, before: Obj): void {
  const now = child(rest, 'resources')
  const old = child(before, 'resources')
  if (now === undefined && old === undefined) return
  if (now === undefined) {
    errors.push(forbidden('spec.resources', 'pod-level resources cannot be removed'))
    return
  }
  for (const kind of ['requests', 'limits']) {
    if (!isRemoved(strings(now, kind), strings(old, kind))) continue
    errors.push(forbidden(`spec.resources.${kind}`, `pod-level resource ${kind} cannot be removed`))
  }
  const restored = putBackResources(now, old ?? {})
  rest['resources'] = old === undefined && semanticEqual(restored, {}) ? undefined : restored
  if (!semanticEqual(rest['resources'], old)) {
    errors.push(forbidden('spec', 'only cpu and memory resources are mutable at pod-level'))
  }
}
