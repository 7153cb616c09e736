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

/** Whether requests wait for the API server, or did so until shortly before, `nowMs` after the start. */
export function isAfterOutage({ steps }: SwarmStory, nowMs: number): boolean {
  return steps.some((step) => {
    const { outage } = step as Readonly<Record<string, StepFields | undefined>>
    return outage !== undefined && isRecent(step, outage.for ?? '0s', nowMs)
  })
}

/** Whether the disruption controller may not have seen the last change of a workload, `nowMs` after the start. */
export function isBudgetLate({ steps }: SwarmStory, workload: string, nowMs: number): boolean {
  return steps.some((step) => {
    const { scale, patch, pause, restart, outage } = step as Readonly<Record<string, StepFields | undefined>>
    const isChange = [scale, patch].some((one) => one?.target?.endsWith(`/${workload}`) === true)
    const isController = [pause, restart].some((one) => one?.controller === 'disruption')
    if (!isChange && !isController && outage === undefined) return false
    return isRecent(step, outage?.for ?? pause?.for ?? '0s', nowMs)
  })
}

function isRecent(step: JsonObject, lasts: string, nowMs: number): boolean {
  const sinceMs = atOf(step) * 1000
  const lastsMs = parseGoDurationMs(lasts)
  return nowMs >= sinceMs && nowMs <= sinceMs + (lastsMs.ok ? lastsMs.value : 0) + reactionMs
}
