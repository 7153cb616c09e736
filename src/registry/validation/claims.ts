import { deepEqual } from '../../api/equality.ts'
import { labelNameProblems, subdomainProblems } from '../../api/name-problems.ts'
import { forbidden, invalid, notSupported, required } from '../errors/field-error.ts'
import { checkAnnotations, checkLabels } from './meta.ts'
import { push } from './names.ts'
import { checkPositiveQuantity, checkResourceQuantity } from './quantities.ts'
import { child, type Errors, entryOf, type Obj, part, strings, texts } from './reader.ts'
import { text, textIfSet } from './scalars.ts'
import { checkLabelSelector } from './selectors.ts'

export const accessModes = ['ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce', 'ReadWriteOncePod']
export const volumeModes = ['Block', 'Filesystem']

export function checkAccessModes(errors: Errors, modes: readonly string[], path: string): void {
  for (const mode of modes) if (!accessModes.includes(mode)) errors.push(notSupported(path, mode, accessModes))
  const others = modes.some((mode) => mode !== 'ReadWriteOncePod' && accessModes.includes(mode))
  if (modes.includes('ReadWriteOncePod') && others) {
    errors.push(forbidden(path, 'may not use ReadWriteOncePod with other access modes'))
  }
}

/** ValidatePersistentVolumeClaimSpec. */
export function checkClaimSpec(errors: Errors, spec: Obj, path: string): void {
  const modes = texts(spec, 'accessModes')
  if (modes.length === 0) errors.push(required(`${path}.accessModes`, 'at least 1 access mode is required'))
  checkLabelSelector(errors, child(spec, 'selector'), `${path}.selector`)
  checkAccessModes(errors, modes, `${path}.accessModes`)
  const storage = entryOf(strings(part(spec, 'resources'), 'requests'), 'storage')
  const at = `${path}.resources[storage]`
  if (storage === undefined) errors.push(required(at))
  else if (checkPositiveQuantity(errors, storage, at)) checkResourceQuantity(errors, 'storage', storage, at)
  checkClassName(errors, text(spec, 'storageClassName'), `${path}.storageClassName`)
  const mode = textIfSet(spec, 'volumeMode')
  if (mode !== undefined && !volumeModes.includes(mode)) {
    errors.push(notSupported(`${path}.volumeMode`, mode, volumeModes))
  }
  checkDataSources(errors, spec, path)
  checkClassName(errors, text(spec, 'volumeAttributesClassName'), `${path}.volumeAttributesClassName`)
}

export function checkClassName(errors: Errors, name: string, path: string): void {
  if (name !== '') push(errors, path, name, subdomainProblems(name))
}

function checkDataSources(errors: Errors, spec: Obj, path: string): void {
  const source = child(spec, 'dataSource')
  const reference = child(spec, 'dataSourceRef')
  if (source !== undefined) checkDataSource(errors, source, `${path}.dataSource`)
  const namespace = text(reference, 'namespace')
  if (reference !== undefined) {
    checkDataSource(errors, reference, `${path}.dataSourceRef`)
    if (namespace !== '') push(errors, `${path}.dataSourceRef.namespace`, namespace, labelNameProblems(namespace))
  }
  if (source === undefined || reference === undefined) return
  // Upstream passes the path as the invalid value, which prints as empty.
  if (namespace !== '') {
    errors.push(invalid(path, {}, 'may not be specified when dataSourceRef.namespace is specified'))
  } else if (
    !['apiGroup', 'kind', 'name'].every((field) => deepEqual(source[field] ?? null, reference[field] ?? null))
  ) {
    errors.push(invalid(path, {}, 'must match dataSourceRef'))
  }
}

function checkDataSource(errors: Errors, source: Obj, path: string): void {
  const kind = text(source, 'kind')
  const group = text(source, 'apiGroup')
  if (text(source, 'name') === '') errors.push(required(`${path}.name`))
  if (kind === '') errors.push(required(`${path}.kind`))
  if (group === '') {
    if (kind === 'PersistentVolumeClaim') return
    errors.push(invalid(path, kind, "must be 'PersistentVolumeClaim' when referencing the default apiGroup"))
  } else push(errors, `${path}.apiGroup`, group, subdomainProblems(group))
}

const templateFields = ['annotations', 'labels']

/** The metadata of objects that are created from a template (ValidateTemplateObjectMeta). */
export function checkTemplateMeta(errors: Errors, meta: Obj, path: string): void {
  checkAnnotations(errors, strings(meta, 'annotations'), `${path}.annotations`)
  checkLabels(errors, strings(meta, 'labels'), `${path}.labels`)
  for (const field in meta) {
    // The path of a field has its Go name, with a lower-case first letter.
    const name = field === 'uid' ? 'uID' : field
    if (!templateFields.includes(field)) errors.push(forbidden(`${path}.${name}`, 'cannot be set'))
  }
}

export function checkClaimTemplate(errors: Errors, template: Obj, path: string): void {
  checkTemplateMeta(errors, part(template, 'metadata'), `${path}.metadata`)
  checkClaimSpec(errors, part(template, 'spec'), `${path}.spec`)
}
