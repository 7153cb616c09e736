import { counted } from '../whatif/report/phrases.ts'
import { escapeHtml } from '../whatif/report/report-page.ts'
import type { FindingKind, UpgradeFinding, UpgradeReport } from '../whatif/upgrade/upgrade-report.ts'
import { type TextPalette, toJson, toYaml, wrapLines } from './output.ts'

export type UpgradeFormat = 'table' | 'json' | 'yaml' | 'markdown' | 'html'

/** The report; as text it fits the width of the palette. */
export function printUpgrade(report: UpgradeReport, format: UpgradeFormat, palette: TextPalette): string {
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
      return wrapLines(textOf(report), palette)
  }
}

/** For `--brief`. */
export const briefUpgrade = (report: UpgradeReport): string => `${report.from} to ${report.to}: ${summaryOf(report)}\n`

const headings: Readonly<Record<FindingKind, string>> = {
  restart: 'Pods that restart',
  rollout: 'Rollouts that behave differently',
  pods: 'Pods with another outcome',
  removed: 'Removed API versions and fields',
  message: 'Changed messages',
  gate: 'Feature gates that change',
}

const most = 5

function shown(items: readonly string[]): string {
  const more = items.length - most
  return `${items.slice(0, most).join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}

interface Section {
  readonly title: string
  readonly findings: readonly UpgradeFinding[]
}

function sectionsOf({ findings }: UpgradeReport): readonly Section[] {
  return (Object.keys(headings) as FindingKind[]).flatMap((kind) => {
    const own = findings.filter((finding) => finding.kind === kind)
    return own.length === 0 ? [] : [{ title: headings[kind], findings: own }]
  })
}

const titleOf = ({ from, to }: UpgradeReport) => `Upgrade of the control plane from ${from} to ${to}`

/** The summary in one sentence. */
function summaryOf({ findings, isSame }: UpgradeReport): string {
  if (isSame) return 'Nothing differs for this cluster.'
  const count = (kind: FindingKind, one: string, many: string) => {
    const own = findings.filter((finding) => finding.kind === kind)
    const number = kind === 'restart' ? own.flatMap(({ objects }) => objects).length : own.length
    return number === 0 ? [] : [counted(number, one, many)]
  }
  const parts = [
    ...count('restart', 'pod restarts', 'pods restart'),
    ...count('rollout', 'rollout behaves differently', 'rollouts behave differently'),
    ...count('pods', 'group of pods has another outcome', 'groups of pods have another outcome'),
    ...count('removed', 'API version or field is removed', 'API versions or fields are removed'),
    ...count('message', 'message changes', 'messages change'),
    ...count('gate', 'feature gate changes', 'feature gates change'),
  ]
  return `${parts.join(', ')}.`
}

/** The lines below a finding: the messages before and after, the details, or the objects if there are no details. */
function linesOf(finding: UpgradeFinding, { from, to }: UpgradeReport): readonly string[] {
  const { before, after, details, objects } = finding
  const more = (details?.length ?? 0) - most
  return [
    ...(before === undefined ? [] : [`${from}: ${before}`]),
    ...(after === undefined ? [] : [`${to}: ${after}`]),
    ...(details?.slice(0, most) ?? [shown(objects)]),
    ...(more > 0 ? [`and ${more} more`] : []),
  ]
}

function textOf(report: UpgradeReport): string {
  const notes = report.notes.map(({ text }) => `assumed: ${text}`)
  const lines = [titleOf(report), ...notes, summaryOf(report)]
  for (const { title, findings } of sectionsOf(report)) {
    lines.push('', `${title}:`)
    for (const finding of findings) {
      lines.push(`  ${finding.what}`, ...linesOf(finding, report).map((line) => `    ${line}`))
    }
  }
  return `${lines.join('\n')}\n`
}

function markdownOf(report: UpgradeReport): string {
  const notes = report.notes.map(({ text }) => `> assumed: ${text}\n`)
  const lines = [`# ${titleOf(report)}`, '', ...notes, summaryOf(report), '']
  for (const { title, findings } of sectionsOf(report)) {
    lines.push(`## ${title}`, '')
    for (const finding of findings) {
      lines.push(`- ${finding.what}`, ...linesOf(finding, report).map((line) => `  - \`${line}\``))
    }
    lines.push('')
  }
  return `${lines.join('\n').trimEnd()}\n`
}

function htmlOf(report: UpgradeReport): string {
  const sections = sectionsOf(report).map(({ title, findings }) => {
    const items = findings.map((finding) => {
      const lines = linesOf(finding, report).map((line) => `<br><code>${escapeHtml(line)}</code>`)
      return `<li>${escapeHtml(finding.what)}${lines.join('')}</li>`
    })
    return `<h2>${escapeHtml(title)}</h2>\n<ul>\n${items.join('\n')}\n</ul>`
  })
  const notes = report.notes.map(({ text }) => `<p>assumed: ${escapeHtml(text)}</p>`)
  const title = escapeHtml(titleOf(report))
  const body = [`<h1>${title}</h1>`, ...notes, `<p>${escapeHtml(summaryOf(report))}</p>`, ...sections].join('\n')
  return `<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n<title>${title}</title>\n${body}\n</html>\n`
}
