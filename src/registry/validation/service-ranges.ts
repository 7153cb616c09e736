import { parseCidr } from '../../api/cidr.ts'
import { subdomainProblems } from '../../api/name-problems.ts'
import { invalid, required } from '../errors/field-error.ts'
import { checkStrictCidr } from './addresses.ts'
import { checkImmutable, checkMeta, checkMetaUpdate, immutable, metaOf } from './meta.ts'
import { pathSegmentProblems, push } from './names.ts'
import { child, type Errors, type Obj, part, texts } from './reader.ts'
import { text } from './scalars.ts'
import { internalForm } from './shown.ts'

/** ValidateIPAddress. */
export function checkIpAddress(errors: Errors, address: Obj): void {
  checkMeta(errors, metaOf(address), { namespaced: false, name: 'ip' })
  const parent = child(part(address, 'spec'), 'parentRef')
  const at = 'spec.parentRef'
  if (parent === undefined) {
    errors.push(required(at))
    return
  }
  const group = text(parent, 'group')
  if (group !== '') push(errors, `${at}.group`, group, subdomainProblems(group))
  for (const field of ['resource', 'name']) {
    const value = text(parent, field)
    if (value === '') errors.push(required(`${at}.${field}`))
    else push(errors, `${at}.${field}`, value, pathSegmentProblems(value))
  }
  const namespace = text(parent, 'namespace')
  if (namespace !== '') push(errors, `${at}.namespace`, namespace, pathSegmentProblems(namespace))
}

export function checkIpAddressUpdate(errors: Errors, address: Obj, old: Obj): void {
  checkIpAddress(errors, address)
  checkMetaUpdate(errors, metaOf(address), metaOf(old))
  const parentOf = (from: Obj): unknown =>
    internalForm(errors, 'networking.ParentReference', child(part(from, 'spec'), 'parentRef'))
  checkImmutable(errors, parentOf(address), parentOf(old), 'spec.parentRef')
}

/** ValidateServiceCIDR. */
export function checkServiceCidr(errors: Errors, range: Obj): void {
  checkMeta(errors, metaOf(range), { namespaced: false, name: 'subdomain' })
  checkCidrs(errors, texts(part(range, 'spec'), 'cidrs'))
}

function checkCidrs(errors: Errors, cidrs: readonly string[]): void {
  const at = 'spec.cidrs'
  if (cidrs.length === 0) {
    errors.push(required(at, 'at least one CIDR required'))
    return
  }
  if (cidrs.length > 2) {
    errors.push(invalid(at, { CIDRs: cidrs }, 'may only hold up to 2 values'))
    return
  }
  cidrs.forEach((cidr, i) => {
    checkStrictCidr(errors, cidr, `${at}[${i}]`)
  })
  const [one, other] = cidrs.map((cidr) => parseCidr(cidr)?.family)
  if (cidrs.length < 2 || one === undefined || one !== other) return
  const why = 'may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64'
  errors.push(invalid(at, cidrs, why))
}

/** An update may add a second family. Everything else is immutable. */
export function checkServiceCidrUpdate(errors: Errors, range: Obj, old: Obj): void {
  checkMetaUpdate(errors, metaOf(range), metaOf(old))
  const after = texts(part(range, 'spec'), 'cidrs')
  const before = texts(part(old, 'spec'), 'cidrs')
  if (after.length === before.length) {
    before.forEach((cidr, i) => {
      checkImmutable(errors, after[i], cidr, `spec.cidrs[${i}]`)
    })
  } else if (before.length === 1 && after.length === 2) {
    checkImmutable(errors, after[0], before[0], 'spec.cidrs[0]')
    checkCidrs(errors, after)
  } else errors.push(invalid('spec.cidrs', after.length === 0 ? null : after, immutable))
}
