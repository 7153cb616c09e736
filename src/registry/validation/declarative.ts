import type { KubeObject } from '../../api/objects/meta.ts'
import { atLeast } from '../../api/releases/at-least.ts'
import type { KubernetesRelease } from '../../api/releases/kubernetes-release.ts'
import { lookupTable } from '../../base/lookup-table.ts'
import { type FieldError, invalid, required, withinErrorBudget } from '../errors/field-error.ts'
import type { Kind } from '../kinds/kind.ts'
import { declaredDeviceRules } from './declared-device-rules.ts'
import { checkDeclared, type DeclaredType } from './declared-rules.ts'
import { immutable } from './meta.ts'
import { noErrors, type Obj } from './reader.ts'

/** The fields whose declared rules apply, with `[]` for every index. */
interface DeclaredRules {
  /** Fields that are required; the error has no reason. */
  readonly required?: readonly string[]
  /** Fields that cannot change; the error does not show the value. */
  readonly immutable?: readonly string[]
}

const roles: DeclaredRules = { required: ['rules[].verbs'] }
const bindings: DeclaredRules = { required: ['roleRef.name', 'subjects[].name'] }

/**
 * The rules at stage Beta (v1.37, pkg/apis/<group>/v1 zz_generated.validations.go), whose errors differ from those of
 * the handwritten rules.
 */
const rules = lookupTable<DeclaredRules>({
  'roles.rbac.authorization.k8s.io': roles,
  'clusterroles.rbac.authorization.k8s.io': roles,
  'rolebindings.rbac.authorization.k8s.io': bindings,
  'clusterrolebindings.rbac.authorization.k8s.io': bindings,
  'endpointslices.discovery.k8s.io': {
    required: ['addressType', 'endpoints[].addresses'],
    immutable: ['addressType'],
  },
  'ipaddresses.networking.k8s.io': {
    required: ['spec.parentRef', 'spec.parentRef.resource', 'spec.parentRef.name'],
    immutable: ['spec.parentRef'],
  },
  'ingressclasses.networking.k8s.io': { required: ['spec.parameters.kind', 'spec.parameters.name'] },
  'networkpolicies.networking.k8s.io': {
    required: ['spec.ingress[].from[].ipBlock.cidr', 'spec.egress[].to[].ipBlock.cidr'],
  },
  'runtimeclasses.node.k8s.io': { required: ['handler'], immutable: ['handler'] },
  'storageclasses.storage.k8s.io': {
    required: ['provisioner'],
    immutable: ['provisioner', 'parameters', 'reclaimPolicy', 'volumeBindingMode'],
  },
  'volumeattachments.storage.k8s.io': { required: ['spec.attacher'], immutable: ['spec'] },
  'cronjobs.batch': { required: ['spec.schedule'] },
  replicationcontrollers: { required: ['spec.replicas'] },
})

const none: DeclaredRules = {}
const plainPath = (field: string): string => field.replaceAll(/\[\d+\]/g, '[]')

const areRulesInForce = (release: KubernetesRelease): boolean =>
  atLeast(release, '1.37') && release.gates.has('DeclarativeValidationBeta')

/**
 * The errors of a built-in kind with the gate DeclarativeValidationBeta: errors of declared rules replace errors of
 * handwritten rules, and the same error is reported once (v1.37, apiserver registry/rest ValidateDeclaratively).
 */
export function withDeclaredRules(
  kind: Kind,
  errors: readonly FieldError[],
  object: KubeObject,
  old?: KubeObject,
): readonly FieldError[] {
  if (!atLeast(kind.release, '1.35')) return errors.map(inWordsBefore135)
  if (kind.custom !== undefined || !areRulesInForce(kind.release)) return errors
  const declared = declaredDeviceRules[kind.resource]
  if (declared !== undefined) return once(replaced(errors, declaredErrors(kind, declared, object, old)))
  if (errors.length === 0) return errors
  if (kind.group === 'apiextensions.k8s.io' || kind.group === 'apiregistration.k8s.io') return errors
  const own = rules[kind.resource] ?? none
  // The fields of a spec that may not change are not checked.
  const isChecked =
    kind.resource === 'volumeattachments.storage.k8s.io' && !errors.some(({ field }) => field === 'spec')
  return once(errors.map((error) => declaredForm(own, isChecked ? withAttacherText(error) : error)))
}

function once(errors: readonly FieldError[]): readonly FieldError[] {
  const seen = new Set<string>()
  return errors.filter(({ reason, field, message }) => {
    const key = `${reason} ${field} ${message}`
    if (seen.has(key)) return false
    seen.add(key)
    return true
  })
}

const asObj = (object: KubeObject): Obj => object as unknown as Obj

function declaredErrors(kind: Kind, type: DeclaredType, object: KubeObject, old: KubeObject | undefined) {
  return withinErrorBudget(() => {
    const errors = noErrors(kind.release)
    checkDeclared(errors, type, asObj(object), old === undefined ? undefined : asObj(old), '')
    return errors
  })
}

/** Errors of declared rules replace errors of the same type and field. */
function replaced(errors: readonly FieldError[], declared: readonly FieldError[]): readonly FieldError[] {
  if (declared.length === 0) return errors
  const found = new Set(declared.map(({ reason, field }) => `${reason} ${field}`))
  return [...errors.filter(({ reason, field }) => !found.has(`${reason} ${field}`)), ...declared]
}

/**
 * Before v1.35, the lengths of label and annotation names were counted in characters, and messages called them
 * qualified names.
 */
function inWordsBefore135(error: FieldError): FieldError {
  const { message } = error
  const words = message
    .replace('a valid label key must consist of', 'a qualified name must consist of')
    .replace(/(must be no more than \d+) bytes$/, '$1 characters')
  return words === message ? error : { ...error, message: words }
}

function declaredForm(own: DeclaredRules, error: FieldError): FieldError {
  const { reason, field, message } = error
  if (reason === 'FieldValueRequired' && own.required?.includes(plainPath(field)) === true) return required(field)
  const isImmutable = reason === 'FieldValueInvalid' && message.endsWith(`: ${immutable}`)
  return isImmutable && own.immutable?.includes(field) === true ? invalid(field, null, immutable) : error
}

const lower =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com'"
const anyCase =
  "an RFC 1123 subdomain must consist of alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'Example.com'"

/** The attacher of a VolumeAttachment may have upper case letters, and its length is counted in another way. */
function withAttacherText(error: FieldError): FieldError {
  if (error.field !== 'spec.attacher') return error
  const message = error.message
    .replace(lower, anyCase)
    .replace('must be no more than 253 characters', 'must be no more than 253 bytes')
    .replace('may not be more than 63 bytes', 'may not be more than 63 characters')
  return { ...error, message }
}
