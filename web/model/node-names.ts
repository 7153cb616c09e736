// Short node names: without the domain that all nodes of the cluster share.
import type { ClusterModel } from './cluster.ts'

let domain = ''
let known: { readonly cluster: ClusterModel; readonly shape: number } | undefined

/**
 * The suffix that all names share, starting with a dot: `.eu-west-1.compute.internal`. Empty if there is none, if there is only
 * one node, and for addresses: `.12` is not a domain.
 */
export function sharedDomain(names: Iterable<string>): string {
  let shared: string | undefined
  let count = 0
  for (const name of names) {
    count++
    const end = name.slice(Math.max(0, name.indexOf('.')))
    if (!end.startsWith('.')) return ''
    shared = shared === undefined ? end : commonEnd(shared, end)
    if (shared === '') return ''
  }
  return count > 1 && shared !== undefined && /[a-z]/i.test(shared) ? shared : ''
}

/** The longest common suffix that starts with a dot. */
function commonEnd(a: string, b: string): string {
  if (a === b) return a
  for (let dot = a.indexOf('.', 1); dot >= 0; dot = a.indexOf('.', dot + 1)) {
    const end = a.slice(dot)
    if (b.endsWith(end)) return end
  }
  return ''
}

/** Takes the names of a cluster, if its nodes changed. */
export function learnNodeNames(cluster: ClusterModel): void {
  if (known?.cluster === cluster && known.shape === cluster.shape) return
  known = { cluster, shape: cluster.shape }
  domain = sharedDomain(cluster.nodes.keys())
}

/** `ip-10-0-12-33` of `ip-10-0-12-33.eu-west-1.compute.internal`. */
export function shortNode(name: string): string {
  return domain !== '' && name.endsWith(domain) ? name.slice(0, -domain.length) : name
}

const naturalKeys = new Map<string, string>()

/** A text with the natural order of a name: `node-2` before `node-10`. */
export function naturalKey(name: string): string {
  const known = naturalKeys.get(name)
  if (known !== undefined) return known
  if (naturalKeys.size > 20_000) naturalKeys.clear()
  const key = name.replaceAll(/\d+/g, (digits) => digits.padStart(12, '0'))
  naturalKeys.set(name, key)
  return key
}
