import { lookupTable } from '../base/lookup-table.ts'
import type { Container, Pod, PodSpec, Volume } from './objects/pod.ts'

// v1.36, pkg/api/pod: the API objects that a pod references. Objects that they reference in turn, such as the secret of
// a claim's volume, are not included.

interface NameReference {
  readonly name?: string
}

interface Environment {
  readonly env?: readonly {
    readonly valueFrom?: { readonly secretKeyRef?: NameReference; readonly configMapKeyRef?: NameReference }
  }[]
  readonly envFrom?: readonly { readonly secretRef?: NameReference; readonly configMapRef?: NameReference }[]
}

interface ProjectedSource {
  readonly secret?: NameReference
  readonly configMap?: NameReference
  readonly serviceAccountToken?: { readonly audience?: string }
  readonly clusterTrustBundle?: unknown
  readonly podCertificate?: unknown
  readonly downwardAPI?: unknown
}

/** The sources of a volume that reference a secret or a config map, or that determine the kind of the volume. */
interface Sources {
  readonly name: string
  readonly azureFile?: { readonly secretName?: string }
  readonly secret?: { readonly secretName?: string }
  readonly configMap?: NameReference
  readonly projected?: { readonly sources?: readonly ProjectedSource[] }
  readonly csi?: { readonly driver?: string; readonly nodePublishSecretRef?: NameReference }
}

/** Volumes with a `secretRef`. */
const withSecretRef = ['cephfs', 'cinder', 'flexVolume', 'rbd', 'scaleIO', 'iscsi', 'storageos'] as const

const sourcesOf = (volume: Volume) =>
  volume as unknown as Sources & { readonly [K in (typeof withSecretRef)[number]]?: { secretRef?: NameReference } }

const environmentsOf = ({ initContainers = [], containers, ephemeralContainers = [] }: PodSpec) =>
  [...initContainers, ...containers, ...(ephemeralContainers as readonly Container[])] as readonly Environment[]

export const projectedSourcesOf = (volume: Volume): readonly ProjectedSource[] =>
  sourcesOf(volume).projected?.sources ?? []

const given = (names: Iterable<string | undefined>): ReadonlySet<string> =>
  new Set([...names].filter((name) => name !== undefined && name !== '') as string[])

/** The secrets of the pod's namespace that the pod uses (VisitPodSecretNames). */
export function secretNamesOf({ spec }: Pod): ReadonlySet<string> {
  return given([
    ...(spec.imagePullSecrets ?? []).map(({ name }) => name),
    ...environmentsOf(spec).flatMap(({ env = [], envFrom = [] }) => [
      ...envFrom.map(({ secretRef }) => secretRef?.name),
      ...env.map(({ valueFrom }) => valueFrom?.secretKeyRef?.name),
    ]),
    ...(spec.volumes ?? []).flatMap((volume) => {
      const source = sourcesOf(volume)
      return [
        source.azureFile?.secretName,
        source.secret?.secretName,
        source.csi?.nodePublishSecretRef?.name,
        ...projectedSourcesOf(volume).map(({ secret }) => secret?.name),
        ...withSecretRef.map((field) => source[field]?.secretRef?.name),
      ]
    }),
  ])
}

/** The config maps of the pod's namespace that the pod uses (VisitPodConfigmapNames). */
export function configMapNamesOf({ spec }: Pod): ReadonlySet<string> {
  return given([
    ...environmentsOf(spec).flatMap(({ env = [], envFrom = [] }) => [
      ...envFrom.map(({ configMapRef }) => configMapRef?.name),
      ...env.map(({ valueFrom }) => valueFrom?.configMapKeyRef?.name),
    ]),
    ...(spec.volumes ?? []).flatMap((volume) => [
      sourcesOf(volume).configMap?.name,
      ...projectedSourcesOf(volume).map(({ configMap }) => configMap?.name),
    ]),
  ])
}

/** The claims of persistent volumes that the pod uses; claims of ephemeral volumes are named after the pod. */
export function volumeClaimNamesOf({ metadata, spec }: Pod): readonly string[] {
  return (spec.volumes ?? []).flatMap((volume) => {
    const name = volumeClaimNameOf(metadata.name, volume)
    return name === undefined || name === '' ? [] : [name]
  })
}

export function volumeClaimNameOf(podName: string, volume: Volume): string | undefined {
  if (volume.persistentVolumeClaim !== undefined) return volume.persistentVolumeClaim.claimName
  return volume.ephemeral === undefined ? undefined : `${podName}-${volume.name}`
}

const volumeReferences = lookupTable<string>({
  configMap: 'configmaps (via configmap volumes)',
  secret: 'secrets (via secret volumes)',
  csi: 'csidrivers (via CSI volumes)',
  glusterfs: 'endpoints (via glusterFS volumes)',
  persistentVolumeClaim: 'persistentvolumeclaims',
  ephemeral: 'persistentvolumeclaims (via ephemeral volumes)',
  azureFile: 'secrets (via azureFile volumes)',
})

const projectedReferences: readonly (readonly [keyof ProjectedSource, string])[] = [
  ['configMap', 'configmaps (via projected volumes)'],
  ['secret', 'secrets (via projected volumes)'],
  ['serviceAccountToken', 'serviceaccounts (via projected volumes)'],
  ['clusterTrustBundle', 'clustertrustbundles'],
  ['podCertificate', 'podcertificates'],
]

/** The first kind of object that a pod references, if any (HasAPIObjectReference). */
export function apiReferenceOf(pod: Pod): string | undefined {
  const { spec } = pod
  if ((spec.serviceAccountName ?? '') !== '') return 'serviceaccounts'
  if (secretNamesOf(pod).size > 0) return 'secrets'
  if (configMapNamesOf(pod).size > 0) return 'configmaps'
  if ((spec.resourceClaims ?? []).length > 0) return 'resourceclaims'
  for (const volume of spec.volumes ?? []) {
    const field = Object.keys(volumeReferences).find((name) => Object.hasOwn(volume, name))
    if (field !== undefined) return volumeReferences[field]
    for (const source of projectedSourcesOf(volume)) {
      const found = projectedReferences.find(([name]) => source[name] !== undefined)
      if (found !== undefined) return found[1]
    }
  }
  return undefined
}
