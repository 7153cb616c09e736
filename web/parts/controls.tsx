import type { ComponentChildren } from 'preact'

/** Shows and sets a signal or a part of the address, for `Choice`, `Select` and `Search`. */
export function bound<Value>(state: { value: Value }) {
  return {
    value: state.value,
    onChange: (value: Value) => {
      state.value = value
    },
  }
}

export interface ChoiceOption<Value extends string> {
  readonly value: Value
  readonly text: string
  readonly title?: string
}

/** A few alternatives side by side. */
export function Choice<Value extends string>(props: {
  readonly label: string
  readonly options: readonly ChoiceOption<Value>[]
  readonly value: Value
  readonly onChange: (value: Value) => void
  readonly hideLabel?: boolean
}) {
  const buttons = (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset would add a border and a legend
    <span class="choice" role="group" aria-label={props.label}>
      {props.options.map((option) => (
        <button
          key={option.value}
          type="button"
          aria-pressed={option.value === props.value}
          title={option.title}
          onClick={() => props.onChange(option.value)}
        >
          {option.text}
        </button>
      ))}
    </span>
  )
  if (props.hideLabel === true) return buttons
  return (
    <span class="labelled">
      <span aria-hidden="true">{props.label}</span>
      {buttons}
    </span>
  )
}

/** The search box of a page; `/` focuses it. */
export function Search(props: {
  readonly label: string
  readonly placeholder: string
  readonly value: string
  readonly onChange: (value: string) => void
  readonly problem?: string | undefined
}) {
  return (
    <span class="search">
      <input
        class="field"
        type="search"
        data-search=""
        aria-label={props.label}
        aria-invalid={props.problem !== undefined}
        placeholder={props.placeholder}
        value={props.value}
        spellcheck={false}
        autocomplete="off"
        onInput={(event) => props.onChange(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Escape') {
            props.onChange('')
            event.currentTarget.blur()
          }
        }}
      />
      {props.problem === undefined ? null : (
        <span class="problem" role="status">
          {props.problem}
        </span>
      )}
    </span>
  )
}

/** The text for an empty list. */
export function Empty(props: { readonly title: string; readonly children?: ComponentChildren }) {
  return (
    <div class="empty">
      <strong>{props.title}</strong>
      {props.children}
    </div>
  )
}

export function Figure(props: { readonly name: string; readonly children: ComponentChildren }) {
  return (
    <div class="figure">
      <dt>{props.name}</dt>
      <dd>{props.children}</dd>
    </div>
  )
}

export type Tone = 'good' | 'warn' | 'bad' | 'odd' | 'accent' | ''

export function Tag(props: {
  readonly tone?: Tone
  readonly mono?: boolean
  readonly title?: string
  readonly children: ComponentChildren
}) {
  return (
    <span class={`tag ${props.tone ?? ''} ${props.mono === true ? 'mono' : ''}`} title={props.title}>
      {props.children}
    </span>
  )
}

/** A name that is shortened in the middle: the end distinguishes pods of one workload. */
export function Name({ text }: { readonly text: string }) {
  const tail = text.length > 12 ? 6 : 0
  if (tail === 0) return <>{text}</>
  return (
    <span class="name-parts">
      <span class="front">{text.slice(0, -tail)}</span>
      <span>{text.slice(-tail)}</span>
    </span>
  )
}
