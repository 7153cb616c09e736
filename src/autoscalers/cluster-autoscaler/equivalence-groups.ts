import { semanticEqual } from '../../api/equality.ts'
import type { Pod } from '../../api/objects/pod.ts'
import { controllerOf } from '../../api/owner-references.ts'
import type { PluginStatus } from '../../scheduler/contract/contract.ts'
import { isDaemonSetPod } from './node-templates.ts'

/** Pods of one controller with the same labels and spec. The result of a simulation of one pod applies to all. */
export interface EquivalenceGroup {
  readonly pods: Pod[]
  /** Reports whether any node group could run these pods. */
  isSchedulable: boolean
  /** The reason why each node group cannot run these pods. */
  readonly rejections: Map<string, PluginStatus>
}

/** The maximum number of shapes of one controller that are compared (1.36, scaleup/equivalence). */
const mostShapes = 10

export function groupEquivalent(pods: readonly Pod[]): readonly EquivalenceGroup[] {
  const groups: EquivalenceGroup[] = []
  const byController = new Map<string, EquivalenceGroup[]>()
  for (const pod of pods) {
    const owner = isDaemonSetPod(pod) ? undefined : controllerOf(pod)?.uid
    const known = owner === undefined ? [] : (byController.get(owner) ?? [])
    const same = known.find(({ pods: [example] }) => isEquivalent(example as Pod, pod))
    if (same !== undefined) {
      same.pods.push(pod)
      continue
    }
    const group: EquivalenceGroup = { pods: [pod], isSchedulable: false, rejections: new Map() }
    groups.push(group)
    if (owner !== undefined && known.length < mostShapes) byController.set(owner, [...known, group])
  }
  return groups
}

function isEquivalent(a: Pod, b: Pod): boolean {
  return semanticEqual(a.metadata.labels ?? {}, b.metadata.labels ?? {}) && semanticEqual(comparable(a), comparable(b))
}

/** Token volumes have generated names and do not affect scheduling. */
function comparable({ spec }: Pod): unknown {
  const isToken = (name: string) => name.startsWith('kube-api-access-')
  const mounted = <C extends { volumeMounts?: readonly { name: string }[] }>(containers: readonly C[] | undefined) =>
    containers?.map((container) => ({
      ...container,
      volumeMounts: container.volumeMounts?.filter(({ name }) => !isToken(name)) ?? [],
    })) ?? []
  const { volumes, containers, initContainers, ...rest } = spec as typeof spec & {
    containers: readonly { volumeMounts?: readonly { name: string }[] }[]
    initContainers?: readonly { volumeMounts?: readonly { name: string }[] }[]
  }
  return {
    ...rest,
    volumes: volumes?.filter(({ name }) => !isToken(name)) ?? [],
    containers: mounted(containers),
    initContainers: mounted(initContainers),
  }
}
