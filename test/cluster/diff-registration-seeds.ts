import type { JsonObject } from '../../src/api/objects/meta.ts'
import type { Seed } from './diff-seeds.ts'

/** Created with OpenSSL: O=system:nodes, CN=system:node:n1. */
const request = Buffer.from(`-----BEGIN CERTIFICATE REQUEST-----
MIHsMIGSAgEAMDAxFTATBgNVBAoMDHN5c3RlbTpub2RlczEXMBUGA1UEAwwOc3lz
dGVtOm5vZGU6bjEwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAAR/Dq+Sel9+VVuH
1RoWbYGCQSJ85eNiqjhl2aj2XbTZfu9K6VVOa1yVHCbRXk7oXRCxfko1/n+Po1Yi
o1mXTWt5oAAwCgYIKoZIzj0EAwIDSQAwRgIhAK9WASSGovkuzmQNwCFfwDezkQQG
hdEHZL/6Sh727smBAiEA+hanh5boObwBLxZUDRkRIt68OL0hkVtLEUEdZkqB1bw=
-----END CERTIFICATE REQUEST-----
`).toString('base64')

const flow = 'flowcontrol.apiserver.k8s.io'

const rule: JsonObject = {
  subjects: [
    { kind: 'Group', group: { name: 'dev' } },
    { kind: 'User', user: { name: 'ann' } },
    { kind: 'ServiceAccount', serviceAccount: { namespace: 'default', name: '*' } },
  ],
  resourceRules: [{ verbs: ['get', 'list'], apiGroups: [''], resources: ['pods'], namespaces: ['default'] }],
  nonResourceRules: [{ verbs: ['get'], nonResourceURLs: ['/metrics', '/healthz/*'] }],
}

/** Kinds that register something with the API server, or request a certificate from it. */
export const registrationSeeds: readonly Seed[] = [
  {
    resource: 'certificatesigningrequests.certificates.k8s.io',
    object: {
      apiVersion: 'certificates.k8s.io/v1',
      kind: 'CertificateSigningRequest',
      metadata: { name: 'seed', labels: { app: 'web' } },
      spec: {
        request,
        signerName: 'kubernetes.io/kube-apiserver-client-kubelet',
        usages: ['digital signature', 'client auth'],
        expirationSeconds: 3600,
      },
    },
    statuses: [{ conditions: [{ type: 'Failed', status: 'True', reason: 'x', message: 'y' }] }],
  },
  {
    resource: `flowschemas.${flow}`,
    object: {
      apiVersion: `${flow}/v1`,
      kind: 'FlowSchema',
      metadata: { name: 'seed' },
      spec: {
        matchingPrecedence: 700,
        priorityLevelConfiguration: { name: 'seed' },
        distinguisherMethod: { type: 'ByUser' },
        rules: [rule],
      },
    },
    statuses: [{ conditions: [{ type: 'Odd', status: 'False', reason: 'x' }] }],
  },
  {
    resource: `prioritylevelconfigurations.${flow}`,
    object: {
      apiVersion: `${flow}/v1`,
      kind: 'PriorityLevelConfiguration',
      metadata: { name: 'seed' },
      spec: {
        type: 'Limited',
        limited: {
          nominalConcurrencyShares: 10,
          lendablePercent: 20,
          borrowingLimitPercent: 50,
          limitResponse: { type: 'Queue', queuing: { queues: 64, handSize: 6, queueLengthLimit: 50 } },
        },
      },
    },
  },
  {
    resource: 'apiservices.apiregistration.k8s.io',
    object: {
      apiVersion: 'apiregistration.k8s.io/v1',
      kind: 'APIService',
      metadata: { name: 'v1.seed.example.com' },
      spec: {
        group: 'seed.example.com',
        version: 'v1',
        groupPriorityMinimum: 100,
        versionPriority: 10,
        service: { namespace: 'default', name: 'seed', port: 443 },
        insecureSkipTLSVerify: true,
      },
    },
  },
]
