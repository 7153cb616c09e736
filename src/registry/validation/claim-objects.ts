import { semanticEqual } from '../../api/equality.ts'
import { isNativeResource } from '../../api/resource-names.ts'
import { forbidden, invalid, notSupported, required } from '../errors/field-error.ts'
import { checkClaimSpec } from './claims.ts'
import { checkImmutable, checkMeta, checkMetaUpdate, immutable, metaOf } from './meta.ts'
import { checkQualifiedName } from './names.ts'
import { checkBasicResource, checkResourceQuantity, isLessThan } from './quantities.ts'
import { type Errors, entryOf, type Obj, part, strings, texts } from './reader.ts'
import { text, textIfSet } from './scalars.ts'

const classAnnotation = 'volume.beta.kubernetes.io/storage-class'

/** ValidatePersistentVolumeClaim. */
export function checkClaim(errors: Errors, claim: Obj): void {
  checkMeta(errors, metaOf(claim), { namespaced: true, name: 'subdomain' })
  checkClaimSpec(errors, part(claim, 'spec'), 'spec')
}

/**
 * ValidatePersistentVolumeClaimUpdate: the spec is immutable, except for the volume, the size and the attributes class.
 */
export function checkClaimUpdate(errors: Errors, claim: Obj, old: Obj): void {
  checkMetaUpdate(errors, metaOf(claim), metaOf(old))
  checkClaim(errors, claim)
  const spec = part(claim, 'spec')
  const before = part(old, 'spec')
  const compared = comparedSpec(errors, claim, old)
  if (!semanticEqual(compared.now, compared.before)) {
    const why =
      'spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims'
    errors.push(forbidden('spec', why))
  }
  const [size, oldSize] = [storageOf(spec), storageOf(before)]
  const capacity = entryOf(strings(part(old, 'status'), 'capacity'), 'storage')
  if (isLessThan(size, oldSize) && !isLessThan(capacity, size)) {
    errors.push(forbidden('spec.resources.requests.storage', 'field can not be less than status.capacity'))
  }
  checkImmutable(errors, textIfSet(spec, 'volumeMode'), textIfSet(before, 'volumeMode'), 'volumeMode')
  checkKeptAttributes(errors, spec, before, part(old, 'status'))
}

const storageOf = (spec: Obj): string | undefined => entryOf(strings(part(spec, 'resources'), 'requests'), 'storage')

/** Both specs without the mutable fields. */
function comparedSpec(errors: Errors, claim: Obj, old: Obj): { readonly now: Obj; readonly before: Obj } {
  const now: Record<string, unknown> = { ...part(claim, 'spec') }
  const before: Record<string, unknown> = { ...part(old, 'spec') }
  if (text(before, 'volumeName') === '') before['volumeName'] = now['volumeName']
  const annotated = entryOf(strings(metaOf(old), 'annotations'), classAnnotation)
  const annotation = entryOf(strings(metaOf(claim), 'annotations'), classAnnotation)
  const hadClass = textIfSet(before, 'storageClassName')
  const hasClass = textIfSet(now, 'storageClassName')
  const fromAnnotation =
    annotated !== undefined &&
    hadClass === undefined &&
    hasClass === annotated &&
    (annotation === undefined || annotation === annotated)
  if (fromAnnotation) delete now['storageClassName']
  else {
    if ((annotation ?? '') !== (annotated ?? '')) {
      errors.push(invalid(`metadata.annotations.${classAnnotation}`, annotation ?? '', immutable))
    }
    const fromNothing =
      hasClass !== undefined && hadClass === undefined && (annotated === undefined || hasClass === annotated)
    if (fromNothing) delete now['storageClassName']
  }
  if (text(part(claim, 'status'), 'phase') !== 'Bound') return { now, before }
  const resources = part(now, 'resources')
  if (resources['requests'] !== undefined) {
    const storage = storageOf(before) ?? '0'
    now['resources'] = { ...resources, requests: { ...strings(resources, 'requests'), storage } }
  }
  now['volumeAttributesClassName'] = before['volumeAttributesClassName']
  return { now, before }
}

function checkKeptAttributes(errors: Errors, spec: Obj, before: Obj, status: Obj): void {
  const now = textIfSet(spec, 'volumeAttributesClassName')
  if (now === textIfSet(before, 'volumeAttributesClassName')) return
  if (textIfSet(status, 'currentVolumeAttributesClassName') === undefined) return
  if (now !== undefined && now !== '') return
  const what = now === undefined ? 'nil' : 'empty string'
  const why = `update to ${what} is forbidden when status.currentVolumeAttributesClassName is not nil`
  errors.push(forbidden('spec.volumeAttributesClassName', why))
}

const resizeStatuses = [
  'ControllerResizeInProgress',
  'ControllerResizeInfeasible',
  'NodeResizeInProgress',
  'NodeResizeInfeasible',
  'NodeResizePending',
].sort()

function checkResourceKey(errors: Errors, name: string, path: string): boolean {
  const before = errors.length
  checkQualifiedName(errors, name, path)
  if (errors.length > before) return false
  if (!isNativeResource(name) || name === 'storage') return true
  errors.push(notSupported(path, name, ['storage']))
  return false
}

/** ValidatePersistentVolumeClaimStatusUpdate. */
export function checkClaimStatus(errors: Errors, claim: Obj, old: Obj): void {
  checkMetaUpdate(errors, metaOf(claim), metaOf(old))
  const status = part(claim, 'status')
  // The field name that upstream reports.
  if (texts(part(claim, 'spec'), 'accessModes').length === 0) errors.push(required('Spec.accessModes'))
  const capacity = strings(status, 'capacity')
  for (const name in capacity) checkBasicResource(errors, capacity[name] as string, `status.capacity[${name}]`)
  const resizes = strings(status, 'allocatedResourceStatuses')
  for (const name in resizes) {
    const at = 'status.allocatedResourceStatuses'
    checkResourceKey(errors, name, at)
    if (!resizeStatuses.includes(resizes[name] as string)) errors.push(notSupported(at, name, resizeStatuses))
  }
  const allocated = strings(status, 'allocatedResources')
  for (const name in allocated) {
    if (!checkResourceKey(errors, name, 'status.allocatedResources')) continue
    const at = `status.allocatedResources[${name}]`
    const amount = allocated[name] as string
    if (checkBasicResource(errors, amount, at)) checkResourceQuantity(errors, 'storage', amount, at)
  }
}
