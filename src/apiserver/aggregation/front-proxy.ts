import { signCertificate } from '../certificate-signing.ts'
import { nameOf, newKeys, privatePem } from '../certificates.ts'

/** The common name of the certificate with which this server forwards requests, as kubeadm names it. */
export const frontProxyName = 'front-proxy-client'

const yearMs = 365 * 24 * 3600 * 1000

/**
 * The proxies that servers of other APIs trust to name the caller: the data of the ConfigMap
 * extension-apiserver-authentication.
 */
export const requestHeaderData = (ca: string): Readonly<Record<string, string>> => ({
  'requestheader-allowed-names': JSON.stringify([frontProxyName]),
  'requestheader-client-ca-file': ca,
  'requestheader-extra-headers-prefix': '["X-Remote-Extra-"]',
  'requestheader-group-headers': '["X-Remote-Group"]',
  'requestheader-uid-headers': '["X-Remote-Uid"]',
  'requestheader-username-headers': '["X-Remote-User"]',
})

/** A client certificate for forwarded requests, signed by the authority of the cluster. */
export function frontProxyIdentity(
  authority: { readonly caCertificate: string; readonly caKey: string },
  { nowMs, serial }: { readonly nowMs: number; readonly serial: Buffer },
): { readonly certificate: string; readonly key: string } {
  const keys = newKeys()
  const request = {
    subject: nameOf({ commonName: frontProxyName }),
    publicKey: keys.publicKey.export({ type: 'spki', format: 'der' }),
  }
  const usages = ['digital signature', 'client auth']
  const certificate = signCertificate(
    request,
    { usages, fromMs: nowMs - 300_000, toMs: nowMs + 10 * yearMs, serial },
    { certificate: authority.caCertificate, key: authority.caKey },
  )
  return { certificate, key: privatePem(keys) }
}
