import type { Fields } from '../base/fields.ts'
import { done, failed, type Result } from '../base/result.ts'
import type { NodeSelector, NodeSelectorTerm } from './objects/node.ts'
import type { Volume } from './objects/pod.ts'
import type { PersistentVolume } from './objects/storage.ts'
import type { VolumeAffinity } from './persistent-volumes.ts'
import { labels } from './well-known.ts'

// In-tree volumes that CSI drivers serve (v1.36, csi-translation-lib).

export interface InTreePlugin {
  /** The field of a volume, inline or persistent, that has its source. */
  readonly source: string
  readonly name: string
  readonly driver: string
  /** Whether the scheduler treats its volumes as volumes of the driver (isCSIMigrationOn). */
  readonly scheduled: boolean
  /** The zone label of the driver. */
  readonly zoneKey?: string
  readonly handleOf: (source: Fields, zones: readonly string[]) => Result<string>
}

const plain =
  (field: string) =>
  (source: Fields): Result<string> =>
    done(String(source[field] ?? ''))

const plugins: readonly InTreePlugin[] = [
  {
    source: 'awsElasticBlockStore',
    name: 'kubernetes.io/aws-ebs',
    driver: 'ebs.csi.aws.com',
    scheduled: true,
    zoneKey: 'topology.ebs.csi.aws.com/zone',
    handleOf: ({ volumeID }) => awsHandle(String(volumeID ?? '')),
  },
  {
    source: 'gcePersistentDisk',
    name: 'kubernetes.io/gce-pd',
    driver: 'pd.csi.storage.gke.io',
    scheduled: true,
    zoneKey: 'topology.gke.io/zone',
    handleOf: ({ pdName }, zones) => googleHandle(String(pdName ?? ''), zones),
  },
  {
    source: 'azureDisk',
    name: 'kubernetes.io/azure-disk',
    driver: 'disk.csi.azure.com',
    scheduled: true,
    handleOf: azureHandle,
  },
  {
    source: 'cinder',
    name: 'kubernetes.io/cinder',
    driver: 'cinder.csi.openstack.org',
    scheduled: true,
    zoneKey: 'topology.cinder.csi.openstack.org/zone',
    handleOf: plain('volumeID'),
  },
  {
    source: 'portworxVolume',
    name: 'kubernetes.io/portworx-volume',
    driver: 'pxd.portworx.com',
    scheduled: true,
    handleOf: plain('volumeID'),
  },
  {
    source: 'azureFile',
    name: 'kubernetes.io/azure-file',
    driver: 'file.csi.azure.com',
    scheduled: false,
    handleOf: plain('shareName'),
  },
  {
    source: 'vsphereVolume',
    name: 'kubernetes.io/vsphere-volume',
    driver: 'csi.vsphere.vmware.com',
    scheduled: false,
    handleOf: plain('volumePath'),
  },
]

/** The in-tree plugin of an inline volume, or of the spec of a persistent one. */
export function inTreePluginOf(volume: Volume | PersistentVolume['spec']): InTreePlugin | undefined {
  for (const plugin of plugins) if (volume[plugin.source] !== undefined) return plugin
  return undefined
}

/** The in-tree plugin that a storage class names as its provisioner. */
export function inTreePluginNamed(provisioner: string): InTreePlugin | undefined {
  return plugins.find(({ name }) => name === provisioner)
}

export function inlineHandle(plugin: InTreePlugin, volume: Volume): Result<string> {
  return plugin.handleOf(volume[plugin.source] as Fields, [])
}

export function volumeHandle(plugin: InTreePlugin, { metadata, spec }: PersistentVolume): Result<string> {
  const zones = metadata.labels?.[labels.betaZone] || metadata.labels?.[labels.zone] || ''
  return plugin.handleOf(spec[plugin.source] as Fields, zones === '' ? [] : zones.split('__'))
}

/** A volume that a driver attaches. */
export interface DriverVolume {
  readonly driver: string
  /** Unique among all volumes of all drivers. */
  readonly name: string
}

export function driverVolumeOf(driver: string, handle: string): DriverVolume | undefined {
  return driver === '' || handle === '' ? undefined : { driver, name: `${driver}/${handle}` }
}

/** The driver and handle of a persistent volume, including migrated in-tree volumes. */
export function attachedVolumeOf(volume: PersistentVolume): DriverVolume | undefined {
  const { csi } = volume.spec
  if (csi !== undefined) return driverVolumeOf(csi.driver, csi.volumeHandle)
  const plugin = inTreePluginOf(volume.spec)
  if (plugin?.scheduled !== true) return undefined
  const handle = volumeHandle(plugin, volume)
  return handle.ok ? driverVolumeOf(plugin.driver, handle.value) : undefined
}

