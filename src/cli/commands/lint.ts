import { relative, resolve } from 'node:path'
import type { KubeObject } from '../../api/objects/meta.ts'
import { version } from '../../base/version.ts'
import { packs } from '../../controllers/hollow-kubelet/packs.ts'
import { LintForecasts } from '../../whatif/lint/forecasts.ts'
import { type LintFinding, type LintRule, lintObjects, lintRules } from '../../whatif/lint/lint.ts'
import { findingSubject, lintedObjects, orderedFindings } from '../../whatif/lint/linted-objects.ts'
import { counted } from '../../whatif/report/phrases.ts'
import { learnedStages } from '../../whatif/snapshot/startup-times.ts'
import { clusterOptions, readCluster } from '../cluster-input.ts'
import {
  type CommandContext,
  choice,
  defineCommand,
  exitCodes,
  flag,
  type OptionValues,
  repeated,
  text,
  wrongQuestion,
} from '../command.ts'
import { choosePalette, printValue, type TextPalette, toJson, wrapLines } from '../output.ts'
import { releaseOptions } from '../release-options.ts'
import { sarifLog, scannedFile } from '../sarif.ts'
import { readConfig } from '../whatif-command.ts'
import { readObjects, type SourcedObject } from '../yaml.ts'

function lintOptions() {
  return {
    ...clusterOptions(),
    filename: repeated({
      short: 'f',
      summary: 'File or directory with manifests; without --from, only these are checked',
      value: 'FILE',
    }),
    namespace: text({ short: 'n', summary: 'Report only objects of this namespace', value: 'NAMESPACE' }),
    rule: repeated({ summary: 'Report only this rule', value: 'RULE' }),
    forecast: flag({
      summary: 'Run forecasts to show the effect of findings, and to find failed rollouts and loops',
      default: true,
    }),
    failOn: choice({
      summary: 'Exit with 1 if a finding has this severity or a higher one',
      choices: ['never', 'warning', 'error'],
      default: 'error',
    }),
    ...releaseOptions,
    output: choice({
      short: 'o',
      summary: 'Output format',
      choices: ['table', 'json', 'yaml', 'sarif'],
      default: 'table',
    }),
  }
}

type LintOptions = OptionValues<ReturnType<typeof lintOptions>>

export const command = defineCommand({
  name: 'lint',
  summary: 'Find problems in disruption budgets, workloads, tolerations and priorities, and suggest fixes',
  description:
    'Checks a live cluster, a snapshot, a dump, or manifests. With a cluster, forecasts show the effect of a finding: the drain that a budget ' +
    'blocks, the outage of a workload with one replica, the rollout that never ends.',
  args: [],
  options: lintOptions(),
  examples: [
    { command: 'berth lint --from dump.json', summary: 'Check a dump' },
    {
      command: 'berth lint -f deploy/ -o sarif > berth.sarif',
      summary: 'Check manifests, and write SARIF for a code host',
    },
    { command: 'berth lint --fail-on warning -n shop', summary: 'Check one namespace of the live cluster' },
  ],
  run: async (context) => {
    const { options, stdout, env } = context
    const sourced = await manifestsOf(options.filename, context)
    const findings = await findingsOf(context, sourced.map(objectOf))
    const shown = findings.filter(
      ({ rule, namespace }) =>
        (options.rule.length === 0 || options.rule.includes(rule)) &&
        (options.namespace === undefined || namespace === options.namespace),
    )
    const report = { apiVersion: 'berth.dev/v1alpha1', kind: 'LintReport', findings: shown }
    if (options.output === 'sarif') stdout.write(toJson(sarifOf(shown, sourced, context)))
    else printValue(stdout, options.output, report, () => lintText(shown, choosePalette(stdout, env)))
    const { failOn } = options
    const isBad = shown.some(({ severity }) => failOn === 'warning' || (failOn === 'error' && severity === 'error'))
    return isBad ? exitCodes.answerIsNo : exitCodes.done
  },
})

