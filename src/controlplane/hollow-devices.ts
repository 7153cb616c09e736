import type { ResourceSlice } from '../api/objects/devices.ts'
import type { KubeObject } from '../api/objects/meta.ts'
import type { Node } from '../api/objects/node.ts'
import { hollowLabel } from '../controllers/hollow-kubelet/hollow-names.ts'

/** The resources of the kinds that a file of devices may contain. */
const resources = new Map([
  ['DeviceClass', 'deviceclasses.resource.k8s.io'],
  ['ResourceSlice', 'resourceslices.resource.k8s.io'],
  ['ResourceClaim', 'resourceclaims.resource.k8s.io'],
  ['ResourceClaimTemplate', 'resourceclaimtemplates.resource.k8s.io'],
  ['DeviceTaintRule', 'devicetaintrules.resource.k8s.io'],
])

export interface DeviceObject {
  readonly resource: string
  readonly object: KubeObject
}

/**
 * The objects of a file of devices. A ResourceSlice that names no nodes is a template: every node gets a copy, with a
 * pool that is named after the node. Throws an error that names the object.
 */
export function hollowDevices(objects: readonly KubeObject[], nodes: readonly Node[]): readonly DeviceObject[] {
  return objects.flatMap((object): readonly DeviceObject[] => {
    const resource = resources.get(object.kind ?? '')
    if (resource === undefined) {
      throw new Error(
        `${object.kind ?? 'an object'} ${JSON.stringify(object.metadata.name)} is not a kind of devices; expected ${[...resources.keys()].join(', ')}`,
      )
    }
    if (object.kind !== 'ResourceSlice') return [{ resource, object: inNamespace(object) }]
    const slice = object as ResourceSlice
    const { nodeName, nodeSelector, allNodes, perDeviceNodeSelection } = slice.spec
    const isTemplate = [nodeName, nodeSelector, allNodes, perDeviceNodeSelection].every((one) => one === undefined)
    if (!isTemplate) return [{ resource, object: labeled(slice) }]
    return nodes.map((node) => ({ resource, object: onNode(slice, node.metadata.name) }))
  })
}

function inNamespace(object: KubeObject): KubeObject {
  if (object.kind === 'DeviceClass' || object.kind === 'DeviceTaintRule') return object
  return { ...object, metadata: { namespace: 'default', ...object.metadata } }
}

function labeled(slice: ResourceSlice): ResourceSlice {
  return { ...slice, metadata: { ...slice.metadata, labels: { ...slice.metadata.labels, [hollowLabel]: 'true' } } }
}

function onNode(slice: ResourceSlice, node: string): ResourceSlice {
  const { name } = slice.metadata
  const made = labeled(slice)
  return {
    ...made,
    metadata: { ...made.metadata, name: `${node}-${name}` },
    spec: { ...slice.spec, nodeName: node, pool: { name: node, generation: 1, resourceSliceCount: 1 } },
  }
}
