import type { KubeObject } from '../../../api/objects/meta.ts'
import type { KubernetesRelease } from '../../../api/releases/kubernetes-release.ts'
import type { Fields } from '../../../base/fields.ts'
import { createGatedTable, type GatedTable, withoutGatedAt } from '../gated-fields.ts'

const containerLists = ['containers', 'initContainers', 'ephemeralContainers'] as const
const statusLists = ['containerStatuses', 'initContainerStatuses', 'ephemeralContainerStatuses'] as const
const probes = ['livenessProbe', 'readinessProbe', 'startupProbe'] as const

const inContainers = (...paths: readonly string[]): readonly string[] =>
  containerLists.flatMap((list) => paths.map((path) => `${list}[].${path}`))
const inStatuses = (path: string): readonly string[] => statusLists.map((list) => `${list}[].${path}`)

const handlers = [...probes, 'lifecycle.postStart', 'lifecycle.preStop']

/** The users of files in volumes. */
const fileUsers = [
  ...['secret', 'configMap', 'downwardAPI'].flatMap((source) => [`${source}.defaultUser`, `${source}.items[].user`]),
  'projected.defaultUser',
  ...['secret', 'configMap', 'downwardAPI'].map((source) => `projected.sources[].${source}.items[].user`),
  ...['serviceAccountToken', 'clusterTrustBundle', 'podCertificate'].map((one) => `projected.sources[].${one}.user`),
].map((path) => `volumes[].${path}`)

/** The fields of a pod's spec that need a feature gate (v1.34 to v1.37, api/pod DropDisabledFields). */
const specFields = createGatedTable([
  { gate: 'GenericWorkload', paths: ['schedulingGroup', 'workloadRef'] },
  { gate: 'ClusterTrustBundleProjection', paths: ['volumes[].projected.sources[].clusterTrustBundle'] },
  { gate: 'PodCertificateRequest', paths: ['volumes[].projected.sources[].podCertificate'] },
  { gate: 'ContainerStopSignals', paths: inContainers('lifecycle.stopSignal*') },
  { gate: 'HostnameOverride', paths: ['hostnameOverride'] },
  { gate: 'EnvFiles', paths: inContainers('env[].valueFrom.fileKeyRef') },
  { gate: 'AtomicWriteVolumeUserFields', paths: fileUsers },
  { gate: 'EmptyDirVolumeMode', paths: ['volumes[].emptyDir.mode'] },
  { gate: 'VolumeBindMountOptions', paths: inContainers('volumeMounts[].bindMountOptions') },
  { gate: 'EvictionRequestAPI', paths: ['evictionResponders'] },
  { gate: 'GRPCContainerProbeTLS', paths: inContainers(...probes.map((probe) => `${probe}.grpc.mode`)) },
  { gate: 'H2CContainerProbe', paths: inContainers(...handlers.map((handler) => `${handler}.httpGet.protocol`)) },
])

/** The same for the status of a pod (dropDisabledPodStatusFields). */
const statusFields = createGatedTable([
  { gate: 'InPlacePodLevelResourcesVerticalScaling', paths: ['resources', 'allocatedResources'] },
  { gate: 'DRAExtendedResource', paths: ['extendedResourceClaimStatus'] },
  { gate: 'DRANodeAllocatableResources', paths: ['nodeAllocatableResourceClaimStatuses'] },
  { gate: 'ResourceHealthStatus', paths: inStatuses('allocatedResourcesStatus') },
  { gate: 'ImageVolumeWithDigest', paths: inStatuses('volumeMounts[].volumeStatus') },
  { gate: 'CSIVolumeHealth', paths: ['volumeHealth'] },
])

/** A separate function removes fields that a table of paths cannot express. */
const podSpecs: GatedTable = {
  remove(spec, old, release) {
    let out = specFields.remove(spec, old, release) as Fields
    const before = (old ?? {}) as Fields
    if (isOff(release, 'ContainerRestartRules') && !hasRestartRules(before)) out = withoutRestartRules(out)
    if (isOff(release, 'ImageVolume') && !hasImageVolumes(before)) out = withoutImageVolumes(out)
    return out as typeof spec
  },
}

const isOff = ({ featureGates, gates }: KubernetesRelease, gate: string): boolean =>
  featureGates[gate] !== undefined && !gates.has(gate)

/** Removes the fields that the release disables from an object that has a pod template or a pod spec at this path. */
export function withoutDisabledAt<T extends KubeObject>(
  { release }: { readonly release: KubernetesRelease },
  object: T,
  path: readonly string[],
  old?: KubeObject,
): T {
  return withoutGatedAt(podSpecs, release, object, path, old)
}

/** The same for the status of a pod. */
export function withoutDisabledStatus<T extends KubeObject>(
  { release }: { readonly release: KubernetesRelease },
  pod: T,
  old: KubeObject,
): T {
  return withoutGatedAt(statusFields, release, pod, ['status'], old)
}

const listOf = (from: Fields, field: string): readonly Fields[] =>
  (from[field] as readonly Fields[] | null | undefined) ?? []

const isPresent = (value: unknown): boolean => value !== undefined && value !== null

/** Whether a restart policy needs the gate: any policy of a container, and any except Always of an init container. */
const isRuled = (list: string, { restartPolicy }: Fields): boolean =>
  isPresent(restartPolicy) && (list !== 'initContainers' || restartPolicy !== 'Always')

function hasRestartRules(spec: Fields): boolean {
  if (listOf(spec, 'containers').some((container) => isRuled('containers', container))) return true
  return listOf(spec, 'initContainers').some(
    (container) => isRuled('initContainers', container) || listOf(container, 'restartPolicyRules').length > 0,
  )
}

function withoutRestartRules(spec: Fields): Fields {
  let out = spec
  for (const list of containerLists) {
    const containers = listOf(spec, list)
    const kept = containers.map((container) => {
      const { restartPolicyRules, restartPolicy, ...rest } = container
      if (isRuled(list, container)) return rest
      if (!isPresent(restartPolicyRules)) return container
      return isPresent(restartPolicy) ? { ...rest, restartPolicy } : rest
    })
    if (kept.some((container, i) => container !== containers[i])) out = { ...out, [list]: kept }
  }
  return out
}

const hasImageVolumes = (spec: Fields): boolean => listOf(spec, 'volumes').some(({ image }) => isPresent(image))

/** Removes image volumes with their mounts (dropImageVolumes). */
function withoutImageVolumes(spec: Fields): Fields {
  if (!hasImageVolumes(spec)) return spec
  const names = new Set(listOf(spec, 'volumes').flatMap(({ image, name }) => (isPresent(image) ? [name] : [])))
  const out: Record<string, unknown> = {
    ...spec,
    volumes: listOf(spec, 'volumes').filter(({ name }) => !names.has(name)),
  }
  for (const list of containerLists) {
    if (!isPresent(spec[list])) continue
    out[list] = listOf(spec, list).map((container) => {
      if (!isPresent(container['volumeMounts'])) return container
      const volumeMounts = listOf(container, 'volumeMounts').filter(({ name }) => !names.has(name))
      return { ...container, volumeMounts }
    })
  }
  return out
}
