import { LintForecasts, type LintPlan } from '../../whatif/lint/forecasts.ts'
import { type LintFinding, type LintRule, lintObjects, lintRules } from '../../whatif/lint/lint.ts'
import { findingSubject, lintedObjects, orderedFindings } from '../../whatif/lint/linted-objects.ts'
import { counted } from '../../whatif/report/phrases.ts'
import type { ToolOutcome } from '../answer.ts'
import { oneLine } from '../cluster-text.ts'
import { answered, type Fork } from '../fork.ts'
import { fields, openFields } from '../input-schema.ts'
import { provenanceOf, provenanceText } from '../provenance.ts'
import { type Arguments, forkOf, forkOutput, forkValue, inputs, optionalText, type Tool } from '../tool.ts'
import type { Work } from '../work.ts'

const ruleNames = Object.keys(lintRules) as readonly LintRule[]
const findingsShown = 20
const forecastMs = 3_600_000

export const lintTool: Tool = {
  name: 'lint',
  title: 'Find problems in a cluster',
  description:
    'Checks budgets, workloads, tolerations and priorities of the fork at its current time, errors first, each with its fix. ' +
    'Forecasts give evidence, such as the drain that a budget blocks, and find rollouts that never end and eviction loops. ' +
    'The fork does not change. Set namespace or rules to limit the answer.',
  effect: 'reads',
  input: fields({
    fork: inputs.fork,
    namespace: { ...inputs.namespace, description: 'Only objects of this namespace. Default: all.' },
    rules: {
      type: 'array',
      description: 'Only these rules. Default: all.',
      items: { type: 'string', enum: ruleNames },
      maxItems: ruleNames.length,
    },
    forecast: { type: 'boolean', description: 'Run forecasts. Without them, the answer is immediate.', default: true },
  }),
  output: openFields(
    {
      ...forkOutput,
      errors: { type: 'integer' },
      warnings: { type: 'integer' },
      rules: { type: 'object', description: 'Number of findings of each rule.' },
      findings: { type: 'array', description: 'rule, severity, kind, namespace, name, message, evidence, fix.' },
      forecasts: {
        type: 'string',
        enum: ['all', 'some', 'none'],
        description: 'some: the real-time limit of the call was reached.',
      },
      provenance: { type: 'object' },
    },
    ['fork', 'at', 'errors', 'warnings', 'rules', 'findings', 'forecasts', 'provenance'],
  ),
  run: async (given, context) => {
    context.workspace.checkMemory()
    const fork = forkOf(given, context)
    return lintAnswer(fork, await linted(fork, given, context.work))
  },
}

interface Linted {
  readonly findings: readonly LintFinding[]
  readonly forecasts: 'all' | 'some' | 'none'
}

async function linted(fork: Fork, given: Arguments, work: Work): Promise<Linted> {
  const rules = new Set((given['rules'] as readonly LintRule[] | undefined) ?? ruleNames)
  const namespace = optionalText(given, 'namespace')
  const isMeant = (finding: LintFinding) =>
    rules.has(finding.rule) && (namespace === undefined || finding.namespace === namespace)
  const objects = lintedObjects(fork.run.cluster.store, [])
  const findings = lintObjects(objects).filter(isMeant)
  const plan = planOf(fork)
  if (given['forecast'] === false || plan === undefined || objects.pods.length === 0)
    return { findings: orderedFindings(findings), forecasts: 'none' }
  let isCut = false
  const isOver = () => {
    isCut ||= work.isLate()
    return isCut
  }
  const workloads = objects.workloads.filter(
    ({ metadata }) => namespace === undefined || metadata.namespace === namespace,
  )
  const parts = new LintForecasts(plan, { ...objects, workloads }, fork.how.seed).parts(findings, {
    isOver,
    wants: (rule) => rules.has(rule),
  })
  for (let done = 1; ; done++) {
    const part = answered(() => parts.next())
    if (part.done === true)
      return { findings: orderedFindings(part.value.filter(isMeant)), forecasts: isCut ? 'some' : 'all' }
    await work.pause({ done, total: Math.max(done, findings.length) })
  }
}

/** Undefined for a fork of manifests, where nothing runs yet when its forecasts start. */
function planOf(fork: Fork): LintPlan | undefined {
  const { found, ...plan } = fork.forecastPlan('lint', { steps: [], untilMs: forecastMs, expect: [] })
  // A part of the cluster may lack objects that changes of the fork refer to.
  return found === undefined ? undefined : { ...plan, found, isWhole: plan.history !== undefined }
}

function lintAnswer(fork: Fork, { findings, forecasts }: Linted): ToolOutcome {
  const provenance = provenanceOf(fork)
  const shown = findings.slice(0, findingsShown)
  const errors = findings.filter(({ severity }) => severity === 'error').length
  const warnings = findings.length - errors
  const rules = Object.fromEntries(
    ruleNames
      .map((name) => [name, findings.filter(({ rule }) => rule === name).length] as const)
      .filter(([, count]) => count > 0),
  )
  return {
    says: [
      `Fork ${fork.id} at ${fork.at}: ${counted(errors, 'error')}, ${counted(warnings, 'warning')}.`,
      ...Object.entries(rules).map(([rule, count]) => `${rule} (${count}): ${lintRules[rule as LintRule].summary}`),
      ...(forecasts === 'some'
        ? ['The real-time limit of the call was reached before all forecasts ran: request fewer rules.']
        : []),
      provenanceText(provenance),
    ],
    data: [
      ...shown.flatMap((finding) => [
        oneLine(`${finding.severity} ${finding.rule}: ${findingSubject(finding)}: ${finding.message}`),
        ...(finding.evidence === undefined ? [] : [`  evidence: ${oneLine(finding.evidence)}`]),
        `  fix: ${oneLine(finding.fix)}`,
      ]),
      ...(findings.length > shown.length ? [`… and ${findings.length - shown.length} more`] : []),
    ],
    value: { ...forkValue(fork), errors, warnings, rules, findings: shown, forecasts, provenance },
    truncated: findings.length > shown.length,
  }
}
