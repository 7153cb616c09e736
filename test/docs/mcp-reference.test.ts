import { describe, expect, test } from 'vitest'
import type { InputSchema } from '../../src/mcp/input-schema.ts'
import { defaultLimits } from '../../src/mcp/limits.ts'
import { prompts } from '../../src/mcp/prompts.ts'
import { resources, resourceTemplates } from '../../src/mcp/resources.ts'
import { tools } from '../../src/mcp/tools.ts'

function typeOf({ type, enum: choices, items }: InputSchema): string {
  if (choices !== undefined) return choices.map((choice) => `\`${choice}\``).join(', ')
  if (type === 'array') return items?.type === undefined ? 'array' : `array of ${items.type}`
  return type ?? 'any'
}

const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('<', '&lt;').replaceAll('{', '&#123;')

const bytes = (count: number): string => `${count / 2 ** 20} MiB`
const hours = (ms: number): string => `${ms / 3_600_000} h`

describe('docs/reference/mcp.md', () => {
  test('contains every tool, resource, prompt and limit (npx vitest run test/docs -u updates it)', async () => {
    const toolSections = tools.flatMap(({ name, title, description, input, effect }) => [
      `### ${name}`,
      '',
      `${title}. ${cell(description)} ${effect === 'reads' ? 'Changes nothing.' : 'Changes only what is open on the server.'}`,
      '',
      ...(Object.keys(input.properties).length === 0
        ? ['No arguments.']
        : [
            '| argument | type | |',
            '|---|---|---|',
            ...Object.entries(input.properties).map(([field, schema]) => {
              const marks = [
                ...(input.required?.includes(field) === true ? ['required'] : []),
                ...(schema.default === undefined ? [] : [`default \`${schema.default}\``]),
                ...(schema.maximum === undefined ? [] : [`at most ${schema.maximum}`]),
              ]
              const text = [schema.description === undefined ? '' : cell(schema.description), marks.join(', ')]
              return `| \`${field}\` | ${typeOf(schema)} | ${text.filter((part) => part !== '').join(' ')} |`
            }),
          ]),
      '',
    ])
    const limits: readonly (readonly [string, string, string])[] = [
      ['open forks', String(defaultLimits.forks), '`--max-forks`'],
      ['open snapshots', String(defaultLimits.snapshots), ''],
      ['forecasts that can be read again', String(defaultLimits.forecasts), ''],
      ['memory of the process', bytes(defaultLimits.memoryBytes), '`--max-memory`'],
      ['virtual time of a call', hours(defaultLimits.advanceMs), '`--max-advance`'],
      ['virtual time of a fork', hours(defaultLimits.forkMs), ''],
      ['changes of a fork', String(defaultLimits.steps), ''],
      ['real time of a call', `${defaultLimits.timeoutMs / 1000} s`, '`--timeout`'],
      ['a message', bytes(defaultLimits.messageBytes), ''],
      ['a file, also unpacked', bytes(defaultLimits.fileBytes), ''],
      [
        'an answer, its text and again its structured content',
        `${defaultLimits.answerTokens} tokens`,
        '`--max-answer-tokens`',
      ],
    ]
    const page = [
      '# Model Context Protocol',
      '',
      'Made from the tables of the server. How to set it up and use it is in [MCP for AI agents](../how-to/mcp.md).',
      '',
      '## Tools',
      '',
      'Unknown arguments are errors that suggest the right one. An answer has text, with everything that comes from the cluster between',
      '`<cluster-data>` and `</cluster-data>`, and the same as structured content, with `truncated` if something was left out.',
      '',
      ...toolSections,
      '## Resources',
      '',
      '| address | content |',
      '|---|---|',
      ...resources.map(({ uri, description }) => `| \`${uri}\` | ${description} |`),
      ...resourceTemplates.map(
        ({ uriTemplate, title, description }) => `| \`${uriTemplate}\` | ${title}. ${description} |`,
      ),
      '',
      '## Prompts',
      '',
      '| prompt | arguments | |',
      '|---|---|---|',
      ...prompts.map(
        ({ name, description, arguments: known }) =>
          `| \`${name}\` | ${known.map((one) => `\`${one.name}\`${one.required ? ' (required)' : ''}`).join(', ')} | ${description} |`,
      ),
      '',
      '## Limits',
      '',
      '| limit | default | flag |',
      '|---|---|---|',
      ...limits.map((row) => `| ${row.join(' | ')} |`),
      '',
    ].join('\n')
    await expect(page).toMatchFileSnapshot('../../docs/reference/mcp.md')
  })
})