/** The node affinity of the volume with the zone label of the driver (translateTopologyFromInTreeToCSI). */
export function migratedAffinity({ zoneKey }: InTreePlugin, { metadata, spec }: PersistentVolume): VolumeAffinity {
  if (zoneKey === undefined) return spec.nodeAffinity
  const terms = spec.nodeAffinity?.required?.nodeSelectorTerms ?? []
  const named = metadata.labels ?? {}
  const isBeta = namesKey(terms, labels.zone)
    ? false
    : namesKey(terms, labels.betaZone) || (named[labels.zone] === undefined && named[labels.betaZone] !== undefined)
  const zone = isBeta ? labels.betaZone : labels.zone
  let migrated = terms
  if (hasValues(terms, zone)) migrated = renamed(terms, zone, zoneKey)
  else if (named[zone] !== undefined) migrated = withZones(terms, zoneKey, named[zone].split('__'))
  if (isBeta && hasValues(migrated, labels.betaRegion)) migrated = renamed(migrated, labels.betaRegion, labels.region)
  if (migrated === terms) return spec.nodeAffinity
  const required: NodeSelector = { ...spec.nodeAffinity?.required, nodeSelectorTerms: migrated }
  return { ...spec.nodeAffinity, required }
}

function namesKey(terms: readonly NodeSelectorTerm[], key: string): boolean {
  return terms.some(({ matchExpressions = [] }) => matchExpressions.some((one) => one.key === key))
}

function hasValues(terms: readonly NodeSelectorTerm[], key: string): boolean {
  return terms.some(({ matchExpressions = [] }) =>
    matchExpressions.some((one) => one.key === key && (one.values ?? []).length > 0),
  )
}

function renamed(terms: readonly NodeSelectorTerm[], from: string, to: string): readonly NodeSelectorTerm[] {
  return terms.map((term) => ({
    ...term,
    ...(term.matchExpressions === undefined
      ? {}
      : { matchExpressions: term.matchExpressions.map((one) => (one.key === from ? { ...one, key: to } : one)) }),
  }))
}

function withZones(
  terms: readonly NodeSelectorTerm[],
  key: string,
  named: readonly string[],
): readonly NodeSelectorTerm[] {
  const values = [...new Set(named.map((zone) => zone.trim()))].filter((zone) => zone !== '').sort()
  if (values.length === 0) return terms
  const requirement = { key, operator: 'In', values } as const
  return (terms.length === 0 ? [{}] : terms).map((term: NodeSelectorTerm) => ({
    ...term,
    matchExpressions: [...(term.matchExpressions ?? []), requirement],
  }))
}

/** `aws://zone/vol-1` and `vol-1` are the same volume. */
function awsHandle(id: string): Result<string> {
  if (!id.startsWith('aws://')) return done(id)
  const [path = ''] = id
    .slice('aws://'.length)
    .replace(/^[^/?#]*/, '')
    .split(/[?#]/, 1)
  const handle = withoutSlashes(path)
  if (/^vol-[^/]*$/.test(handle)) return done(handle)
  return failed(`failed to translate Kubernetes ID to EBS Volume ID Invalid format for AWS volume (${id})`)
}

function withoutSlashes(path: string): string {
  let end = path.length
  while (end > 0 && path[end - 1] === '/') end--
  return path.slice(0, end).replace(/^\/+/, '')
}

function googleHandle(disk: string, zones: readonly string[]): Result<string> {
  const [zone] = zones
  if (zones.length <= 1) return done(`projects/UNSPECIFIED/zones/${zone || 'UNSPECIFIED'}/disks/${disk}`)
  const regions = new Set<string>()
  for (const name of zones) {
    const parts = name.split('-')
    if (parts.length !== 3) {
      const why = `zone in unexpected format, expected: {locale}-{region}-{zone}, got: ${name}`
      return failed(`failed to get region from zones: ${why}`)
    }
    regions.add(parts.slice(0, 2).join('-'))
  }
  const [region, another] = regions
  if (region === undefined || another !== undefined) {
    return failed('failed to get region from zones: multiple or no regions gotten from zones')
  }
  return done(`projects/UNSPECIFIED/regions/${region}/disks/${disk}`)
}

function azureHandle({ diskURI, kind }: Fields): Result<string> {
  if (kind !== undefined && String(kind).toLowerCase() !== 'managed') {
    return failed(`kind(${String(kind)}) is not supported in csi migration`)
  }
  return done(String(diskURI ?? ''))
}
