import { child, list, type Obj } from '../validation/reader.ts'
import { text, textIfSet } from '../validation/scalars.ts'

interface Claim {
  readonly path: string
  readonly source: string
}

const quoted = (text: string): string => JSON.stringify(text)
const shown = ({ path, source }: Claim): string => (source === '' ? quoted(path) : `${quoted(path)} (${source})`)

const itemsOf = (owner: Obj | undefined, source: string): readonly Claim[] =>
  list(owner, 'items').map((item) => ({ path: text(item, 'path'), source }))

const fileSources = ['configMap', 'secret', 'downwardAPI', 'projected']

/** Files of one volume whose paths overlap (warningsForOverlappingVirtualPaths). */
export function pathWarnings(volumes: readonly Obj[]): readonly string[] {
  return volumes.flatMap((volume) => {
    if (!fileSources.some((source) => child(volume, source) !== undefined)) return []
    const name = quoted(text(volume, 'name'))
    const map = child(volume, 'configMap')
    const secret = child(volume, 'secret')
    const warn = (what: string, claims: readonly Claim[]): readonly string[] =>
      overlaps(claims).map((overlap) => `volume ${name} (${what}): overlapping paths: ${overlap}`)
    return [
      ...warn(`ConfigMap ${quoted(text(map, 'name'))}`, itemsOf(map, '')),
      ...warn(`Secret ${quoted(text(secret, 'secretName'))}`, itemsOf(secret, '')),
      ...warn('DownwardAPI', itemsOf(child(volume, 'downwardAPI'), '')),
      ...projected(child(volume, 'projected'), name, warn),
    ]
  })
}

function projected(
  volume: Obj | undefined,
  name: string,
  warn: (what: string, claims: readonly Claim[]) => readonly string[],
): readonly string[] {
  const sources = list(volume, 'sources')
  const empty = sources.filter((source) => Object.keys(source).length === 0)
  return [
    ...empty.map(() => `volume ${name} (Projected) has no sources provided`),
    ...warn('Projected', sources.flatMap(claimsOf)),
  ]
}

function claimsOf(source: Obj): readonly Claim[] {
  const map = child(source, 'configMap')
  if (list(map, 'items').length > 0) return itemsOf(map, `ConfigMap ${quoted(text(map, 'name'))}`)
  const secret = child(source, 'secret')
  if (list(secret, 'items').length > 0) return itemsOf(secret, `Secret ${quoted(text(secret, 'name'))}`)
  const downward = child(source, 'downwardAPI')
  if (list(downward, 'items').length > 0) return itemsOf(downward, 'DownwardAPI')
  const token = child(source, 'serviceAccountToken')
  if (token !== undefined) return [{ path: text(token, 'path'), source: 'ServiceAccountToken' }]
  const bundle = child(source, 'clusterTrustBundle')
  if (bundle !== undefined) {
    const name = textIfSet(bundle, 'name') ?? text(bundle, 'signerName')
    return [{ path: text(bundle, 'path'), source: `ClusterTrustBundle ${quoted(name)}` }]
  }
  const certificate = child(source, 'podCertificate')
  const files = [
    ['certificateChainPath', 'PodCertificate chain'],
    ['keyPath', 'PodCertificate key'],
    ['credentialBundlePath', 'PodCertificate credential bundle'],
  ] as const
  return files
    .map(([field, what]): Claim => ({ path: text(certificate, field), source: what }))
    .filter(({ path }) => path !== '')
}

// More warnings than a response can contain. Limits the pairs of paths that are compared.
const maxOverlaps = 1000
const maxComparisons = 500_000

function overlaps(claims: readonly Claim[]): readonly string[] {
  const found: string[] = []
  const before: { readonly claim: Claim; readonly folder: string }[] = []
  let comparisons = 0
  for (const given of claims) {
    const claim = { ...given, path: withoutSlashes(given.path) }
    if (claim.path === '') continue
    const folder = `${claim.path}/`
    for (const other of before) {
      if (found.length >= maxOverlaps || comparisons++ >= maxComparisons) return found
      if (folder.startsWith(other.folder) || other.folder.startsWith(folder)) {
        found.push(`${shown(claim)} with ${shown(other.claim)}`)
      }
    }
    before.push({ claim, folder })
  }
  return found
}

function withoutSlashes(path: string): string {
  let end = path.length
  while (end > 0 && path[end - 1] === '/') end--
  return path.slice(0, end)
}
