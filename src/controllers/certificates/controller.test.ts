import { describe, expect, it } from 'vitest'
import type { CertificateSigningRequest } from '../../api/objects/access.ts'
import { defaultRelease, releaseOf } from '../../api/releases/release-of.ts'
import { must } from '../../base/result.ts'
import { WorkloadCluster } from '../workload-cluster.fixture.ts'
import { createCertificateApproving, createCertificateCleaner, createCertificateSigning } from './controller.ts'
import { decideApproval } from './decide-approval.ts'
import { cleanedUpAt, signingProblem, validityOf } from './decide-signing.ts'

const request = (signerName: string, usages: readonly string[], more: object = {}): CertificateSigningRequest =>
  ({
    apiVersion: 'certificates.k8s.io/v1',
    kind: 'CertificateSigningRequest',
    metadata: { name: 'r' },
    spec: { request: 'eA==', signerName: `kubernetes.io/${signerName}`, usages, ...more },
  }) as unknown as CertificateSigningRequest

/** Made by OpenSSL: O=system:nodes, CN=system:node:n1. */
const requestOfNode = Buffer.from(`-----BEGIN CERTIFICATE REQUEST-----
MIHsMIGSAgEAMDAxFTATBgNVBAoMDHN5c3RlbTpub2RlczEXMBUGA1UEAwwOc3lz
dGVtOm5vZGU6bjEwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAAR/Dq+Sel9+VVuH
1RoWbYGCQSJ85eNiqjhl2aj2XbTZfu9K6VVOa1yVHCbRXk7oXRCxfko1/n+Po1Yi
o1mXTWt5oAAwCgYIKoZIzj0EAwIDSQAwRgIhAK9WASSGovkuzmQNwCFfwDezkQQG
hdEHZL/6Sh727smBAiEA+hanh5boObwBLxZUDRkRIt68OL0hkVtLEUEdZkqB1bw=
-----END CERTIFICATE REQUEST-----
`).toString('base64')

/** Valid PEM with the form of a certificate. */
const certificate = '-----BEGIN CERTIFICATE-----\nMAYFAAUABQA=\n-----END CERTIFICATE-----\n'

const none = { dns: 0, ip: 0, email: 0, uri: 0 }
const node = { commonName: 'system:node:n', organizations: ['system:nodes'], sans: none }
const clientUsages = ['digital signature', 'client auth']

describe('a signer', () => {
  it.each([
    ['kube-apiserver-client', clientUsages, { ...node, commonName: 'jane' }, undefined],
    ['kube-apiserver-client', ['server auth'], node, 'invalid usage for client certificate: server auth'],
    [
      'kube-apiserver-client',
      ['digital signature'],
      node,
      'missing required usage for client certificate: client auth',
    ],
    ['kube-apiserver-client-kubelet', clientUsages, node, undefined],
    [
      'kube-apiserver-client-kubelet',
      clientUsages,
      { ...node, organizations: [] },
      'subject organization is not system:nodes',
    ],
    [
      'kube-apiserver-client-kubelet',
      clientUsages,
      { ...node, sans: { ...none, dns: 1 } },
      'DNS subjectAltNames are not allowed',
    ],
    [
      'kube-apiserver-client-kubelet',
      ['client auth'],
      node,
      'usages did not match [client auth digital signature key encipherment]',
    ],
    [
      'kube-apiserver-client-kubelet',
      clientUsages,
      { ...node, commonName: 'x' },
      'subject common name does not begin with system:node:',
    ],
    ['kubelet-serving', ['digital signature', 'server auth'], node, 'DNS or IP subjectAltName is required'],
    ['kubelet-serving', ['digital signature', 'server auth'], { ...node, sans: { ...none, ip: 1 } }, undefined],
    ['legacy-unknown', ['any'], { ...node, commonName: '' }, undefined],
  ])('%s with %j of %j: %s', (signer, usages, subject, problem) => {
    expect(signingProblem(request(signer, usages), subject)).toBe(problem)
  })

  it('limits the validity of a certificate to at least ten minutes and at most a year', () => {
    const lasts = (more: object) => {
      const { fromMs, toMs } = validityOf(request('legacy-unknown', [], more), 0)
      return [fromMs / 1000, toMs / 1000]
    }
    expect(lasts({})).toEqual([-300, 365 * 24 * 3600 - 300])
    expect(lasts({ expirationSeconds: 3600 })).toEqual([-300, 3600])
    expect(lasts({ expirationSeconds: 1 })).toEqual([-300, 600])
  })
})

