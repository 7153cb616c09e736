import type { KubeObject } from '../api/objects/meta.ts'
import type { KindTable } from '../registry/kinds/kind.ts'

/**
 * The priorities of groups, and the priorities of versions that are not 15 (v1.36, control plane apiserver,
 * aggregator).
 */
const groupPriorities: ReadonlyMap<string, number> = new Map([
  ['', 18_000],
  ['apps', 17_800],
  ['events.k8s.io', 17_750],
  ['authentication.k8s.io', 17_700],
  ['authorization.k8s.io', 17_600],
  ['autoscaling', 17_500],
  ['batch', 17_400],
  ['certificates.k8s.io', 17_300],
  ['networking.k8s.io', 17_200],
  ['policy', 17_100],
  ['rbac.authorization.k8s.io', 17_000],
  ['storage.k8s.io', 16_800],
  ['admissionregistration.k8s.io', 16_700],
  ['apiextensions.k8s.io', 16_700],
  ['scheduling.k8s.io', 16_600],
  ['coordination.k8s.io', 16_500],
  ['node.k8s.io', 16_300],
  ['discovery.k8s.io', 16_200],
  ['resource.k8s.io', 16_200],
  ['flowcontrol.apiserver.k8s.io', 16_100],
])
const versionPriorities: ReadonlyMap<string, number> = new Map([
  ['/v1', 1],
  ['autoscaling/v2', 30],
  ['flowcontrol.apiserver.k8s.io/v1', 21],
  ['resource.k8s.io/v1', 21],
])

/** The APIs that this server serves itself, as the aggregator registers them when it starts. */
export function localApiServices(
  kinds: KindTable,
): readonly { readonly resource: string; readonly object: KubeObject }[] {
  const served = new Map(
    kinds
      .all()
      .filter(({ custom }) => custom === undefined)
      .map(({ group, version }) => [`${version}.${group}`, { group, version }]),
  )
  return [...served].flatMap(([name, { group, version }]) => {
    const groupPriorityMinimum = groupPriorities.get(group)
    if (groupPriorityMinimum === undefined) return []
    const object = {
      apiVersion: 'apiregistration.k8s.io/v1',
      kind: 'APIService',
      metadata: { name, labels: { 'kube-aggregator.kubernetes.io/automanaged': 'onstart' } },
      spec: {
        ...(group === '' ? {} : { group }),
        version,
        groupPriorityMinimum,
        versionPriority: versionPriorities.get(`${group}/${version}`) ?? 15,
      },
    } as unknown as KubeObject
    return [{ resource: 'apiservices.apiregistration.k8s.io', object }]
  })
}
