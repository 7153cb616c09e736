/**
 * Names without the suffix that all of them share, such as `.eu-central-1.compute.internal`. Only whole labels after a
 * period are left out, and only if at least two names remain different.
 */
export function shortNames(names: readonly string[]): (name: string) => string {
  const suffix = sharedSuffix(names)
  if (suffix === '') return (name) => name
  return (name) => (name.endsWith(suffix) ? name.slice(0, name.length - suffix.length) : name)
}

function sharedSuffix(names: readonly string[]): string {
  const [first = '', ...others] = names
  if (others.length === 0) return ''
  let suffix = afterFirstPeriod(first)
  for (const name of others) while (suffix !== '' && !name.endsWith(suffix)) suffix = afterFirstPeriod(suffix.slice(1))
  // Names that are addresses have no suffix.
  return /[a-z]/.test(suffix) ? suffix : ''
}

/** From the first period on; empty without one. */
function afterFirstPeriod(name: string): string {
  const period = name.indexOf('.')
  return period < 0 ? '' : name.slice(period)
}
