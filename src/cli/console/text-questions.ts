// Questions of `berth whatif` whose answer is not one forecast. The console shows the output of the command.
import type { ForecastWatch } from '../../controlplane/console/console.ts'
import type { Store } from '../../store/contract.ts'
import { explainDisruption } from '../../whatif/explain/explain-disruption.ts'
import { explainScaleDown } from '../../whatif/explain/explain-scale-down.ts'
import { diffForecasts } from '../../whatif/report/diff.ts'
import type { ForecastNote } from '../../whatif/report/forecast.ts'
import type { Question } from '../../whatif/scenario/question.ts'
import type { ClusterInput } from '../../whatif/snapshot/found-cluster.ts'
import { worstFirst } from '../../whatif/survival/survival.ts'
import { pendingMessages } from '../../whatif/upgrade/pending-messages.ts'
import { reportUpgrade } from '../../whatif/upgrade/upgrade-report.ts'
import { upgradePath } from '../../whatif/upgrade/version-skew.ts'
import type { ForecastRequest, QuestionForm, QuestionStep, TextAnswer } from '../../wire/console-questions.ts'
import { autoscalersOf } from '../autoscaler-input.ts'
import { wrongQuestion } from '../command.ts'
import { consolidationText, scaleDownText } from '../consolidation-text.ts'
import { diffText } from '../diff-output.ts'
import { plainPalette } from '../output.ts'
import { playSurvival } from '../survival-pool.ts'
import { printUpgrade } from '../upgrade-output.ts'
import { survivalOf, survivalText } from '../whatif-survival.ts'
import { type ForecastSetup, foundIn, planFor, playPlan, settingsFor } from './forecast.ts'
import { askQuestions, formOfCommand, optionWords, usualSeconds } from './questions.ts'

interface Asked {
  readonly step: QuestionStep
  /** The request without the question itself. Both sides of a comparison run the other steps. */
  readonly request: ForecastRequest
  readonly found: ClusterInput
  readonly setup: ForecastSetup
  readonly watch: ForecastWatch
}

interface TextQuestion {
  readonly form: Omit<QuestionForm, 'asText'> & Required<Pick<QuestionForm, 'asText'>>
  readonly answer: (asked: Asked) => Promise<TextAnswer>
}

const units = ['zone', 'node', 'rack'] as const

function textQuestions(): readonly TextQuestion[] {
  const of = formOfCommand
  return [
    {
      form: {
        name: 'fail --each',
        summary: 'Fail every zone, node or rack, one at a time, and show which workloads survive',
        args: [{ name: 'UNIT', summary: 'What fails, one at a time', takes: 'one', choices: units }],
        options: of('fail').options.filter(({ key }) => key === 'rackLabel'),
        asText: 'alone',
      },
      answer: failEach,
    },
    { form: { ...of('consolidate'), options: [], asText: 'alone' }, answer: consolidate },
    {
      form: {
        ...of('config'),
        args: of('config').args.map((argument) => ({ ...argument, isFile: true })),
        options: [],
        asText: 'with-steps',
      },
      answer: compareConfigs,
    },
    {
      form: {
        ...of('upgrade-control-plane'),
        options: of('upgrade-control-plane')
          .options.filter(({ key }) => ['to', 'fromVersion', 'allowSkip'].includes(key))
          .map((option) => (option.key === 'to' ? { ...option, required: true } : option)),
        asText: 'with-steps',
      },
      answer: upgradeControlPlane,
    },
  ]
}

export const textForms = (): readonly QuestionForm[] => textQuestions().map(({ form }) => form)

/** Whether the answer to a request is a text. */
export const asksForText = ({ steps }: ForecastRequest): boolean =>
  textForms().some(({ name }) => steps.some(({ question }) => question === name))

/** Answers a request for a text. Throws an error with a message for users. */
export async function textForConsole(
  store: Store,
  setup: ForecastSetup,
  request: ForecastRequest,
  now: number,
  watch: ForecastWatch,
): Promise<TextAnswer> {
  const known = textQuestions()
  const asked = request.steps.filter(({ question }) => known.some(({ form }) => form.name === question))
  const [step] = asked
  const question = known.find(({ form }) => form.name === step?.question)
  if (step === undefined || question === undefined) throw wrongQuestion('no question of the request has a text answer')
  const others = request.steps.filter((one) => one !== step)
  if (asked.length > 1 || (question.form.asText === 'alone' && others.length > 0))
    throw wrongQuestion(`${step.question} cannot be combined with other questions: remove the others`)
  const found = foundIn(store, setup, now)
  return question.answer({ step, request: { ...request, steps: others }, found, setup, watch })
}

const textOf = (value: QuestionStep['options'][string] | undefined) => (typeof value === 'string' ? value.trim() : '')

const notesText = (notes: readonly ForecastNote[]) => notes.map(({ text }) => `note: ${text}\n`).join('')

