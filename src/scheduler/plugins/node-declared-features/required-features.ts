import type { Container, Pod } from '../../../api/objects/pod.ts'

/** The features that a pod can require of nodes (v1.36, component-helpers/nodedeclaredfeatures). */
const inferred: readonly { readonly feature: string; readonly neededBy: (pod: Pod) => boolean }[] = [
  { feature: 'RestartAllContainersOnContainerExits', neededBy: (pod) => allContainers(pod).some(restartsAll) },
  {
    feature: 'UserNamespacesHostNetworkSupport',
    neededBy: ({ spec }) => spec.hostNetwork === true && spec.hostUsers === false,
  },
]

export function requiredFeatures(pod: Pod): readonly string[] {
  return inferred.filter(({ neededBy }) => neededBy(pod)).map(({ feature }) => feature)
}

function allContainers({ spec }: Pod): readonly Container[] {
  return [...spec.containers, ...(spec.initContainers ?? [])]
}

function restartsAll(container: Container): boolean {
  return container.restartPolicyRules?.some((rule) => rule.action === 'RestartAllContainers') ?? false
}
