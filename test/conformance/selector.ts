import { parseLabelSelector } from '../../src/api/label-selector.ts'
import { expectEqual, expectError, type Verdict } from './verdict.ts'

type Want = { readonly error: string } | { readonly canonical: string; readonly matches: readonly boolean[] }

export function run(
  given: { readonly text: string; readonly labels: readonly Readonly<Record<string, string>>[] },
  want: Want,
): Verdict {
  const parsed = parseLabelSelector(given.text)
  if ('error' in want) return expectError(parsed.ok ? undefined : parsed.message)
  if (!parsed.ok) return { ok: false, got: { error: parsed.message } }
  const selector = parsed.value
  return expectEqual(
    { canonical: selector.toString(), matches: given.labels.map((labels) => selector.matches(labels)) },
    want,
  )
}
