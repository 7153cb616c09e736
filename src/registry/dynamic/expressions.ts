import type { JsonObject, KubeObject } from '../../api/objects/meta.ts'
import { bool, type CelType, dyn, listOf, mapOf, simple } from '../../cel/cel-type.ts'
import type { CheckedExpression, StructTypes } from '../../cel/checker.ts'
import { opaqueType } from '../../cel/declarations.ts'
import { evaluate } from '../../cel/evaluator.ts'
import { authorizerValue, resourceCheckValue } from '../../cel/library/authorization.ts'
import { compileExpression, isType } from '../../cel/program.ts'
import { type CelAuthorizer, ListValue, MapValue, type Value } from '../../cel/value.ts'
import { type AdmissionRequest, type Match, requestBody, shownAs } from './admission-request.ts'

// v1.36, apiserver/pkg/apis/cel/config.go.
export const perCallLimit = 1_000_000
export const policyBudget = 10_000_000
export const conditionBudget = 2_500_000

const text = simple('string')

function objectType(name: string, fields: Readonly<Record<string, CelType>>): CelType {
  return { kind: 'object', name, fields: new Map(Object.entries(fields)) }
}

const gvk = objectType('kubernetes.GroupVersionKind', { group: text, version: text, kind: text })
const gvr = objectType('kubernetes.GroupVersionResource', { group: text, version: text, resource: text })
export const userInfo = objectType('kubernetes.UserInfo', {
  username: text,
  uid: text,
  groups: listOf(text),
  extra: mapOf(text, listOf(text)),
})

const requestType = objectType('kubernetes.AdmissionRequest', {
  kind: gvk,
  resource: gvr,
  subResource: text,
  requestKind: gvk,
  requestResource: gvr,
  requestSubResource: text,
  name: text,
  namespace: text,
  operation: text,
  userInfo,
  dryRun: bool,
  options: dyn,
})

const time = simple('timestamp')
const namespaceType = objectType('kubernetes.Namespace', {
  metadata: objectType('kubernetes.NamespaceMetadata', {
    name: text,
    generateName: text,
    namespace: text,
    labels: mapOf(text, text),
    annotations: mapOf(text, text),
    UID: text,
    creationTimestamp: time,
    deletionGracePeriodSeconds: simple('int'),
    deletionTimestamp: time,
    generation: simple('int'),
    resourceVersion: text,
    finalizers: listOf(text),
  }),
  spec: objectType('kubernetes.NamespaceSpec', { finalizers: listOf(text) }),
  status: objectType('kubernetes.NamespaceStatus', {
    conditions: listOf(
      objectType('kubernetes.NamespaceCondition', {
        status: text,
        type: text,
        lastTransitionTime: time,
        message: text,
        reason: text,
      }),
    ),
    phase: text,
  }),
})

export interface VariableChoice {
  readonly params: boolean
  readonly authorizer: boolean
  /** The types of `variables`, in the order of their definition. Absent: there is no such variable. */
  readonly variables?: ReadonlyMap<string, CelType> | undefined
  /** The types of object, oldObject and params. Default: dyn. Type checking knows them. */
  readonly object?: CelType | undefined
  readonly paramsType?: CelType | undefined
}

/** The variables that an expression of admission may mention (admission/plugin/cel, createEnvForOpts). */
export function variableTypes(choice: VariableChoice): ReadonlyMap<string, CelType> {
  const types = new Map<string, CelType>([
    ['object', choice.object ?? dyn],
    ['oldObject', choice.object ?? dyn],
    ['namespaceObject', namespaceType],
    ['request', requestType],
  ])
  if (choice.params) types.set('params', choice.paramsType ?? dyn)
  if (choice.authorizer) {
    types.set('authorizer', opaqueType('Authorizer'))
    types.set('authorizer.requestResource', opaqueType('ResourceCheck'))
  }
  if (choice.variables !== undefined) {
    types.set('variables', { kind: 'object', name: 'kubernetes.variables', fields: choice.variables })
  }
  return types
}

export type CompiledExpression =
  | { readonly source: string; readonly program: CheckedExpression; readonly error?: undefined }
  | { readonly source: string; readonly program?: undefined; readonly error: string }

/** Compiles an expression that must have one of these types. */
export function compileAdmission(
  source: string,
  types: ReadonlyMap<string, CelType>,
  wanted: readonly string[] | 'any',
  structs?: StructTypes,
): CompiledExpression {
  const compiled = compileExpression(source, types, structs)
  if (!compiled.ok) return { source, error: `compilation failed: ${compiled.message}` }
  const { program } = compiled
  if (wanted === 'any' || wanted.some((one) => isType(program.type, one))) return { source, program }
  const found = typeText(program.type)
  const shown = wanted.map(wantedText)
  const why = shown.length === 1 ? `must evaluate to ${shown[0]}` : `must evaluate to one of [${shown.join(' ')}]`
  return { source, error: `${why} but got ${found}` }
}

