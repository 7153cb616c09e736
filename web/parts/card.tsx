import type { ComponentChildren } from 'preact'

/** A part of a page with a heading. What is said beside the heading is muted if it is a text. */
export function Card(props: {
  /** What the part is called where the heading changes. */
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
