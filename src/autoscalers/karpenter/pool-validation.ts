import { labelKeyProblems, labelValueProblems } from '../../api/label-syntax.ts'
import type { ClaimRequirement, NodePool } from '../../api/objects/karpenter.ts'
import type { Taint } from '../../api/objects/node.ts'
import { labels } from '../../api/well-known.ts'
import { capacityTypeLabel, kwokGroup, nodePoolLabel, normalizedLabels } from './names.ts'

const operators = ['In', 'NotIn', 'Exists', 'DoesNotExist', 'Gt', 'Lt', 'Gte', 'Lte']
const capacityTypes = ['on-demand', 'reserved', 'spot']
const effects = ['NoSchedule', 'PreferNoSchedule', 'NoExecute', '']
const restrictedDomains = [kwokGroup, 'karpenter.sh']

/** The problem of a pool that its definition cannot detect (v1.14, NodePool.RuntimeValidate); undefined if it is valid. */
export function poolProblem({ spec }: NodePool, wellKnown: ReadonlySet<string>): string | undefined {
  const { metadata, spec: template } = spec.template
  const requirements = template.requirements ?? []
  const problems = [
    ...Object.entries(metadata?.labels ?? {}).flatMap(([key, value]) => labelProblems(key, value, wellKnown)),
    ...taintProblems(template.taints ?? [], template.startupTaints ?? []),
    ...requirements.flatMap((each) => {
      const own = requirementProblems(each, wellKnown)
      return own.length === 0 ? [] : [`invalid value: ${own.join('; ')} in requirements, restricted`]
    }),
    ...requirements
      .filter(({ key }) => key === nodePoolLabel)
      .map(({ key }) => `invalid key: ${JSON.stringify(key)} in requirements, restricted`),
  ]
  return problems.length === 0 ? undefined : problems.join('; ')
}

function labelProblems(key: string, value: string, wellKnown: ReadonlySet<string>): readonly string[] {
  const quoted = JSON.stringify(key)
  const restriction = restrictionOf(key, wellKnown)
  return [
    ...(key === nodePoolLabel ? [`invalid key name ${quoted} in labels, restricted`] : []),
    ...labelKeyProblems(key).map((problem) => `invalid key name ${quoted} in labels, ${JSON.stringify(problem)}`),
    ...labelValueProblems(value).map((problem) => `invalid value: ${value} for label[${key}], ${problem}`),
    ...(restriction === undefined ? [] : [`invalid key name ${quoted} in labels, ${restriction}`]),
  ]
}

/** Labels that would conflict with labels that Karpenter sets on nodes. */
function restrictionOf(key: string, wellKnown: ReadonlySet<string>): string | undefined {
  if (wellKnown.has(key)) return undefined
  const domain = key.includes('/') ? key.slice(0, key.indexOf('/')) : ''
  const isOwn = restrictedDomains.some((each) => domain === each || domain.endsWith(`.${each}`))
  if (!isOwn && key !== labels.hostname) return undefined
  return (
    `using label ${key} is not allowed as it might interfere with the internal provisioning logic; specify a well known ` +
    `label: [${[...wellKnown].sort().join(' ')}], or a custom label that does not use a restricted domain: [${restrictedDomains.join(' ')}]`
  )
}

function taintProblems(taints: readonly Taint[], startupTaints: readonly Taint[]): readonly string[] {
  const seen = new Set<string>()
  const ofField = (field: string, all: readonly Taint[]) =>
    all.flatMap(({ key, value = '', effect }) => {
      const id = `${key}:${effect}`
      const isRepeated = seen.has(id)
      seen.add(id)
      return [
        ...(key === '' ? [`invalid value: empty taint key in ${field}`] : []),
        ...(key === '' ? [] : labelKeyProblems(key)).map((problem) => `invalid value: ${problem} in ${field}`),
        ...(value === '' ? [] : labelKeyProblems(value)).map((problem) => `invalid value: ${problem} in ${field}`),
        ...(effects.includes(effect) ? [] : [`invalid value: ${JSON.stringify(effect)} in ${field}`]),
        ...(isRepeated ? [`duplicate taint Key/Effect pair ${key}=${effect}`] : []),
      ]
    })
  return [...ofField('taints', taints), ...ofField('startupTaints', startupTaints)]
}

function requirementProblems(requirement: ClaimRequirement, wellKnown: ReadonlySet<string>): readonly string[] {
  const { operator, values = [], minValues } = requirement
  const key = normalizedLabels.get(requirement.key) ?? requirement.key
  const about = `key ${key} with operator ${operator}`
  const problems: (string | undefined)[] = [
    operators.includes(operator)
      ? undefined
      : `key ${key} has an unsupported operator ${operator} not in [${operators.join(' ')}]`,
    restrictionOf(key, wellKnown),
    knownValuesProblem(key, requirement),
    ...labelKeyProblems(key).map((problem) => `key ${key} is not a qualified name, ${problem}`),
    ...values.flatMap((value) =>
      labelValueProblems(value).map((problem) => `invalid value ${value} for key ${key}, ${problem}`),
    ),
  ]
  if (operator === 'In' && values.length === 0) problems.push(`${about} must have a value defined`)
  if (operator === 'In' && minValues !== undefined && values.length < minValues)
    problems.push(`${about} must have at least minimum number of values defined in 'values' field`)
  const isBound = operator === 'Gt' || operator === 'Lt' || operator === 'Gte' || operator === 'Lte'
  if (isBound && (values.length !== 1 || !/^\+?\d+$/.test(values[0] ?? '')))
    problems.push(`${about} must have a single positive integer value`)
  return problems.filter((problem) => problem !== undefined)
}

/** The capacity type is the only label with known values. */
function knownValuesProblem(key: string, { operator, values = [], minValues }: ClaimRequirement): string | undefined {
  if (key !== capacityTypeLabel || operator !== 'In') return undefined
  const known = values.filter((value) => capacityTypes.includes(value))
  if (known.length === 0)
    return `no valid values found in [${values.join(' ')}] for ${key}, expected one of: map[${capacityTypes.map((type) => `${type}:{}`).join(' ')}], got: [${values.join(' ')}]`
  if (minValues !== undefined && known.length < minValues)
    return `not enough valid values found in [${values.join(' ')}] for ${key}, expected at least ${minValues} valid values from: [${capacityTypes.join(' ')}], got: ${known.length}`
  return undefined
}
