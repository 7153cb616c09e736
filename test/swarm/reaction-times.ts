import { parseGoDurationMs } from '../../src/api/go-duration.ts'
import type { JsonObject } from '../../src/api/objects/meta.ts'
import { atOf, type SwarmStory } from './story.ts'

/** Controllers have reacted to a step within this time. */
const reactionMs = 120_000

interface StepFields {
  readonly target?: string
  readonly for?: string
  readonly controller?: string
}

/** Controllers react within this time: they may be paused or restarted several times. */
export function slowestReactionMs({ steps }: SwarmStory): number {
  let total = 2 * reactionMs
  for (const step of steps) {
    const { pause, restart, outage } = step as Readonly<Record<string, StepFields | undefined>>
    if (restart !== undefined) total += reactionMs
    const stopped = pause ?? outage
    if (stopped !== undefined) total += durationMs(stopped.for) + reactionMs
  }
  return total
}

/** Whether requests wait for the API server, or did so until shortly before, `nowMs` after the start. */
export function isAfterOutage({ steps }: SwarmStory, nowMs: number): boolean {
  return steps.some((step) => {
    const { outage } = step as Readonly<Record<string, StepFields | undefined>>
    return outage !== undefined && isRecent(step, outage.for, nowMs)
  })
}

/** The disruption controller counts again when pods change, which waits for the controllers that create them. */
const countingControllers = ['disruption', 'deployment', 'replicaset', 'statefulset']

/** Whether the disruption controller may not have seen the last change of a workload, `nowMs` after the start. */
export function isBudgetLate({ steps }: SwarmStory, workload: string, nowMs: number): boolean {
  return steps.some((step) => {
    const { scale, patch, pause, restart, outage } = step as Readonly<Record<string, StepFields | undefined>>
    const isChange = [scale, patch].some((one) => one?.target?.endsWith(`/${workload}`) === true)
    const isController = [pause, restart].some((one) => countingControllers.includes(one?.controller ?? ''))
    if (!isChange && !isController && outage === undefined) return false
    return isRecent(step, outage?.for ?? pause?.for, nowMs)
  })
}

function isRecent(step: JsonObject, lasts: string | undefined, nowMs: number): boolean {
  const sinceMs = atOf(step) * 1000
  return nowMs >= sinceMs && nowMs <= sinceMs + durationMs(lasts) + reactionMs
}

function durationMs(text = '0s'): number {
  const parsed = parseGoDurationMs(text)
  return parsed.ok ? parsed.value : 0
}