async function findingsOf(
  context: CommandContext<LintOptions>,
  manifests: readonly KubeObject[],
): Promise<readonly LintFinding[]> {
  const { options } = context
  for (const rule of options.rule)
    if (!Object.hasOwn(lintRules, rule))
      throw wrongQuestion(`--rule ${rule}: unknown; the rules are ${Object.keys(lintRules).join(', ')}`)
  const isCluster = options.filename.length === 0 || options.from !== undefined || options.kubeconfig !== undefined
  const found = isCluster ? await readCluster(context) : undefined
  const objects = lintedObjects(found?.cluster.store, [...(found?.manifests ?? []), ...manifests])
  const findings = lintObjects(objects)
  if (found === undefined || !options.forecast || found.cluster.store.count('pods') === 0)
    return orderedFindings(findings)
  const settings = await readConfig(
    { ...options, config: undefined, behavior: 'upstream', fix: [], schedulerConfig: undefined, plugin: [] },
    context,
    found.kubernetes,
  )
  const plan = {
    title: 'lint',
    settings,
    hollow: { stages: learnedStages(packs.forecast, found.cluster.store) },
    found: found.cluster,
    create: [],
    untilMs: 3_600_000,
    without: found.without,
  }
  return orderedFindings(new LintForecasts(plan, objects, '1').complete(findings))
}

async function manifestsOf(
  files: readonly string[],
  ports: CommandContext<LintOptions>,
): Promise<readonly SourcedObject[]> {
  if (files.length === 0) return []
  const paths = files.map((file) => (file === '-' ? file : resolve(ports.cwd, file)))
  return readObjects(paths, ports, { recursive: true })
}

const objectOf = ({ object }: SourcedObject) => object as unknown as KubeObject

/** The location of a result is the manifest document of its object, if there is one. */
function sarifOf(
  findings: readonly LintFinding[],
  sourced: readonly SourcedObject[],
  { options, cwd }: CommandContext<LintOptions>,
): object {
  const places = new Map(
    sourced.map((each) => {
      const { kind = '', metadata } = objectOf(each)
      return [qualifiedName({ kind, ...metadata }), each.source]
    }),
  )
  const results = findings.map((finding) => {
    const { rule, message, evidence, fix } = finding
    const subject = qualifiedName(finding)
    const place = places.get(subject)
    const file = place === undefined ? '..' : relative(cwd, place.file).replaceAll('\\', '/')
    return {
      rule,
      subject,
      isObject: true,
      text: `${findingSubject(finding)}: ${message}.${evidence === undefined ? '' : ` Evidence: ${evidence}.`} Fix: ${fix}.`,
      // A file outside the working directory is not part of the repository.
      ...(place === undefined || file.startsWith('..') ? { file: scannedFile(options) } : { file, line: place.line }),
    }
  })
  const rules = Object.entries(lintRules).map(([id, { severity, summary }]) => ({ id, summary, level: severity }))
  return sarifLog({ berth: version, rules, results })
}

function qualifiedName({ namespace, kind, name }: Pick<LintFinding, 'namespace' | 'kind' | 'name'>): string {
  return [namespace, kind, name].filter((part) => part !== undefined).join('/')
}

// Maximum number of findings of one rule that are printed in full.
const mostPerRule = 8

function lintText(findings: readonly LintFinding[], palette: TextPalette): string {
  const { paint } = palette
  if (findings.length === 0) return 'No findings.\n'
  const errors = findings.filter(({ severity }) => severity === 'error').length
  const lines = [`${counted(errors, 'error')}, ${counted(findings.length - errors, 'warning')}.`]
  const byRule = new Map<LintRule, LintFinding[]>()
  for (const finding of findings) byRule.set(finding.rule, [...(byRule.get(finding.rule) ?? []), finding])
  for (const [rule, group] of byRule) {
    const { severity, summary } = lintRules[rule]
    lines.push('', `${paint(severity === 'error' ? 'red' : 'yellow', severity)} ${paint('bold', rule)}: ${summary}`)
    for (const finding of group.slice(0, mostPerRule)) {
      lines.push(`  ${paint('bold', findingSubject(finding))}: ${finding.message}`)
      if (finding.evidence !== undefined) lines.push(`    evidence: ${finding.evidence}`)
    }
    if (group.length > mostPerRule) lines.push(`  … and ${group.length - mostPerRule} more: -o json`)
    lines.push(`  fix: ${fixText(group)}`)
  }
  return wrapLines(`${lines.join('\n')}\n`, palette)
}

/** The fixes of all findings, without fixes that are part of another fix. */
function fixText(findings: readonly LintFinding[]): string {
  const fixes = [...new Set(findings.map(({ fix }) => fix))]
  return fixes.filter((fix) => !fixes.some((other) => other !== fix && other.includes(fix))).join('; or ')
}
