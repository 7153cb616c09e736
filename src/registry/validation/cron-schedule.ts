import { parseGoDuration } from '../../api/go-duration.ts'

interface Bounds {
  readonly min: number
  readonly max: number
  readonly names?: readonly string[]
}

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const days = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat']

const fields: readonly Bounds[] = [
  { min: 0, max: 59 },
  { min: 0, max: 23 },
  { min: 1, max: 31 },
  { min: 1, max: 12, names: months },
  { min: 0, max: 6, names: days },
]

const descriptors = ['@yearly', '@annually', '@monthly', '@weekly', '@daily', '@midnight', '@hourly']

/** What is wrong with a schedule, in the words of the parser that CronJobs have upstream (robfig/cron v3). */
export function cronScheduleProblem(schedule: string): string | undefined {
  let spec = schedule
  if (spec.startsWith('TZ=') || spec.startsWith('CRON_TZ=')) {
    const space = spec.indexOf(' ')
    const equals = spec.indexOf('=')
    if (space < 0) {
      return `invalid schedule format: runtime error: slice bounds out of range [:${space}]`
    }
    const zone = spec.slice(equals + 1, space)
    if (!isTimeZone(zone)) return `provided bad location ${zone}: unknown time zone ${zone}`
    spec = spec.slice(space).trim()
  }
  if (spec.startsWith('@')) return descriptorProblem(spec)
  const parts = spec.split(/\s+/).filter((part) => part !== '')
  if (parts.length !== 5) return `expected exactly 5 fields, found ${parts.length}: [${parts.join(' ')}]`
  for (const [i, part] of parts.entries()) {
    for (const range of part.split(',')) {
      const problem = range === '' ? undefined : rangeProblem(range, fields[i] as Bounds)
      if (problem !== undefined) return problem
    }
  }
  return undefined
}

export function isTimeZone(name: string): boolean {
  if (name === '' || name === 'UTC' || name === 'Local') return true
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch {
    return false
  }
}

function descriptorProblem(descriptor: string): string | undefined {
  if (descriptors.includes(descriptor)) return undefined
  const every = '@every '
  if (!descriptor.startsWith(every)) return `unrecognized descriptor: ${descriptor}`
  const duration = parseGoDuration(descriptor.slice(every.length))
  return duration.ok ? undefined : `failed to parse duration ${descriptor}: ${duration.message}`
}

type Read = { readonly ok: true; readonly value: number } | { readonly ok: false; readonly problem: string }

function readNumber(text: string): Read {
  if (!/^[+-]?\d+$/.test(text)) {
    const why = `strconv.Atoi: parsing ${JSON.stringify(text)}: invalid syntax`
    return { ok: false, problem: `failed to parse int from ${text}: ${why}` }
  }
  const value = Number(text)
  if (Math.abs(value) > Number.MAX_SAFE_INTEGER) {
    const why = `strconv.Atoi: parsing ${JSON.stringify(text)}: value out of range`
    return { ok: false, problem: `failed to parse int from ${text}: ${why}` }
  }
  return value < 0 ? { ok: false, problem: `negative number (${value}) not allowed: ${text}` } : { ok: true, value }
}

function readBound(text: string, { min, names }: Bounds): Read {
  const named = names?.indexOf(text.toLowerCase()) ?? -1
  return named >= 0 ? { ok: true, value: named + min } : readNumber(text)
}

function rangeProblem(range: string, bounds: Bounds): string | undefined {
  const steps = range.split('/')
  const ends = (steps[0] as string).split('-')
  let start = bounds.min
  let end = bounds.max
  if (ends[0] !== '*' && ends[0] !== '?') {
    const low = readBound(ends[0] as string, bounds)
    if (!low.ok) return low.problem
    start = low.value
    end = start
    if (ends.length > 2) return `too many hyphens: ${range}`
    if (ends.length === 2) {
      const high = readBound(ends[1] as string, bounds)
      if (!high.ok) return high.problem
      end = high.value
    }
  }
  let step = 1
  if (steps.length > 2) return `too many slashes: ${range}`
  if (steps.length === 2) {
    const read = readNumber(steps[1] as string)
    if (!read.ok) return read.problem
    step = read.value
    if (ends.length === 1) end = bounds.max
  }
  if (start < bounds.min) return `beginning of range (${start}) below minimum (${bounds.min}): ${range}`
  if (end > bounds.max) return `end of range (${end}) above maximum (${bounds.max}): ${range}`
  if (start > end) return `beginning of range (${start}) beyond end of range (${end}): ${range}`
  return step === 0 ? `step of range should be a positive number: ${range}` : undefined
}
