import { formatCidr, parseCidr } from '../../src/api/cidr.ts'
import { CidrSet, noBlockLeft } from '../../src/controllers/node-ipam/cidr-set.ts'
import { expectEqual, expectError, type Verdict } from './verdict.ts'

interface Operation {
  readonly op: 'allocate' | 'occupy' | 'release'
  readonly cidr?: string
}

interface Given {
  readonly cidr: string
  readonly mask: number
  readonly ops: readonly Operation[]
}

interface Answer {
  readonly cidr?: string
  readonly error?: string
}

type Want = { readonly error: string } | { readonly results: readonly Answer[] }

export function run(given: Given, want: Want): Verdict {
  const range = parseCidr(given.cidr)
  if (range === undefined) return { ok: false, got: `${given.cidr} is not a CIDR` }
  const set = CidrSet.create(range, given.mask)
  if ('error' in want) return expectError(set.ok ? undefined : set.message)
  if (!set.ok) return { ok: false, got: { error: set.message } }
  return expectEqual({ results: given.ops.map((operation) => carryOut(set.value, operation)) }, want)
}

function carryOut(set: CidrSet, { op, cidr }: Operation): Answer {
  if (op === 'allocate') {
    const allocation = set.allocateNext()
    return allocation === undefined ? { error: noBlockLeft } : { cidr: formatCidr(allocation.cidr) }
  }
  const block = parseCidr(cidr ?? '')
  if (block === undefined) return { error: `${cidr} is not a CIDR` }
  const result = op === 'occupy' ? set.occupy(block) : set.release(block)
  return result.ok ? {} : { error: result.message }
}
