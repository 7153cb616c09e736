import type { ExpressionWarning, ValidatingAdmissionPolicy } from '../../api/objects/access.ts'
import type { ReleaseApi } from '../../api/releases/release-api.ts'
import type { ScalarKind, Shape, StructShape } from '../../api/schema/shape.ts'
import { bool, type CelType, dyn, listOf, mapOf, simple } from '../../cel/cel-type.ts'
import { escapeName } from '../../cel/escaping.ts'
import { ruleType } from '../custom/rule-types.ts'
import type { Kind, KindTable } from '../kinds/kind.ts'
import { compileAdmission } from './expressions.ts'
import { compileVariables } from './policy-variables.ts'

const maxTypesToCheck = 10

/** Warnings for expressions that do not fit the types that a policy matches (v1.36, policy/validating TypeChecker). */
export function expressionWarnings(policy: ValidatingAdmissionPolicy, kinds: KindTable): readonly ExpressionWarning[] {
  const { paramKind, variables, validations = [] } = policy.spec
  const slash = paramKind?.apiVersion.lastIndexOf('/') ?? -1
  const paramsOf = paramKind && kinds.findKind(paramKind.apiVersion.slice(0, Math.max(0, slash)), paramKind.kind)
  const choice = { params: paramKind !== undefined, paramsType: paramsOf && typeOfKind(paramsOf) }
  const environments = typesToCheck(policy, kinds).map((kind) => ({
    name: `${kind.group}/${kind.version}, Kind=${kind.kind}`,
    types: compileVariables(variables, { ...choice, object: typeOfKind(kind) }).types(true),
  }))
  return validations.flatMap(({ expression, messageExpression = '' }, i) => {
    const warningOf = (field: string, source: string): readonly ExpressionWarning[] => {
      const problems = environments.flatMap(({ name, types }) => {
        const { error } = compileAdmission(source, types, 'any')
        return error === undefined ? [] : [`${name}: ${error}\n`]
      })
      const fieldRef = `spec.validations[${i}].${field}`
      return problems.length === 0 ? [] : [{ fieldRef, warning: problems.join('\n') }]
    }
    return [
      ...warningOf('expression', expression),
      ...(messageExpression === '' ? [] : warningOf('messageExpression', messageExpression)),
    ]
  })
}

/** The kinds that the rules name without wildcards and subresources, by group, version and kind. */
function typesToCheck({ spec }: ValidatingAdmissionPolicy, kinds: KindTable): readonly Kind[] {
  const found = new Map<string, Kind>()
  for (const { apiGroups = [], apiVersions = [], resources = [] } of spec.matchConstraints?.resourceRules ?? []) {
    if ([...apiGroups, ...apiVersions].some((name) => name.includes('*'))) continue
    let count = 0
    for (const group of [...apiGroups].sort()) {
      for (const version of [...apiVersions].sort()) {
        for (const resource of resources.filter((name) => !/[*/]/.test(name)).sort()) {
          const kind = kinds.served(group, version, resource)
          if (kind === undefined || count === maxTypesToCheck) continue
          found.set(`${group}\n${version}\n${kind.kind}`, kind)
          count++
        }
      }
    }
    if (count === maxTypesToCheck) break
  }
  return [...found].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, kind]) => kind)
}

const known = new WeakMap<StructShape, CelType>()

/** The type of the objects of a kind; undefined: dyn. */
function typeOfKind({ shape, custom, release }: Kind): CelType | undefined {
  if (shape !== undefined) return typeOfShape(shape)
  if (custom?.schema === undefined || custom.preserves) return undefined
  const type = ruleType(custom.schema, true)?.type
  if (type?.kind !== 'object') return type
  return { ...type, fields: new Map([...type.fields, ['metadata', metadataType(release.api)]]) }
}

function metadataType(api: ReleaseApi): CelType {
  const shape = api.types.get('meta.ObjectMeta')
  return shape === undefined ? dyn : typeOfShape(shape)
}

const scalars: Readonly<Record<ScalarKind, CelType>> = {
  string: simple('string'),
  int32: simple('int'),
  int64: simple('int'),
  bool,
  float64: simple('double'),
  quantity: dyn,
  time: simple('timestamp'),
  'micro-time': simple('timestamp'),
  'int-or-string': dyn,
  bytes: simple('bytes'),
  duration: simple('string'),
  json: dyn,
}

function typeOfShape(shape: Shape): CelType {
  switch (shape.is) {
    case 'scalar':
      return scalars[shape.kind]
    case 'list':
      return listOf(typeOfShape(shape.of))
    case 'map':
      return mapOf(simple('string'), typeOfShape(shape.of))
    case 'loose':
      return dyn
    case 'struct': {
      const before = known.get(shape)
      if (before !== undefined) return before
      // Registered before its fields, because types may refer to themselves.
      const fields = new Map<string, CelType>()
      const type: CelType = { kind: 'object', name: shape.id, fields }
      known.set(shape, type)
      for (const field of shape.fields.values()) {
        const escaped = escapeName(field.name)
        if (escaped !== undefined) fields.set(escaped, typeOfShape(field.shape))
      }
      return type
    }
  }
}
