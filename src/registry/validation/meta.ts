import { deepEqual } from '../../api/equality.ts'
import { isLabelKey, labelKeyProblems, labelValueProblems } from '../../api/label-syntax.ts'
import { labelNameProblems } from '../../api/name-problems.ts'
import { atLeast } from '../../api/releases/at-least.ts'
import { Recent } from '../../base/recent.ts'
import { duplicate, forbidden, invalid, notSupported, required, tooLong } from '../errors/field-error.ts'
import type { NameRule } from '../kinds/kind.ts'
import { nameProblems, push } from './names.ts'
import { type Errors, list, type Obj, part, type Strings, strings, texts } from './reader.ts'
import { flag, number, text } from './scalars.ts'
import { inOrder, listInOrder } from './shown.ts'

export const immutable = 'field is immutable'
export const negative = 'must be greater than or equal to 0'
export const notPositive = 'must be greater than zero'

const maxAnnotationBytes = 256 * 1024

export interface MetaRules {
  readonly namespaced: boolean
  readonly name: NameRule
  /** Finalizers without a domain must be finalizers of Kubernetes. This does not apply to custom resources. */
  readonly kubeFinalizers?: boolean
}

/** The paths of metadata fields in messages. */
function metaPaths(path: string) {
  return {
    generateName: `${path}.generateName`,
    name: `${path}.name`,
    namespace: `${path}.namespace`,
    generation: `${path}.generation`,
    labels: `${path}.labels`,
    annotations: `${path}.annotations`,
    ownerReferences: `${path}.ownerReferences`,
    finalizers: `${path}.finalizers`,
    managedFields: `${path}.managedFields`,
  }
}

const usualPaths = metaPaths('metadata')

/** The rules for the metadata of every object (apimachinery api/validation, and pkg/apis/core/validation). */
export function checkMeta(errors: Errors, meta: Obj, rules: MetaRules, path = 'metadata'): void {
  const at = path === 'metadata' ? usualPaths : metaPaths(path)
  const generateName = text(meta, 'generateName')
  // ValidateObjectMetaWithOpts checks the generated name instead.
  if (generateName !== '' && rules.name !== 'subdomain-bytes') {
    push(errors, at.generateName, generateName, nameProblems(rules.name, generateName, true))
  }
  const name = text(meta, 'name')
  if (name === '') errors.push(required(at.name, 'name or generateName is required'))
  else push(errors, at.name, name, nameProblems(rules.name, name))
  const namespace = text(meta, 'namespace')
  if (rules.namespaced) {
    if (namespace === '') errors.push(required(at.namespace))
    else push(errors, at.namespace, namespace, labelNameProblems(namespace))
  } else if (namespace !== '') errors.push(forbidden(at.namespace, 'not allowed on this type'))
  checkNonnegative(errors, number(meta, 'generation'), at.generation)
  checkLabels(errors, strings(meta, 'labels'), at.labels)
  checkAnnotations(errors, strings(meta, 'annotations'), at.annotations)
  checkOwners(errors, list(meta, 'ownerReferences'), at.ownerReferences)
  checkFinalizers(errors, texts(meta, 'finalizers'), at.finalizers)
  checkManagedFields(errors, list(meta, 'managedFields'), at.managedFields)
  if (rules.kubeFinalizers !== false) checkKubeFinalizers(errors, texts(meta, 'finalizers'), at.finalizers)
}

const fixedTexts = ['name', 'namespace', 'uid'] as const
const fixedValues = ['creationTimestamp', 'deletionTimestamp', 'deletionGracePeriodSeconds'] as const

