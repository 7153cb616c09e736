import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'

interface DialogProps {
  readonly title: string
  readonly onClose: () => void
  readonly children: ComponentChildren
}

/** A dialog over the page; Escape closes it. The focus stays inside, and then returns to where it was. */
export function Dialog(props: DialogProps) {
  const element = useRef<HTMLDialogElement>(null)
  const isRemoved = useRef(false)
  useLayoutEffect(() => {
    const { current } = element
    if (current === null) return
    current.showModal()
    // The browser returns the focus when a dialog closes, not when its element is removed.
    return () => {
      isRemoved.current = true
      current.close()
    }
  }, [])
  // The event of the removal arrives later, when another dialog may be open: it must not close that one.
  const onClose = () => {
    if (!isRemoved.current) props.onClose()
  }
  return (
    <dialog ref={element} aria-labelledby="dialog-title" onClose={onClose} onCancel={onClose}>
      <div>
        <h2 id="dialog-title">{props.title}</h2>
        {props.children}
      </div>
    </dialog>
  )
}

/** A dialog whose only action closes it. */
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
