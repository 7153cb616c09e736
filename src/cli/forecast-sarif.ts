// A forecast as SARIF, for code scanning: one result for each problem.
import { budgetsThatBlock } from '../whatif/report/blocking-budgets.ts'
import type { Forecast } from '../whatif/report/forecast.ts'
import { counted, span } from '../whatif/report/phrases.ts'
import { sarifLog } from './sarif.ts'

const rules = {
  'budget-violated': ['error', 'A disruption budget has fewer healthy pods than it desires'],
  'pods-lost': ['error', 'Pods are deleted and not replaced'],
  'pods-stuck': ['error', 'Pods stay Terminating and are not replaced'],
  loop: ['error', 'Pods are placed and deleted repeatedly'],
  'drain-blocked': ['warning', 'A drain or an upgrade does not end'],
  'pods-pending': ['warning', 'Pods have no node at the end'],
  'expectation-not-met': ['error', 'An expectation is not met'],
  'input-incomplete': ['note', 'The input lacks a kind that could change the answer'],
} as const

type RuleId = keyof typeof rules

interface Problem {
  readonly rule: RuleId
  /** Identifies the problem across runs. */
  readonly subject: string
  readonly text: string
}

/** @param file The input that the results refer to. */
export function forecastSarif(forecast: Forecast, file: string): object {
  return sarifLog({
    berth: forecast.berth,
    rules: Object.entries(rules).map(([id, [level, summary]]) => ({ id, level, summary })),
    results: problemsOf(forecast).map(({ rule, subject, text }) => ({
      rule,
      subject,
      text: `${forecast.question}: ${text}`,
      file,
    })),
    properties: { verdict: forecast.verdict, reason: forecast.reason },
  })
}

function problemsOf({ workloads, answer, drains, loops, expectations, notes }: Forecast): readonly Problem[] {
  const time = (seconds: number) => span(seconds * 1000)
  return [
    ...answer.budgetsBroken.map((budget): Problem => {
      const below = workloads.find((entry) => entry.budget === budget)
      const how = below === undefined ? '' : ` for ${time(below.timeBelowBudget)}`
      return { rule: 'budget-violated', subject: budget, text: `the disruption budget ${budget} is violated${how}` }
    }),
    ...workloads.flatMap(({ namespace, name, lost, terminating, pending }): readonly Problem[] => {
      const subject = `${namespace}/${name}`
      return [
        ...(lost === 0
          ? []
          : [{ rule: 'pods-lost' as const, subject, text: `${counted(lost, 'pod')} of ${subject} lost` }]),
        ...terminating.map(({ pod, node }) => ({
          rule: 'pods-stuck' as const,
          subject: pod,
          text: `${pod} stays Terminating on ${node}: add the taint node.kubernetes.io/out-of-service or delete the node`,
        })),
        ...pending.map(({ reason, count }) => ({
          rule: 'pods-pending' as const,
          subject,
          text: `${counted(count, 'pod')} of ${subject} pending: ${reason}`,
        })),
      ]
    }),
    ...(drains?.open ?? []).map((node): Problem => {
      const blocked = drains?.blocked.filter((one) => one.node === node) ?? []
      const [budget] = budgetsThatBlock(blocked)
      const why = budget === undefined ? (blocked[0]?.why ?? 'not started') : `the disruption budget ${budget.budget}`
      return { rule: 'drain-blocked', subject: node, text: `${node} is not drained: ${why}` }
    }),
    ...loops.map(({ kind, text }): Problem => ({ rule: 'loop', subject: `${kind} ${text.split(' ')[0]}`, text })),
    ...expectations
      .filter(({ holds }) => !holds)
      .map(
        ({ path, kind, violation }): Problem => ({
          rule: 'expectation-not-met',
          subject: path,
          text: `the expectation ${kind} is not met at ${time(violation?.seconds ?? 0)}: ${violation?.text}`,
        }),
      ),
    ...notes
      .filter(({ matters }) => matters === true)
      .map(({ about = '', text }): Problem => ({ rule: 'input-incomplete', subject: about, text })),
  ]
}
