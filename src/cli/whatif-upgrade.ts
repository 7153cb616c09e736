// `berth whatif upgrade-control-plane`: the same hour under two releases, and what differs for this cluster.
import { releaseOf } from '../api/releases/release-of.ts'
import { buildForecast } from '../whatif/report/build-forecast.ts'
import type { ForecastNote } from '../whatif/report/forecast.ts'
import { pendingMessages } from '../whatif/upgrade/pending-messages.ts'
import { reportUpgrade } from '../whatif/upgrade/upgrade-report.ts'
import { upgradePath } from '../whatif/upgrade/version-skew.ts'
import { readAutoscaler } from './autoscaler-input.ts'
import { readCluster } from './cluster-input.ts'
import {
  type CommandContext,
  CommandError,
  choice,
  defineCommand,
  exitCodes,
  flag,
  text,
  wrongQuestion,
} from './command.ts'
import { play } from './forecast-command.ts'
import { choosePalette } from './output.ts'
import { readStages } from './stage-files.ts'
import { briefUpgrade, printUpgrade } from './upgrade-output.ts'
import { saveRecording, webhookSettingsOf } from './webhook-options.ts'
import { planOf, type QuestionOptions, questionOptions, readConfig, readStartups } from './whatif-command.ts'
import { readSteps } from './whatif-config.ts'

// Omits the options of single forecasts that do not apply to a comparison.
const {
  expect: _expect,
  seeds: _seeds,
  output: _output,
  kubernetesVersion: _version,
  failOn: _failOn,
  timeline: _timeline,
  pods: _pods,
  withBaseline: _baseline,
  brief: _brief,
  ...comparedOptions
} = questionOptions()

export const upgradeControlPlaneCommand = defineCommand({
  name: 'upgrade-control-plane',
  summary: 'Forecast what an upgrade of the control plane changes',
  description:
    'Runs the same cluster and steps under two releases of Kubernetes and reports only what differs: pods that restart or ' +
    'are placed differently, rollouts that behave differently, objects with an API version or a field that the new release removes, messages that ' +
    'alerts may match, and feature gates whose default changes and that this cluster uses. Exit code 1 if anything differs.',
  args: [],
  options: {
    to: text({ summary: 'Release to upgrade to, for example 1.37 or 1.37.1', value: 'VERSION' }),
    fromVersion: text({
      summary: 'Release of the cluster (default: the release found in the input)',
      value: 'VERSION',
    }),
    allowSkip: flag({ summary: 'Allow skipping a minor version, which Kubernetes does not support' }),
    steps: text({ summary: 'YAML file with steps to run under both releases, as in a Scenario', value: 'FILE' }),
    ...comparedOptions,
    brief: flag({ summary: 'Print one line: the releases and what differs' }),
    output: choice({
      short: 'o',
      summary: 'Output format',
      choices: ['table', 'json', 'yaml', 'markdown', 'html'],
      default: 'table',
    }),
  },
  examples: [
    {
      command: 'berth whatif upgrade-control-plane --to 1.37.1 --from dump.json',
      summary: 'Compare the release of the cluster with 1.37.1',
    },
    {
      command:
        'berth whatif upgrade-control-plane --from-version 1.34.3 --to 1.35 --steps rollout.yaml --from dump.json',
      summary: 'Compare two releases during a rollout',
    },
  ],
  run: async (context) => {
    const known = context as unknown as CommandContext<QuestionOptions>
    const { options } = known
    const { to, fromVersion, allowSkip, steps: stepsFile, output, brief } = context.options
    if (to === undefined) throw wrongQuestion('--to is required, for example --to 1.37')
    const wanted = releaseOf(to)
    if (!wanted.ok) throw wrongQuestion(wanted.message)
    const found = await readCluster(known)
    const said = fromVersion ?? found.kubernetes.said ?? found.kubernetes.version
    if (said === undefined) throw wrongQuestion(unknownRelease)
    const path = upgradePath(said, to, allowSkip)
    if (!path.ok) throw wrongQuestion(path.message)
    const { from, to: target, assumed } = path.value
    const steps = await readSteps(stepsFile, context)
    const stages = await readStages(options.stages, context)
    const { notes: assumedOfAutoscaler, ...autoscaling } = await readAutoscaler(options.autoscaler, found, known)
    const { times: startups } = await readStartups(options, found, known)
    const webhooks = await webhookSettingsOf(options, known)
    const forecastUnder = async (kubernetesVersion: string) => {
      const settings = await readConfig({ ...options, kubernetesVersion }, context, found.kubernetes).catch((error) => {
        // A gate may exist in only one of the releases.
        if (!(error instanceof CommandError) || options.featureGates === undefined) throw error
        throw wrongQuestion(`under v${kubernetesVersion}: ${error.message}`)
      })
      const planned = planOf({ title: `v${kubernetesVersion}`, steps }, found, { options, settings, stages, startups })
      const plan = { ...planned, ...autoscaling, ...webhooks }
      const { forecastRun, interrupted } = await play(plan, options.seed, context)
      const forecast = buildForecast(forecastRun, { interrupted })
      const messages = pendingMessages(forecastRun.cluster.store, forecast)
      return { release: settings.release, forecast, messages }
    }
    try {
      const before = await forecastUnder(from.version)
      const after = await forecastUnder(target.version)
      const replaced = `berth does not support v${assumed}: v${from.version} is used instead`
      const notes: readonly ForecastNote[] = [
        ...(assumed === undefined ? [] : [{ kind: 'assumed' as const, text: replaced }]),
        ...assumedOfAutoscaler,
      ]
      const report = reportUpgrade({ found, before, after, notes })
      const text = brief
        ? briefUpgrade(report)
        : printUpgrade(report, output, choosePalette(context.stdout, context.env))
      context.stdout.write(text)
      return report.isSame ? exitCodes.done : exitCodes.answerIsNo
    } finally {
      await saveRecording(options, webhooks.webhooks, known)
    }
  },
})

const unknownRelease =
  'the release of the cluster is unknown, because no node of the input has a kubelet version: pass the release, for example --from-version 1.36'
