import { parseGoDurationMs } from '../../api/go-duration.ts'
import { compileNodeSelector, compilePreferredTerms } from '../../api/node-selector.ts'
import type { NodeSelector } from '../../api/objects/node.ts'
import type { NodeAffinity, TopologySpreadConstraint } from '../../api/objects/pod.ts'
import type { KubernetesRelease } from '../../api/releases/kubernetes-release.ts'
import { lookupTable } from '../../base/lookup-table.ts'
import { duplicate, forbidden, invalid, labelNameProblems, notSupported, required } from './field-problem.ts'

// Defaults and validation of the args of built-in plugins (v1.36, apis/config/v1 defaults.go,
// validation_pluginargs.go).

export interface ArgsRule {
  readonly defaulted: (args: Record<string, unknown>) => Record<string, unknown>
  readonly problems: (args: never, path: string) => string[]
}

interface ResourceSpec {
  readonly name?: string
  readonly weight?: number
}
interface RawShapePoint {
  readonly utilization?: number
  readonly score?: number
}

const cpuAndMemory: readonly ResourceSpec[] = [
  { name: 'cpu', weight: 1 },
  { name: 'memory', weight: 1 },
]

/** The rules of a release, by plugin. */
export function argsRulesOf({ gates, changes }: KubernetesRelease): Readonly<Record<string, ArgsRule>> {
  return lookupTable({
    ...commonRules,
    NodeResourcesFit: {
      defaulted: defaultFit,
      problems: changes.has('RatioRequired') ? fitProblems : looseFitProblems,
    },
    VolumeBinding: gates.has('StorageCapacityScoring') ? capacityScoring : withoutCapacityScoring,
  })
}

const commonRules: Readonly<Record<string, ArgsRule>> = lookupTable({
  DefaultPreemption: {
    defaulted: (args) => ({ minCandidateNodesPercentage: 10, minCandidateNodesAbsolute: 100, ...args }),
    problems: candidateProblems,
  },
  DynamicResources: {
    defaulted: (args) => ({ filterTimeout: '10s', bindingTimeout: '10m0s', ...args }),
    problems: deviceProblems,
  },
  InterPodAffinity: {
    defaulted: (args) => ({ hardPodAffinityWeight: 1, ...args }),
    problems: ({ hardPodAffinityWeight: weight }: { hardPodAffinityWeight: number }, path) =>
      weight >= 0 && weight <= 100
        ? []
        : [invalid(`${path}.hardPodAffinityWeight`, weight, 'not in valid range [0, 100]')],
  },
  NodeAffinity: { defaulted: (args) => args, problems: affinityProblems },
  NodeResourcesBalancedAllocation: {
    defaulted: ({ resources, ...args }) => ({ ...args, resources: weighted(resources) }),
    problems: balanceProblems,
  },
  PodTopologySpread: {
    defaulted: (args) => ({ ...args, defaultingType: args['defaultingType'] || 'System' }),
    problems: spreadProblems,
  },
})

interface VolumeBindingArgs {
  readonly bindTimeoutSeconds: number
  readonly shape?: readonly RawShapePoint[]
}

const withoutCapacityScoring: ArgsRule = {
  defaulted: (args) => ({ bindTimeoutSeconds: 600, ...args }),
  problems: (args: VolumeBindingArgs, path) => [
    ...timeoutProblems(args, path),
    ...(args.shape === undefined
      ? []
      : [
          invalid(
            `${path}.shape`,
            args.shape,
            'unexpected field `shape`, remove it or turn on the feature gate StorageCapacityScoring',
          ),
        ]),
  ],
}

const fullestLast: readonly RawShapePoint[] = [
  { utilization: 0, score: 10 },
  { utilization: 100, score: 0 },
]

const capacityScoring: ArgsRule = {
  defaulted: ({ shape, ...args }) => ({
    bindTimeoutSeconds: 600,
    ...args,
    shape: ((shape ?? []) as readonly RawShapePoint[]).length === 0 ? fullestLast : shape,
  }),
  problems: (args: VolumeBindingArgs, path) => [
    ...timeoutProblems(args, path),
    ...shapeProblems(args.shape ?? [], `${path}.shape`),
  ],
}

function timeoutProblems({ bindTimeoutSeconds: seconds }: VolumeBindingArgs, path: string): string[] {
  if (seconds >= 0) return []
  return [invalid(`${path}.bindTimeoutSeconds`, seconds, 'invalid BindTimeoutSeconds, should not be a negative value')]
}

function weighted(resources: unknown): readonly ResourceSpec[] {
  const given = (resources ?? []) as readonly ResourceSpec[]
  return given.length === 0 ? cpuAndMemory : given.map((one) => ({ ...one, weight: one.weight || 1 }))
}

