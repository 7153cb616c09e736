import type { RandomStream } from '../../src/base/random.ts'

type Spec = Record<string, unknown>

/** A request about one of a few services. `change` makes the new object of a PUT from the stored one. */
export type ServiceRequest =
  | { readonly kind: 'create'; readonly name: string; readonly spec: Spec; readonly dryRun: boolean }
  | { readonly kind: 'replace'; readonly name: string; readonly change: Spec; readonly dryRun: boolean }
  | { readonly kind: 'merge'; readonly name: string; readonly change: Spec; readonly dryRun: boolean }
  | { readonly kind: 'delete'; readonly name: string }
  | { readonly kind: 'occupy'; readonly ip: string }
  | { readonly kind: 'free'; readonly ip: string }

const names = ['s1', 's2', 's3', 's4', 's5']
const types = ['ClusterIP', 'ClusterIP', 'ClusterIP', 'NodePort', 'LoadBalancer', 'ExternalName'] as const
const policies = ['SingleStack', 'PreferDualStack', 'RequireDualStack', 'RequireDualStack', 'Dual'] as const
const families = [['IPv4'], ['IPv6'], ['IPv4', 'IPv6'], ['IPv6', 'IPv4'], ['IPv4', 'IPv4'], []]

/** Addresses that are never allocated without being named: they are in the lower part of their range. */
const fixed = ['10.0.0.2', '10.0.0.3', '10.0.0.4', 'fd00:10:96::2', 'fd00:10:96::3', 'fd00:10:96::4']
const odd = ['10.0.0.0', '10.0.0.255', '10.9.9.9', 'fd00:10:96::', 'fd00:10:96::ffff', 'fd00::1', '010.0.0.2', 'x', '']

const ports = [{ name: 'http', port: 80 }]

function addresses(random: RandomStream): Spec {
  const ip = () => (random.int(6) === 0 ? random.pick(odd) : random.pick(fixed))
  switch (random.int(8)) {
    case 0:
      return { clusterIP: 'None' }
    case 1:
      return { clusterIP: 'None', clusterIPs: ['None'] }
    case 2:
    case 3:
      return { clusterIP: ip() }
    case 4: {
      const first = ip()
      return { clusterIP: first, clusterIPs: [first, ip()] }
    }
    case 5:
      return { clusterIPs: [ip()] }
    default:
      return {}
  }
}

function specOf(random: RandomStream): Spec {
  const type = random.pick(types)
  return {
    ...(random.int(4) === 0 ? {} : { type }),
    ...(type === 'ExternalName' ? { externalName: 'a.example' } : { ports }),
    ...(random.int(3) === 0 ? {} : { selector: { app: 'a' } }),
    ...(random.int(3) === 0 ? {} : { ipFamilyPolicy: random.pick(policies) }),
    ...(random.int(2) === 0 ? {} : { ipFamilies: random.pick(families) }),
    ...addresses(random),
  }
}

/** Members that are null are removed. */
function changeOf(random: RandomStream): Spec {
  const change: Spec = {}
  const some = (share: number) => random.int(share) === 0
  if (some(2)) change['ipFamilyPolicy'] = some(6) ? null : random.pick(policies)
  if (some(3)) change['ipFamilies'] = some(3) ? null : random.pick(families)
  if (some(6)) Object.assign(change, addresses(random))
  if (some(5)) change['clusterIPs'] = null
  if (some(8)) change['clusterIP'] = null
  if (some(5)) change['type'] = random.pick(types)
  if (change['type'] === 'ExternalName') {
    change['externalName'] = 'a.example'
    // The real server accepts clusterIP alone, and rejects every update of the result.
    delete change['clusterIP']
    delete change['clusterIPs']
  }
  if (some(5)) change['selector'] = some(2) ? null : { app: 'b' }
  return change
}

export function serviceRequest(random: RandomStream): ServiceRequest {
  const name = random.pick(names)
  const dryRun = random.int(8) === 0
  const draw = random.int(20)
  if (draw < 7) return { kind: 'create', name, spec: specOf(random), dryRun }
  if (draw < 12) return { kind: 'replace', name, change: changeOf(random), dryRun }
  if (draw < 16) return { kind: 'merge', name, change: changeOf(random), dryRun }
  if (draw < 18) return { kind: 'delete', name }
  return { kind: draw === 18 ? 'occupy' : 'free', ip: random.pick(fixed) }
}

const isFixed = (ip: string): boolean => [...fixed, ...odd].includes(ip)

/** Addresses and node ports that a server chose are shown as what they are, not by their value. */
export function withoutChoices(text: string): string {
  return text
    .replace(/10\.0\.0\.\d+/g, (ip) => (isFixed(ip) ? ip : '<IPv4>'))
    .replace(/fd00:10:96::[0-9a-f:]*/g, (ip) => (isFixed(ip) ? ip : '<IPv6>'))
    .replace(/\b3[0-2]\d{3}\b/g, '<port>')
}