const wantedText = (name: string): string => (name === 'null' ? 'null_type' : name)

function typeText(type: CelType): string {
  if (isType(type, 'null')) return 'null_type'
  switch (type.kind) {
    case 'simple':
      if (type.name === 'timestamp') return 'google.protobuf.Timestamp'
      return type.name === 'duration' ? 'google.protobuf.Duration' : type.name
    case 'list':
      return `list(${typeText(type.element)})`
    case 'map':
      return `map(${typeText(type.key)}, ${typeText(type.value)})`
    case 'optional':
      return `optional_type(${typeText(type.element)})`
    case 'type':
      return 'type'
    default:
      return type.name
  }
}

/** JSON as a value without a type: integers are int, other numbers double. */
export function dynamicValue(json: unknown): Value {
  if (json === null || json === undefined) return null
  switch (typeof json) {
    case 'string':
    case 'boolean':
    case 'bigint':
      return json
    case 'number':
      return Number.isInteger(json) ? BigInt(json) : json
  }
  if (Array.isArray(json)) return new ListValue(json.map(dynamicValue))
  const entries = Object.entries(json as object)
  return MapValue.of(
    entries.filter(([, value]) => value !== undefined).map(([key, value]) => [key, dynamicValue(value)]),
  )
}

/** Everything that the expressions of one request may read. */
export interface Subject {
  readonly request: AdmissionRequest
  readonly match: Match
  readonly authorizer: CelAuthorizer
}

/** The values of the variables. Made when the first expression is evaluated. */
export function variableValues(
  subject: Subject,
  namespace: KubeObject | undefined,
  params?: KubeObject | null,
): Map<string, Value> {
  const { request, match, authorizer } = subject
  const { resource, subresource, namespace: home, name } = request
  return new Map<string, Value>([
    ['object', dynamicValue(shownAs(request, match, request.object))],
    ['oldObject', dynamicValue(shownAs(request, match, request.old))],
    ['request', dynamicValue({ uid: '', ...requestBody(request, match), object: null, oldObject: null })],
    ['namespaceObject', dynamicValue(shownNamespace(namespace))],
    ['authorizer', authorizerValue(authorizer)],
    [
      'authorizer.requestResource',
      resourceCheckValue(authorizer, {
        group: resource.group,
        resource: resource.resource,
        ...(subresource === '' ? {} : { subresource }),
        ...(home === '' ? {} : { namespace: home }),
        ...(name === '' ? {} : { name }),
      }),
    ],
    ...(params === undefined ? [] : ([['params', dynamicValue(params)]] as const)),
  ])
}

const shownMetadata = [
  ...['name', 'generateName', 'namespace', 'uid', 'resourceVersion', 'generation', 'creationTimestamp'],
  ...['deletionTimestamp', 'deletionGracePeriodSeconds', 'labels', 'annotations', 'finalizers'],
]

/** cel.CreateNamespaceObject: a namespace without its owners and managers. */
function shownNamespace(namespace: KubeObject | undefined): JsonObject | undefined {
  if (namespace === undefined) return undefined
  const { metadata, spec = {}, status = {} } = namespace as unknown as Record<string, JsonObject>
  const kept = Object.entries(metadata ?? {}).filter(([name]) => shownMetadata.includes(name))
  return { metadata: Object.fromEntries(kept), spec, status }
}

/** The remaining cost that the expressions of one policy or webhook may use. */
export class CostBudget {
  left: number
  constructor(limit: number) {
    this.left = limit
  }
}

class BudgetExceeded extends Error {
  override readonly name = 'BudgetExceeded'
  constructor() {
    super('validation failed due to running out of cost budget, no further validation rules will be run')
  }
}

/** The result of `run`, or an error message if its expressions are too expensive. */
export function withinBudget<T>(run: () => T): T | string {
  try {
    return run()
  } catch (error) {
    if (error instanceof BudgetExceeded) return error.message
    throw error
  }
}

export type EvaluatedExpression =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly message: string }

/** Evaluates one expression within the budget (admission/plugin/cel, evaluationActivation.Evaluate). */
export function evaluateAdmission(
  expression: CompiledExpression,
  values: ReadonlyMap<string, Value>,
  budget: CostBudget,
  spentOnVariables: () => number = () => 0,
): EvaluatedExpression {
  if (expression.error !== undefined) return { ok: false, message: `compilation error: ${expression.error}` }
  const result = evaluate(expression.program, values, perCallLimit)
  for (const cost of [spentOnVariables(), result.cost]) {
    if (cost > budget.left) throw new BudgetExceeded()
    budget.left -= cost
  }
  if (result.ok) return { ok: true, value: result.value }
  return { ok: false, message: `expression '${expression.source}' resulted in error: ${result.error.message}` }
}
