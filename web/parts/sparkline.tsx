/** Values over time in the height of a line of text; the highest value is at the top, zero at the bottom. */
export function Sparkline(props: { readonly values: readonly number[]; readonly label: string }) {
  const { values } = props
  const most = Math.max(1, ...values)
  const points = values.map(
    (value, at) => `${(at / Math.max(1, values.length - 1)) * 98 + 1},${19 - (value / most) * 17}`,
  )
  const isFlat = values.every((value) => value === values[0])
  return (
    <svg
      class={isFlat ? 'sparkline flat' : 'sparkline'}
      viewBox="0 0 100 20"
      preserveAspectRatio="none"
      role="img"
      aria-label={props.label}
    >
      <polyline points={points.join(' ')} fill="none" vector-effect="non-scaling-stroke" />
    </svg>
  )
}
