import type { Container, Pod } from '../../../api/objects/pod.ts'
import type { KubernetesRelease } from '../../../api/releases/kubernetes-release.ts'
import type { ReleaseChange } from '../../../api/releases/release-changes.ts'

interface InferredFeature {
  readonly feature: string
  /** Absent: every release with node features knows it. */
  readonly since?: ReleaseChange
  readonly neededBy: (pod: Pod) => boolean
}

/** The features that a pod can require of nodes (v1.37, component-helpers/nodedeclaredfeatures). */
const inferred: readonly InferredFeature[] = [
  { feature: 'RestartAllContainersOnContainerExits', neededBy: (pod) => allContainers(pod).some(restartsAll) },
  {
    feature: 'UserNamespacesHostNetworkSupport',
    since: 'HostNetworkUserNamespaces',
    neededBy: ({ spec }) => spec.hostNetwork === true && spec.hostUsers === false,
  },
  {
    feature: 'VolumeBindMountOptions',
    since: 'BindMountOptions',
    neededBy: (pod) => allContainers(pod).some(hasMountOptions),
  },
]

/** The features that a pod requires of its node. */
export type RequiredFeatures = (pod: Pod) => readonly string[]

export function requiredFeatures({ changes }: KubernetesRelease): RequiredFeatures {
  const known = inferred.filter(({ since }) => since === undefined || changes.has(since))
  return (pod) => known.filter(({ neededBy }) => neededBy(pod)).map(({ feature }) => feature)
}

function allContainers({ spec }: Pod): readonly Container[] {
  return [...spec.containers, ...(spec.initContainers ?? [])]
}

function restartsAll(container: Container): boolean {
  return container.restartPolicyRules?.some((rule) => rule.action === 'RestartAllContainers') ?? false
}

function hasMountOptions({ volumeMounts = [] }: Container): boolean {
  return volumeMounts.some(
    (mount) => (mount as { readonly bindMountOptions?: readonly string[] }).bindMountOptions?.length,
  )
}
