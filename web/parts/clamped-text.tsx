import type { ComponentChildren } from 'preact'

interface ClampedTextProps {
  /** The tooltip and, without `shown`, the text. */
  readonly text: string | undefined
  readonly tone?: string
  /** A shorter text. */
  readonly shown?: string | undefined
  /** A line below the text. */
  readonly children?: ComponentChildren
}

/** A text of a table cell, cut where it does not fit. */
export function ClampedText({ text, tone = '', shown = text, children }: ClampedTextProps) {
  return (
    <span class="two-lines">
      <span class={tone === '' ? 'clamped' : `clamped ${tone}`} title={text}>
        {shown}
      </span>
      {children}
    </span>
  )
}
