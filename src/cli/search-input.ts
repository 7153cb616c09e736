// The input of `berth search`: the cluster, and a scenario without steps.
import { resolve } from 'node:path'
import { WrongField } from '../api/document-reader.ts'
import type { JsonObject, KubeObject } from '../api/objects/meta.ts'
import { defaultExpectations } from '../search/default-expectations.ts'
import { type FaultGroup, faultGroups } from '../search/fault-kinds.ts'
import { type FaultModel, faultModels, limitedTo, readFaultModel } from '../search/fault-model.ts'
import { NoTargetError } from '../search/hunt.ts'
import type { SearchInput } from '../search/search-base.ts'
import { StepError } from '../whatif/run/step-runner.ts'
import { readExpectations } from '../whatif/scenario/expectation.ts'
import { readScenario, scenarioApiVersion } from '../whatif/scenario/scenario.ts'
import { clusterFlags } from '../whatif/snapshot/assumed-flags.ts'
import type { FoundVersion } from '../whatif/snapshot/found-cluster.ts'
import { isObserved } from '../whatif/snapshot/observed-object.ts'
import { NoClusterError } from '../whatif/snapshot/sorted-objects.ts'
import { readCluster, readScenarioObjects } from './cluster-input.ts'
import { type CommandContext, wrongQuestion } from './command.ts'
import { releaseFlags } from './release-options.ts'
import type { SearchOptions } from './search-options.ts'
import { flagsOfManifest } from './static-pod-flags.ts'
import { webhookSettingsOf } from './webhook-options.ts'
import { readDocument, readFlags } from './whatif-command.ts'

export interface FoundInput {
  readonly input: SearchInput
  /** The file that scenarios refer to. Absent: a scenario must contain the objects. */
  readonly source?: string
}

export async function readSearchInput(context: CommandContext<SearchOptions>): Promise<FoundInput> {
  const { options } = context
  const objects = await objectsOf(context)
  const document = await documentOf(context, objects.kubernetes)
  const checked = await readScenario({ ...document, cluster: [] }, async () => [])
  if (!checked.ok && !/^autoscaling/.test(checked.message)) throw wrongQuestion(checked.message)
  // Manifests: the search starts when their pods run.
  const isFound = objects.all.some(isObserved)
  const input: SearchInput = {
    document: isFound ? document : { ...document, settle: '5m0s' },
    objects: objects.all,
    seed: options.seed,
    ...(await webhookSettingsOf(options, context)),
  }
  return { input, ...(objects.source === undefined ? {} : { source: objects.source }) }
}

interface FoundObjects {
  readonly all: readonly KubeObject[]
  readonly source?: string
  readonly kubernetes: FoundVersion
}

async function objectsOf(context: CommandContext<SearchOptions>): Promise<FoundObjects> {
  const { from } = context.options
  const { cluster, manifests, kubernetes } = await readCluster(context)
  if (from === undefined || from === '-') {
    const { store } = cluster
    return { all: [...store.resources().flatMap((resource) => store.list(resource)), ...manifests], kubernetes }
  }
  return { all: await readScenarioObjects(resolve(context.cwd, from), from, context), source: from, kubernetes }
}

async function documentOf(context: CommandContext<SearchOptions>, kubernetes: FoundVersion): Promise<JsonObject> {
  const { options } = context
  const config = options.config === undefined ? {} : await readFlags(options.config, context)
  const given = { ...(flagsOfManifest(config) ?? config), ...releaseFlags(options) }
  const flags = clusterFlags(kubernetes, given)
  return {
    apiVersion: scenarioApiVersion,
    kind: 'Scenario',
    metadata: { name: 'found by berth search' },
    ...(Object.keys(flags).length === 0 ? {} : { config: flags }),
    hollow: { pack: options.pack },
    ...(options.autoscaler === undefined ? {} : { autoscaling: await readDocument(options.autoscaler, context) }),
    until: options.for,
    expect: await expectationsOf(context),
  } as unknown as JsonObject
}

async function expectationsOf(context: CommandContext<SearchOptions>): Promise<unknown> {
  const { expect: file } = context.options
  if (file === undefined) return defaultExpectations
  const value = await readDocument(file, context)
  const given = (value as { readonly expect?: unknown } | undefined)?.expect ?? value
  try {
    if (readExpectations(given, 'expect').length === 0) throw wrongQuestion(`${file}: has no expectation`)
  } catch (error) {
    if (error instanceof WrongField) throw wrongQuestion(`${file}: ${error.message}`)
    throw error
  }
  return given
}

/** The errors of a search with invalid input. */
export function asWrongQuestion(error: unknown): unknown {
  const isWrong = error instanceof StepError || error instanceof NoClusterError || error instanceof NoTargetError
  return isWrong ? wrongQuestion(error.message) : error
}

export async function readModel(context: CommandContext<SearchOptions>): Promise<FaultModel> {
  const { faults, only } = context.options
  const groups = (only ?? '').split(',').filter((group) => group !== '')
  const unknown = groups.find((group) => !(faultGroups as readonly string[]).includes(group))
  if (unknown !== undefined)
    throw wrongQuestion(`--only ${unknown}: must be one or more of ${faultGroups.join(', ')}, separated by commas`)
  const model = await modelOf(faults, context)
  const limited = limitedTo(model, groups as readonly FaultGroup[])
  if (limited.faults.length === 0)
    throw wrongQuestion(`the fault model ${model.name} has no faults of ${groups.join(', ')}`)
  return limited
}

async function modelOf(faults: string, context: CommandContext<SearchOptions>): Promise<FaultModel> {
  if (faults === 'realistic' || faults === 'harsh') return faultModels[faults]
  if (/^[a-z]+$/.test(faults) && (await context.files.kindOf(resolve(context.cwd, faults))) === 'absent')
    throw wrongQuestion(`--faults ${faults}: must be realistic, harsh, or a file`)
  const model = readFaultModel(await readDocument(faults, context), faults)
  if (!model.ok) throw wrongQuestion(`${faults}: ${model.message}`)
  return model.value
}
