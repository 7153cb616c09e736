type Read =
  | { readonly ok: true; readonly value: Readonly<Record<string, unknown>> }
  | { readonly ok: false; readonly message: string }

const maxLength = 5_000_000

/** The scenario in a file that `berth search -o json` wrote, which is untrusted input. */
export function readSearchFile(text: string): Read {
  if (text.length > maxLength) return { ok: false, message: 'too large for a result of berth search' }
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return { ok: false, message: 'not JSON; write it with berth search -o json' }
  }
  if (!isObject(value) || value['kind'] !== 'Search')
    return { ok: false, message: 'not a result of berth search -o json' }
  const { scenario } = value
  if (!isObject(scenario))
    return { ok: false, message: 'this search found no violation, so there is nothing to replay' }
  // The steps run on this cluster, so the objects of the other cluster are not needed.
  const { cluster: _, ...rest } = scenario
  return { ok: true, value: rest }
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
