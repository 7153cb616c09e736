import { webcrypto } from 'node:crypto'

/** What a TLS server and its administrator need, in PEM. Made once and kept in the data directory. */
export interface Credentials {
  readonly caCertificate: string
  readonly caKey: string
  readonly serverCertificate: string
  readonly serverKey: string
  readonly adminCertificate: string
  readonly adminKey: string
  readonly adminToken: string
}

export interface CertificateRequest {
  readonly now: number
  /** DNS names and IP addresses the server is reached by. */
  readonly hosts: readonly string[]
  readonly adminToken: string
}

const tenYearsMs = 10 * 365 * 24 * 3600 * 1000
const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const

/**
 * A certificate authority, a serving certificate signed by it, and a client certificate for `kubernetes-admin` in the
 * group `system:masters`, as kubeadm names them. Serial numbers only have to differ: the authority is ours alone.
 */
export async function createCredentials(request: CertificateRequest): Promise<Credentials> {
  const x509 = await import('@peculiar/x509')
  const crypto = webcrypto
  x509.cryptoProvider.set(crypto as never)
  // An hour of grace for clocks that differ between this machine and its clients.
  const notBefore = new Date(request.now - 3600_000)
  const notAfter = new Date(request.now + tenYearsMs)
  const caKeys = await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])
  const ca = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: '01',
    name: 'CN=berth-ca',
    notBefore,
    notAfter,
    signingAlgorithm: algorithm,
    keys: caKeys,
    extensions: [
      new x509.BasicConstraintsExtension(true, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.digitalSignature, true),
    ],
  })
  const issue = async (serialNumber: string, name: string, usage: string, names: readonly string[]) => {
    const keys = await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])
    const certificate = await x509.X509CertificateGenerator.create({
      serialNumber,
      subject: name,
      issuer: ca.subject,
      notBefore,
      notAfter,
      signingAlgorithm: algorithm,
      publicKey: keys.publicKey,
      signingKey: caKeys.privateKey,
      extensions: [
        new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
        new x509.ExtendedKeyUsageExtension([usage]),
        ...(names.length === 0 ? [] : [new x509.SubjectAlternativeNameExtension(names.map(alternativeName))]),
      ],
    })
    return { certificate: certificate.toString('pem'), key: await privatePem(crypto, keys.privateKey) }
  }
  const server = await issue('02', 'CN=kube-apiserver', x509.ExtendedKeyUsage.serverAuth, request.hosts)
  const admin = await issue('03', 'CN=kubernetes-admin, O=system:masters', x509.ExtendedKeyUsage.clientAuth, [])
  return {
    caCertificate: ca.toString('pem'),
    caKey: await privatePem(crypto, caKeys.privateKey),
    serverCertificate: server.certificate,
    serverKey: server.key,
    adminCertificate: admin.certificate,
    adminKey: admin.key,
    adminToken: request.adminToken,
  }
}

function alternativeName(host: string): { type: 'dns' | 'ip'; value: string } {
  return { type: /^[\d.]+$|:/.test(host) ? 'ip' : 'dns', value: host }
}

async function privatePem(crypto: typeof webcrypto, key: webcrypto.CryptoKey): Promise<string> {
  const der = Buffer.from(await crypto.subtle.exportKey('pkcs8', key)).toString('base64')
  return `-----BEGIN PRIVATE KEY-----\n${der.replace(/(.{64})(?!$)/g, '$1\n')}\n-----END PRIVATE KEY-----\n`
}