function defaultFit(args: Record<string, unknown>): Record<string, unknown> {
  const strategy = args['scoringStrategy'] as Record<string, unknown> | undefined
  const scoringStrategy = { type: 'LeastAllocated', ...strategy, resources: weighted(strategy?.['resources']) }
  return { ...args, scoringStrategy }
}

function candidateProblems(
  args: { minCandidateNodesPercentage: number; minCandidateNodesAbsolute: number },
  path: string,
): string[] {
  const { minCandidateNodesPercentage: percentage, minCandidateNodesAbsolute: absolute } = args
  const problems: string[] = []
  const at = { percentage: `${path}.minCandidateNodesPercentage`, absolute: `${path}.minCandidateNodesAbsolute` }
  if (percentage < 0 || percentage > 100)
    problems.push(invalid(at.percentage, percentage, 'not in valid range [0, 100]'))
  if (absolute < 0) problems.push(invalid(at.absolute, absolute, 'not in valid range [0, inf)'))
  if (percentage === 0 && absolute === 0) {
    problems.push(
      invalid(at.percentage, percentage, 'cannot be zero at the same time as minCandidateNodesAbsolute'),
      invalid(at.absolute, absolute, 'cannot be zero at the same time as minCandidateNodesPercentage'),
    )
  }
  return problems
}

/** The timeouts of DynamicResources (v1.36, ValidateDynamicResourcesArgs). */
function deviceProblems(args: { filterTimeout: string; bindingTimeout: string }, path: string): string[] {
  const problems: string[] = []
  const check = (name: 'filterTimeout' | 'bindingTimeout', minMs: number, detail: string): void => {
    const read = parseGoDurationMs(args[name])
    if (!read.ok) problems.push(invalid(`${path}.${name}`, args[name], read.message))
    else if (read.value < minMs) problems.push(invalid(`${path}.${name}`, args[name], detail))
  }
  check('filterTimeout', 0, 'must be zero or positive')
  check('bindingTimeout', 1000, 'must be at least 1 second')
  return problems
}

function affinityProblems({ addedAffinity }: { addedAffinity?: NodeAffinity }, path: string): string[] {
  const problems: string[] = []
  const required = addedAffinity?.requiredDuringSchedulingIgnoredDuringExecution
  if (required !== undefined) {
    const at = `${path}.addedAffinity.requiredDuringSchedulingIgnoredDuringExecution`
    const matcher = compileNodeSelector(required as NodeSelector)
    problems.push(...matcher.terms.flatMap((term) => term.problems.map((problem) => `${at}.${problem}`)))
  }
  const preferred = addedAffinity?.preferredDuringSchedulingIgnoredDuringExecution
  const at = `${path}.addedAffinity.preferredDuringSchedulingIgnoredDuringExecution`
  for (const { term } of compilePreferredTerms(preferred)) problems.push(...term.problems.map((one) => `${at}${one}`))
  return problems
}

function balanceProblems({ resources }: { resources: readonly ResourceSpec[] }, path: string): string[] {
  const seen = new Set<string | undefined>()
  return resources.flatMap(({ name, weight }, i) => {
    const at = `${path}.resources[${i}]`
    const repeated = seen.has(name)
    seen.add(name)
    return [
      ...(repeated ? [duplicate(`${at}.name`, name)] : []),
      ...(weight === 1 ? [] : [invalid(`${at}.weight`, weight, 'must be 1')]),
    ]
  })
}

interface FitArgs {
  readonly ignoredResources?: readonly string[]
  readonly ignoredResourceGroups?: readonly string[]
  readonly scoringStrategy: {
    readonly type: string
    readonly resources: readonly ResourceSpec[]
    readonly requestedToCapacityRatio?: { readonly shape?: readonly RawShapePoint[] }
  }
}

function fitProblems(args: FitArgs, path: string): string[] {
  const at = `${path}.scoringStrategy.requestedToCapacityRatio`
  const { type, requestedToCapacityRatio: ratio } = args.scoringStrategy
  const problems = commonFitProblems(args, path)
  if (type !== 'RequestedToCapacityRatio') {
    if (ratio !== undefined) problems.push(forbidden(at, 'must be nil when type is not RequestedToCapacityRatio'))
  } else if (ratio === undefined) {
    problems.push(required(at, 'must be specified when type is RequestedToCapacityRatio'))
  } else problems.push(...shapeProblems(ratio.shape ?? [], `${at}.shape`))
  return problems
}

/** Up to v1.35, a shape is only checked, and its path is shorter. */
function looseFitProblems(args: FitArgs, path: string): string[] {
  const { requestedToCapacityRatio: ratio } = args.scoringStrategy
  const shape = ratio === undefined ? [] : shapeProblems(ratio.shape ?? [], `${path}.scoringStrategy.shape`)
  return [...commonFitProblems(args, path), ...shape]
}

