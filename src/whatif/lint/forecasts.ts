import { selects } from '../../api/label-selector.ts'
import type { Pod } from '../../api/objects/pod.ts'
import { findLoops } from '../facts/loops.ts'
import { buildForecast } from '../report/build-forecast.ts'
import type { Forecast } from '../report/forecast.ts'
import { counted, span } from '../report/phrases.ts'
import { ForecastRun } from '../run/forecast-run.ts'
import { baselineOf, type ForecastPlan } from '../scenario/forecast-plan.ts'
import { plannedStep } from '../scenario/question.ts'
import type { Step } from '../scenario/step.ts'
import { SurvivalRuns } from '../survival/survival.ts'
import { findingOf, type LintedWorkload, type LintFinding, type LintObjects, type LintRule } from './lint.ts'

// The maximum number of forecasts per rule. A few findings are enough to show the effect of the others.
const mostForecasts = 5
const mostRollouts = 20

export type LintPlan = Omit<ForecastPlan, 'steps' | 'expect' | 'found'> & {
  readonly found: NonNullable<ForecastPlan['found']>
  /** Runs every failure on the whole cluster, even if it affects only a part. */
  readonly isWhole?: boolean
}

interface LintLimits {
  readonly isOver?: () => boolean
  readonly wants?: (rule: LintRule) => boolean
}

/** Adds the results of forecasts: evidence for findings, rollouts that never end, and loops. */
export class LintForecasts {
  private readonly plan: LintPlan
  private readonly objects: LintObjects
  private readonly seed: string
  private baseline: ForecastRun | undefined

  constructor(plan: LintPlan, objects: LintObjects, seed: string) {
    this.plan = plan
    this.objects = objects
    this.seed = seed
  }

  /** The findings with evidence, and the findings that only a forecast shows. */
  complete(findings: readonly LintFinding[]): readonly LintFinding[] {
    const parts = this.parts(findings)
    for (;;) {
      const { done, value } = parts.next()
      if (done === true) return value
    }
  }

  /**
   * As `complete`, for callers that yield to other work after each part. When `isOver` returns true, no more forecasts
   * are run.
   */
  *parts(
    findings: readonly LintFinding[],
    { isOver = () => false, wants = () => true }: LintLimits = {},
  ): Generator<undefined, readonly LintFinding[]> {
    const used = new Map<string, number>()
    const all: LintFinding[] = []
    for (const finding of findings) {
      all.push(isOver() ? finding : this.withEvidence(finding, used))
      yield
    }
    for (const workload of wants('rollout-deadlock') ? this.limitedWorkloads() : []) {
      if (isOver()) break
      all.push(...this.rolloutOf(workload))
      yield
    }
    if (wants('eviction-loop') && !isOver()) all.push(...this.loops())
    return all
  }

  private withEvidence(finding: LintFinding, used: Map<string, number>): LintFinding {
    const count = used.get(finding.rule) ?? 0
    if (finding.evidence !== undefined || count >= mostForecasts) return finding
    const evidence = this.evidenceOf(finding)
    if (evidence === undefined) return finding
    used.set(finding.rule, count + 1)
    return { ...finding, evidence }
  }

  private evidenceOf(finding: LintFinding): string | undefined {
    switch (finding.rule) {
      case 'budget-never-drains':
        return this.drainOf(finding)
      case 'single-replica':
      case 'tolerates-dead-nodes':
        return this.failureOf(finding)
      default:
        return undefined
    }
  }

  private drainOf({ namespace = 'default', name }: LintFinding): string | undefined {
    const budget = this.objects.budgets.find(
      (each) => each.metadata.namespace === namespace && each.metadata.name === name,
    )
    const node = this.nodeOf(
      (pod) => pod.metadata.namespace === namespace && selects(budget?.spec?.selector, pod.metadata.labels),
    )
    if (node === undefined) return undefined
    const { verdict, reason } = this.forecast({ kind: 'drain', nodes: { kind: 'names', names: [node] }, options: {} })
    return `whatif drain ${node}: ${verdict}: ${reason}`
  }

