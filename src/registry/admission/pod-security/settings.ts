type SecurityLevel = 'privileged' | 'baseline' | 'restricted'

export const securityLevels: readonly SecurityLevel[] = ['privileged', 'baseline', 'restricted']

/** A level of the Pod Security Standards as of a minor version; without one, the newest. */
export interface LevelVersion {
  readonly level: SecurityLevel
  readonly minor: number | undefined
}

/** The configuration of the plugin: the policy of namespaces without labels, and the exemptions. */
export interface PodSecuritySettings {
  readonly enforce: LevelVersion
  readonly audit: LevelVersion
  readonly warn: LevelVersion
  readonly exemptUsers: ReadonlySet<string>
  readonly exemptNamespaces: ReadonlySet<string>
  readonly exemptRuntimeClasses: ReadonlySet<string>
}

const free: LevelVersion = { level: 'privileged', minor: undefined }

/** Without a configuration, only namespaces with labels have a policy. */
export const defaultPodSecurity: PodSecuritySettings = {
  ...{ enforce: free, audit: free, warn: free },
  ...{ exemptUsers: new Set(), exemptNamespaces: new Set(), exemptRuntimeClasses: new Set() },
}

/** `latest` is undefined; null if it is not a version. */
export function readSecurityVersion(version: string): number | undefined | null {
  if (version === 'latest') return undefined
  const minor = /^v1\.(0|[1-9]\d{0,8})$/.exec(version)?.[1]
  return minor === undefined ? null : Number(minor)
}

type Loose = Readonly<Record<string, unknown>>

/** The configuration of PodSecurity in an AdmissionConfiguration; a string describes the error. */
export function readPodSecurity(document: unknown): PodSecuritySettings | string {
  const { kind, plugins = [] } = (document ?? {}) as { readonly kind?: unknown; readonly plugins?: readonly Loose[] }
  if (kind !== 'AdmissionConfiguration') return 'not an AdmissionConfiguration'
  const plugin = plugins.find(({ name }) => name === 'PodSecurity')
  const configuration = plugin?.['configuration'] as Loose | undefined
  if (configuration === undefined) return defaultPodSecurity
  const { defaults = {}, exemptions = {} } = configuration as { readonly defaults?: Loose; readonly exemptions?: Loose }
  const modes: Record<'enforce' | 'audit' | 'warn', LevelVersion> = { enforce: free, audit: free, warn: free }
  for (const mode of ['enforce', 'audit', 'warn'] as const) {
    const level = (defaults[mode] ?? 'privileged') as SecurityLevel
    if (!securityLevels.includes(level)) {
      return `defaults.${mode}: Invalid value: ${JSON.stringify(level)}: must be one of ${securityLevels.join(', ')}`
    }
    const version = String(defaults[`${mode}-version`] ?? 'latest')
    const minor = readSecurityVersion(version)
    if (minor === null) {
      return `defaults.${mode}-version: Invalid value: ${JSON.stringify(version)}: must be "latest" or "v1.x"`
    }
    modes[mode] = { level, minor }
  }
  const set = (name: string): ReadonlySet<string> => new Set((exemptions[name] ?? []) as readonly string[])
  return {
    ...modes,
    exemptUsers: set('usernames'),
    exemptNamespaces: set('namespaces'),
    exemptRuntimeClasses: set('runtimeClasses'),
  }
}
