// The form of a question. The arguments and options of its command define the fields.
import type { QuestionArgument, QuestionForm, QuestionOption, QuestionStep } from '../../src/wire/console-questions.ts'
import type { ClusterModel } from './cluster.ts'
import { looksLikeSelector, parseSelector } from './label-selector.ts'
import { N } from './rows.ts'

export interface FormField {
  /** `a0`, `a1`, … for arguments; the key of an option. */
  readonly key: string
  readonly title: string
  readonly summary: string
  readonly input: 'nodes' | 'workload' | 'choice' | 'flag' | 'file' | 'text' | 'list'
  readonly choices?: readonly string[]
  readonly placeholder?: string
  readonly isRequired: boolean
  readonly isOption: boolean
}

export type FieldValues = Readonly<Record<string, string>>

/** A question with what was entered so far. */
export interface DraftStep {
  readonly question: string
  readonly values: FieldValues
  /** Seconds after the start, as text. */
  readonly after: string
}

/** Nodes are chosen in one field, by name or by label. */
const nodesField = 'a0'

export function fieldsOf(form: QuestionForm): readonly FormField[] {
  const args = form.args.flatMap(argumentFields).map((field, at): FormField => ({ ...field, key: `a${at}` }))
  const takesNodes = args.some(({ input }) => input === 'nodes')
  return [...args, ...form.options.filter(({ key }) => !(takesNodes && key === 'selector')).map(optionField)]
}

/** One field for each word of an argument such as `NODE… TAINT`. A word in lower case is a literal and optional. */
function argumentFields({
  name,
  summary,
  takes,
  choices,
  isFile,
}: QuestionArgument): readonly Omit<FormField, 'key'>[] {
  const words = name.split(' ').map((text) => ({ text, name: text.replaceAll(/[[\]…]/g, '') }))
  return words
    .filter((word) => word.name !== word.name.toLowerCase())
    .map((word) => ({
      title: titleOf(word.name),
      summary,
      isRequired: !word.text.startsWith('['),
      isOption: false,
      input:
        isFile === true
          ? ('file' as const)
          : inputOf(word.name, choices, word.text.includes('…') || (words.length === 1 && isList(takes))),
      ...(choices === undefined ? {} : { choices }),
      ...(word.name === 'TAINT' ? { placeholder: 'maintenance=now:NoExecute' } : {}),
    }))
}

const isList = (takes: QuestionArgument['takes']) => takes === 'any' || takes === 'some'

function inputOf(name: string, choices: readonly string[] | undefined, isMany: boolean): FormField['input'] {
  if (name === 'NODE') return 'nodes'
  if (name === 'KIND/NAME') return 'workload'
  if (choices !== undefined) return 'choice'
  return isMany ? 'list' : 'text'
}

function optionField({
  key,
  flag,
  kind,
  summary,
  value,
  choices,
  required,
  default: usual,
}: QuestionOption): FormField {
  const title = titleOf(flag.slice(2))
  const common = { key, title, summary, isRequired: required, isOption: true }
  if (kind === 'boolean') return { ...common, input: 'flag' }
  if (choices !== undefined)
    return { ...common, input: 'choice', choices, ...(usual === undefined ? {} : { placeholder: usual }) }
  if (usual === undefined && alternatives.test(value ?? ''))
    return { ...common, input: 'choice', choices: ['', ...(value ?? '').split('|')] }
  // A browser has no access to files, so the user enters their content.
  if (value === 'FILE')
    return { ...common, title: manifests, summary: 'Manifests in YAML or JSON', input: 'file', isRequired: true }
  if (value === 'NODE') return { ...common, input: 'nodes' }
  return { ...common, input: kind === 'repeated' ? 'list' : 'text', placeholder: usual ?? value ?? '' }
}

const manifests = 'Manifests'
/** As in `--on-timeout fail|force|skip`. */
const alternatives = /^[a-z]+(\|[a-z]+)+$/

const titleOf = (name: string) => {
  const words = name.replaceAll('-', ' ').toLowerCase()
  return words === 'kind/name' ? 'Workload' : `${words[0]?.toUpperCase()}${words.slice(1)}`
}