/** Immutable metadata (ValidateObjectMetaUpdate). */
export function checkMetaUpdate(errors: Errors, meta: Obj, old: Obj, path = 'metadata', kubeFinalizers = true): void {
  const at = path === 'metadata' ? usualPaths : metaPaths(path)
  if (meta === old) checkVersion(errors, meta, path)
  else checkFixed(errors, meta, old, path)
  checkLabels(errors, strings(meta, 'labels'), at.labels)
  checkAnnotations(errors, strings(meta, 'annotations'), at.annotations)
  // Parts that are identical to the stored ones were checked before; a binding adds labels and annotations without this
  // check.
  if (meta['ownerReferences'] !== old['ownerReferences']) {
    checkOwners(errors, list(meta, 'ownerReferences'), at.ownerReferences)
  }
  if (meta['managedFields'] !== old['managedFields']) {
    checkManagedFields(errors, list(meta, 'managedFields'), at.managedFields)
  }
  if (kubeFinalizers) checkKubeFinalizers(errors, texts(meta, 'finalizers'), at.finalizers)
}

function checkVersion(errors: Errors, meta: Obj, path: string): void {
  if (text(meta, 'resourceVersion') !== '') return
  errors.push(invalid(`${path}.resourceVersion`, '', 'must be specified for an update'))
}

function checkFixed(errors: Errors, meta: Obj, old: Obj, path: string): void {
  if (old['deletionTimestamp'] !== undefined) {
    const before = new Set(texts(old, 'finalizers'))
    const added = [...new Set(texts(meta, 'finalizers'))].filter((one) => !before.has(one)).sort()
    if (added.length > 0) {
      const found = `[]string{${added.map((one) => JSON.stringify(one)).join(', ')}}`
      const why = `no new finalizers can be added if the object is being deleted, found new finalizers ${found}`
      errors.push(forbidden(`${path}.finalizers`, why))
    }
  }
  checkVersion(errors, meta, path)
  if (number(meta, 'generation') < number(old, 'generation')) {
    errors.push(invalid(`${path}.generation`, number(meta, 'generation'), 'must not be decremented'))
  }
  for (const field of fixedTexts) {
    if (text(meta, field) !== text(old, field)) errors.push(invalid(`${path}.${field}`, text(meta, field), immutable))
  }
  for (const field of fixedValues) {
    if ((meta[field] ?? undefined) !== (old[field] ?? undefined)) {
      errors.push(invalid(`${path}.${field}`, meta[field] ?? null, immutable))
    }
  }
}

// A cluster has few distinct label values, which occur on many objects.
const goodValues = new Set<string>()
const goodLimit = 4096

// Objects of one template share their labels and annotations, and so do the versions of an object.
const goodLabels = new Recent<Strings, true>()
const goodAnnotations = new Recent<Strings, true>()

export function checkLabels(errors: Errors, labels: Strings, path: string): void {
  if (goodLabels.get(labels) === true) return
  const before = errors.length
  checkEachLabel(errors, labels, path)
  if (errors.length === before) goodLabels.set(labels, true)
}

function checkEachLabel(errors: Errors, labels: Strings, path: string): void {
  for (const key in labels) {
    if (!isLabelKey(key)) push(errors, path, key, labelKeyProblems(key))
    const value = labels[key] as string
    if (goodValues.has(value)) continue
    const problems = labelValueProblems(value)
    if (problems.length > 0) push(errors, path, value, problems)
    else {
      if (goodValues.size >= goodLimit) goodValues.clear()
      goodValues.add(value)
    }
  }
}

export function checkAnnotations(errors: Errors, annotations: Strings, path: string): void {
  if (goodAnnotations.get(annotations) === true) return
  const before = errors.length
  let size = 0
  for (const key in annotations) {
    const lower = key.toLowerCase()
    if (!isLabelKey(lower)) push(errors, path, key, labelKeyProblems(lower))
    size += Buffer.byteLength(key) + Buffer.byteLength(annotations[key] as string)
  }
  if (size > maxAnnotationBytes) errors.push(tooLong(path, maxAnnotationBytes))
  if (errors.length === before) goodAnnotations.set(annotations, true)
}

