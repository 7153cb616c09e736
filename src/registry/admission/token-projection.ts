/** A token of this lifetime is valid for a year; see TokenRequest. */
const tokenSeconds = 3607

/**
 * The volume source with a service account's token: one object for all pods. It is valid and in Go's order, and later
 * stages recognize it by identity.
 */
export const tokenProjection = {
  sources: [
    { serviceAccountToken: { expirationSeconds: tokenSeconds, path: 'token' } },
    { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
    {
      downwardAPI: { items: [{ path: 'namespace', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' } }] },
    },
  ],
  defaultMode: 0o644,
}
