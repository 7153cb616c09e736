import { semanticEqual } from '../../api/equality.ts'
import type { CertificateSigningRequest } from '../../api/objects/access.ts'
import { readCertificateRequest } from '../../base/certificate-request.ts'
import type { WriteContext } from '../kinds/kind.ts'
import type { AdmissionRequest } from './admission.ts'

const clientSigner = 'kubernetes.io/kube-apiserver-client'

/** The plugins CertificateApproval, CertificateSigning and CertificateSubjectRestriction (v1.36). */
export function certificateProblem({ object, old, context }: AdmissionRequest): string | undefined {
  const { subresource, disabledAdmission: off } = context
  const request = object as CertificateSigningRequest
  if (old === undefined) {
    return subresource !== undefined || off.has('CertificateSubjectRestriction') ? undefined : subjectProblem(request)
  }
  const { spec, status } = old as CertificateSigningRequest
  if (subresource === 'approval' && !off.has('CertificateApproval')) {
    return rightProblem(context, 'approve', spec.signerName)
  }
  if (subresource !== 'status' || off.has('CertificateSigning')) return undefined
  const isUnchanged =
    (request.status?.certificate ?? '') === (status?.certificate ?? '') &&
    semanticEqual(request.status?.conditions ?? [], status?.conditions ?? [])
  return isUnchanged ? undefined : rightProblem(context, 'sign', spec.signerName)
}

/** The right to a signer, or to all signers of its domain (pkg/certauthorization). */
function rightProblem({ caller, guard }: WriteContext, verb: 'approve' | 'sign', signerName: string) {
  if (guard === undefined) return undefined
  const isAllowed = (name: string) =>
    guard.access(caller, { verb, group: 'certificates.k8s.io', resource: 'signers', name }).allowed
  if (isAllowed(signerName) || isAllowed(`${signerName.split('/')[0] ?? ''}/*`)) return undefined
  return `user not permitted to ${verb} requests with signerName ${JSON.stringify(signerName)}`
}

function subjectProblem({ spec }: CertificateSigningRequest): string | undefined {
  if (spec.signerName !== clientSigner) return undefined
  const parsed = readCertificateRequest(Buffer.from(spec.request, 'base64').toString('latin1'))
  if (!parsed.ok) return `failed to parse CSR: ${parsed.message}`
  if (!parsed.value.organizations.includes('system:masters')) return undefined
  return `use of ${clientSigner} signer with system:masters group is not allowed`
}