function checkOwners(errors: Errors, owners: readonly Obj[], path: string): void {
  let controller = ''
  const isIndexed = atLeast(errors.release, '1.37')
  for (const [i, owner] of owners.entries()) {
    const kind = text(owner, 'kind')
    const at = isIndexed ? `${path}[${i}]` : path
    if (isIndexed) checkOwner(errors, owner, at)
    else checkOwnerBefore137(errors, owner, at)
    if (text(owner, 'apiVersion') === 'v1' && kind === 'Event') {
      errors.push(
        invalid(at, inOrder(errors, 'meta.OwnerReference', owner), '/v1, Kind=Event is disallowed from being an owner'),
      )
    }
    if (!flag(owner, 'controller')) continue
    const name = `${kind}/${text(owner, 'name')}`
    if (controller === '') controller = name
    else {
      const why = `Only one reference can have Controller set to true. Found "true" in references for ${controller} and ${name}`
      errors.push(invalid(path, listInOrder(errors, 'meta.OwnerReference', owners), why))
    }
  }
}

const ownerFields = ['kind', 'name', 'uid']

function checkOwner(errors: Errors, owner: Obj, at: string): void {
  const apiVersion = text(owner, 'apiVersion')
  const parts = apiVersion.split('/')
  if (apiVersion === '') errors.push(required(`${at}.apiVersion`, 'must not be empty'))
  else if (parts.length > 2 || parts.at(-1) === '') {
    errors.push(invalid(`${at}.apiVersion`, apiVersion, 'must be <group>/<version> or <version>'))
  }
  for (const field of ownerFields) {
    if (text(owner, field) === '') errors.push(required(`${at}.${field}`, 'must not be empty'))
  }
}

function checkOwnerBefore137(errors: Errors, owner: Obj, at: string): void {
  const apiVersion = text(owner, 'apiVersion')
  const parts = apiVersion.split('/')
  // A string with more parts than a group and a version counts as having neither.
  if (parts.length > 2 || parts.at(-1) === '') {
    errors.push(invalid(`${at}.apiVersion`, apiVersion, 'version must not be empty'))
  }
  for (const field of ownerFields) {
    if (text(owner, field) === '') errors.push(invalid(`${at}.${field}`, '', 'must not be empty'))
  }
}

function checkFinalizers(errors: Errors, finalizers: readonly string[], path: string): void {
  if (finalizers.length === 0) return
  for (const finalizer of finalizers) push(errors, path, finalizer, labelKeyProblems(finalizer))
  if (finalizers.includes('orphan') && finalizers.includes('foregroundDeletion')) {
    errors.push(invalid(path, finalizers, 'finalizer orphan and foregroundDeletion cannot be both set'))
  }
}

const ownFinalizers = ['kubernetes', 'orphan', 'foregroundDeletion']

export function checkKubeFinalizer(errors: Errors, finalizer: string, path: string): void {
  if (finalizer.includes('/') || ownFinalizers.includes(finalizer)) return
  errors.push(invalid(path, finalizer, 'name is neither a standard finalizer name nor is it fully qualified'))
}

function checkKubeFinalizers(errors: Errors, finalizers: readonly string[], path: string): void {
  finalizers.forEach((finalizer, i) => {
    checkKubeFinalizer(errors, finalizer, `${path}[${i}]`)
  })
}

function checkManagedFields(errors: Errors, entries: readonly Obj[], path: string): void {
  entries.forEach((entry, i) => {
    const at = `${path}[${i}]`
    const operation = text(entry, 'operation')
    if (operation !== 'Apply' && operation !== 'Update') {
      if (!atLeast(errors.release, '1.37')) {
        errors.push(invalid(`${at}.operation`, operation, 'must be `Apply` or `Update`'))
      } else if (operation === '') errors.push(required(`${at}.operation`, 'must not be empty'))
      else errors.push(notSupported(`${at}.operation`, operation, ['Apply', 'Update']))
    }
    const type = text(entry, 'fieldsType')
    if (type !== '' && type !== 'FieldsV1') errors.push(invalid(`${at}.fieldsType`, type, 'must be `FieldsV1`'))
    checkFieldManager(errors, text(entry, 'manager'), `${at}.manager`)
    if (text(entry, 'subresource').length > 256) errors.push(tooLong(`${at}.subresource`, 256))
  })
}

