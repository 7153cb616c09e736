import type { JsonObject, KubeObject } from '../../api/objects/meta.ts'
import { defaultExpectations } from '../../search/default-expectations.ts'
import { type FaultGroup, faultGroups } from '../../search/fault-kinds.ts'
import { type FaultModel, faultModels, limitedTo } from '../../search/fault-model.ts'
import { type Hunt, type HuntProgress, hunt } from '../../search/hunt.ts'
import { type CaseResult, runCase } from '../../search/run-case.ts'
import type { CaseEvaluator } from '../../search/search.ts'
import { createSearchBase, NotSettledError, type SearchInput } from '../../search/search-base.ts'
import { counted } from '../../whatif/report/phrases.ts'
import { StepError } from '../../whatif/run/step-runner.ts'
import { scenarioApiVersion } from '../../whatif/scenario/scenario.ts'
import { NoClusterError } from '../../whatif/snapshot/sorted-objects.ts'
import { ToolError, type ToolOutcome } from '../answer.ts'
import { oneLine } from '../cluster-text.ts'
import type { Fork } from '../fork.ts'
import { fields, openFields } from '../input-schema.ts'
import { kubectlCommand } from '../kubectl-commands.ts'
import { provenanceOf, provenanceText } from '../provenance.ts'
import { type Arguments, forecastMsOf, forkOf, forkOutput, forkValue, inputs, type Tool } from '../tool.ts'
import type { Work } from '../work.ts'
import { expectationsIn } from './time.ts'

const defaultCases = 200

export const searchTool: Tool = {
  name: 'search',
  title: 'Search for the smallest failure that violates an expectation',
  description:
    'Tries failures, operator mistakes and bad timing on copies of the fork: single faults first, then pairs, then the worst so far. ' +
    'Returns the smallest case that violates an expectation, as steps for forecast, and on request a change after which ' +
    'the same search finds no violation. The fork does not change. With certify, only the exhaustive part runs, and the answer says what it proves.',
  effect: 'reads',
  input: fields({
    fork: inputs.fork,
    faults: { type: 'string', enum: ['realistic', 'harsh'], default: 'realistic' },
    only: {
      type: 'array',
      description: 'Only faults of these groups.',
      items: { type: 'string', enum: faultGroups },
      maxItems: 10,
    },
    cases: {
      type: 'integer',
      description: 'Maximum number of cases.',
      minimum: 1,
      maximum: 5_000,
      default: defaultCases,
    },
    certify: { type: 'boolean', description: 'Run only the exhaustive part.' },
    proposeFix: {
      type: 'boolean',
      description: 'Also search for a change that prevents the violation. The search then takes several times as long.',
    },
    for: { ...inputs.duration, description: 'Virtual time of each case.', default: '1h' },
    expect: {
      type: 'object',
      description:
        'Conditions, as in forecast. Default: no disruption budget is violated, no pod is pending or stuck for 10m, no loop, drains end.',
    },
  }),
  output: openFields(
    {
      ...forkOutput,
      found: { type: 'boolean' },
      story: { type: 'string' },
      violation: { type: 'string' },
      steps: { type: 'array', description: 'The smallest case, as steps for forecast.' },
      fix: { type: 'object' },
      explored: { type: 'integer' },
      proven: { type: 'array', items: { type: 'string' } },
      notCovered: { type: 'array', items: { type: 'string' } },
      provenance: { type: 'object' },
    },
    ['fork', 'at', 'found', 'explored', 'provenance'],
  ),
  run: async (given, context) => {
    const { workspace, work } = context
    workspace.checkMemory()
    const fork = forkOf(given, context)
    const untilMs = forecastMsOf(given, context, '')
    expectationsIn(given['expect'])
    const found = await searched(fork, given, untilMs, work)
    return searchAnswer(fork, found, given)
  },
}

