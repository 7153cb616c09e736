import { formatQuantity, milliValueInt64, parseQuantity, valueInt64 } from '../../src/api/quantity.ts'
import { expectEqual, expectError, type Verdict } from './verdict.ts'

type Want =
  | { readonly error: string }
  | { readonly canonical: string; readonly format: string; readonly value: string; readonly milliValue: string }

export function run(given: { readonly text: string }, want: Want): Verdict {
  const parsed = parseQuantity(given.text)
  if ('error' in want) return expectError(parsed.ok ? undefined : parsed.message)
  if (!parsed.ok) return { ok: false, got: { error: parsed.message } }
  const q = parsed.value
  return expectEqual(
    {
      canonical: formatQuantity(q),
      format: q.format,
      value: valueInt64(q).toString(),
      milliValue: milliValueInt64(q).toString(),
    },
    want,
  )
}
