import type { CertificateSigningRequest } from '../../api/objects/access.ts'
import { type RequestSubject, signingProblem } from './decide-signing.ts'

/**
 * Reports whether the user who created a request may create a subresource of requests, as a SubjectAccessReview does.
 */
export type MayCreate = (request: CertificateSigningRequest, subresource: 'selfnodeclient' | 'nodeclient') => boolean

/** The message of the approval, if the request is approved (v1.36, pkg/controller/certificates/approver). */
export function decideApproval(
  request: CertificateSigningRequest,
  subject: RequestSubject,
  mayCreate: MayCreate,
): string | undefined {
  const { spec, status } = request
  if ((status?.certificate ?? '') !== '') return undefined
  if (status?.conditions?.some(({ type }) => type === 'Approved' || type === 'Denied') === true) return undefined
  const isKubelets = spec.signerName === 'kubernetes.io/kube-apiserver-client-kubelet'
  if (!isKubelets || signingProblem(request, subject) !== undefined) return undefined
  if (spec.username === subject.commonName && mayCreate(request, 'selfnodeclient')) {
    return 'Auto approving self kubelet client certificate after SubjectAccessReview.'
  }
  if (!mayCreate(request, 'nodeclient')) return undefined
  return 'Auto approving kubelet client certificate after SubjectAccessReview.'
}
