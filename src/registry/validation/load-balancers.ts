import { parseIp } from '../../api/ip-address.ts'
import { forbidden, invalid, notSupported, required } from '../errors/field-error.ts'
import { checkIp } from './addresses.ts'
import { checkMetaUpdate, metaOf } from './meta.ts'
import { checkSubdomain } from './names.ts'
import { type Errors, list, type Obj, part } from './reader.ts'
import { text, textIfSet } from './scalars.ts'

const modes = ['Proxy', 'VIP']

/** ValidateServiceStatusUpdate: the ingress points of a load balancer. */
export function checkServiceStatus(errors: Errors, service: Obj, old: Obj): void {
  checkMetaUpdate(errors, metaOf(service), metaOf(old))
  const ingressOf = (from: Obj): readonly Obj[] => list(part(part(from, 'status'), 'loadBalancer'), 'ingress')
  const ingress = ingressOf(service)
  const path = 'status.loadBalancer.ingress'
  if (text(part(service, 'spec'), 'type') !== 'LoadBalancer' && ingress.length > 0) {
    errors.push(forbidden(path, "may only be used when `spec.type` is 'LoadBalancer'"))
    return
  }
  const existing = ingressOf(old).map((one) => text(one, 'ip'))
  ingress.forEach((one, i) => {
    const at = `${path}[${i}]`
    const ip = text(one, 'ip')
    const mode = textIfSet(one, 'ipMode')
    const hostname = text(one, 'hostname')
    if (ip !== '') checkIp(errors, ip, `${at}.ip`, existing)
    if (mode === undefined) {
      if (ip !== '') errors.push(required(`${at}.ipMode`, 'must be specified when `ip` is set'))
    } else if (ip === '') errors.push(forbidden(`${at}.ipMode`, 'may not be specified when `ip` is not set'))
    else if (!modes.includes(mode)) errors.push(notSupported(`${at}.ipMode`, mode, modes))
    if (hostname === '') return
    checkSubdomain(errors, hostname, `${at}.hostname`)
    if (parseIp(hostname) !== undefined) {
      errors.push(invalid(`${at}.hostname`, hostname, 'must be a DNS name, not an IP address'))
    }
  })
}
