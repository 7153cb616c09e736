import type { Taint } from '../../src/api/objects/node.ts'
import type { Toleration } from '../../src/api/objects/pod.ts'
import { tolerates } from '../../src/api/tolerations.ts'
import { expectEqual, type Verdict } from './verdict.ts'

interface Given {
  readonly toleration: Toleration
  readonly taint: Taint
  readonly comparisonOperators: boolean
}

export function run(given: Given, want: { readonly tolerates: boolean }): Verdict {
  const options = { comparisonOperators: given.comparisonOperators }
  return expectEqual({ tolerates: tolerates(given.toleration, given.taint, options) }, want)
}