const wordsIn = (text: string) => text.split(/[\s,]+/).filter((word) => word !== '')

/** The nodes that a text selects: names, or a label selector. */
export function nodesIn(
  text: string,
  cluster: ClusterModel,
): { readonly nodes: readonly string[]; readonly problem?: string } {
  const wanted = text.trim()
  if (wanted === '') return { nodes: [] }
  if (looksLikeSelector(wanted)) {
    const selector = parseSelector(wanted)
    if (!selector.ok) return { nodes: [], problem: selector.message }
    const nodes = [...cluster.nodes.values()]
      .filter(({ row }) => selector.matches(cluster.labelsOf(row[N.labels])))
      .map(({ row }) => row[N.name])
    return nodes.length === 0 ? { nodes, problem: 'No node matches these labels.' } : { nodes }
  }
  const names = wordsIn(wanted)
  const unknown = names.find((name) => !cluster.nodes.has(name))
  return unknown === undefined ? { nodes: [...new Set(names)] } : { nodes: [], problem: `Node ${unknown} not found.` }
}

/** The problem of a draft; undefined if it is valid. */
export function problemOf(form: QuestionForm, { values }: DraftStep, cluster: ClusterModel): string | undefined {
  for (const { key, title, input, isRequired, isOption } of fieldsOf(form)) {
    const value = values[key] ?? ''
    if (isRequired && value.trim() === '' && input !== 'choice')
      return input === 'nodes' && !isOption
        ? 'Enter at least one node.'
        : `${title} ${title === manifests ? 'are' : 'is'} required.`
    if (input === 'nodes' && value !== '' && !isOption) {
      const { problem } = nodesIn(value, cluster)
      if (problem !== undefined) return problem
    }
  }
  return undefined
}

/** The problem of the combination of questions; undefined if it is valid. */
export function combinationProblem(forms: readonly QuestionForm[], steps: readonly DraftStep[]): string | undefined {
  const asText = steps.flatMap(({ question }) => forms.filter(({ name, asText: how }) => name === question && how))
  const [first] = asText
  if (first === undefined || steps.length === 1) return undefined
  if (first.asText === 'alone') return `${first.name} cannot be combined with other questions: remove the others.`
  return asText.length > 1 ? `${asText.map(({ name }) => name).join(' and ')} cannot be combined.` : undefined
}

/** The step of a draft. */
export function stepOf(form: QuestionForm, { values, after }: DraftStep): QuestionStep {
  const args: string[] = []
  const options: Record<string, string | boolean | readonly string[]> = {}
  for (const { key, input, choices, isOption } of fieldsOf(form)) {
    const value = (values[key] ?? '').trim()
    if (isOption) {
      if (value === '') continue
      if (input === 'flag') options[key] = value === 'true'
      else if (input === 'list') options[key] = wordsIn(value)
      else options[key] = input === 'file' && isRepeated(form, key) ? [value] : value
    } else if (input === 'nodes' && looksLikeSelector(value)) options['selector'] = value
    else if (input === 'nodes' || input === 'list') args.push(...wordsIn(value))
    else args.push(value === '' ? (choices?.[0] ?? '') : value)
  }
  const seconds = Number(after)
  return { question: form.name, args, options, ...(seconds > 0 ? { after: seconds } : {}) }
}

const isRepeated = (form: QuestionForm, name: string) =>
  form.options.some(({ key, kind }) => key === name && kind === 'repeated')

/** The nodes of a draft, for the map and for applying it. */
export function nodesOf(form: QuestionForm, { values }: DraftStep, cluster: ClusterModel): readonly string[] {
  const fields = fieldsOf(form)
  if (fields.some(({ key, input }) => key === nodesField && input === 'nodes'))
    return nodesIn(values[nodesField] ?? '', cluster).nodes
  if (form.name === 'fail' && (values['a0'] ?? 'node') === 'node') return nodesIn(values['a1'] ?? '', cluster).nodes
  if (form.name === 'fail' && values['a0'] === 'zone')
    return [...cluster.nodes.values()].filter(({ row }) => row[N.zone] === values['a1']).map(({ row }) => row[N.name])
  return []
}
