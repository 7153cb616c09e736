import type { Json, JsonObject } from '../../api/objects/meta.ts'
import { dumpYaml } from '../../base/yaml-text.ts'
import { buildForecast } from '../../whatif/report/build-forecast.ts'
import { diffForecasts } from '../../whatif/report/diff.ts'
import { scenarioApiVersion } from '../../whatif/scenario/scenario.ts'
import { ToolError, type ToolOutcome } from '../answer.ts'
import { oneLine, visible } from '../cluster-text.ts'
import type { Fork, WrittenStep } from '../fork.ts'
import { fields, openFields } from '../input-schema.ts'
import { kubectlCommand } from '../kubectl-commands.ts'
import { provenanceOf, provenanceText } from '../provenance.ts'
import { textTable } from '../text-table.ts'
import { forkOf, forkOutput, forkValue, inputs, type Tool, text } from '../tool.ts'
import { atText, type KeptForecast } from '../workspace.ts'

const rowsShown = 30

const diffTool: Tool = {
  name: 'diff',
  title: 'Compare two forks',
  description:
    'Compares the history of two forks since their snapshot, and their state: numbers, pods that are deleted, moved or pending on ' +
    'only one of them, and nodes. Useful after fork, different changes and advance to the same time.',
  effect: 'reads',
  input: fields(
    { a: { ...inputs.fork, description: 'Id of a fork.' }, b: { ...inputs.fork, description: 'Id of another fork.' } },
    ['a', 'b'],
  ),
  output: openFields(
    {
      same: { type: 'boolean' },
      numbers: { type: 'array' },
      objects: { type: 'array' },
      nodes: { type: 'array' },
      truncated: { type: 'boolean' },
    },
    ['same', 'numbers', 'objects', 'nodes'],
  ),
  run: (given, { workspace }) => {
    const [a, b] = [workspace.find(text(given, 'a')), workspace.find(text(given, 'b'))]
    const { isSame, numbers, objects, nodes } = diffForecasts(buildForecast(a.run), buildForecast(b.run))
    const differing = numbers.filter((row) => row.a !== row.b)
    // Every change takes a millisecond.
    const times = Math.abs(a.elapsedMs - b.elapsedMs) < 1_000 ? '' : ' They are at different times.'
    const [someObjects, someNodes] = [objects.slice(0, rowsShown), nodes.slice(0, rowsShown)]
    const isCut = objects.length > someObjects.length || nodes.length > someNodes.length
    return {
      says: [
        `Forks ${a.id} at ${a.at} and ${b.id} at ${b.at} ${isSame ? 'are the same' : 'differ'}.${times}`,
        `${differing.length} numbers, ${objects.length} pods or workloads and ${nodes.length} nodes differ.`,
      ],
      data: isSame
        ? []
        : [
            ...textTable(
              ['', a.id.toUpperCase(), b.id.toUpperCase()],
              [
                ...differing.map((row) => [row.what, row.a, row.b]),
                ...someObjects.map((row) => [`${row.object} (${row.change})`, row.a, row.b]),
                ...someNodes.map((row) => [`node ${row.node}`, row.a, row.b]),
              ].map((row) => row.map((cell) => oneLine(cell).slice(0, 120))),
            ),
            ...(isCut ? ['… and more'] : []),
          ],
      value: { same: isSame, numbers: differing, objects: someObjects, nodes: someNodes },
      truncated: isCut,
    }
  },
}

const exportTool: Tool = {
  name: 'export',
  title: 'Export the changes of a fork',
  description:
    'scenario: the changes with their times as a file for berth simulate. manifests: the objects that were applied, patched or ' +
    'scaled, for kubectl apply --server-side. markdown: a report for a review: changes as kubectl commands, forecasts with their ' +
    'verdicts, and the input to repeat them. Nothing is written to disk.',
  effect: 'reads',
  input: fields({ fork: inputs.fork, format: { type: 'string', enum: ['scenario', 'manifests', 'markdown'] } }, [
    'format',
  ]),
  output: openFields({ ...forkOutput, format: { type: 'string' }, document: { type: 'string' } }, [
    'fork',
    'at',
    'format',
    'document',
  ]),
  run: (given, context) => {
    const fork = forkOf(given, context)
    const format = text(given, 'format')
    const forecasts = [...context.workspace.forecasts.values()].filter((kept) => kept.fork === fork.id)
    const document =
      format === 'scenario'
        ? dumpYaml(scenarioOf(fork))
        : format === 'manifests'
          ? manifestsOf(fork)
          : markdownOf(fork, forecasts)
    return exportAnswer(fork, format, document, context.budget)
  },
}

