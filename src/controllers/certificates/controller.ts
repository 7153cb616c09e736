import { deleteCall, updateStatusCall } from '../../api/object-calls.ts'
import type { CertificateSigningRequest } from '../../api/objects/access.ts'
import type { KubernetesRelease } from '../../api/releases/kubernetes-release.ts'
import { formatTime } from '../../api/time.ts'
import { reachedAt } from '../../base/clock.ts'
import type { Controller } from '../../runtime/controller.ts'
import { createReconcilerController, itself } from '../../runtime/reconciler.ts'
import { decideApproval, type MayCreate } from './decide-approval.ts'
import {
  cleanedUpAt,
  isToBeSigned,
  type RequestSubject,
  signerNames,
  signingProblem,
  validityOf,
} from './decide-signing.ts'

const resource = 'certificatesigningrequests.certificates.k8s.io'

/** The certificate authority of the cluster. */
export interface CertificateSigner {
  /** Undefined: the request cannot be parsed. */
  readonly subjectOf: (request: CertificateSigningRequest) => RequestSubject | undefined
  /** Returns the certificate in PEM. */
  readonly sign: (request: CertificateSigningRequest, validity: { fromMs: number; toMs: number }) => string
  /** Absent: no request is approved. */
  readonly mayCreate?: MayCreate
}

/** Signs approved requests of the signers of Kubernetes (v1.36, pkg/controller/certificates/signer). */
export function createCertificateSigning({ subjectOf, sign }: CertificateSigner): Controller {
  return createReconcilerController({
    name: 'certificatesigningrequest-signing-controller',
    wakes: { [resource]: itself },
    reconcile(key, { view, call, wall }) {
      const request = view.get(resource, key)
      if (request === undefined || !isToBeSigned(request) || !signerNames.includes(request.spec.signerName))
        return undefined
      const subject = subjectOf(request)
      if (subject === undefined) return undefined
      const problem = signingProblem(request, subject)
      const { status } = request
      if (problem === undefined) {
        const certificate = Buffer.from(sign(request, validityOf(request, wall)), 'utf8').toString('base64')
        return {
          actions: [call(updateStatusCall(resource, { ...request, status: { ...status, certificate } } as never))],
        }
      }
      const now = formatTime(wall)
      const failed = {
        type: 'Failed',
        status: 'True',
        reason: 'SignerValidationFailure',
        message: problem,
        lastUpdateTime: now,
        lastTransitionTime: now,
      }
      const conditions = [...(status?.conditions ?? []), failed]
      return { actions: [call(updateStatusCall(resource, { ...request, status: { ...status, conditions } } as never))] }
    },
  })
}

/** Approves requests of kubelets for their client certificates (v1.36, pkg/controller/certificates/approver). */
export function createCertificateApproving({ subjectOf, mayCreate }: CertificateSigner): Controller {
  return createReconcilerController({
    name: 'certificatesigningrequest-approving-controller',
    wakes: { [resource]: itself },
    reconcile(key, { view, call }) {
      const request = view.get(resource, key)
      const subject = request === undefined ? undefined : subjectOf(request)
      if (request === undefined || subject === undefined || mayCreate === undefined) return undefined
      const message = decideApproval(request, subject, mayCreate)
      if (message === undefined) return undefined
      const approved = { type: 'Approved', status: 'True', reason: 'AutoApproved', message }
      const conditions = [...(request.status?.conditions ?? []), approved]
      const object = { ...request, status: { ...request.status, conditions } } as CertificateSigningRequest
      return { actions: [call({ verb: 'update', resource, name: key, subresource: 'approval', object })] }
    },
  })
}

/** Deletes requests that have ended (v1.36, pkg/controller/certificates/cleaner). */
export function createCertificateCleaner({ release }: { readonly release: KubernetesRelease }): Controller {
  return createReconcilerController({
    name: 'certificatesigningrequest-cleaner-controller',
    wakes: { [resource]: itself },
    reconcile(key, { view, call, now, wall }) {
      const request = view.get(resource, key)
      const at = request === undefined ? undefined : cleanedUpAt(request, release)
      if (request === undefined || at === undefined) return undefined
      if (at > wall) return { wakeAt: reachedAt(at, { now, wall }) }
      return { actions: [call(deleteCall(resource, request))] }
    },
  })
}
