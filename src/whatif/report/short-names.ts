/**
 * Names without the suffix that most of them share, such as `.eu-central-1.compute.internal`. Only whole labels after a
 * period are omitted, and only if no two names become equal. Nodes that a forecast adds may have more after the suffix,
 * or no suffix. Also shortens the names in a text.
 */
export function shortNames(names: readonly string[]): (nameOrText: string) => string {
  const suffix = sharedSuffix(names)
  return suffix === '' ? (text) => text : (text) => text.replaceAll(suffix, '')
}

function sharedSuffix(names: readonly string[]): string {
  const suffixes = names.map(afterFirstPeriod).filter((each) => each !== '')
  const shortest = suffixes.toSorted((a, b) => a.length - b.length)[0] ?? ''
  if (suffixes.length < 2 || suffixes.length * 2 < names.length) return ''
  let suffix = shortest
  for (const each of suffixes)
    while (suffix !== '' && !contains(each, suffix)) suffix = afterFirstPeriod(suffix.slice(1))
  // Names that are addresses have no suffix.
  if (!/[a-z]/.test(suffix)) return ''
  const short = new Set(names.map((name) => name.replaceAll(suffix, '')))
  return short.size === new Set(names).size ? suffix : ''
}

const contains = (name: string, suffix: string): boolean => name.endsWith(suffix) || name.includes(`${suffix}-`)

/** From the first period on; empty without one. */
function afterFirstPeriod(name: string): string {
  const period = name.indexOf('.')
  return period < 0 ? '' : name.slice(period)
}
