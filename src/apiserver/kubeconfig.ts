export interface KubeconfigInput {
  readonly server: string
  readonly name: string
  readonly caCertificate?: string
  readonly clientCertificate?: string
  readonly clientKey?: string
  readonly token?: string
}

const base64 = (pem: string) => Buffer.from(pem, 'utf8').toString('base64')

/** A kubeconfig with one cluster, one user and one context, as an object: JSON is YAML. */
export function kubeconfigOf(input: KubeconfigInput) {
  return {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': input.name,
    clusters: [
      {
        name: input.name,
        cluster: {
          server: input.server,
          ...(input.caCertificate === undefined ? {} : { 'certificate-authority-data': base64(input.caCertificate) }),
        },
      },
    ],
    users: [
      {
        name: input.name,
        user: {
          ...(input.clientCertificate === undefined
            ? {}
            : { 'client-certificate-data': base64(input.clientCertificate) }),
          ...(input.clientKey === undefined ? {} : { 'client-key-data': base64(input.clientKey) }),
          ...(input.token === undefined ? {} : { token: input.token }),
        },
      },
    ],
    contexts: [{ name: input.name, context: { cluster: input.name, user: input.name } }],
  }
}

interface AdminCredentials {
  readonly caCertificate: string
  readonly adminCertificate: string
  readonly adminKey: string
}

/** The kubeconfig of the administrator, as the text of a file. */
export function adminKubeconfig(server: string, credentials: AdminCredentials): string {
  const config = kubeconfigOf({
    server,
    name: 'berth',
    caCertificate: credentials.caCertificate,
    clientCertificate: credentials.adminCertificate,
    clientKey: credentials.adminKey,
  })
  return `${JSON.stringify(config, null, 2)}\n`
}
