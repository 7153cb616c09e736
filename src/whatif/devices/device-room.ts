import type { KubeObject } from '../../api/objects/meta.ts'
import type { Settings } from '../../controlplane/settings.ts'
import { createVirtualCluster } from '../../controlplane/virtual.ts'
import type { Store } from '../../store/contract.ts'

/** How many more pods with a claim from a template would be placed. */
export interface DeviceRoom {
  readonly pods: number
  /** The nodes of the pods, and how many each would get. */
  readonly nodes: Readonly<Record<string, number>>
  /** Why the next pod would stay pending; absent: the limit of the question was reached. */
  readonly because?: string
}

/**
 * Asks the scheduler: creates pods that need nothing but the claim, one after the other, until one stays pending. Exact, because
 * the allocator of the scheduler answers; the pods request no CPU or memory.
 */
export function roomFor(
  template: { readonly namespace: string; readonly name: string },
  input: { readonly store: Store; readonly settings: Settings; readonly startMs: number; readonly limit: number },
): DeviceRoom {
  const cluster = createVirtualCluster({
    startMs: input.startMs,
    store: input.store,
    settings: input.settings,
    controllers: ['resourceclaim', 'scheduler'],
    resumed: true,
  })
  cluster.driver.settle()
  const nodes: Record<string, number> = {}
  for (let pods = 0; pods < input.limit; pods++) {
    const name = `berth-room-${pods}`
    const created = cluster.client.callNow({
      verb: 'create',
      resource: 'pods',
      namespace: template.namespace,
      object: podOf(name, template),
    })
    if (!created.ok) return { pods, nodes, because: created.status.message ?? '' }
    cluster.driver.advance(2_000)
    const pod = cluster.store.get('pods', `${template.namespace}/${name}`) as PlacedPod | undefined
    const node = pod?.spec?.nodeName
    if (node === undefined) {
      const scheduled = pod?.status?.conditions?.find(({ type }) => type === 'PodScheduled')
      return { pods, nodes, because: scheduled?.message ?? 'the pod was not scheduled' }
    }
    nodes[node] = (nodes[node] ?? 0) + 1
  }
  return { pods: input.limit, nodes }
}

interface PlacedPod extends KubeObject {
  readonly spec?: { readonly nodeName?: string }
  readonly status?: { readonly conditions?: readonly { readonly type: string; readonly message?: string }[] }
}

function podOf(name: string, template: { readonly namespace: string; readonly name: string }): KubeObject {
  const spec = {
    containers: [{ name: 'pod', image: 'pod', resources: { claims: [{ name: 'claim' }] } }],
    resourceClaims: [{ name: 'claim', resourceClaimTemplateName: template.name }],
    tolerations: [{ operator: 'Exists' }],
  }
  return { metadata: { name, namespace: template.namespace }, spec } as KubeObject
}
