import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'

/** A dialog over the page; Escape closes it, and the focus stays inside. */
export function Dialog(props: {
  readonly title: string
  readonly onClose: () => void
  readonly children: ComponentChildren
}) {
  const element = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    const { current } = element
    if (current !== null && !current.open) current.showModal()
  }, [])
  return (
    <dialog ref={element} aria-labelledby="dialog-title" onClose={props.onClose} onCancel={props.onClose}>
      <div>
        <h2 id="dialog-title">{props.title}</h2>
        {props.children}
      </div>
    </dialog>
  )
}
