import type { CertificateSigningRequest } from '../../api/objects/access.ts'
import { atLeast } from '../../api/releases/at-least.ts'
import type { KubernetesRelease } from '../../api/releases/kubernetes-release.ts'
import { parseTime } from '../../api/time.ts'
import { certificateEnd } from '../../base/certificate-request.ts'

/** The facts about a request that the signers need. */
export interface RequestSubject {
  readonly commonName: string
  readonly organizations: readonly string[]
  readonly sans: { readonly dns: number; readonly ip: number; readonly email: number; readonly uri: number }
}

const hour = 3600_000
/** v1.36, --cluster-signing-duration. */
const longestMs = 365 * 24 * hour
const shortestMs = 600_000
const backdateMs = 300_000

const hasCondition = ({ status }: CertificateSigningRequest, type: string): boolean =>
  status?.conditions?.some((one) => one.type === type && one.status === 'True') === true

export function isToBeSigned(request: CertificateSigningRequest): boolean {
  const isApproved = hasCondition(request, 'Approved') && !hasCondition(request, 'Denied')
  return isApproved && !hasCondition(request, 'Failed') && (request.status?.certificate ?? '') === ''
}

export const signerNames = [
  'kubernetes.io/kube-apiserver-client',
  'kubernetes.io/kube-apiserver-client-kubelet',
  'kubernetes.io/kubelet-serving',
  'kubernetes.io/legacy-unknown',
]

/** The reason why a signer of Kubernetes refuses a request (v1.36, pkg/controller/certificates/signer). */
export function signingProblem({ spec }: CertificateSigningRequest, subject: RequestSubject): string | undefined {
  const { usages = [] } = spec
  switch (spec.signerName) {
    case 'kubernetes.io/kube-apiserver-client':
      return clientUsageProblem(usages)
    case 'kubernetes.io/kube-apiserver-client-kubelet':
      return kubeletProblem(subject, usages, 'client auth')
    case 'kubernetes.io/kubelet-serving':
      return kubeletProblem(subject, usages, 'server auth')
    default:
      return undefined
  }
}

function clientUsageProblem(usages: readonly string[]): string | undefined {
  const odd = usages.find((one) => !['digital signature', 'key encipherment', 'client auth'].includes(one))
  if (odd !== undefined) return `invalid usage for client certificate: ${odd}`
  return usages.includes('client auth') ? undefined : 'missing required usage for client certificate: client auth'
}

function kubeletProblem(
  { commonName, organizations, sans }: RequestSubject,
  usages: readonly string[],
  purpose: 'client auth' | 'server auth',
): string | undefined {
  if (organizations.length !== 1 || organizations[0] !== 'system:nodes') {
    return 'subject organization is not system:nodes'
  }
  const isServing = purpose === 'server auth'
  if (isServing && sans.dns === 0 && sans.ip === 0) return 'DNS or IP subjectAltName is required'
  if (!isServing && sans.dns > 0) return 'DNS subjectAltNames are not allowed'
  if (sans.email > 0) return 'Email subjectAltNames are not allowed'
  if (!isServing && sans.ip > 0) return 'IP subjectAltNames are not allowed'
  if (sans.uri > 0) return 'URI subjectAltNames are not allowed'
  const needed = ['digital signature', 'key encipherment', purpose]
  const isExact = (wanted: readonly string[]) =>
    wanted.length === new Set(usages).size && wanted.every((one) => usages.includes(one))
  if (!isExact(needed) && !isExact(needed.filter((one) => one !== 'key encipherment'))) {
    return `usages did not match [${[...needed].sort((a, b) => (a < b ? -1 : 1)).join(' ')}]`
  }
  return commonName.startsWith('system:node:') ? undefined : 'subject common name does not begin with system:node:'
}

/** The validity period of a certificate. */
export function validityOf({ spec }: CertificateSigningRequest, now: number): { fromMs: number; toMs: number } {
  const asked = spec.expirationSeconds === undefined ? longestMs : spec.expirationSeconds * 1000
  const lastsMs = Math.min(longestMs, Math.max(shortestMs, asked))
  const fromMs = now - backdateMs
  // Backdating does not shorten certificates of less than eight hours.
  return { fromMs, toMs: lastsMs < 8 * hour ? now + lastsMs : fromMs + lastsMs }
}

/**
 * The time at which a request is cleaned up (v1.36, pkg/controller/certificates/cleaner): an hour after it was issued,
 * denied or failed, a day after its approval or creation without one of these, and when its certificate expires. Up to
 * v1.34 an approved request without a certificate stays.
 */
export function cleanedUpAt(
  { metadata, status }: CertificateSigningRequest,
  release: KubernetesRelease,
): number | undefined {
  const { conditions = [], certificate = '' } = status ?? {}
  const isIssued = certificate !== ''
  const times: number[] = []
  const add = (time: string | null | undefined, afterMs: number) => {
    const at = parseTime(time ?? undefined)
    if (at !== undefined) times.push(at + afterMs)
  }
  if (conditions.length === 0) add(metadata.creationTimestamp, 24 * hour)
  for (const { type, lastUpdateTime } of conditions) {
    if (type === 'Approved' && isIssued) add(lastUpdateTime, hour)
    if (type === 'Approved' && !isIssued && atLeast(release, '1.35')) add(lastUpdateTime, 24 * hour)
    if (type === 'Denied' || type === 'Failed') add(lastUpdateTime, hour)
  }
  if (isIssued && conditions.some(({ type }) => type === 'Approved')) {
    const end = certificateEnd(Buffer.from(certificate, 'base64').toString('latin1'))
    if (end !== undefined) times.push(end)
  }
  return times.length === 0 ? undefined : Math.min(...times)
}
