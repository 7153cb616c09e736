import type { ComponentChildren } from 'preact'

/** A part of a page with a heading. Text next to the heading is muted. */
export function Card(props: {
  /** The accessible name, if the heading changes. */
  readonly label?: string
  readonly title: ComponentChildren
  readonly aside?: ComponentChildren
  readonly class?: 'clock' | 'map-card'
  readonly children?: ComponentChildren
}) {
  const { title, aside } = props
  return (
    <section
      class={props.class === undefined ? 'card' : `card ${props.class}`}
      aria-label={props.label ?? (typeof title === 'string' ? title : undefined)}
    >
      <header>
        <h2>{title}</h2>
        {typeof aside === 'string' ? <span class="muted">{aside}</span> : aside}
      </header>
      {props.children}
    </section>
  )
}