describe('the controllers of certificates', () => {
  const start = () => {
    const signed: string[] = []
    const c = new WorkloadCluster({
      kubelet: 'none',
      controllers: [
        createCertificateSigning({
          subjectOf: () => node,
          sign: ({ metadata }) => {
            signed.push(metadata.name)
            return certificate
          },
        }),
        createCertificateCleaner({ release: defaultRelease }),
      ],
    })
    return { c, signed }
  }

  it('the controllers of certificates sign approved requests, and mark as failed what the signer must not sign', () => {
    const { c, signed } = start()
    const resource = 'certificatesigningrequests.certificates.k8s.io'
    const file = (name: string, usages: readonly string[]) => {
      const made = request('kube-apiserver-client-kubelet', usages, { request: requestOfNode })
      c.call({ verb: 'create', resource, object: { ...made, metadata: { name } } })
      const conditions = [{ type: 'Approved', status: 'True', reason: 'test' }]
      const patch = { kind: 'merge', patch: { status: { conditions } } } as const
      c.call({ verb: 'patch', resource, name, subresource: 'approval', patch })
      c.driver.settle()
      const outcome = c.call({ verb: 'get', resource, name })
      return outcome.ok && outcome.kind === 'object' ? (outcome.object as CertificateSigningRequest).status : undefined
    }
    expect(file('good', clientUsages)?.certificate).toBe(Buffer.from(certificate).toString('base64'))
    expect(file('bad', ['client auth'])?.conditions?.at(-1)).toMatchObject({
      type: 'Failed',
      reason: 'SignerValidationFailure',
    })
    expect(signed).toEqual(['good'])
  })

  it('the controllers of certificates approve client certificates of kubelets whose requesters may have them', () => {
    const own = { ...request('kube-apiserver-client-kubelet', clientUsages, { username: 'system:node:n' }) }
    const may = (allowed: string) => (_: unknown, subresource: string) => subresource === allowed
    expect(decideApproval(own, node, may('selfnodeclient'))).toContain('self kubelet client certificate')
    expect(decideApproval(own, node, may('nodeclient'))).toContain('approving kubelet client certificate')
    expect(decideApproval(own, node, may('none'))).toBeUndefined()
    const other = request('kube-apiserver-client-kubelet', clientUsages, { username: 'ann' })
    expect(decideApproval(other, node, may('selfnodeclient'))).toBeUndefined()
    expect(decideApproval(request('kubelet-serving', clientUsages), node, () => true)).toBeUndefined()
    const denied = { ...own, status: { conditions: [{ type: 'Denied', status: 'True' }] } } as CertificateSigningRequest
    expect(decideApproval(denied, node, () => true)).toBeUndefined()
  })

  it('the controllers of certificates write the approval of a request', () => {
    const subjectOf = () => node
    const approving = createCertificateApproving({ subjectOf, sign: () => '', mayCreate: () => true })
    const c = new WorkloadCluster({ kubelet: 'none', controllers: [approving] })
    const resource = 'certificatesigningrequests.certificates.k8s.io'
    const made = request('kube-apiserver-client-kubelet', clientUsages, { request: requestOfNode })
    expect(c.call({ verb: 'create', resource, object: made }).ok).toBe(true)
    c.driver.settle()
    const found = c.call({ verb: 'get', resource, name: 'r' })
    if (!found.ok || found.kind !== 'object') throw new Error('no request')
    expect((found.object as CertificateSigningRequest).status?.conditions).toMatchObject([
      { type: 'Approved', status: 'True', reason: 'AutoApproved' },
    ])
  })

  it('the certificate cleaner deletes a request an hour after it ended, or a day after an approval or creation without a certificate', () => {
    const hours = (status: object, version = '1.37') => {
      const made = request('legacy-unknown', [])
      const metadata = { name: 'r', creationTimestamp: '1970-01-01T00:00:00Z' }
      const found = { ...made, metadata, status } as CertificateSigningRequest
      return (cleanedUpAt(found, must(releaseOf(version))) ?? 0) / 3600_000
    }
    const at = (type: string) => ({ conditions: [{ type, status: 'True', lastUpdateTime: '1970-01-01T02:00:00Z' }] })
    expect(hours({})).toBe(24)
    expect(hours(at('Approved'))).toBe(26)
    expect(hours(at('Approved'), '1.35')).toBe(26)
    expect(hours(at('Approved'), '1.34')).toBe(0)
    expect(hours({ ...at('Approved'), certificate: 'eA==' })).toBe(3)
    expect(hours(at('Denied'))).toBe(3)
    expect(hours(at('Failed'))).toBe(3)
  })

  it('the controllers of certificates ignore requests that are not approved', () => {
    const { c, signed } = start()
    c.call({
      verb: 'create',
      resource: 'certificatesigningrequests.certificates.k8s.io',
      object: request('kube-apiserver-client', clientUsages),
    })
    c.driver.settle()
    expect(signed).toEqual([])
  })
})