export function checkFieldManager(errors: Errors, manager: string, path: string): void {
  if (Buffer.byteLength(manager) > 128) errors.push(tooLong(path, 128))
  // Nearly every manager is plain ASCII, and Unicode classes take milliseconds to compile.
  if (/^[ -~]*$/.test(manager)) return
  let position = 0
  for (const char of manager) {
    if (!/[\p{L}\p{M}\p{N}\p{P}\p{S} ]/u.test(char)) {
      const code = `U+${(char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`
      errors.push(invalid(path, manager, `invalid character ${code} (at position ${position})`))
    }
    position += Buffer.byteLength(char)
  }
}

export function checkNonnegative(errors: Errors, value: number, path: string): void {
  if (value < 0) errors.push(invalid(path, value, negative))
}

export function checkPositive(errors: Errors, value: number, path: string): void {
  if (value <= 0) errors.push(invalid(path, value, notPositive))
}

export function checkImmutable(errors: Errors, value: unknown, old: unknown, path: string): void {
  if (!deepEqual(value, old)) errors.push(invalid(path, value, immutable))
}

const reasonFormat = '[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?'
const reasonPattern = new RegExp(`^${reasonFormat}$`)

/** metav1.Condition of newer kinds (ValidateConditions). */
export function checkConditions(errors: Errors, conditions: readonly Obj[], path: string): void {
  const seen = new Set<string>()
  conditions.forEach((condition, i) => {
    const at = `${path}[${i}]`
    const type = text(condition, 'type')
    const isNew = atLeast(errors.release, '1.37')
    if (seen.has(type)) errors.push(duplicate(isNew ? at : `${at}.type`, type))
    seen.add(type)
    if (type === '' && isNew) errors.push(required(`${at}.type`, 'is required'))
    else if (!isLabelKey(type)) push(errors, `${at}.type`, type, labelKeyProblems(type))
    const status = text(condition, 'status')
    if (status === '' && isNew) errors.push(required(`${at}.status`))
    else if (status !== 'True' && status !== 'False' && status !== 'Unknown') {
      errors.push(notSupported(`${at}.status`, status, ['False', 'True', 'Unknown']))
    }
    const generation = number(condition, 'observedGeneration')
    if (generation < 0) {
      errors.push(invalid(`${at}.observedGeneration`, generation, 'must be greater than or equal to zero'))
    }
    if ((condition['lastTransitionTime'] ?? null) === null) errors.push(required(`${at}.lastTransitionTime`))
    checkReason(errors, text(condition, 'reason'), at)
    if (Buffer.byteLength(text(condition, 'message')) > 32 * 1024) errors.push(tooLong(`${at}.message`, 32 * 1024))
  })
}

function checkReason(errors: Errors, reason: string, condition: string): void {
  if (reason !== '' && reasonPattern.test(reason) && reason.length <= 1024) return
  const path = `${condition}.reason`
  if (reason === '') {
    errors.push(required(path))
    return
  }
  if (!reasonPattern.test(reason)) {
    const rule =
      "a condition reason must start with alphabetic character, optionally followed by a string of alphanumeric characters or '_,:', and must end with an alphanumeric character or '_'"
    const examples = ['my_name', 'MY_NAME', 'MyName', 'ReasonA,ReasonB', 'ReasonA:ReasonB']
    const listed = examples.map((example) => `'${example}', `).join(' or ')
    errors.push(invalid(path, reason, `${rule} (e.g. ${listed}regex used for validation is '${reasonFormat}')`))
  }
  if (Buffer.byteLength(reason) > 1024) errors.push(tooLong(path, 1024))
}

export const metaOf = (object: Obj): Obj => part(object, 'metadata')
