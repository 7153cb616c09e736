import { containsIp, parseCidr } from '../../api/cidr.ts'
import { forbidden, invalid, notSupported, required } from '../errors/field-error.ts'
import { checkCidr } from './addresses.ts'
import { checkMeta, checkMetaUpdate, metaOf } from './meta.ts'
import { portNameProblems, portProblems, push } from './names.ts'
import { child, type Errors, list, type Obj, part, texts } from './reader.ts'
import { numberIfSet, text, textIfSet } from './scalars.ts'
import { checkLabelSelector } from './selectors.ts'

const protocols = ['TCP', 'UDP', 'SCTP']
const directions = ['Ingress', 'Egress']
const rulesOf = { ingress: 'from', egress: 'to' } as const

/** ValidateNetworkPolicy (v1.36, pkg/apis/networking/validation). */
export function checkNetworkPolicy(errors: Errors, policy: Obj): void {
  checkMeta(errors, metaOf(policy), { namespaced: true, name: 'subdomain' })
  checkPolicySpec(errors, part(policy, 'spec'), [])
}

/** Rules that were added later do not check existing CIDRs. */
export function checkNetworkPolicyUpdate(errors: Errors, policy: Obj, old: Obj): void {
  const accepted: string[] = []
  for (const [rules, peers] of Object.entries(rulesOf)) {
    for (const rule of list(part(old, 'spec'), rules)) {
      for (const peer of list(rule, peers)) {
        const block = child(peer, 'ipBlock')
        if (block !== undefined) accepted.push(text(block, 'cidr'), ...texts(block, 'except'))
      }
    }
  }
  checkMetaUpdate(errors, metaOf(policy), metaOf(old))
  checkPolicySpec(errors, part(policy, 'spec'), accepted)
}

function checkPolicySpec(errors: Errors, spec: Obj, accepted: readonly string[]): void {
  checkLabelSelector(errors, part(spec, 'podSelector'), 'spec.podSelector')
  for (const [rules, peers] of Object.entries(rulesOf)) {
    list(spec, rules).forEach((rule, i) => {
      const at = `spec.${rules}[${i}]`
      list(rule, 'ports').forEach((port, j) => {
        checkPolicyPort(errors, port, `${at}.ports[${j}]`)
      })
      list(rule, peers).forEach((peer, j) => {
        checkPeer(errors, peer, accepted, `${at}.${peers}[${j}]`)
      })
    })
  }
  const named = texts(spec, 'policyTypes')
  if (named.length > directions.length) {
    errors.push(invalid('spec.policyTypes', named, 'may not specify more than two policyTypes'))
    return
  }
  named.forEach((type, i) => {
    if (!directions.includes(type)) errors.push(notSupported(`spec.policyTypes[${i}]`, type, directions))
  })
}

function checkPolicyPort(errors: Errors, port: Obj, at: string): void {
  const protocol = textIfSet(port, 'protocol')
  if (protocol !== undefined && !protocols.includes(protocol)) {
    errors.push(notSupported(`${at}.protocol`, protocol, protocols))
  }
  const first = (port['port'] ?? undefined) as number | string | undefined
  const last = numberIfSet(port, 'endPort')
  if (typeof first === 'number') {
    push(errors, `${at}.port`, first, portProblems(first))
    if (last === undefined) return
    // Upstream shows the first port here, not the last.
    if (last < first) errors.push(invalid(`${at}.endPort`, first, 'must be greater than or equal to `port`'))
    push(errors, `${at}.endPort`, last, portProblems(last))
    return
  }
  if (last !== undefined) {
    const why = first === undefined ? 'not specified' : 'non-numeric'
    errors.push(invalid(`${at}.endPort`, last, `may not be specified when \`port\` is ${why}`))
  }
  if (first !== undefined) push(errors, `${at}.port`, first, portNameProblems(first))
}

function checkPeer(errors: Errors, peer: Obj, accepted: readonly string[], at: string): void {
  let peers = 0
  for (const field of ['podSelector', 'namespaceSelector']) {
    const selector = child(peer, field)
    if (selector === undefined) continue
    peers++
    checkLabelSelector(errors, selector, `${at}.${field}`)
  }
  const block = child(peer, 'ipBlock')
  if (block !== undefined) {
    peers++
    checkBlock(errors, block, accepted, `${at}.ipBlock`)
  }
  if (peers === 0) errors.push(required(at, 'must specify a peer'))
  else if (peers > 1 && block !== undefined) {
    errors.push(forbidden(at, 'may not specify both ipBlock and another peer'))
  }
}

function checkBlock(errors: Errors, block: Obj, accepted: readonly string[], at: string): void {
  const whole = text(block, 'cidr')
  if (whole === '') {
    errors.push(required(`${at}.cidr`))
    return
  }
  checkCidr(errors, whole, `${at}.cidr`, accepted)
  const cidr = parseCidr(whole)
  if (cidr === undefined) return
  texts(block, 'except').forEach((except, i) => {
    checkCidr(errors, except, `${at}.except[${i}]`, accepted)
    const inner = parseCidr(except)
    if (inner === undefined) return
    const isInside = containsIp(cidr, { family: inner.family, bits: inner.base })
    if (isInside && statedLength(except) > statedLength(whole)) return
    errors.push(invalid(`${at}.except[${i}]`, except, 'must be a strict subset of `cidr`'))
  })
}

/** The prefix length as written. Upstream does not subtract 96 from the length of a mapped address. */
const statedLength = (cidr: string): number => Number(cidr.slice(cidr.indexOf('/') + 1))
