import { useLayoutEffect, useRef } from 'preact/hooks'
import { percentText } from '../model/words.ts'

export interface BarPart {
  /** The share of the whole bar. */
  readonly share: number
  /** One of the tones of bars.css. */
  readonly tone: string
}

/** A horizontal bar of parts. Widths are set on the element: the content security policy allows no style attributes. */
export function Bar(props: { readonly parts: readonly BarPart[]; readonly label: string; readonly slim?: boolean }) {
  return (
    <span class={props.slim === true ? 'bar slim' : 'bar'} role="img" aria-label={props.label} title={props.label}>
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

const toneOf = (share: number) => (share > 0.95 ? 'full' : share > 0.8 ? 'high' : 'used')

/** A bar that shows a utilization. */
export function Usage(props: { readonly used: number; readonly of: number; readonly text: string }) {
  const share = props.of === 0 ? 0 : props.used / props.of
  return <Bar label={props.text} parts={[{ share, tone: toneOf(share) }]} />
}

/**
 * The utilization of a resource in a table, labeled with both amounts: `CPU 1.5 of 4`. A table draws many of them with
 * every frame: a bar is one element, whose background is as wide as the share.
 */
export function Requested(props: {
  readonly what: string
  readonly used: number
  readonly of: number
  readonly text: (amount: number) => string
}) {
  const { what, used, of, text } = props
  const share = of === 0 ? 0 : used / of
  const element = useRef<HTMLSpanElement>(null)
  useLayoutEffect(() => {
    if (element.current !== null)
      element.current.style.backgroundSize = `${Math.max(0, Math.min(1, share)) * 100}% 100%`
  }, [share])
  const label = `${what} ${text(used)} of ${text(of)}`
  return (
    <>
      <span ref={element} class={`meter ${toneOf(share)}`} role="img" aria-label={label} title={label} />
      <small class="figure-beside">{percentText(share)}</small>
    </>
  )
}
