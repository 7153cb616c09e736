import { parseCidr } from '../../api/cidr.ts'
import { bitLength, type IpFamily } from '../../api/ip-address.ts'
import { invalid, required } from '../field-error.ts'
import { checkImmutable, checkMeta, checkMetaUpdate, metaOf } from './meta.ts'
import { child, type Errors, number, type Obj, part, text } from './reader.ts'
import { checkNodeSelector } from './selectors.ts'

const leastHostBits = 4

/** sigs.k8s.io/node-ipam-controller, ValidateClusterCIDR; v1.28 had the same. */
export function checkClusterCidr(errors: Errors, object: Obj): void {
  checkMeta(errors, metaOf(object), { namespaced: false, name: 'subdomain' })
  const spec = part(object, 'spec')
  const selector = child(spec, 'nodeSelector')
  if (selector !== undefined) checkNodeSelector(errors, selector, 'spec.nodeSelector')
  const ranges = [
    ['ipv4', 4],
    ['ipv6', 6],
  ] as const
  if (ranges.every(([field]) => text(spec, field) === '')) {
    errors.push(required('spec', 'one or both of `ipv4` and `ipv6` must be specified'))
    return
  }
  for (const [field, family] of ranges) {
    const range = text(spec, field)
    if (range !== '') checkRange(errors, range, family, number(spec, 'perNodeHostBits'))
  }
}

export function checkClusterCidrUpdate(errors: Errors, object: Obj, old: Obj): void {
  checkMetaUpdate(errors, metaOf(object), metaOf(old))
  const spec = part(object, 'spec')
  const before = part(old, 'spec')
  for (const field of ['nodeSelector', 'perNodeHostBits', 'ipv4', 'ipv6']) {
    checkImmutable(errors, spec[field], before[field], `spec.${field}`)
  }
}

function checkRange(errors: Errors, range: string, family: IpFamily, hostBits: number): void {
  const field = `spec.IPv${family}`
  const cidr = parseCidr(range)
  if (cidr === undefined) {
    errors.push(invalid(field, range, `must be a valid CIDR: ${range}`))
    return
  }
  if (cidr.family !== family) errors.push(invalid(field, range, `must be a valid IPv${family} CIDR`))
  const mostHostBits = bitLength(family) - cidr.prefix
  if (hostBits < leastHostBits) {
    errors.push(invalid('spec.perNodeHostBits', hostBits, `must be greater than or equal to ${leastHostBits}`))
  }
  if (hostBits > mostHostBits) {
    errors.push(invalid('spec.perNodeHostBits', hostBits, `must be less than or equal to ${mostHostBits}`))
  }
}
