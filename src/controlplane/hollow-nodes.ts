import type { Node } from '../api/objects/node.ts'
import { parseQuantity } from '../api/quantity.ts'
import { hollowLabel } from '../controllers/hollow-kubelet/hollow-names.ts'

/** The shape of hollow nodes: `cpu=8,memory=32Gi,zones=3`. */
export interface NodeShape {
  /** Quantities by resource name. */
  readonly resources: Readonly<Record<string, string>>
  /** The nodes are distributed over zone-a, zone-b, … */
  readonly zones: number
  readonly labels: Readonly<Record<string, string>>
}

export const defaultShape: NodeShape = {
  resources: { cpu: '8', memory: '32Gi', pods: '110', 'ephemeral-storage': '100Gi' },
  zones: 3,
  labels: {},
}

/** Throws an error that describes the valid form. */
export function parseNodeShape(text: string): NodeShape {
  const resources: Record<string, string> = { ...defaultShape.resources }
  const labels: Record<string, string> = {}
  let zones = defaultShape.zones
  for (const part of text
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '')) {
    const [name = '', value = ''] = part.split('=')
    if (value === '')
      throw new Error(`${JSON.stringify(part)} must be NAME=VALUE, for example cpu=8,memory=32Gi,zones=3`)
    if (name === 'zones') {
      zones = Number(value)
      if (!Number.isInteger(zones) || zones < 1 || zones > 26)
        throw new Error(`zones=${value} must be an integer from 1 to 26`)
    } else if (name.startsWith('label:')) labels[name.slice('label:'.length)] = value
    else {
      if (!isNodeResource(name))
        throw new Error(
          `unknown resource ${JSON.stringify(name)}; expected cpu, memory, pods, ephemeral-storage, hugepages-SIZE, an ` +
            'extended resource such as example.com/gpu, zones or label:KEY',
        )
      if (!parseQuantity(value).ok) throw new Error(`${name}=${value} is not a quantity such as 8, 500m or 32Gi`)
      resources[name] = value
    }
  }
  return { resources, zones, labels }
}

/** The name is checked because pods never request a misspelled resource. */
function isNodeResource(name: string): boolean {
  return Object.hasOwn(defaultShape.resources, name) || name.startsWith('hugepages-') || name.includes('/')
}

/** The hollow nodes of a cluster: node-1, node-2, … distributed over the zones. */
export function hollowNodes(count: number, shape: NodeShape = defaultShape): readonly Node[] {
  return Array.from({ length: count }, (_, index) => {
    const name = `node-${index + 1}`
    const zone = `zone-${String.fromCharCode(97 + (index % shape.zones))}`
    return {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: {
        name,
        labels: {
          [hollowLabel]: 'true',
          'kubernetes.io/arch': 'amd64',
          'kubernetes.io/hostname': name,
          'kubernetes.io/os': 'linux',
          'topology.kubernetes.io/region': 'region-1',
          'topology.kubernetes.io/zone': zone,
          ...shape.labels,
        },
      },
      spec: {},
      status: { capacity: shape.resources, allocatable: shape.resources },
    }
  })
}
