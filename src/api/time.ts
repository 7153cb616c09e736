// The number of cached texts. Most timestamps are written in the same second or in one of the previous seconds.
const kept = 64
const seconds = new Array<number>(kept).fill(Number.NaN)
const texts = new Array<string>(kept).fill('')

/** metav1.Time: RFC 3339 in UTC, in whole seconds; fractions are dropped. */
export function formatTime(ms: number): string {
  const second = Math.floor(ms / 1000)
  const at = second & (kept - 1)
  if (seconds[at] !== second) {
    texts[at] = `${new Date(second * 1000).toISOString().slice(0, 19)}Z`
    seconds[at] = second
  }
  return texts[at] as string
}

let lastMs = Number.NaN
let lastMicroText = ''

/** metav1.MicroTime: RFC 3339 in UTC with six digits. Fractions of a millisecond are kept to the microsecond. */
export function formatMicroTime(ms: number): string {
  if (ms !== lastMs) {
    lastMicroText = microText(ms)
    lastMs = ms
  }
  return lastMicroText
}

function microText(ms: number): string {
  const micros = Math.floor(ms * 1000 + 1e-6)
  const wholeMs = Math.floor(micros / 1000)
  const rest = String(micros - wholeMs * 1000).padStart(3, '0')
  return `${new Date(wholeMs).toISOString().slice(0, 23)}${rest}Z`
}

const rfc3339 = /^(\d{4}-\d{2}-\d{2})[Tt](\d{2}:\d{2}:\d{2})(?:\.(\d+))?([Zz]|[+-]\d{2}:\d{2})$/

const timesKept = 4096
const parsed = new Map<string, number | undefined>()

/** The instant of an RFC 3339 text in milliseconds, with finer digits as a fraction; undefined for any other text. */
export function parseTime(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const known = parsed.get(text)
  if (known !== undefined) return known
  const instant = parseInstant(text)
  if (parsed.size >= timesKept) parsed.clear()
  parsed.set(text, instant)
  return instant
}

function parseInstant(text: string): number | undefined {
  const match = rfc3339.exec(text)
  if (match === null) return undefined
  const [, date, clock, fraction, zone] = match as unknown as readonly [string, string, string, string?, string?]
  const seconds = Date.parse(`${date}T${clock}${zone === 'z' ? 'Z' : zone}`)
  // Date.parse accepts February 30th; RFC 3339 does not.
  if (Number.isNaN(seconds) || Date.parse(`${date}T00:00:00Z`) !== Date.parse(checkedDate(date))) return undefined
  return fraction === undefined ? seconds : seconds + Number(`0.${fraction}`) * 1000
}

function checkedDate(date: string): string {
  const [year, month, day] = date.split('-') as [string, string, string]
  const lastDay = new Date(Date.UTC(Number(year), Number(month), 0)).getUTCDate()
  return Number(day) <= lastDay ? `${date}T00:00:00Z` : ''
}
