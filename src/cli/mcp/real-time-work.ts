import { performance } from 'node:perf_hooks'
import { setImmediate } from 'node:timers/promises'
import { ToolError } from '../../mcp/answer.ts'
import type { Progress, Work } from '../../mcp/work.ts'

// Long enough to be efficient, short enough that other messages are answered.
const sliceMs = 20
const tellMs = 1_000
const lateShare = 0.6

/** The maximum real time of one call. */
export function realTimeWork(timeoutMs: number, signal: AbortSignal, tell?: (progress: Progress) => void): Work {
  const endsAt = performance.now() + timeoutMs
  const lateAt = performance.now() + timeoutMs * lateShare
  let sliceEndsAt = performance.now() + sliceMs
  let toldAt = performance.now()
  return {
    isLate: () => performance.now() > lateAt,
    pause(progress) {
      const now = performance.now()
      if (signal.aborted) throw new ToolError('canceled')
      if (now > endsAt)
        throw new ToolError(
          `not finished after ${timeoutMs / 1000} s of real time: request less virtual time, or increase --timeout`,
        )
      if (now < sliceEndsAt) return undefined
      if (tell !== undefined && now > toldAt + tellMs) {
        toldAt = now
        tell(progress)
      }
      return setImmediate().then(() => {
        sliceEndsAt = performance.now() + sliceMs
      })
    },
  }
}
