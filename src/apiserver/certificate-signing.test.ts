import { X509Certificate } from 'node:crypto'
import { expect, it } from 'vitest'
import { parseCertificateRequest } from '../base/certificate-request.ts'
import { signCertificate } from './certificate-signing.ts'
import { createCredentials } from './certificates.ts'

/** Made by OpenSSL: O=team-a, O=team-b, CN=jane, with the names a.example and 10.0.0.1. */
const request = `-----BEGIN CERTIFICATE REQUEST-----
MIIBGDCBwAIBADAxMQ8wDQYDVQQKDAZ0ZWFtLWExDzANBgNVBAoMBnRlYW0tYjEN
MAsGA1UEAwwEamFuZTBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABH8Or5J6X35V
W4fVGhZtgYJBInzl42KqOGXZqPZdtNl+70rpVU5rXJUcJtFeTuhdELF+SjX+f4+j
ViKjWZdNa3mgLTArBgkqhkiG9w0BCQ4xHjAcMBoGA1UdEQQTMBGCCWEuZXhhbXBs
ZYcECgAAATAKBggqhkjOPQQDAgNHADBEAiAISGth4yZrdgbZuierErMYhOxUIAt9
N/Tahd8pl3bJPQIgH4yfMPeHLohntJPHDtwwRyb/jML+blAJPOVEuuUjSb0=
-----END CERTIFICATE REQUEST-----
`

const now = Date.UTC(2026, 0, 1)
const { caCertificate, caKey } = createCredentials({ now, hosts: ['localhost'], adminToken: 'x' })

it('reads the subject and the alternative names of a request', () => {
  expect(parseCertificateRequest(request)).toMatchObject({
    commonName: 'jane',
    organizations: ['team-a', 'team-b'],
    sans: { dns: 1, ip: 1, email: 0, uri: 0 },
  })
})

it('refuses certificate requests whose signature does not match, and other text', () => {
  const [, body = ''] = /-----\n([^-]+)\n-----/.exec(request) ?? []
  const bytes = Buffer.from(body, 'base64')
  bytes[bytes.length - 4] = (bytes[bytes.length - 4] ?? 0) ^ 1
  const forged = `-----BEGIN CERTIFICATE REQUEST-----\n${bytes.toString('base64')}\n-----END CERTIFICATE REQUEST-----\n`
  expect(() => parseCertificateRequest(forged)).toThrow()
  expect(() => parseCertificateRequest('x')).toThrow('PEM block type must be CERTIFICATE REQUEST')
  const empty = '-----BEGIN CERTIFICATE REQUEST-----\nMAA=\n-----END CERTIFICATE REQUEST-----\n'
  expect(() => parseCertificateRequest(empty)).toThrow('valid DER')
})

it('signs a certificate that verifies with the certificate authority', () => {
  const certificate = new X509Certificate(
    signCertificate(
      parseCertificateRequest(request),
      {
        usages: ['digital signature', 'key encipherment', 'client auth'],
        fromMs: now,
        toMs: now + 3600_000,
        serial: Buffer.from([0xa1, 2]),
      },
      { certificate: caCertificate, key: caKey },
    ),
  )
  const authority = new X509Certificate(caCertificate)
  expect(certificate.verify(authority.publicKey)).toBe(true)
  expect(certificate.checkIssued(authority)).toBe(true)
  expect(certificate.ca).toBe(false)
  expect(certificate.subject).toBe('O=team-a\nO=team-b\nCN=jane')
  expect(certificate.subjectAltName).toBe('DNS:a.example, IP Address:10.0.0.1')
  expect(certificate.keyUsage).toEqual(['1.3.6.1.5.5.7.3.2'])
  expect(certificate.serialNumber).toBe('A102')
  expect(new Date(certificate.validTo).getTime()).toBe(now + 3600_000)
})
