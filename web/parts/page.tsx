import type { ComponentChildren } from 'preact'
import { Empty } from './controls.tsx'

/** The frame of every page: a heading, figures, one line of controls, and the content. */
export function Page(props: {
  readonly title: ComponentChildren
  /** Beside the heading, muted if it is a text. */
  readonly aside?: ComponentChildren
  readonly figures?: ComponentChildren
  readonly toolbar?: ComponentChildren
  readonly problem?: string | undefined
  /** The content fills the window and scrolls inside; otherwise the page scrolls. */
  readonly fixed?: boolean
  readonly children: ComponentChildren
}) {
  return (
    <main class={props.fixed === true ? 'page fixed' : 'page'}>
      <div class="head">
        <div class="title">
          <h1>{props.title}</h1>
          {typeof props.aside === 'string' ? <span class="muted">{props.aside}</span> : props.aside}
        </div>
        {props.figures}
      </div>
      {props.toolbar === undefined ? null : <div class="toolbar">{props.toolbar}</div>}
      {props.problem === undefined ? null : <div class="note bad">{props.problem}</div>}
      {props.children}
    </main>
  )
}

/** The content of a page that this server does not support, with the command that does. */
export function UnavailablePage(props: {
  readonly title: string
  readonly what: string
  readonly verb: string
  readonly command: string
}) {
  return (
    <Page title={props.title}>
      <Empty title={`${props.what} are not available here`}>
        <span>
          {props.verb} with <code>{props.command}</code> on any cluster that you can read.
        </span>
      </Empty>
    </Page>
  )
}

/** The rows of a table that is being loaded, so that nothing moves when it arrives. */
export function Skeleton({ rows = 8 }: { readonly rows?: number }) {
  return (
    <div class="skeleton" role="status" aria-label="Loading">
      {Array.from({ length: rows }, (_, at) => (
        <span key={at} />
      ))}
    </div>
  )
}

export function NotFound(props: { readonly title: string; readonly children?: ComponentChildren }) {
  return (
    <main class="page">
      <div class="empty">
        <h1>{props.title}</h1>
        {props.children}
      </div>
    </main>
  )
}
