import type { Transition } from '../../src/wire/console-wire.ts'

/** Buttons to the previous and the next change, because most instants have no change. */
export function StepButtons(props: {
  readonly transitions: readonly Transition[]
  readonly at: number
  readonly onStep: (at: number) => void
}) {
  const before = props.transitions.findLast(([, at]) => at < props.at)?.[1]
  const after = props.transitions.find(([, at]) => at > props.at)?.[1]
  return (
    <>
      <button
        type="button"
        class="button"
        disabled={before === undefined}
        onClick={() => before !== undefined && props.onStep(before)}
      >
        ‹ Change before
      </button>
      <button
        type="button"
        class="button"
        disabled={after === undefined}
        onClick={() => after !== undefined && props.onStep(after)}
      >
        Change after ›
      </button>
    </>
  )
}
