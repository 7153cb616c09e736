// Writes findings as SARIF 2.1.0, which code hosts show beside the code.
import { version } from '../base/version.ts'
import { toJson } from './output.ts'

export interface SarifRule {
  readonly id: string
  readonly summary: string
  readonly level: 'error' | 'warning' | 'note'
}

export interface SarifResult {
  readonly rule: string
  readonly level: 'error' | 'warning' | 'note'
  readonly text: string
  /** What it is about, for example `data/PodDisruptionBudget/db`. */
  readonly object: string
  /** The file that contains it, relative to the working directory. */
  readonly file?: string
}

export function sarifText(rules: readonly SarifRule[], results: readonly SarifResult[]): string {
  return toJson({
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: {
          driver: {
            name: 'berth',
            version,
            rules: rules.map(({ id, summary, level }) => ({
              id,
              shortDescription: { text: summary },
              defaultConfiguration: { level },
            })),
          },
        },
        results: results.map(({ rule, level, text, object, file }) => ({
          ruleId: rule,
          level,
          message: { text },
          locations: [
            {
              ...(file === undefined ? {} : { physicalLocation: { artifactLocation: { uri: file } } }),
              logicalLocations: [{ fullyQualifiedName: object, kind: 'resource' }],
            },
          ],
        })),
      },
    ],
  })
}
