import { useState } from 'preact/hooks'
import type { ConsoleAction } from '../../src/wire/console-wire.ts'
import { post } from '../model/api.ts'

/**
 * Applies an action to nodes at once, for actions that revert others. Actions that disturb pods are confirmed first, on
 * the Time page.
 */
export function ActionButton(props: {
  readonly text: string
  readonly action: ConsoleAction
  readonly onDone: (said: string) => void
}) {
  const [busy, setBusy] = useState(false)
  const act = async () => {
    setBusy(true)
    try {
      const { done } = await post<{ readonly done: string }>('actions', props.action)
      props.onDone(done)
    } catch (error) {
      props.onDone(error instanceof Error ? error.message : String(error))
    }
    setBusy(false)
  }
  return (
    <button type="button" class="button" disabled={busy} onClick={act}>
      {props.text}
    </button>
  )
}