async function searched(fork: Fork, given: Arguments, untilMs: number, work: Work): Promise<Hunt> {
  const cases = (given['cases'] as number | undefined) ?? defaultCases
  let done = 0
  let doing: HuntProgress['doing'] = 'exploring'
  const open = async (input: SearchInput): Promise<CaseEvaluator> => {
    const base = await createSearchBase(input)
    return {
      evaluate: async (all) => {
        const results: CaseResult[] = []
        for (const steps of all) {
          // Shrinking compares all results.
          if (doing !== 'shrinking' && results.length > 0 && work.isLate()) break
          results.push(await runCase(base, steps))
          done++
          await work.pause({ done, total: Math.max(cases, done) })
        }
        return results
      },
    }
  }
  try {
    return await hunt(inputOf(fork, given, untilMs), {
      model: modelOf(given),
      moments: { kind: 'changes' },
      budget: { cases, isOver: () => work.isLate() },
      certify: given['certify'] === true,
      wants: { fix: given['proposeFix'] === true, reduce: false },
      open,
      onProgress: (progress) => {
        doing = progress.doing
      },
    })
  } catch (error) {
    if (error instanceof StepError || error instanceof NoClusterError) throw new ToolError(error.message)
    if (error instanceof NotSettledError)
      throw new ToolError('a search needs a snapshot or dump of a running cluster; manifests are not enough')
    throw error
  }
}

function modelOf(given: Arguments): FaultModel {
  const model = faultModels[(given['faults'] as 'realistic' | 'harsh' | undefined) ?? 'realistic']
  const limited = limitedTo(model, (given['only'] as readonly FaultGroup[] | undefined) ?? [])
  if (limited.faults.length === 0) throw new ToolError(`only: the model ${model.name} has no faults of these groups`)
  return limited
}

/** Omitted, because a fork does not renew them while time passes, and they would look expired. */
const leases = 'leases.coordination.k8s.io'

/** The objects of the fork at its current time. */
function inputOf(fork: Fork, given: Arguments, untilMs: number): SearchInput {
  const { store } = fork.run.cluster
  const { webhooks } = fork.how
  const { flags, release } = fork.how.settings
  const objects: readonly KubeObject[] = store
    .resources()
    .filter((resource) => resource !== 'events' && resource !== leases)
    .flatMap((resource) => store.list(resource))
  return {
    objects,
    seed: fork.how.seed,
    ...(webhooks === undefined ? {} : { webhooks }),
    document: {
      apiVersion: scenarioApiVersion,
      kind: 'Scenario',
      metadata: { name: `search on ${fork.id}` },
      config: { ...(flags as JsonObject), 'kubernetes-version': release.version },
      hollow: { pack: 'forecast' },
      until: `${untilMs / 1000}s`,
      expect: (given['expect'] as JsonObject | undefined) ?? defaultExpectations,
    },
  }
}

function searchAnswer(fork: Fork, { finding, explored, end, certificate }: Hunt, given: Arguments): ToolOutcome {
  const wantsFix = given['proposeFix'] === true
  const asked = (given['cases'] as number | undefined) ?? defaultCases
  const provenance = provenanceOf(fork)
  const common = { ...forkValue(fork), found: finding !== undefined, explored, end }
  const begin = `Fork ${fork.id} at ${fork.at}:`
  if (finding === undefined) {
    const { proven = [], notCovered = [] } = certificate ?? {}
    return {
      says: [
        `${begin} no violation in ${counted(explored, 'case')}.`,
        ...(end === 'budget' && explored < asked
          ? [
              `The real-time limit of the call was reached: request ${explored} cases to repeat the search, or increase --timeout.`,
            ]
          : []),
        provenanceText(provenance),
      ],
      data: [
        ...proven.map((line) => oneLine(`proven: ${line}`)),
        ...notCovered.map((line) => oneLine(`not covered: ${line}`)),
      ],
      value: { ...common, proven, notCovered, provenance },
    }
  }
  const { story, violation, steps, fix } = finding
  return {
    says: [
      `${begin} a violation was found after ${counted(explored, 'case')}.`,
      ...(wantsFix && fix === undefined
        ? ['No single change was found with which the same search finds no violation.']
        : []),
      provenanceText(provenance),
    ],
    data: [
      oneLine(story),
      oneLine(`${violation.expectation}: ${violation.text}`),
      'Steps for forecast:',
      ...steps.map((step) => `  ${oneLine(JSON.stringify(step))}`),
      ...(fix === undefined
        ? []
        : [oneLine(`With this change, ${counted(fix.explored, 'case')} find no violation: ${fix.text}`)]),
      ...(fix?.steps ?? []).map((step) => `  ${oneLine(kubectlCommand(step as never))}`),
    ],
    value: {
      ...common,
      story,
      violation: violation.text,
      expectation: violation.expectation,
      steps,
      ...(fix === undefined ? {} : { fix: { text: fix.text, steps: fix.steps, explored: fix.explored } }),
      provenance,
    },
  }
}
