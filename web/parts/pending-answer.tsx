// The state of the pages What if and Search before the answer.
import type { ComponentChildren } from 'preact'
import { useEffect } from 'preact/hooks'

export function RunningAnswer({
  label,
  status,
  onDiscard,
  children,
}: {
  readonly label: string
  readonly status: ComponentChildren
  readonly onDiscard: () => void
  readonly children?: ComponentChildren
}) {
  return (
    <section class="card" aria-label={label}>
      <div class="body stack" role="status">
        <strong>{status}</strong>
        {children}
        <span>
          <button type="button" class="button" onClick={onDiscard}>
            Discard
          </button>
        </span>
      </div>
    </section>
  )
}

export function FailedAnswer({ children }: { readonly children: ComponentChildren }) {
  return (
    <div class="note bad" role="alert">
      {children}
    </div>
  )
}

/** Scrolls to the answer when it arrives, so that verdict, workloads and maps are on one screen. */
export function useAnswerInView(isAnswered: boolean): void {
  useEffect(() => {
    const head = isAnswered ? document.querySelector('.forecast-head') : null
    const page = head?.closest('.page')
    // Not scrollIntoView, which may scroll what contains the page, too.
    if (head != null && page != null)
      page.scrollTop += head.getBoundingClientRect().top - page.getBoundingClientRect().top
  }, [isAnswered])
}