async function failEach({ step, request, found, setup, watch }: Asked): Promise<TextAnswer> {
  const unit = units.find((one) => one === step.args[0]) ?? 'zone'
  const each = `each${unit[0]?.toUpperCase()}${unit.slice(1)}`
  const { rackLabel } = step.options
  const options = { [each]: true, ...(rackLabel === undefined ? {} : { rackLabel }) }
  const question = await askQuestions({ ...request, steps: [{ question: 'fail', args: [], options }] }, found)
  const { settings, refused } = settingsFor(setup.settings, request)
  const { plan, notes } = planFor(question, found, { ...setup, settings }, request)
  const cases = question.failures?.cases ?? []
  let played = 0
  const rows = await playSurvival({
    plan: { ...plan, found: found.cluster },
    seed: '1',
    pluginFiles: [],
    cases,
    // The other cores are for the live cluster.
    threads: 1,
    signal: new AbortController().signal,
    onPlayed: () => {
      if (watch.isUnwanted()) throw new Error('the forecast was discarded')
      const said = `${++played} of ${cases.length} failures`
      watch.onProgress({ seconds: (request.seconds * played) / cases.length, facts: played, said })
    },
  })
  const survival = survivalOf(plan, worstFirst(rows), [...found.notes, ...refused, ...notes])
  const rack = unit === 'rack' ? optionWords('fail', { rackLabel: textOf(rackLabel) }) : []
  return {
    title: `If each ${unit} fails, one at a time`,
    text: survivalText(survival, true, plainPalette),
    command: ['berth whatif fail', `--each-${unit}`, ...rack, ...timeWords(request)].join(' '),
  }
}

async function consolidate({ found, setup }: Asked): Promise<TextAnswer> {
  const { autoscaling, notes } = autoscalersOf(setup.autoscaler, found.cluster)
  const { karpenter, clusterAutoscaler } = autoscaling ?? {}
  const said = notesText([...found.notes, ...notes])
  const answered = (text: string): TextAnswer => ({
    title: 'Nodes that the autoscaler would remove now',
    text: `${text}${said}`,
    command: `berth whatif consolidate${setup.autoscaler === undefined ? '' : ' --autoscaler autoscaler.yaml'}`,
  })
  if (karpenter !== undefined) return answered(consolidationText(explainDisruption(found.cluster, karpenter), 'table'))
  if (clusterAutoscaler !== undefined)
    return answered(scaleDownText(explainScaleDown(found.cluster, clusterAutoscaler), 'table'))
  throw wrongQuestion('the cluster has neither NodePools nor node groups')
}

async function compareConfigs({ step, request, found, setup, watch }: Asked): Promise<TextAnswer> {
  const [first = '', second = ''] = step.args
  const question = await stepsOf(request, found)
  const under = async (name: string, flags: string) => {
    const { settings, refused } = settingsFor(setup.settings, { ...request, flags })
    const { plan, notes } = planFor({ ...question, title: name }, found, { ...setup, settings }, request)
    return (await playPlan(plan, [...found.notes, ...refused, ...notes], watch)).forecast
  }
  const before = await under('a.yaml', first)
  const diff = diffForecasts(before, await under('b.yaml', second))
  return {
    title: 'Two configurations, side by side',
    text: diffText(diff, { wide: true }),
    command: ['berth whatif config a.yaml b.yaml', ...stepsWords(request), ...timeWords(request)].join(' '),
  }
}

async function upgradeControlPlane({ step, request, found, setup, watch }: Asked): Promise<TextAnswer> {
  const { to = '', fromVersion, allowSkip } = step.options
  const given = textOf(fromVersion)
  const path = upgradePath(given === '' ? setup.settings.release.version : given, textOf(to), allowSkip === true)
  if (!path.ok) throw wrongQuestion(path.message)
  const question = await stepsOf(request, found)
  const under = async (version: string) => {
    const { settings, refused } = settingsFor(setup.settings, { ...request, release: version })
    const { plan } = planFor({ ...question, title: `v${version}` }, found, { ...setup, settings }, request)
    const { forecast, run } = await playPlan(plan, [], watch)
    return { release: settings.release, forecast, refused, messages: pendingMessages(run.cluster.store, forecast) }
  }
  const before = await under(path.value.from.version)
  const after = await under(path.value.to.version)
  const { notes } = autoscalersOf(setup.autoscaler, found.cluster)
  const report = reportUpgrade({ found, before, after, notes: [...before.refused, ...after.refused, ...notes] })
  return {
    title: `If you upgrade the control plane from ${report.from} to ${report.to}`,
    text: printUpgrade(report, 'table', plainPalette),
    command: [
      'berth whatif upgrade-control-plane',
      ...optionWords('upgrade-control-plane', step.options),
      ...stepsWords(request),
      ...timeWords(request),
    ].join(' '),
  }
}

/** The other questions of a request. Without questions, only time passes. */
async function stepsOf(request: ForecastRequest, found: ClusterInput): Promise<Question> {
  return request.steps.length === 0 ? { title: '', steps: [] } : askQuestions(request, found)
}

const stepsWords = ({ steps }: ForecastRequest) => (steps.length === 0 ? [] : ['--steps', 'steps.yaml'])

const timeWords = ({ seconds }: ForecastRequest) => (seconds === usualSeconds ? [] : ['--for', `${seconds}s`])
