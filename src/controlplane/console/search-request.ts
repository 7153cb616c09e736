import { done, failed, type Result } from '../../base/result.ts'
import type { SearchRequest } from '../../wire/console-search.ts'

const maxGroups = 20
const maxSeconds = 3600
const maxSteps = 100

/** Validates the body of a browser's request. The search checks whether groups and steps exist. */
export function readSearchRequest(value: unknown): Result<SearchRequest> {
  if (!isObject(value)) return failed('must be an object with kind')
  if (value['kind'] === 'replay') return readReplay(value['scenario'])
  if (value['kind'] !== 'search') return failed('kind: must be search or replay')
  const { faults, only, seconds } = value
  if (faults !== 'realistic' && faults !== 'harsh') return failed('faults: must be realistic or harsh')
  if (!Array.isArray(only) || only.length > maxGroups || only.some((group) => typeof group !== 'string'))
    return failed('only: must be a list of groups of faults')
  if (typeof seconds !== 'number' || !(seconds >= 1 && seconds <= maxSeconds))
    return failed(`seconds: must be a number from 1 to ${maxSeconds}`)
  return done({ kind: 'search', faults, only: only as readonly string[], seconds })
}

function readReplay(scenario: unknown): Result<SearchRequest> {
  if (!isObject(scenario)) return failed('scenario: must be an object')
  const { steps } = scenario
  if (!Array.isArray(steps) || steps.length === 0 || steps.length > maxSteps)
    return failed(`scenario.steps: must be a list of 1 to ${maxSteps} steps`)
  return done({ kind: 'replay', scenario })
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
