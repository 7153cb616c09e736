/** One of several alternatives, in little space. */
export function Select<Value extends string>(props: {
  readonly label: string
  readonly value: Value
  readonly options: readonly { readonly value: Value; readonly text: string }[]
  readonly onChange: (value: Value) => void
}) {
  const isKnown = props.options.some(({ value }) => value === props.value)
  return (
    <label class="labelled">
      <span>{props.label}</span>
      <select
        class="field"
        value={props.value}
        onChange={(event) => props.onChange(event.currentTarget.value as Value)}
      >
        {isKnown ? null : <option value={props.value}>{props.value}</option>}
        {props.options.map(({ value, text }) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
    </label>
  )
}