  private failureOf({ namespace = 'default', name, kind }: LintFinding): string | undefined {
    const workload = this.objects.workloads.find(
      (each) =>
        each.kind === kind && each.metadata.name === name && (each.metadata.namespace ?? 'default') === namespace,
    )
    const node = this.nodeOf(
      (pod) => pod.metadata.namespace === namespace && selects(workload?.spec?.selector, pod.metadata.labels),
    )
    if (node === undefined) return undefined
    const runs = new SurvivalRuns(this.plan, this.seed)
    const { verdict, reason, recovered } = runs.play({ name: node, nodes: [node] })
    const time = recovered === undefined ? 'it does not recover' : `all pods run again after ${span(recovered * 1000)}`
    return `whatif fail node ${node}: ${verdict}: ${reason}; ${time}`
  }

  private nodeOf(isMeant: (pod: Pod) => boolean): string | undefined {
    return this.objects.pods.find((pod) => pod.spec.nodeName !== undefined && isMeant(pod))?.spec.nodeName
  }

  /** Deployments whose old pods limit the placement of new pods. */
  private limitedWorkloads(): readonly LintedWorkload[] {
    return this.objects.workloads.filter((each) => each.kind === 'Deployment' && isLimited(each)).slice(0, mostRollouts)
  }

  /** Runs a forecast of a restart. */
  private rolloutOf(workload: LintedWorkload): readonly LintFinding[] {
    const { namespace = 'default', name } = workload.metadata
    const patch = { spec: { template: { metadata: { annotations: { 'berth.dev/restarted': 'true' } } } } }
    const result = this.forecast({
      kind: 'patch',
      target: { kind: 'deployment', namespace, name },
      patch,
      type: 'strategic',
    })
    const stuck = result.pods.filter(
      ({ pending, pod }) => pending !== undefined && pod.startsWith(`${namespace}/${name}-`),
    )
    const [first] = stuck
    if (first === undefined || result.caused.podsPending === 0) return []
    return [
      findingOf('rollout-deadlock', workload, {
        message: `a rollout never ends: ${counted(stuck.length, 'new pod does', 'new pods do')} not fit beside the old ones`,
        evidence: `forecast of a restart: ${first.pod} is pending after ${span(result.seconds * 1000)}: ${first.pending}`,
        fix: 'set maxUnavailable above 0, add matchLabelKeys: [pod-template-hash], or make the constraint preferred',
      }),
    ]
  }

  private loops(): readonly LintFinding[] {
    const { recorder, elapsedMs } = this.quiet()
    return findLoops(recorder, elapsedMs).map(({ text, kind }) => {
      const [workload = ''] = text.split(' ')
      const [namespace = '', name = workload] = workload.split('/')
      return findingOf(
        'eviction-loop',
        { kind: 'Pod', metadata: { namespace, name } },
        {
          message: kind === 'place-evict' ? 'is evicted and placed on the same nodes again' : 'is deleted repeatedly',
          evidence: text,
          fix: 'remove tolerationSeconds, or add a NoSchedule taint beside the NoExecute taint; berth run --fix finite-tolerations',
        },
      )
    })
  }

  private forecast(step: Step): Forecast {
    const plan: ForecastPlan = { ...this.plan, steps: [plannedStep(step)], expect: [] }
    const forecastRun = ForecastRun.start(plan, { seed: this.seed }).finish()
    return buildForecast(forecastRun, { baseline: this.quiet() })
  }

  private quiet(): ForecastRun {
    this.baseline ??= ForecastRun.start(baselineOf({ ...this.plan, steps: [], expect: [] }), {
      seed: this.seed,
    }).finish()
    return this.baseline
  }
}

/** Reports whether new pods count against old ones: required anti-affinity, or a required spread constraint. */
function isLimited({ spec }: LintedWorkload): boolean {
  const { affinity, topologySpreadConstraints = [] } = spec?.template?.spec ?? {}
  return (
    (affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []).length > 0 ||
    topologySpreadConstraints.some(({ whenUnsatisfiable }) => whenUnsatisfiable === 'DoNotSchedule')
  )
}
