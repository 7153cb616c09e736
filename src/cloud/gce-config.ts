import { done, failed, type Result } from '../base/result.ts'

/** The settings for alias ranges in `--cloud-config`. */
export interface GceConfig {
  /** Absent: the project in the providerID of the instance. */
  readonly project?: string
  /** With its version: https://compute.googleapis.com/compute/v1/ */
  readonly endpoint: string
  /** The secondary range of the subnetwork for aliases. */
  readonly secondaryRange?: string
  readonly token: TokenSetting
}

export type TokenSetting =
  /** The service account of the machine on which this runs. */
  | { readonly kind: 'metadata'; readonly url: string }
  /** A token server: `token-url`, to which `token-body` is posted. */
  | { readonly kind: 'url'; readonly url: string; readonly body: string }
  | { readonly kind: 'none' }

export const defaultEndpoint = 'https://compute.googleapis.com/compute/v1/'
export const metadataTokenUrl =
  'http://metadata.google.internal/computeMetadata/v1/instance/service-accounts/default/token'

/** Reads the [global] section of a gce.conf (v1.28, legacy-cloud-providers/gce, ConfigGlobal). */
export function readGceConfig(text: string): Result<GceConfig> {
  const values = new Map<string, string>()
  let section = ''
  for (const [at, raw] of text.split('\n').entries()) {
    const line = raw.trim()
    if (line === '' || line.startsWith('#') || line.startsWith(';')) continue
    const head = /^\[([^\]"]+)(?:\s+"[^"]*")?\]$/.exec(line)
    if (head !== null) {
      section = (head[1] as string).trim().toLowerCase()
      continue
    }
    const pair = /^([A-Za-z][A-Za-z0-9-]*)\s*=\s*(.*)$/.exec(line)
    if (pair === null) return failed(`line ${at + 1}: ${JSON.stringify(line)} is neither [section] nor name = value`)
    if (section === 'global') values.set((pair[1] as string).toLowerCase(), unquoted((pair[2] as string).trim()))
  }
  return configOf(values)
}

function configOf(values: ReadonlyMap<string, string>): Result<GceConfig> {
  const project = values.get('project-id')
  const secondaryRange = values.get('secondary-range-name')
  const tokenUrl = values.get('token-url') ?? ''
  const endpoint = values.get('api-endpoint') ?? defaultEndpoint
  if (!/^https?:\/\//.test(endpoint)) return failed(`api-endpoint: ${JSON.stringify(endpoint)} is not a URL`)
  const token: TokenSetting =
    tokenUrl === 'nil'
      ? { kind: 'none' }
      : tokenUrl === ''
        ? { kind: 'metadata', url: metadataTokenUrl }
        : { kind: 'url', url: tokenUrl, body: values.get('token-body') ?? '' }
  return done({
    ...(project === undefined ? {} : { project }),
    endpoint: endpoint.endsWith('/') ? endpoint : `${endpoint}/`,
    ...(secondaryRange === undefined ? {} : { secondaryRange }),
    token,
  })
}

function unquoted(value: string): string {
  return /^".*"$/.test(value) ? value.slice(1, -1).replaceAll('\\"', '"') : value
}
