import type { Pod } from '../../../api/objects/pod.ts'
import type { DaemonSet } from '../../../api/objects/workloads.ts'
import { controllerOf } from '../../../api/owner-references.ts'
import { parseTime } from '../../../api/time.ts'
import type { View } from '../../../runtime/view.ts'
import type { InstanceType } from '../catalog/instance-type.ts'
import { requestsOf, sum } from './amounts.ts'
import type { ClaimTemplate } from './claim-template.ts'
import { HostPorts } from './host-ports.ts'
import type { DaemonGroup } from './instance-filter.ts'
import { toleratePreferNoSchedule, withoutFirstRequiredTerm } from './preferences.ts'
import { strictRequirements } from './requirements.ts'
import { toleratesAll } from './taint-check.ts'

/**
 * A pod that a DaemonSet runs on a node. As in upstream, terms of its affinity that no instance type matches are
 * dropped.
 */
export interface DaemonPod {
  pod: Pod
}

/** One pod for each DaemonSet: its newest pod, or a pod from its template. */
export function daemonPodsOf(view: View): readonly DaemonPod[] {
  return view.list('daemonsets.apps').map((set) => {
    const owned = view
      .controlledBy('pods', set.metadata.uid ?? '')
      .filter((pod) => controllerOf(pod)?.kind === 'DaemonSet')
    const newest = owned.reduce<Pod | undefined>(
      (last, pod) => (last !== undefined && age(pod) <= age(last) ? last : pod),
      undefined,
    )
    return { pod: withOwnAffinity(newest ?? fromTemplate(set), set) }
  })
}

const age = ({ metadata }: Pod): number => parseTime(metadata.creationTimestamp) ?? 0

function fromTemplate({ metadata, spec }: DaemonSet): Pod {
  return {
    metadata: { name: `${metadata.name}-daemon`, namespace: metadata.namespace ?? 'default' },
    spec: spec?.template.spec as Pod['spec'],
  }
}

/** The DaemonSet controller binds its pods to nodes with an affinity, so the template defines where they can run. */
function withOwnAffinity(pod: Pod, { spec }: DaemonSet): Pod {
  const required = spec?.template.spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution
  if (required === undefined) return pod
  const nodeAffinity = { ...pod.spec.affinity?.nodeAffinity, requiredDuringSchedulingIgnoredDuringExecution: required }
  return { ...pod, spec: { ...pod.spec, affinity: { ...pod.spec.affinity, nodeAffinity } } }
}

/** The instance types of a template, grouped by the daemon pods that would run on them. */
export function daemonGroupsOf(
  template: ClaimTemplate,
  types: readonly InstanceType[],
  daemons: readonly DaemonPod[],
  wellKnown: ReadonlySet<string>,
): readonly DaemonGroup[] {
  const groups = new Map<string, { readonly types: Set<InstanceType>; readonly pods: readonly Pod[] }>()
  for (const type of types) {
    const compatible = daemons.filter((daemon) => runsOn(daemon, template, type, wellKnown))
    const key = compatible.map((daemon) => daemons.indexOf(daemon)).join(',')
    const group = groups.get(key) ?? { types: new Set(), pods: compatible.map(({ pod }) => pod) }
    group.types.add(type)
    groups.set(key, group)
  }
  return [...groups.values()].map((group) => {
    const ports = new HostPorts()
    for (const pod of group.pods) ports.add(pod)
    return { types: group.types, overhead: sum(group.pods.map(requestsOf)), ports }
  })
}

function runsOn(
  daemon: DaemonPod,
  template: ClaimTemplate,
  type: InstanceType,
  wellKnown: ReadonlySet<string>,
): boolean {
  daemon.pod = { ...daemon.pod, spec: toleratePreferNoSchedule(daemon.pod.spec) ?? daemon.pod.spec }
  if (!toleratesAll(template.taints, daemon.pod.spec.tolerations)) return false
  while (true) {
    const wanted = strictRequirements(daemon.pod)
    if (template.requirements.isCompatible(wanted, wellKnown) && type.requirements.conflict(wanted) === undefined)
      return true
    const spec = withoutFirstRequiredTerm(daemon.pod.spec)
    if (spec === undefined) return false
    daemon.pod = { ...daemon.pod, spec }
  }
}
