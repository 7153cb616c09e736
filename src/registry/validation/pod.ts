import { annotations as wellKnown } from '../../api/well-known.ts'
import { forbidden } from '../errors/field-error.ts'
import { checkImageSpaces } from './containers.ts'
import { checkMeta, metaOf } from './meta.ts'
import { checkPodAnnotations, checkProfilesMatch } from './pod-annotations.ts'
import { checkPodSpec } from './pod-spec.ts'
import { child, type Errors, entryOf, list, type Obj, part, strings } from './reader.ts'
import { text } from './scalars.ts'

const podMeta = { namespaced: true, name: 'subdomain' } as const

/** Rules for pods on create and update (validatePodMetadataAndSpec). */
export function checkPod(errors: Errors, pod: Obj): void {
  const meta = metaOf(pod)
  const spec = part(pod, 'spec')
  const annotations = strings(meta, 'annotations')
  checkMeta(errors, meta, podMeta)
  checkPodAnnotations(errors, annotations, spec, 'metadata.annotations')
  const mirror = entryOf(annotations, wellKnown.mirrorPod) !== undefined
  checkPodSpec(errors, spec, 'spec', { pod: { name: text(meta, 'name'), mirror } })
  if (text(spec, 'serviceAccountName') === '') checkNoTokens(errors, spec)
  checkImages(errors, spec, 'containers')
  checkImages(errors, spec, 'initContainers')
}

function checkImages(errors: Errors, spec: Obj, field: 'containers' | 'initContainers'): void {
  list(spec, field).forEach((container, i) => {
    if (text(container, 'image').trim() !== text(container, 'image')) {
      checkImageSpaces(errors, container, `spec.${field}[${i}]`)
    }
  })
}

function checkNoTokens(errors: Errors, spec: Obj): void {
  list(spec, 'volumes').forEach((volume, i) => {
    list(child(volume, 'projected'), 'sources').forEach((source, j) => {
      if (child(source, 'serviceAccountToken') === undefined) return
      const at = `spec.volumes[${i}].projected.sources[${j}].serviceAccountToken`
      errors.push(forbidden(at, 'must not be specified when serviceAccountName is not set'))
    })
  })
}

/** ValidatePodCreate. */
export function checkNewPod(errors: Errors, pod: Obj): void {
  checkPod(errors, pod)
  const spec = part(pod, 'spec')
  if (list(spec, 'ephemeralContainers').length > 0) {
    errors.push(forbidden('spec.ephemeralContainers', 'cannot be set on create'))
  }
  if (text(spec, 'nodeName') !== '' && list(spec, 'schedulingGates').length > 0) {
    errors.push(forbidden('spec.nodeName', 'cannot be set until all schedulingGates have been cleared'))
  }
  checkProfilesMatch(errors, strings(metaOf(pod), 'annotations'), spec, 'spec')
}