function exportAnswer(fork: Fork, format: string, document: string, budget: number): ToolOutcome {
  const shown = visible(document)
  if (shown.length > budget * 0.9)
    throw new ToolError(
      `the document has ${shown.length} characters, which exceeds the limit of an answer: start berth mcp with --transcript, or increase --max-answer-tokens`,
    )
  return {
    says: [`${format} of fork ${fork.id} at ${fork.at}:`],
    data: shown.trimEnd().split('\n'),
    value: { ...forkValue(fork), format, document: shown },
  }
}

/** The fork as a scenario file. Replayed with the same snapshot and seed, it has the same history. */
function scenarioOf(fork: Fork): JsonObject {
  const { source, hash } = fork.snapshot
  const { flags, release } = fork.how.settings
  const { sha256: _, ...provenance } = provenanceOf(fork)
  return {
    apiVersion: scenarioApiVersion,
    kind: 'Scenario',
    metadata: { name: `fork-${fork.id}`, annotations: { ...provenance, source, sha256: hash } },
    config: { ...(flags as JsonObject), 'kubernetes-version': release.version },
    hollow: { pack: 'forecast' },
    cluster: [source],
    steps: fork.written,
    until: atText(fork),
  }
}

/** The changed fields of objects as manifests. Changes that are not about fields are commands in comments. */
function manifestsOf(fork: Fork): string {
  const parts = fork.written.flatMap((written) => {
    const documents = documentsOf(fork, written)
    if (documents.length > 0) return documents.map((document) => dumpYaml(document))
    return [kubectlCommand(written).replaceAll(/^(?!#)/gm, '# ')].map((line) => `${line}\n`)
  })
  return parts.length === 0 ? '# no changes\n' : parts.join('---\n')
}

function documentsOf(fork: Fork, written: WrittenStep): readonly Json[] {
  const { apply, patch, scale } = written as { apply?: Json; patch?: JsonObject; scale?: JsonObject }
  if (apply !== undefined) return Array.isArray(apply) ? (apply as readonly Json[]) : [apply]
  const change = patch ?? scale
  if (change === undefined) return []
  const [resource = '', first = '', second] = String(change['target']).split('/')
  const kind = fork.run.cluster.registry.kinds.find(resource)
  if (kind === undefined) return []
  const fieldsOf: JsonObject =
    scale === undefined ? (change['patch'] as JsonObject) : { spec: { replicas: change['replicas'] as Json } }
  // A field that is removed cannot be expressed in a manifest.
  if (hasNull(fieldsOf)) return []
  const place = second === undefined ? { name: first } : { namespace: first, name: second }
  const metadata = { ...(fieldsOf['metadata'] as JsonObject | undefined), ...place }
  return [{ ...fieldsOf, apiVersion: kind.apiVersion, kind: kind.kind, metadata }]
}

function hasNull(value: unknown): boolean {
  if (value === null) return true
  return typeof value === 'object' && Object.values(value).some(hasNull)
}

function markdownOf(fork: Fork, forecasts: readonly KeptForecast[]): string {
  const provenance = provenanceOf(fork)
  const fence = '```'
  return [
    `## Changes on a fork of ${inline(fork.snapshot.source)}`,
    '',
    ...(fork.written.length === 0
      ? ['No changes.']
      : [`${fence}sh`, ...fork.written.map((step) => kubectlCommand(step).replaceAll('`', "'")), fence]),
    '',
    ...forecasts.flatMap(({ id, forecast, steps }) => [
      `### ${forecast.verdict}: ${inline(forecast.question)}`,
      '',
      `${inline(forecast.reason)} (forecast ${id}, ${forecast.seconds} s of virtual time)`,
      '',
      '| | caused by the change | happens anyway |',
      '|---|---:|---:|',
      ...impactRows.map(([name, key]) => `| ${name} | ${forecast.caused[key]} | ${forecast.baseline[key]} |`),
      '',
      `${fence}sh`,
      ...steps.map((step) => kubectlCommand(step).replaceAll('`', "'")),
      fence,
      '',
    ]),
    provenanceText(provenance),
    '',
  ].join('\n')
}

const impactRows = [
  ['pods deleted', 'podsDeleted'],
  ['pods moved', 'podsMoved'],
  ['pods pending at the end', 'podsPending'],
  ['disruption budgets violated', 'workloadsBelowBudget'],
] as const

/** Escapes text of a cluster, so that it cannot add markup. */
function inline(value: string): string {
  const escapes = new Map([
    ['<', '&lt;'],
    ['>', '&gt;'],
    ['&', '&amp;'],
  ])
  return oneLine(value)
    .replaceAll(/[\\`*_[\]|#]/g, '\\$&')
    .replaceAll(/[<>&]/g, (one) => escapes.get(one) as string)
}

export const compareTools: readonly Tool[] = [diffTool, exportTool]
