import { slicesOfNewMachine } from '../../api/local-slices.ts'
import type { ResourceSlice } from '../../api/objects/devices.ts'
import type { KubeObject } from '../../api/objects/meta.ts'
import type { Node, Taint } from '../../api/objects/node.ts'
import { labels, taintKeys } from '../../api/well-known.ts'

const lifecycleTaints: ReadonlySet<string> = new Set(Object.values(taintKeys))

/** A new node with the labels, user-defined taints and capacity of another one, and without its status. */
export function freshNode(like: Node, name: string): KubeObject {
  const { metadata, spec, status } = like
  const taints = (spec?.taints ?? []).filter(({ key }: Taint) => !lifecycleTaints.has(key))
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, labels: { ...metadata.labels, [labels.hostname]: name } },
    spec: taints.length === 0 ? {} : { taints },
    status: {
      ...(status?.capacity === undefined ? {} : { capacity: status.capacity }),
      ...(status?.allocatable === undefined ? {} : { allocatable: status.allocatable }),
    },
  } as KubeObject
}

interface SliceSource {
  list(resource: 'resourceslices.resource.k8s.io'): readonly KubeObject[]
}

/** The devices of a new node: like those that only the other node has. Their driver publishes them when the node exists. */
export function freshDevices(source: SliceSource, like: string, name: string): readonly ResourceSlice[] {
  const slices = source.list('resourceslices.resource.k8s.io') as readonly ResourceSlice[]
  return slicesOfNewMachine(
    slices.filter(({ spec }) => spec.nodeName === like),
    like,
    name,
  )
}