function commonFitProblems(
  { ignoredResources, ignoredResourceGroups, scoringStrategy }: FitArgs,
  path: string,
): string[] {
  const at = `${path}.scoringStrategy`
  const { type, resources } = scoringStrategy
  const problems = [
    ...(ignoredResources ?? []).flatMap((name, i) => labelNameProblems(`${path}.ignoredResources[${i}]`, name)),
    ...(ignoredResourceGroups ?? []).flatMap((group, i) => {
      const own = `${path}.ignoredResourceGroups[${i}]`
      const slash = group.includes('/') ? [invalid(own, group, "resource group name can't contain '/'")] : []
      return [...slash, ...labelNameProblems(own, group)]
    }),
  ]
  const supported = ['LeastAllocated', 'MostAllocated', 'RequestedToCapacityRatio']
  if (!supported.includes(type)) problems.push(notSupported(`${at}.type`, type, supported))
  resources.forEach(({ name, weight = 0 }, i) => {
    if (weight > 0 && weight <= 100) return
    problems.push(
      invalid(`${at}.resources[${i}].weight`, weight, `resource weight of ${name} not in valid range (0, 100]`),
    )
  })
  return problems
}

function shapeProblems(shape: readonly RawShapePoint[], path: string): string[] {
  if (shape.length === 0) return [required(path, 'at least one point must be specified')]
  const problems: string[] = []
  const unsorted = shape.findIndex((point, i) => i > 0 && (shape[i - 1]?.utilization ?? 0) >= (point.utilization ?? 0))
  if (unsorted > 0) {
    const { utilization = 0 } = shape[unsorted] ?? {}
    problems.push(invalid(`${path}[${unsorted}].utilization`, utilization, 'values must be sorted in increasing order'))
  }
  shape.forEach(({ utilization = 0, score = 0 }, i) => {
    if (utilization < 0 || utilization > 100) {
      problems.push(invalid(`${path}[${i}].utilization`, utilization, 'not in valid range [0, 100]'))
    }
    if (score < 0 || score > 10) problems.push(invalid(`${path}[${i}].score`, score, 'not in valid range [0, 10]'))
  })
  return problems
}

interface SpreadArgs {
  readonly defaultConstraints?: readonly Partial<TopologySpreadConstraint>[]
  readonly defaultingType: string
}

function spreadProblems({ defaultConstraints = [], defaultingType }: SpreadArgs, path: string): string[] {
  const problems: string[] = []
  const at = `${path}.defaultingType`
  if (defaultingType !== 'System' && defaultingType !== 'List') {
    problems.push(notSupported(at, defaultingType, ['System', 'List']))
  } else if (defaultingType === 'System' && defaultConstraints.length > 0) {
    problems.push(invalid(at, defaultingType, 'when .defaultConstraints are not empty'))
  }
  defaultConstraints.forEach((constraint, i) => {
    problems.push(...constraintProblems(constraint, `${path}.defaultConstraints[${i}]`))
    const { topologyKey, whenUnsatisfiable } = constraint
    const repeats = defaultConstraints
      .slice(0, i)
      .some((other) => other.topologyKey === topologyKey && other.whenUnsatisfiable === whenUnsatisfiable)
    if (repeats) {
      problems.push(duplicate(`${path}.defaultConstraints[${i}]`, `{${topologyKey ?? ''}, ${whenUnsatisfiable ?? ''}}`))
    }
  })
  return problems
}

function constraintProblems(constraint: Partial<TopologySpreadConstraint>, path: string): string[] {
  const { maxSkew = 0, topologyKey = '', whenUnsatisfiable, labelSelector } = constraint
  const problems: string[] = []
  if (maxSkew <= 0) problems.push(invalid(`${path}.maxSkew`, maxSkew, 'not in valid range (0, inf)'))
  if (topologyKey === '') problems.push(required(`${path}.topologyKey`, 'can not be empty'))
  else problems.push(...labelNameProblems(`${path}.topologyKey`, topologyKey))
  if (whenUnsatisfiable === undefined || (whenUnsatisfiable as string) === '') {
    problems.push(required(`${path}.whenUnsatisfiable`, 'can not be empty'))
  } else if (whenUnsatisfiable !== 'DoNotSchedule' && whenUnsatisfiable !== 'ScheduleAnyway') {
    problems.push(notSupported(`${path}.whenUnsatisfiable`, whenUnsatisfiable, ['DoNotSchedule', 'ScheduleAnyway']))
  }
  if (labelSelector !== undefined) {
    problems.push(
      forbidden(`${path}.labelSelector`, 'constraint must not define a selector, as they deduced for each pod'),
    )
  }
  return problems
}
