import type { JsonObject, KubeObject } from '../../api/objects/meta.ts'
import type { PlayWatch } from '../../controlplane/console/console.ts'
import { defaultExpectations } from '../../search/default-expectations.ts'
import { type FaultGroup, faultGroups } from '../../search/fault-kinds.ts'
import { type FaultModel, faultModels, limitedTo } from '../../search/fault-model.ts'
import { type Finding, type Hunt, hunt } from '../../search/hunt.ts'
import type { SearchInput } from '../../search/search-base.ts'
import type { Store } from '../../store/contract.ts'
import { podRequests, shownForecast } from '../../whatif/report/shown-forecast.ts'
import { scenarioApiVersion } from '../../whatif/scenario/scenario.ts'
import type { SearchFinding, SearchProgress, SearchRequest, SearchResult } from '../../wire/console-search.ts'
import { wrongQuestion } from '../command.ts'
import { toYaml } from '../output.ts'
import { asWrongQuestion } from '../search-input.ts'
import { effortLines, fixLines, notMetText, scenariosOf } from '../search-output.ts'
import { startThreads } from '../search-pool.ts'
import { replayOf } from '../search-replay.ts'
import { type ForecastSetup, podsShown } from './forecast.ts'

type SearchQuestion = Extract<SearchRequest, { readonly kind: 'search' }>

/** The cluster of a search of the console, and whether the client still waits for the answer. */
export interface SearchPorts extends PlayWatch<SearchProgress> {
  readonly now: () => number
}

/** Searches on forks of the cluster, or runs the scenario of an earlier search. The store is not changed. */
export async function searchForConsole(
  store: Store,
  setup: Pick<ForecastSetup, 'settings' | 'autoscaler'>,
  request: SearchRequest,
  ports: SearchPorts,
): Promise<SearchResult> {
  const input = inputOf(store, setup)
  if (request.kind === 'replay') return replayed(input, request.scenario as JsonObject, ports)
  const model = modelOf(request)
  const found = await searched(input, model, request, ports)
  const { finding, certificate } = found
  const command = commandOf(request, found)
  if (finding === undefined) {
    const proven = (certificate?.proven ?? []).map((line) => `Proven: ${line}.`)
    const open = (certificate?.notCovered ?? []).map((line) => `Not covered: ${line}.`)
    return { lines: [...effortLines(found), ...proven, ...open], command }
  }
  ports.onProgress({ doing: 'replaying', explored: found.explored, margin: 0 })
  return { finding: await shownFinding(found, finding), lines: effortLines(found), command }
}

/** As `berth search` reads the cluster of a kubeconfig. */
function inputOf(store: Store, { settings, autoscaler, webhooks }: Omit<ForecastSetup, 'stages'>): SearchInput {
  const flags = settings.flags
  const resources = store.resources().filter((resource) => resource !== 'events')
  return {
    document: {
      apiVersion: scenarioApiVersion,
      kind: 'Scenario',
      metadata: { name: 'found by berth search' },
      ...(Object.keys(flags).length === 0 ? {} : { config: flags }),
      hollow: { pack: 'forecast' },
      ...(autoscaler === undefined ? {} : { autoscaling: autoscaler.document }),
      until: '1h',
      expect: defaultExpectations,
    } as unknown as JsonObject,
    objects: resources.flatMap((resource) => store.list(resource)),
    seed: '1',
    ...(webhooks === undefined ? {} : { webhooks }),
  }
}

function modelOf({ faults, only }: SearchQuestion): FaultModel {
  const unknown = only.find((group) => !(faultGroups as readonly string[]).includes(group))
  if (unknown !== undefined) throw wrongQuestion(`only: ${unknown}: must be one of ${faultGroups.join(', ')}`)
  const model = limitedTo(faultModels[faults], only as readonly FaultGroup[])
  if (model.faults.length === 0) throw wrongQuestion(`the fault model ${faults} has no faults of ${only.join(', ')}`)
  return model
}

async function searched(input: SearchInput, model: FaultModel, { seconds }: SearchQuestion, ports: SearchPorts) {
  const endsAt = ports.now() + seconds * 1000
  const threads = startThreads()
  try {
    return await hunt(input, {
      model,
      moments: { kind: 'changes' },
      budget: { cases: Number.POSITIVE_INFINITY, isOver: () => ports.isUnwanted() || ports.now() >= endsAt },
      certify: false,
      wants: { fix: true, reduce: false },
      open: threads.open,
      onProgress: ({ doing, explored, margin }) => ports.onProgress({ doing, explored, margin }),
    })
  } catch (error) {
    throw asWrongQuestion(error)
  } finally {
    await threads.close()
  }
}

async function shownFinding(found: Hunt, finding: Finding): Promise<SearchFinding> {
  const { input } = found.base
  const { run, forecast } = await replayOf(input, finding.steps)
  return {
    story: finding.story,
    violation: notMetText(finding),
    fix: fixLines(finding).join(' '),
    scenario: toYaml(scenariosOf(found, finding, 'dump.json').scenario, 'given'),
    nodes: nodesNamedIn(finding.steps, input.objects),
    forecast: shownForecast(forecast, { requests: podRequests(run.recorder), mostPods: podsShown }),
  }
}

/** The names of nodes anywhere in the steps. */
function nodesNamedIn(steps: readonly JsonObject[], objects: readonly KubeObject[]): readonly string[] {
  const nodes = new Set(objects.filter(({ kind }) => kind === 'Node').map(({ metadata }) => metadata.name))
  const named = new Set<string>()
  const look = (value: unknown): void => {
    if (typeof value === 'string' && nodes.has(value)) named.add(value)
    else if (typeof value === 'object' && value !== null) for (const inner of Object.values(value)) look(inner)
  }
  look(steps)
  return [...named].sort()
}

async function replayed(input: SearchInput, scenario: JsonObject, ports: SearchPorts): Promise<SearchResult> {
  ports.onProgress({ doing: 'replaying', explored: 0, margin: 0 })
  const { steps, until, expect, metadata } = scenario
  const document = {
    ...input.document,
    ...(until === undefined ? {} : { until }),
    ...(expect === undefined ? {} : { expect }),
  }
  const list = steps as unknown as readonly JsonObject[]
  const { run, forecast } = await replayOf({ ...input, document }, list)
  const broken = run.expectations().filter(({ holds }) => !holds)
  const { name } = (metadata ?? {}) as { readonly name?: unknown }
  const lines = ['Run on the cluster as it is now.']
  const played: SearchFinding = {
    story: typeof name === 'string' ? name : 'a scenario of berth search',
    violation:
      broken.length === 0
        ? 'Every expectation of the scenario is met now.'
        : `Not met: ${broken.map(({ kind, violation }) => `${kind}: ${violation?.text.replace(/\.$/, '') ?? ''}`).join('; ')}.`,
    scenario: toYaml({ ...scenario, cluster: ['dump.json'] }, 'given'),
    nodes: nodesNamedIn(list, input.objects),
    forecast: shownForecast(forecast, { requests: podRequests(run.recorder), mostPods: podsShown }),
  }
  return { finding: played, lines }
}

function commandOf({ faults, only }: SearchQuestion, { explored, base }: Hunt): string {
  const model = faults === 'realistic' ? '' : ` --faults ${faults}`
  const groups = only.length === 0 ? '' : ` --only ${only.join(',')}`
  return `berth search --from dump.json${model}${groups} --seed ${base.input.seed} --cases ${explored}`
}
