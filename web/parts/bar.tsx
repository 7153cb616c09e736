import { useLayoutEffect, useRef } from 'preact/hooks'
import { percentText } from '../model/words.ts'

export interface BarPart {
  /** The share of the whole bar. */
  readonly share: number
  /** One of the tones of bars.css. */
  readonly tone: string
}

/** A horizontal bar of parts. Widths are set on the element: the content security policy allows no style attributes. */
export function Bar(props: {
  readonly parts: readonly BarPart[]
  readonly label: string
  readonly slim?: boolean
  /** Shown beside the bar. */
  readonly figure?: string
}) {
  return (
    <span
      class={props.slim === true ? 'bar slim' : 'bar'}
      role="img"
      aria-label={props.label}
      title={props.label}
      data-figure={props.figure}
    >
      {props.parts.map((part, at) => (
        <Part key={at} {...part} />
      ))}
    </span>
  )
}

function Part({ share, tone }: BarPart) {
  const element = useRef<HTMLSpanElement>(null)
  useLayoutEffect(() => {
    if (element.current !== null) element.current.style.width = `${Math.max(0, Math.min(1, share)) * 100}%`
  }, [share])
  return <span ref={element} class={`part ${tone}`} />
}

/** The utilization of something. */
export function Usage(props: {
  readonly used: number
  readonly of: number
  readonly text: string
  readonly hasFigure?: boolean
}) {
  const share = props.of === 0 ? 0 : props.used / props.of
  const tone = share > 0.95 ? 'full' : share > 0.8 ? 'high' : 'used'
  const figure = props.hasFigure === true ? { figure: percentText(share) } : {}
  return <Bar label={props.text} parts={[{ share, tone }]} {...figure} />
}

/** The utilization of a resource in a table, labeled with both amounts: `CPU 1.5 of 4`. */
export function Requested(props: {
  readonly what: string
  readonly used: number
  readonly of: number
  readonly text: (amount: number) => string
}) {
  const { what, used, of, text } = props
  return <Usage used={used} of={of} text={`${what} ${text(used)} of ${text(of)}`} hasFigure />
}
