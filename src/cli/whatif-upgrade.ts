// `berth whatif upgrade-control-plane`: the same hour under two releases, and what differs for this cluster.
import { buildForecast } from '../whatif/report/build-forecast.ts'
import type { ForecastNote } from '../whatif/report/forecast.ts'
import { reportUpgrade, type UpgradeFinding, type UpgradeReport } from '../whatif/upgrade/upgrade-report.ts'
import { upgradePath } from '../whatif/upgrade/version-skew.ts'
import { readCluster } from './cluster-input.ts'
import { type CommandContext, choice, defineCommand, exitCodes, flag, text, wrongQuestion } from './command.ts'
import { play } from './forecast-command.ts'
import { toJson, toYaml } from './output.ts'
import { readStages } from './stage-files.ts'
import { planOf, type QuestionOptions, questionOptions, readConfig } from './whatif-command.ts'
import { readSteps } from './whatif-config.ts'

// The options of single forecasts that do not apply to a comparison are left out.
const {
  expect: _expect,
  seeds: _seeds,
  output: _output,
  kubernetesVersion: _version,
  ...comparedOptions
} = questionOptions()

export const upgradeControlPlaneCommand = defineCommand({
  name: 'upgrade-control-plane',
  summary: 'Forecast what an upgrade of the control plane changes',
  description:
    'Runs the same cluster and steps under two releases of Kubernetes and reports only what differs: pods that restart or ' +
    'are placed differently, objects with an API version or a field that the new release does not have, messages that ' +
    'alerts may match, and feature gates whose default changes and that this cluster uses. Exit code 1 if anything differs.',
  args: [],
  options: {
    to: text({ summary: 'Release to upgrade to, for example 1.37 or 1.37.1', value: 'VERSION' }),
    fromVersion: text({ summary: 'Release of the cluster (default: as found in it)', value: 'VERSION' }),
    allowSkip: flag({ summary: 'Allow to skip a minor version, which Kubernetes does not support' }),
    steps: text({ summary: 'YAML file with steps to run under both releases, as in a Scenario', value: 'FILE' }),
    ...comparedOptions,
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
    const options = context.options as unknown as QuestionOptions
    const { to, fromVersion, allowSkip, steps: stepsFile, output } = context.options
    if (to === undefined) throw wrongQuestion('--to is required, for example --to 1.37')
    const found = await readCluster(context as unknown as CommandContext<QuestionOptions>)
    const said = fromVersion ?? found.kubernetes.said ?? found.kubernetes.version
    if (said === undefined) throw wrongQuestion('the release of the cluster is not known: pass --from-version')
    const path = upgradePath(said, to, allowSkip)
    if (!path.ok) throw wrongQuestion(path.message)
    const { from, to: target, assumed } = path.value
    const steps = await readSteps(stepsFile, context)
    const stages = await readStages(options.stages, context)
    const forecastUnder = async (kubernetesVersion: string) => {
      const settings = await readConfig({ ...options, kubernetesVersion }, context)
      const plan = planOf({ title: `v${kubernetesVersion}`, steps }, found, { options, settings, stages })
      const { forecastRun, interrupted } = await play(plan, options.seed, context)
      return buildForecast(forecastRun, { interrupted })
    }
    const before = await forecastUnder(from.version)
    const after = await forecastUnder(target.version)
    const notes: readonly ForecastNote[] =
      assumed === undefined
        ? []
        : [{ kind: 'assumed', text: `v${assumed} is not known: v${from.version} is used instead` }]
    const report = reportUpgrade({ store: found.cluster.store, from, to: target, before, after, notes })
    context.stdout.write(printed(report, output))
    return report.isSame ? exitCodes.done : exitCodes.answerIsNo
  },
})

function printed(report: UpgradeReport, format: 'table' | 'json' | 'yaml' | 'markdown' | 'html'): string {
  switch (format) {
    case 'json':
      return toJson(report)
    case 'yaml':
      return toYaml(report)
    case 'markdown':
      return markdownOf(report)
    case 'html':
      return htmlOf(report)
    default:
      return textOf(report)
  }
}

const headings: Readonly<Record<UpgradeFinding['kind'], string>> = {
  restart: 'Pods that restart',
  pods: 'Pods with another outcome',
  removed: 'Removed API versions and fields',
  message: 'Changed messages',
  gate: 'Feature gates that change',
}

const mostObjects = 5

function shownObjects({ objects }: UpgradeFinding): string {
  const more = objects.length - mostObjects
  return `${objects.slice(0, mostObjects).join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}

function sectionsOf(
  report: UpgradeReport,
): readonly { readonly title: string; readonly findings: readonly UpgradeFinding[] }[] {
  return (Object.keys(headings) as UpgradeFinding['kind'][]).flatMap((kind) => {
    const findings = report.findings.filter((finding) => finding.kind === kind)
    return findings.length === 0 ? [] : [{ title: headings[kind], findings }]
  })
}

const titleOf = ({ from, to }: UpgradeReport) => `Upgrade of the control plane from ${from} to ${to}`

function textOf(report: UpgradeReport): string {
  const lines = [titleOf(report), ...report.notes.map(({ text }) => `assumed: ${text}`)]
  if (report.isSame) lines.push('Nothing differs for this cluster.')
  for (const { title, findings } of sectionsOf(report)) {
    lines.push('', `${title}:`)
    for (const finding of findings) lines.push(`  ${finding.what}`, `    ${shownObjects(finding)}`)
  }
  return `${lines.join('\n')}\n`
}

function markdownOf(report: UpgradeReport): string {
  const lines = [`# ${titleOf(report)}`, '', ...report.notes.map(({ text }) => `> assumed: ${text}\n`)]
  if (report.isSame) lines.push('Nothing differs for this cluster.')
  for (const { title, findings } of sectionsOf(report)) {
    lines.push(`## ${title}`, '')
    for (const finding of findings) lines.push(`- ${finding.what}: \`${shownObjects(finding)}\``)
    lines.push('')
  }
  return `${lines.join('\n').trimEnd()}\n`
}

function htmlOf(report: UpgradeReport): string {
  const sections = sectionsOf(report).map(({ title, findings }) => {
    const items = findings.map(
      (finding) => `<li>${escaped(finding.what)}<br><code>${escaped(shownObjects(finding))}</code></li>`,
    )
    return `<h2>${escaped(title)}</h2>\n<ul>\n${items.join('\n')}\n</ul>`
  })
  const body = report.isSame ? '<p>Nothing differs for this cluster.</p>' : sections.join('\n')
  const notes = report.notes.map(({ text }) => `<p>assumed: ${escaped(text)}</p>`).join('\n')
  const title = escaped(titleOf(report))
  return `<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n<title>${title}</title>\n<h1>${title}</h1>\n${notes}\n${body}\n</html>\n`
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
}
