import { done, failed, type Result } from '../../base/result.ts'
import type { FeatureGateTable } from './feature-gate.ts'

/** Go's strconv.ParseBool. */
const bools: ReadonlyMap<string, boolean> = new Map([
  ...['1', 't', 'T', 'TRUE', 'true', 'True'].map((text) => [text, true] as const),
  ...['0', 'f', 'F', 'FALSE', 'false', 'False'].map((text) => [text, false] as const),
])

/**
 * Parses the value of --feature-gates, `A=true,B=false`, as upstream does (component-base/featuregate Set).
 * `effectiveGates` checks whether a release accepts the gates.
 */
export function parseFeatureGates(text: string): Result<ReadonlyMap<string, boolean>> {
  const gates = new Map<string, boolean>()
  for (const pair of text.split(',')) {
    if (pair === '') continue
    const at = pair.indexOf('=')
    const name = (at < 0 ? pair : pair.slice(0, at)).trim()
    if (at < 0) return failed(`missing bool value for ${name}`)
    const value = pair.slice(at + 1).trim()
    const on = bools.get(value)
    if (on === undefined) {
      return failed(
        `invalid value of ${name}=${value}, err: strconv.ParseBool: parsing ${JSON.stringify(value)}: invalid syntax`,
      )
    }
    gates.set(name, on)
  }
  return done(gates)
}

/** The enabled gates after some gates are set, or upstream's error message (featuregate SetFromMap). */
export function effectiveGates(
  table: FeatureGateTable,
  set: ReadonlyMap<string, boolean>,
): Result<ReadonlySet<string>> {
  const explicit = new Map<string, boolean>()
  const problems: string[] = []
  for (const [name, on] of set) {
    const gate = table[name]
    if (gate === undefined) return failed(`unrecognized feature gate: ${name}`)
    if (gate.locked === true && gate.on !== on) {
      problems.push(`cannot set feature gate ${name} to ${on}, feature is locked to ${gate.on}`)
    } else {
      explicit.set(name, on)
    }
  }
  if (problems.length > 0) return failed(aggregate(problems))
  const on = new Set(Object.keys(table).filter((name) => stateOf(table, explicit, name)))
  const missing = Object.entries(table).flatMap(([name, { dependsOn = [] }]) => {
    const off = on.has(name) ? dependsOn.filter((dependency) => !on.has(dependency)) : []
    return off.length === 0 ? [] : [`${name} is enabled, but depends on features that are disabled: [${off.join(' ')}]`]
  })
  return missing.length > 0 ? failed(aggregate(missing)) : done(on)
}

/** The value of a single gate takes precedence over AllAlpha and AllBeta, in any order. */
function stateOf(table: FeatureGateTable, explicit: ReadonlyMap<string, boolean>, name: string): boolean {
  const gate = table[name]!
  const group = gate.stage === 'alpha' ? 'AllAlpha' : gate.stage === 'beta' ? 'AllBeta' : undefined
  const isGroup = name === 'AllAlpha' || name === 'AllBeta'
  const ofGroup = group === undefined || isGroup ? undefined : explicit.get(group)
  return explicit.get(name) ?? ofGroup ?? gate.on
}

/** k8s.io/apimachinery/pkg/util/errors NewAggregate. */
function aggregate(messages: readonly string[]): string {
  return messages.length === 1 ? messages[0]! : `[${messages.join(', ')}]`
}
