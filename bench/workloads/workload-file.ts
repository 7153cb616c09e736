import { readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { load } from 'js-yaml'

/** One operation of a workload template: an opcode and its parameters, as in upstream's scheduler_perf. */
export interface Operation {
  readonly opcode: string
  readonly count?: number
  readonly countParam?: string
  readonly countMultiplierParam?: string
  /** Further values of templates: numbers, or parameters of the workload. */
  readonly templateParams?: Readonly<Record<string, number | string>>
  readonly collectMetrics?: boolean
  readonly skipWaitToCompletion?: boolean
  readonly namespace?: string
  readonly namespaces?: readonly string[]
  readonly namespacePrefix?: string
  readonly prefix?: string
  readonly namespaceTemplatePath?: string
  readonly podTemplatePath?: string
  readonly nodeTemplatePath?: string
  readonly templatePath?: string
  readonly templatePaths?: readonly string[]
  readonly persistentVolumeTemplatePath?: string
  readonly persistentVolumeClaimTemplatePath?: string
  readonly labelNodePrepareStrategy?: { readonly labelKey: string; readonly labelValues: readonly string[] }
  readonly uniqueNodeLabelStrategy?: { readonly labelKey: string }
  readonly nodeAllocatableStrategy?: {
    readonly nodeAllocatable?: Readonly<Record<string, string>>
    readonly csiNodeAllocatable?: Readonly<Record<string, { readonly count?: number }>>
    readonly migratedPlugins?: readonly string[]
  }
  readonly createPodsOp?: Operation
  readonly labelSelector?: Readonly<Record<string, string>>
  readonly stageRequirement?: 'Attempted' | 'Scheduled'
  readonly deletePodsPerSecond?: number
  readonly updatePerSecond?: number
  readonly subresources?: readonly string[]
  readonly mode?: 'create' | 'recreate'
  readonly number?: number
  readonly intervalMilliseconds?: number
  readonly duration?: string
  readonly durationParam?: string
  readonly steadyState?: boolean
  readonly driverName?: string
  readonly nodes?: string
  readonly maxClaimsPerNodeParam?: string
  readonly name?: string
}

export interface Workload {
  /** `CASE/NAME` */
  readonly name: string
  readonly labels: readonly string[]
  readonly operations: readonly Operation[]
  readonly params: Readonly<Record<string, number | string>>
  readonly featureGates?: Readonly<Record<string, boolean>>
  readonly defaultPodTemplatePath?: string
  /** Template paths are relative to this. */
  readonly folder: string
}

interface TestCase {
  readonly name: string
  readonly featureGates?: Readonly<Record<string, boolean>>
  readonly defaultPodTemplatePath?: string
  readonly workloadTemplate: readonly Operation[]
  readonly workloads: readonly {
    readonly name: string
    readonly labels?: readonly string[]
    readonly params?: Workload['params']
  }[]
}

/** Every workload of every performance-config.yaml below a folder. */
export function readWorkloads(folder: string): Workload[] {
  return configFiles(resolve(folder)).flatMap((path) => {
    const cases = load(readFileSync(path, 'utf8')) as readonly TestCase[]
    return cases.flatMap((testCase) =>
      testCase.workloads.map((workload): Workload => {
        const { defaultPodTemplatePath, featureGates } = testCase
        return {
          name: `${testCase.name}/${workload.name}`,
          labels: workload.labels ?? [],
          operations: testCase.workloadTemplate,
          params: workload.params ?? {},
          ...(featureGates === undefined ? {} : { featureGates }),
          ...(defaultPodTemplatePath === undefined ? {} : { defaultPodTemplatePath }),
          folder: dirname(path),
        }
      }),
    )
  })
}

function configFiles(folder: string): string[] {
  return readdirSync(folder)
    .sort()
    .flatMap((name) => {
      const path = join(folder, name)
      if (statSync(path).isDirectory()) return configFiles(path)
      return name === 'performance-config.yaml' ? [path] : []
    })
}

/** The operation's count, from the workload's parameters where it names one. */
export function countOf(operation: Operation, params: Workload['params']): number {
  const { count = 1, countParam, countMultiplierParam } = operation
  const factor = countMultiplierParam === undefined ? 1 : paramOf(operation, countMultiplierParam, params)
  return factor * (countParam === undefined ? count : paramOf(operation, countParam, params))
}

function paramOf({ opcode }: Operation, name: string, params: Workload['params']): number {
  const value = params[name.replace(/^\$/, '')]
  if (value === undefined) throw new Error(`${opcode}: the workload has no parameter ${name}`)
  return Number(value)
}

/** The values of the templates of an operation besides index and count. */
export function templateParamsOf(operation: Operation, params: Workload['params']): Readonly<Record<string, number>> {
  const entries = Object.entries(operation.templateParams ?? {})
  return Object.fromEntries(
    entries.map(([name, value]) => [name, typeof value === 'number' ? value : paramOf(operation, value, params)]),
  )
}
