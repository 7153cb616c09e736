import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'

interface DialogProps {
  readonly title: string
  readonly onClose: () => void
  readonly children: ComponentChildren
}

/** A dialog over the page; Escape closes it, and the focus stays inside. */
export function Dialog(props: DialogProps) {
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

/** A dialog that only informs: its one action closes it. */
export function InformingDialog({ title, onClose, children }: DialogProps) {
  return (
    <Dialog title={title} onClose={onClose}>
      {children}
      <div class="actions">
        <button type="button" class="button" onClick={onClose}>
          Close
        </button>
      </div>
    </Dialog>
  )
}
