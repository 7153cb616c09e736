import type { QuestionForm } from '../../src/wire/console-questions.ts'
import type { DeviceAnswer } from '../../src/wire/console-tables.ts'
import { live, revision } from '../model/live.ts'
import { usePolled } from '../model/poll.ts'
import { type DraftStep, type FormField, fieldsOf, nodesIn, problemOf } from '../model/questions.ts'
import { N } from '../model/rows.ts'
import { selection } from '../model/selection.ts'
import { counted } from '../model/words.ts'

const suggested = 100

/** The questions of one forecast, in order: each with the fields of its command. */
export function QuestionSteps(props: {
  readonly forms: readonly QuestionForm[]
  readonly steps: readonly DraftStep[]
  readonly onChange: (steps: readonly DraftStep[]) => void
}) {
  void revision.value
  const { forms, steps, onChange } = props
  const replace = (at: number, step: DraftStep) => onChange(steps.map((one, index) => (index === at ? step : one)))
  const move = (at: number, by: number) => {
    const next = [...steps]
    const [moved] = next.splice(at, 1)
    if (moved !== undefined) next.splice(at + by, 0, moved)
    onChange(next)
  }
  return (
    <>
      <ol class="questions">
        {steps.map((step, at) => (
          <li key={`${at} ${step.question}`}>
            <StepFields
              forms={forms}
              step={step}
              number={at}
              isAlone={steps.length === 1}
              isLast={at === steps.length - 1}
              onChange={(next) => replace(at, next)}
              onMove={(by) => move(at, by)}
              onRemove={() => onChange(steps.filter((_, index) => index !== at))}
            />
          </li>
        ))}
      </ol>
      <datalist id="node-names">
        {[...live.cluster.nodes.keys()].slice(0, suggested).map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      <datalist id="workload-names">
        {[...live.cluster.small.rows('workloads').keys()].slice(0, suggested).map((key) => {
          const [, kind = '', name = ''] = key.split('/')
          return <option key={key} value={`${kind.toLowerCase()}/${name}`} />
        })}
      </datalist>
      <datalist id="zone-names">
        {[...new Set([...live.cluster.nodes.values()].map(({ row }) => row[N.zone]))].map((zone) => (
          <option key={zone} value={zone} />
        ))}
      </datalist>
      {steps.some(asksForDevice) ? <DeviceNames /> : null}
    </>
  )
}

const asksForDevice = ({ question, values }: DraftStep) =>
  question === 'taint-device' || (question === 'fail' && values['a0'] === 'device')

/** Requested only if a question needs devices. */
function DeviceNames() {
  const { value } = usePolled<DeviceAnswer>('devices', 60_000)
  return (
    <datalist id="device-names">
      {(value?.devices ?? []).slice(0, suggested).map(({ driver, pool, device }) => (
        <option key={`${driver}/${pool}/${device}`} value={`${driver}/${pool}/${device}`} />
      ))}
    </datalist>
  )
}

/** The suggestions for a field: names of devices, zones or nodes, depending on what fails. */
function suggestionsFor(field: FormField, step: DraftStep): { readonly list?: string; readonly example?: string } {
  if (field.input === 'workload') return { list: 'workload-names', example: 'deployment/web' }
  if (field.isOption || field.input !== 'list') return {}
  if (asksForDevice(step)) return { list: 'device-names', example: 'gpu.example.com/node-1/gpu-0' }
  if (step.question !== 'fail') return {}
  if (step.values['a0'] === 'zone') return { list: 'zone-names', example: 'zone-a' }
  return step.values['a0'] === 'rack' ? { example: 'rack-1' } : { list: 'node-names', example: 'node-1' }
}

interface StepFieldsProps {
  readonly forms: readonly QuestionForm[]
  readonly step: DraftStep
  readonly number: number
  readonly isAlone: boolean
  readonly isLast: boolean
  readonly onChange: (step: DraftStep) => void
  readonly onMove: (by: number) => void
  readonly onRemove: () => void
}

function StepFields({ forms, step, number, isAlone, isLast, onChange, onMove, onRemove }: StepFieldsProps) {
  const form = forms.find(({ name }) => name === step.question)
  const set = (key: string, value: string) => onChange({ ...step, values: { ...step.values, [key]: value } })
  const fields = form === undefined ? [] : fieldsOf(form)
  const main = fields.filter(({ isOption, isRequired }) => !isOption || isRequired)
  const more = fields.filter(({ isOption, isRequired }) => isOption && !isRequired)
  return (
    <div class="question-step">
      <div class="main-fields">
        <label class="form-field">
          <span>{number === 0 ? 'What happens if I' : 'and then'}</span>
          <select
            class="field"
            aria-label={`Question ${number + 1}`}
            title={form?.summary}
            value={step.question}
            onChange={(event) => onChange({ ...step, question: event.currentTarget.value })}
          >
            {forms.map(({ name }) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </select>
        </label>
        {main.map((field) => (
          <Field
            key={field.key}
            field={field}
            suggestions={suggestionsFor(field, step)}
            value={step.values[field.key] ?? ''}
            onChange={(value) => set(field.key, value)}
          />
        ))}
        {isAlone ? null : (
          <span class="step-tools">
            <label class="form-field narrow">
              <span>After seconds</span>
              <input
                class="field"
                inputMode="numeric"
                value={step.after}
                placeholder="0"
                onInput={(event) => onChange({ ...step, after: event.currentTarget.value })}
              />
            </label>
            <button
              type="button"
              class="button"
              aria-label={`Move question ${number + 1} up`}
              disabled={number === 0}
              onClick={() => onMove(-1)}
            >
              ↑
            </button>
            <button
              type="button"
              class="button"
              aria-label={`Move question ${number + 1} down`}
              disabled={isLast}
              onClick={() => onMove(1)}
            >
              ↓
            </button>
            <button type="button" class="button" aria-label={`Remove question ${number + 1}`} onClick={onRemove}>
              ✕
            </button>
          </span>
        )}
      </div>
      {more.length === 0 ? null : (
        <details open={more.some(({ key }) => (step.values[key] ?? '') !== '')}>
          <summary>{counted(more.length, 'option')}</summary>
          <div class="main-fields">
            {more.map((field) => (
              <Field
                key={field.key}
                field={field}
                value={step.values[field.key] ?? ''}
                onChange={(value) => set(field.key, value)}
              />
            ))}
          </div>
        </details>
      )}
      <span class="hint muted" role="status">
        {form === undefined ? 'Choose a question.' : (problemOf(form, step, live.cluster) ?? '')}
      </span>
    </div>
  )
}

interface FieldProps {
  readonly field: FormField
  readonly suggestions?: ReturnType<typeof suggestionsFor>
  readonly value: string
  readonly onChange: (value: string) => void
}

function Field({ field, suggestions = {}, value, onChange }: FieldProps) {
  const { title, summary, input, choices = [], placeholder = '' } = field
  const common = {
    class: 'field',
    'aria-label': title,
    title: summary,
    spellcheck: false,
    autocomplete: 'off',
  } as const
  switch (input) {
    case 'flag':
      return (
        <label class="form-field flag" title={summary}>
          <input
            type="checkbox"
            checked={value === 'true'}
            onChange={(event) => onChange(event.currentTarget.checked ? 'true' : '')}
          />
          <span>{summary}</span>
        </label>
      )
    case 'choice':
      return (
        <label class="form-field">
          <span>{title}</span>
          <select
            {...common}
            value={value === '' ? (placeholder === '' ? choices[0] : placeholder) : value}
            onChange={(event) => onChange(event.currentTarget.value)}
          >
            {choices.map((one) => (
              <option key={one} value={one}>
                {one === '' ? 'default' : one}
              </option>
            ))}
          </select>
        </label>
      )
    case 'file':
      return (
        <label class="form-field wide">
          <span>{summary}</span>
          <textarea
            {...common}
            rows={6}
            placeholder={'apiVersion: v1\nkind: Pod\n…'}
            value={value}
            onInput={(event) => onChange(event.currentTarget.value)}
          />
        </label>
      )
    case 'nodes':
      return <NodesField field={field} value={value} onChange={onChange} />
    default:
      return (
        <label class={input === 'list' ? 'form-field grows' : 'form-field'}>
          <span>{title}</span>
          <input
            {...common}
            list={suggestions.list}
            placeholder={suggestions.example ?? placeholder}
            value={value}
            onInput={(event) => onChange(event.currentTarget.value)}
          />
        </label>
      )
  }
}

/** Nodes by name or label, or the nodes that are selected on the map. */
function NodesField({ field, value, onChange }: FieldProps) {
  const chosen = nodesIn(value, live.cluster)
  const selected = [...selection.value]
  const isOne = field.isOption
  return (
    <label class="form-field grows">
      <span>
        {isOne ? field.title : 'Nodes'}
        {chosen.nodes.length > 1 ? ` (${chosen.nodes.length})` : ''}
      </span>
      <span class="with-button">
        <input
          class="field"
          aria-label={isOne ? field.title : 'Nodes'}
          aria-invalid={chosen.problem !== undefined}
          title={field.summary}
          list="node-names"
          placeholder={isOne ? 'node-1' : 'node-1, node-2 or topology.kubernetes.io/zone=zone-a'}
          value={value}
          spellcheck={false}
          autocomplete="off"
          onInput={(event) => onChange(event.currentTarget.value)}
        />
        {isOne || selected.length === 0 ? null : (
          <button type="button" class="button" onClick={() => onChange(selected.join(', '))}>
            Use {counted(selected.length, 'selected node')}
          </button>
        )}
      </span>
    </label>
  )
}
