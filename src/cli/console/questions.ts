// The questions of `berth whatif` for the console. The commands define the forms and the answers.
import type { KubeObject } from '../../api/objects/meta.ts'
import type { Question } from '../../whatif/scenario/question.ts'
import type { PlannedStep } from '../../whatif/scenario/step.ts'
import { readStep } from '../../whatif/scenario/step-reader.ts'
import type { ClusterInput } from '../../whatif/snapshot/found-cluster.ts'
import type { ForecastRequest, QuestionForm, QuestionOption, QuestionStep } from '../../wire/console-questions.ts'
import { type CliCommand, type CommandSpec, flagName, type OptionSpecs, type Ports, wrongQuestion } from '../command.ts'
import { command as whatif } from '../commands/whatif.ts'
import { toYaml } from '../output.ts'
import type { AskQuestion } from '../whatif-command.ts'

interface Askable {
  readonly command: CommandSpec
  readonly options: OptionSpecs
  readonly ask: AskQuestion
}

/** The commands of `berth whatif` with one forecast as the answer. */
function askables(): readonly Askable[] {
  return whatif.commands.flatMap((command: CliCommand) => {
    const { question } = command as { readonly question?: Pick<Askable, 'options' | 'ask'> }
    return command.kind === 'group' || question === undefined ? [] : [{ command, ...question }]
  })
}

export function questionForms(): readonly QuestionForm[] {
  return askables().map(({ command, options }) => formOf(command, options))
}

/** The form of a command of `berth whatif`, with all options of the command. */
export function formOfCommand(name: string): QuestionForm {
  const command = commandNamed(name)
  return formOf(command, command.options)
}

function commandNamed(name: string): CommandSpec {
  const command = whatif.commands.find((one) => one.name === name)
  if (command === undefined || command.kind === 'group') throw new Error(`berth whatif has no command ${name}`)
  return command
}

function formOf({ name, summary, description, args }: CommandSpec, options: OptionSpecs): QuestionForm {
  return {
    name,
    summary,
    ...(description === undefined ? {} : { description }),
    args,
    options: Object.entries(options).flatMap(([key, spec]): readonly QuestionOption[] =>
      spec.hidden === true || spec.commandOnly === true
        ? []
        : [
            {
              key,
              flag: `--${flagName(key)}`,
              kind: spec.kind,
              summary: spec.summary,
              required: spec.required === true,
              ...(spec.value === undefined ? {} : { value: spec.value }),
              ...(spec.choices === undefined ? {} : { choices: spec.choices }),
              ...(typeof spec.default === 'string' || typeof spec.default === 'number'
                ? { default: String(spec.default) }
                : {}),
            },
          ],
    ),
  }
}

/** The default length of a forecast. */
export const usualSeconds = 3600

/** All steps of a request as one question. Throws an error with a message for users. */
export async function askQuestions({ steps }: ForecastRequest, found: ClusterInput): Promise<Question> {
  const known = askables()
  const asked: Question[] = []
  for (const step of steps) {
    const askable = known.find(({ command }) => command.name === step.question)
    if (askable === undefined)
      throw wrongQuestion(
        `unknown question ${JSON.stringify(step.question)}; expected ${known.map(({ command }) => command.name).join(', ')}`,
      )
    const { files, values } = readOptions(askable.options, step)
    const question = await askable.ask({ ...virtualPorts(files), args: step.args, options: values }, found)
    const laterMs = (step.after ?? 0) * 1000
    asked.push({ ...question, steps: question.steps.map((one) => later(one, laterMs)) })
  }
  const [first] = asked
  if (asked.length === 1 && first !== undefined) return first
  return {
    title: asked.map(({ title }) => title).join(', then '),
    steps: asked.flatMap((question) => question.steps).sort((a, b) => a.atMs - b.atMs),
    notes: asked.flatMap(({ notes = [] }) => notes),
  }
}

function later(step: PlannedStep, ms: number): PlannedStep {
  if (ms === 0) return step
  const atMs = step.atMs + ms
  return { ...step, atMs, source: { ...step.source, at: `${atMs / 1000}s` } }
}

