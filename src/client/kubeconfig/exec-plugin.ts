import { execFile } from 'node:child_process'
import type { RequestOptions } from 'node:https'
import type { KubeConfig, User } from '@kubernetes/client-node'
import { CredentialsError, inOneLine } from './credentials-error.ts'

type ExecAuthenticator = Parameters<KubeConfig['addAuthenticator']>[0]

/** `users[].user.exec` of a kubeconfig (v1.36, client-go tools/clientcmd/api ExecConfig). */
export interface ExecPlugin {
  readonly apiVersion?: string
  readonly command?: string
  readonly args?: readonly string[] | null
  readonly env?: readonly { readonly name: string; readonly value: string }[] | null
  readonly installHint?: string
  readonly interactiveMode?: string
  readonly provideClusterInfo?: boolean
}

/** The cluster, as passed to plugins with provideClusterInfo. */
export interface PluginCluster {
  readonly server: string
  readonly 'certificate-authority-data'?: string
}

interface ExecStatus {
  readonly token?: string
  readonly clientCertificateData?: string
  readonly clientKeyData?: string
  readonly expirationTimestamp?: string
}

// A plugin that calls a cloud may take many seconds. A plugin that waits for input never ends.
const timeoutMs = 60_000

export const execProviderName = 'exec plugin'

/**
 * Gets credentials from exec plugins as client-go does (plugin/pkg/client/auth/exec): credentials are valid until they
 * expire, or, without an expiration, until the server rejects them.
 */
export class ExecPlugins implements ExecAuthenticator {
  private readonly now: () => number
  private readonly cluster: () => PluginCluster
  private readonly kept = new Map<string, { readonly status: ExecStatus; readonly expiresAt: number }>()

  constructor(now: () => number, cluster: () => PluginCluster) {
    this.now = now
    this.cluster = cluster
  }

  isAuthProvider(user: User): boolean {
    return (user.authProvider as { readonly name?: string } | undefined)?.name === execProviderName
  }

  /** Called when the server rejected the credentials. */
  forget(): void {
    this.kept.clear()
  }

  async applyAuthentication(user: User, options: RequestOptions): Promise<void> {
    const { plugin } = (user.authProvider as { readonly config: { readonly plugin: ExecPlugin } }).config
    const status = await this.ask(user.name, plugin)
    if (status.clientCertificateData !== undefined) options.cert = status.clientCertificateData
    if (status.clientKeyData !== undefined) options.key = status.clientKeyData
    if (status.token !== undefined)
      options.headers = { ...(options.headers as object), Authorization: `Bearer ${status.token}` }
  }

  private async ask(user: string, plugin: ExecPlugin): Promise<ExecStatus> {
    const id = JSON.stringify([user, plugin])
    const before = this.kept.get(id)
    if (before !== undefined && this.now() < before.expiresAt) return before.status
    const what = `the exec plugin ${JSON.stringify(plugin.command ?? '')} of user ${JSON.stringify(user)}`
    const status = statusIn(await this.run(what, plugin), what, versionOf(plugin))
    const expiresAt =
      status.expirationTimestamp === undefined ? Number.POSITIVE_INFINITY : Date.parse(status.expirationTimestamp)
    if (Number.isNaN(expiresAt))
      throw new CredentialsError(
        `${what} returned an invalid expirationTimestamp: ${JSON.stringify(status.expirationTimestamp)}`,
      )
    this.kept.set(id, { status, expiresAt })
    return status
  }

  private run(what: string, plugin: ExecPlugin): Promise<string> {
    const { command = '', args, env, installHint = '', interactiveMode, provideClusterInfo } = plugin
    if (command === '') throw new CredentialsError(`${what} has no command`)
    if (interactiveMode === 'Always')
      throw new CredentialsError(`${what} requires a terminal (interactiveMode: Always), which berth does not provide`)
    const told = {
      kind: 'ExecCredential',
      apiVersion: versionOf(plugin),
      spec: { interactive: false, ...(provideClusterInfo === true ? { cluster: this.cluster() } : {}) },
    }
    const given = Object.fromEntries((env ?? []).map(({ name, value }) => [name, value]))
    const environment = { ...process.env, ...given, KUBERNETES_EXEC_INFO: JSON.stringify(told) }
    return new Promise((resolve, reject) => {
      const options = { env: environment, timeout: timeoutMs, maxBuffer: 4 << 20, windowsHide: true }
      const child = execFile(command, [...(args ?? [])], options, (error, stdout, stderr) => {
        if (error === null) return resolve(stdout)
        const { code, killed } = error as { readonly code?: string | number | null; readonly killed?: boolean }
        const hint = installHint.trim() === '' ? '' : `; ${inOneLine(installHint)}`
        if (code === 'ENOENT') return reject(new CredentialsError(`${what} is not installed${hint}`))
        if (killed === true)
          return reject(new CredentialsError(`${what} did not answer within ${timeoutMs / 1000} s${said(stderr)}`))
        if (typeof code === 'number')
          return reject(new CredentialsError(`${what} failed with exit code ${code}${said(stderr)}`))
        return reject(new CredentialsError(`${what} could not be run: ${inOneLine(error.message)}`))
      })
      // Closes stdin, so that a plugin that reads from it gets EOF instead of blocking.
      child.stdin?.on('error', () => {})
      child.stdin?.end()
    })
  }
}

const said = (stderr: string) => (stderr.trim() === '' ? '' : `: ${inOneLine(stderr)}`)

const versionOf = ({ apiVersion }: ExecPlugin) => apiVersion ?? 'client.authentication.k8s.io/v1'

function statusIn(text: string, what: string, version: string): ExecStatus {
  let answer: { readonly kind?: string; readonly apiVersion?: string; readonly status?: ExecStatus } | null
  try {
    answer = JSON.parse(text)
  } catch {
    throw new CredentialsError(`${what} did not return JSON: ${JSON.stringify(inOneLine(text, 80))}`)
  }
  if (answer?.kind !== 'ExecCredential' || answer.apiVersion !== version)
    throw new CredentialsError(
      `${what} returned kind ${answer?.kind ?? 'none'} of ${answer?.apiVersion ?? 'no version'}; ` +
        `the kubeconfig requires an ExecCredential of ${version}`,
    )
  const { token, clientCertificateData: cert, clientKeyData: key } = answer.status ?? {}
  if (!token && !cert) throw new CredentialsError(`${what} returned neither a token nor a certificate`)
  if (Boolean(cert) !== Boolean(key)) throw new CredentialsError(`${what} returned a certificate without a key`)
  return answer.status ?? {}
}
