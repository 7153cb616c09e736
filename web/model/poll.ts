import { useEffect, useState } from 'preact/hooks'
import { ApiError, get } from './api.ts'
import { connection } from './live.ts'

export interface Polled<T> {
  readonly value: T | undefined
  readonly problem: string | undefined
  /** Not found. */
  readonly isMissing: boolean
}

const defaultEveryMs = 1_000

/** Polls while the value is shown; waits for a slow answer before it polls again. */
export function usePolled<T>(path: string, everyMs = defaultEveryMs): Polled<T> {
  const [state, setState] = useState<Polled<T>>({ value: undefined, problem: undefined, isMissing: false })
  useEffect(() => {
    const abort = new AbortController()
    let timer: ReturnType<typeof setTimeout> | undefined
    const ask = async () => {
      const startedAt = performance.now()
      try {
        if (!document.hidden && isOpen()) {
          const value = await get<T>(path, abort.signal)
          setState({ value, problem: undefined, isMissing: false })
        }
      } catch (error) {
        if (abort.signal.aborted) return
        const isMissing = error instanceof ApiError && error.code === 404
        const problem = error instanceof Error ? error.message : String(error)
        // The banner reports the lost connection, and the page keeps the last value.
        if (error instanceof ApiError) setState((before) => ({ ...before, problem, isMissing }))
      }
      const tookMs = performance.now() - startedAt
      timer = setTimeout(ask, Math.max(everyMs, tookMs * 4))
    }
    void ask()
    return () => {
      abort.abort()
      clearTimeout(timer)
    }
  }, [path, everyMs])
  return state
}

function isOpen(): boolean {
  const { kind } = connection.value
  return kind === 'live' || kind === 'behind' || kind === 'loading'
}