/** The option values as the command line parses them. A file option has a name whose content is in `files`. */
function readOptions(specs: OptionSpecs, { options }: QuestionStep) {
  const files = new Map<string, string>()
  const values: Record<string, unknown> = {}
  const fileNamed = (key: string, at: number, content: string) => {
    const name = `/${key}-${at}.yaml`
    files.set(name, content)
    return name
  }
  for (const key of Object.keys(options))
    if (!Object.hasOwn(specs, key)) throw wrongQuestion(`unknown option ${JSON.stringify(key)}`)
  for (const [key, spec] of Object.entries(specs)) {
    const given = options[key]
    const isAbsent = given === undefined || given === '' || (Array.isArray(given) && given.length === 0)
    if (isAbsent && spec.required === true) throw wrongQuestion(`--${flagName(key)} is required`)
    if (isAbsent) {
      values[key] = spec.default
      continue
    }
    const parse = (text: string, at: number): unknown => {
      const value = spec.value === 'FILE' ? fileNamed(key, at, text) : text
      if (spec.choices !== undefined && !spec.choices.includes(value))
        throw wrongQuestion(`--${flagName(key)} ${value}: expected ${spec.choices.join(', ')}`)
      try {
        return spec.parse === undefined ? value : spec.parse(value)
      } catch (error) {
        throw wrongQuestion(`--${flagName(key)} ${value}: ${(error as Error).message}`)
      }
    }
    if (spec.kind === 'boolean') values[key] = given === true || given === 'true'
    else if (spec.kind === 'repeated') values[key] = [given].flat().map((text, at) => parse(String(text), at))
    else values[key] = parse(String(given), 0)
  }
  return { files, values }
}

/** A question reads only the files of the request, never files of the machine. */
function virtualPorts(files: ReadonlyMap<string, string>): Ports {
  const silent = { write: () => {}, isTTY: false, columns: 80 }
  const absent = (path: string) => wrongQuestion(`${path}: no such file`)
  return {
    stdout: silent,
    stderr: silent,
    env: {},
    cwd: '/',
    now: () => 0,
    files: {
      kindOf: async (path: string) => (files.has(path) ? 'file' : 'absent'),
      list: async () => [],
      readText: async (path: string) => {
        const text = files.get(path)
        if (text === undefined) throw absent(path)
        return text
      },
      writeText: async (path: string) => {
        throw absent(path)
      },
    },
    readStdin: async () => '',
    interruption: () => new AbortController().signal,
  }
}

/** The command line of a single question; undefined for several, or if it needs a file. */
export function commandText({ steps, seconds, release }: ForecastRequest): string | undefined {
  const [step] = steps
  const askable = askables().find(({ command }) => command.name === step?.question)
  if (steps.length !== 1 || step === undefined || askable === undefined || step.after !== undefined) return undefined
  const words = [
    'berth',
    'whatif',
    step.question,
    ...step.args.map(quoted),
    ...optionWords(step.question, step.options),
  ]
  if (seconds !== usualSeconds) words.push('--for', `${seconds}s`)
  if (release !== undefined) words.push('--kubernetes-version', release)
  return words.join(' ')
}

/** The options of a command as words of its command line, without defaults. */
export function optionWords(command: string, options: QuestionStep['options']): readonly string[] {
  const specs = commandNamed(command).options
  const words: string[] = []
  for (const [key, value] of Object.entries(options)) {
    const spec = specs[key]
    if (spec === undefined || value === '' || value === false || String(spec.default ?? '') === value) continue
    if (spec.value === 'FILE') words.push(`--${flagName(key)}`, `${key}.yaml`)
    else if (value === true) words.push(`--${flagName(key)}`)
    else for (const one of [value].flat()) words.push(`--${flagName(key)}`, quoted(String(one)))
  }
  return words
}

const quoted = (word: string) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`)

export interface ScenarioSetting {
  readonly seconds: number
  /** Flags of the components that differ from the defaults. */
  readonly flags?: Readonly<Record<string, unknown>>
  /** The document of --autoscaler. */
  readonly autoscaling?: unknown
}

/** The steps as a scenario file with the same answer; undefined if a scenario file cannot express a step. */
export async function scenarioText(
  { steps }: Pick<Question, 'steps'>,
  { seconds, flags = {}, autoscaling }: ScenarioSetting,
): Promise<string | undefined> {
  const noFiles = async (): Promise<readonly KubeObject[]> => []
  const written = steps.map(writtenStep)
  try {
    for (const [at, step] of written.entries()) await readStep(step, `steps[${at}]`, noFiles)
  } catch {
    return undefined
  }
  const head =
    'apiVersion: berth.dev/v1alpha1\nkind: Scenario\nmetadata:\n  name: from-the-console\ncluster: dump.json\n'
  return `${head}${toYaml({
    ...(Object.keys(flags).length === 0 ? {} : { config: flags }),
    // As in `berth whatif`, startup times are those of the pods of the cluster.
    hollow: { pack: 'forecast' },
    ...(autoscaling === undefined ? {} : { autoscaling }),
    steps: written,
    until: `${seconds}s`,
  })}`
}

/** A trace has the names of the objects that a step applies; a file has the objects. */
function writtenStep({ step, source }: PlannedStep): object {
  return step.kind === 'apply' ? { at: source['at'], apply: step.objects } : source
}
