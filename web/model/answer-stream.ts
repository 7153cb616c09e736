import type { Signal } from '@preact/signals'

/** The states of a question whose answer the server streams. */
export type StreamState =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'running'; readonly abort: AbortController }
  | { readonly kind: 'failed'; readonly message: string }
  | { readonly kind: 'answered' | 'told' }

/** Reads the lines of an answer. A stream that ends without an answer is a failure, unless the user aborted it. */
export async function takeAnswer<Line>(
  state: Signal<StreamState>,
  abort: AbortController,
  lines: AsyncIterable<Line>,
  take: (line: Line) => void,
): Promise<void> {
  try {
    for await (const line of lines) take(line)
    if (state.value.kind === 'running') state.value = { kind: 'failed', message: 'the connection was lost' }
  } catch (error) {
    if (!abort.signal.aborted)
      state.value = { kind: 'failed', message: error instanceof Error ? error.message : String(error) }
  }
}

/** Aborts a running question and discards its answer. */
export function discardAnswer(state: Signal<StreamState>): void {
  if (state.value.kind === 'running') state.value.abort.abort()
  state.value = { kind: 'nothing' }
}
