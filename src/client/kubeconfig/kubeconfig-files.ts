import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { delimiter, dirname, isAbsolute, join } from 'node:path'
import type { KubeConfig } from '@kubernetes/client-node'
import { fileLimits, loadYaml } from '../../base/yaml.ts'
import { type ExecPlugin, execProviderName } from './exec-plugin.ts'
import { type OidcLogin, type OidcTokens, oidcProviderName } from './oidc.ts'

/** The source of a kubeconfig: files, the first of which takes precedence, or the pod in which this process runs. */
export type KubeconfigLocation =
  | { readonly kind: 'files'; readonly files: readonly string[] }
  | { readonly kind: 'pod' }

const accountFolder = '/var/run/secrets/kubernetes.io/serviceaccount'

/** Searches as kubectl does; `podRoot` is prepended to the folder of the service account. */
export function findKubeconfig(given: string | undefined, podRoot: string): KubeconfigLocation {
  if (given !== undefined) return { kind: 'files', files: [given] }
  const named = (process.env['KUBECONFIG'] ?? '').split(delimiter).filter((file) => file !== '')
  if (named.length > 0) {
    const files = named.filter((file) => existsSync(file))
    if (files.length === 0) throw new Error(`$KUBECONFIG names ${named.join(', ')}, but no such file exists`)
    return { kind: 'files', files }
  }
  const home = join(process.env['HOME'] || homedir(), '.kube', 'config')
  if (existsSync(home)) return { kind: 'files', files: [home] }
  if (!existsSync(`${podRoot}${accountFolder}/token`))
    throw new Error(
      'no kubeconfig: --kubeconfig is not given, $KUBECONFIG and ~/.kube/config do not exist, and berth is not running inside a pod',
    )
  for (const name of ['KUBERNETES_SERVICE_HOST', 'KUBERNETES_SERVICE_PORT'])
    if (!process.env[name]) throw new Error(`found a service account in ${accountFolder}, but $${name} is not set`)
  return { kind: 'pod' }
}

interface RawUser {
  readonly name?: string
  readonly user?: Record<string, unknown> | null
}

interface RawConfig {
  readonly users?: readonly RawUser[] | null
  readonly clusters?: readonly { readonly name?: string; readonly cluster?: Record<string, unknown> | null }[] | null
}

/** Reads kubeconfigs with the library, with corrections where client-go differs. */
export async function kubeconfigReader(podRoot: string): Promise<(place: KubeconfigLocation) => KubeConfig> {
  const { KubeConfig } = await import('@kubernetes/client-node')
  class Config extends KubeConfig {
    override loadFromString(text: string, options?: Parameters<KubeConfig['loadFromString']>[1]): void {
      const parsed = (loadYaml(text, fileLimits)[0] ?? null) as RawConfig | null
      if (typeof parsed !== 'object' || parsed === null) throw new Error('the kubeconfig is empty')
      const users = (parsed.users ?? []).map((each) => ({ ...each, user: withProvider(each.user ?? {}) }))
      super.loadFromString(JSON.stringify({ ...parsed, users }), options)
    }

    override makePathsAbsolute(root: string): void {
      super.makePathsAbsolute(root)
      for (const { authProvider } of this.users) if (authProvider?.config) anchorPaths(authProvider.config, root)
    }
  }
  return (place) => {
    const config = new Config()
    if (place.kind === 'pod') {
      config.loadFromCluster(podRoot)
      return config
    }
    const [first = '', ...others] = place.files
    config.loadFromFile(first)
    for (const file of others) {
      const next = new Config()
      next.loadFromFile(file)
      addMissing(config, next)
    }
    return config
  }
}

/**
 * The first of several entries with the same name is used, and so is the first current context (client-go,
 * tools/clientcmd/loader.go).
 */
function addMissing(config: KubeConfig, next: KubeConfig): void {
  const absent = <Item extends { readonly name: string }>(have: readonly Item[], more: readonly Item[]) =>
    more.filter(({ name }) => !have.some((each) => each.name === name))
  config.clusters.push(...absent(config.clusters, next.clusters))
  config.users.push(...absent(config.users, next.users))
  config.contexts.push(...absent(config.contexts, next.contexts))
  if (!config.currentContext && next.currentContext) config.setCurrentContext(next.currentContext)
}

/**
 * Authentication methods that the library handles differently from client-go are mapped to berth's providers, under
 * names that the library does not know.
 */
function withProvider(user: Record<string, unknown>): Record<string, unknown> {
  const { tokenFile, exec, ...rest } = user
  if (typeof tokenFile === 'string' && tokenFile !== '')
    return { ...rest, token: undefined, 'auth-provider': { name: 'tokenFile', config: { tokenFile } } }
  if (typeof exec === 'object' && exec !== null)
    return { ...rest, 'auth-provider': { name: execProviderName, config: { plugin: exec } } }
  const provider = user['auth-provider'] as { readonly name?: string; readonly config?: unknown } | undefined
  if (provider?.name === 'oidc')
    return { ...rest, 'auth-provider': { name: oidcProviderName, config: { login: provider.config ?? {} } } }
  return user
}

interface ProviderConfig {
  tokenFile?: string
  plugin?: ExecPlugin
  login?: OidcLogin
}

/** File names are relative to the kubeconfig, and so is a command that contains a slash. */
function anchorPaths(config: ProviderConfig, root: string): void {
  const anchored = (path: string) => (isAbsolute(path) ? path : join(root, path))
  if (config.tokenFile !== undefined) config.tokenFile = anchored(config.tokenFile)
  const { plugin, login } = config
  if (plugin?.command?.includes('/')) config.plugin = { ...plugin, command: anchored(plugin.command) }
  const caFile = login?.['idp-certificate-authority']
  if (caFile) config.login = { ...login, 'idp-certificate-authority': anchored(caFile) }
}

/**
 * An identity provider that rotates refresh tokens invalidates the refresh token in the kubeconfig, for kubectl as
 * well. Writes the new token to the kubeconfig, as client-go does. A file that cannot be written stays unchanged.
 */
export async function writeTokens(place: KubeconfigLocation, user: string, before: OidcLogin, tokens: OidcTokens) {
  if (place.kind === 'pod') return
  const yaml = await import('js-yaml')
  for (const file of place.files) {
    try {
      underLock(file, () => {
        const text = readFileSync(file, 'utf8')
        const config = (loadYaml(text, fileLimits)[0] ?? null) as RawConfig | null
        const found = config?.users?.find(({ name }) => name === user)
        if (found === undefined) return
        const provider = found.user?.['auth-provider'] as { config?: Record<string, unknown> } | undefined
        // Another process has renewed the login in the meantime.
        if (provider?.config?.['refresh-token'] !== before['refresh-token']) return
        Object.assign(provider?.config ?? {}, tokens)
        const isJson = text.trimStart().startsWith('{')
        writeFileSync(file, isJson ? `${JSON.stringify(config, null, 2)}\n` : yaml.dump(config))
      })
    } catch {
      // The new token is still used from memory.
    }
  }
}

/** kubectl's lock: the process that creates the lock file may write (client-go, tools/clientcmd/config.go). */
function underLock(file: string, write: () => void): void {
  if (!statSync(dirname(file)).isDirectory()) return
  const lock = `${file}.lock`
  writeFileSync(lock, '', { flag: 'wx', mode: 0 })
  try {
    write()
  } finally {
    rmSync(lock, { force: true })
  }
}
