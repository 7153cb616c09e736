// Problems as SARIF 2.1.0, which code hosts show next to the code.

export interface SarifRule {
  readonly id: string
  readonly summary: string
  readonly level: 'error' | 'warning' | 'note'
}

export interface SarifResult {
  /** The id of the rule. */
  readonly rule: string
  /** The subject, for example `data/PodDisruptionBudget/db`. With the rule, it identifies the problem across runs. */
  readonly subject: string
  /** The subject is an object of the cluster. */
  readonly isObject?: boolean
  readonly text: string
  /** Code scanning shows no result without a file. */
  readonly file: string
  readonly line?: number
}

export interface SarifRun {
  /** The version of berth. */
  readonly berth: string
  readonly rules: readonly SarifRule[]
  readonly results: readonly SarifResult[]
  readonly properties?: object
}

export function sarifLog({ berth, rules, results, properties }: SarifRun): object {
  const indexes = new Map(rules.map(({ id }, index) => [id, index]))
  return {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: {
          driver: {
            name: 'berth',
            semanticVersion: berth,
            rules: rules.map(({ id, summary, level }) => ({
              id,
              shortDescription: { text: summary },
              defaultConfiguration: { level },
            })),
          },
        },
        results: results.map((result) => sarifResult(result, indexes.get(result.rule) ?? -1, rules)),
        ...(properties === undefined ? {} : { properties }),
      },
    ],
  }
}

function sarifResult(
  { rule, subject, isObject = false, text, file, line = 1 }: SarifResult,
  ruleIndex: number,
  rules: readonly SarifRule[],
): object {
  return {
    ruleId: rule,
    ruleIndex,
    level: rules[ruleIndex]?.level,
    message: { text },
    locations: [
      {
        physicalLocation: { artifactLocation: { uri: uriOf(file) }, region: { startLine: line } },
        logicalLocations: [{ fullyQualifiedName: subject, ...(isObject ? { kind: 'resource' } : {}) }],
      },
    ],
    partialFingerprints: { 'berthProblem/v1': `${rule} ${subject}` },
  }
}

/** A relative reference: a name may have characters that a URI may not have. */
function uriOf(file: string): string {
  return encodeURI(file).replaceAll('#', '%23').replaceAll('?', '%3F')
}

/** The manifest of -f, or the input: a path in the repository, if it is relative. */
export function scannedFile({ filename, from }: ScannedOptions): string {
  const file = filename?.[0] ?? from ?? ''
  return file === '' || file === '-' || file.startsWith('/') ? 'cluster' : file.replaceAll('\\', '/')
}

interface ScannedOptions {
  readonly filename?: readonly string[] | undefined
  readonly from?: string | undefined
}
