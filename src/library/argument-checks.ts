import { parseGoDurationMs } from '../api/go-duration.ts'
import { nameHint } from '../whatif/scenario/near-names.ts'

/** An option of `createCluster`, or an argument of a method, is unknown or invalid. */
export class ClusterOptionError extends Error {
  override readonly name = 'ClusterOptionError'
}

/** The value as source code, for error messages. */
export function shown(value: unknown): string {
  if (typeof value === 'function') return value.name === '' ? 'a function' : `the function ${value.name}`
  if (typeof value === 'bigint' || typeof value === 'symbol' || typeof value === 'number') return String(value)
  return JSON.stringify(value) ?? String(value)
}

/** Throws if the value is not an object, or has a member that does not exist. `where`: the option or the method. */
export function checkMembers(where: string, value: unknown, known: readonly string[]): void {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new ClusterOptionError(`${where}: ${shown(value)} must be an object`)
  for (const name of Object.keys(value)) {
    if (!known.includes(name))
      throw new ClusterOptionError(`${where}: unknown option ${JSON.stringify(name)}; ${nameHint(name, known)}`)
  }
}

export function checkOneOf(where: string, value: unknown, allowed: readonly string[]): void {
  if (value !== undefined && !allowed.includes(value as string))
    throw new ClusterOptionError(`${where}: ${shown(value)} must be one of ${allowed.join(', ')}`)
}

export function checkText(where: string, value: unknown): void {
  if (typeof value !== 'string' || value === '')
    throw new ClusterOptionError(`${where}: ${shown(value)} must be a text that is not empty`)
}

export function checkFunction(where: string, value: unknown): void {
  if (typeof value !== 'function') throw new ClusterOptionError(`${where}: ${shown(value)} must be a function`)
}

export function checkList(where: string, value: unknown): void {
  if (!Array.isArray(value)) throw new ClusterOptionError(`${where}: ${shown(value)} must be a list`)
}

/** Milliseconds of a duration: `'5m'`, or milliseconds. */
export function durationMs(where: string, duration: string | number): number {
  const form = 'a duration such as "90s", "5m" or "1h30m", or milliseconds'
  if (typeof duration === 'string') {
    const parsed = parseGoDurationMs(duration)
    if (!parsed.ok) throw new ClusterOptionError(`${where}: ${parsed.message}; must be ${form}`)
    if (parsed.value >= 0) return parsed.value
  } else if (typeof duration === 'number' && duration >= 0 && Number.isFinite(duration)) return duration
  throw new ClusterOptionError(`${where}: ${shown(duration)} must be ${form}, not negative`)
}
