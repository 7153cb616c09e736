import { findCondition } from '../../api/conditions.ts'
import {
  durationAt,
  fieldOf,
  integerAt,
  jsonObjectAt,
  listAt,
  objectAt,
  textAt,
  WrongField,
} from '../../api/document-reader.ts'
import type { ResourceSlice } from '../../api/objects/devices.ts'
import type { KubeObject } from '../../api/objects/meta.ts'
import type { Node } from '../../api/objects/node.ts'
import { parseTime } from '../../api/time.ts'
import type { Autoscaling } from '../../autoscalers/autoscaling.ts'
import { flagLimits } from '../../autoscalers/cluster-autoscaler/flag-limits.ts'
import { groupLabel, type NodeGroup } from '../../autoscalers/cluster-autoscaler/node-group.ts'
import { readAutoscalerOptions } from '../../autoscalers/cluster-autoscaler/options.ts'
import { lastingTaints } from '../../autoscalers/cluster-autoscaler/taints.ts'
import { readCatalog } from '../../autoscalers/karpenter/catalog/read-catalog.ts'
import { karpenterLimits, readKarpenterOptions } from '../../autoscalers/karpenter/options.ts'

/**
 * Reads `autoscaling` of a scenario or of the file of --autoscaler. `nodes`: the nodes of the cluster, for templates.
 */
export function readAutoscaling(value: unknown, path: string, nodes: readonly Node[] = []): Autoscaling {
  const { clusterAutoscaler, karpenter } = objectAt(value, path, ['clusterAutoscaler', 'karpenter'])
  return {
    ...(clusterAutoscaler === undefined
      ? {}
      : { clusterAutoscaler: clusterAutoscalerAt(clusterAutoscaler, fieldOf(path, 'clusterAutoscaler'), nodes) }),
    ...(karpenter === undefined ? {} : { karpenter: karpenterAt(karpenter, fieldOf(path, 'karpenter')) }),
  }
}

/** The assumed time from launch to Node if it is unknown. */
export const defaultBootMs = 45_000

function karpenterAt(value: unknown, path: string): NonNullable<Autoscaling['karpenter']> {
  const fields = objectAt(value, path, ['instanceTypes', 'flags', 'boot'])
  const flags = fields['flags'] === undefined ? {} : objectAt(fields['flags'], fieldOf(path, 'flags'))
  const options = readKarpenterOptions(flags)
  if (!options.ok) throw new WrongField(fieldOf(path, 'flags'), options.message)
  const limits = karpenterLimits(flags)
  return {
    ...(limits.length === 0 ? {} : { limits }),
    catalog: readCatalog(fields['instanceTypes'], fieldOf(path, 'instanceTypes')),
    options: options.value,
    bootMs: fields['boot'] === undefined ? defaultBootMs : durationAt(fields['boot'], fieldOf(path, 'boot')),
  }
}

function clusterAutoscalerAt(
  value: unknown,
  path: string,
  nodes: readonly Node[],
): NonNullable<Autoscaling['clusterAutoscaler']> {
  const fields = objectAt(value, path, ['nodeGroups', 'flags'])
  const flags = fields['flags'] === undefined ? {} : objectAt(fields['flags'], fieldOf(path, 'flags'))
  const options = readAutoscalerOptions(flags)
  if (!options.ok) throw new WrongField(fieldOf(path, 'flags'), options.message)
  const groups = listAt(fields['nodeGroups'], fieldOf(path, 'nodeGroups')).map((item, at) =>
    nodeGroupAt(item, `${fieldOf(path, 'nodeGroups')}[${at}]`, nodes),
  )
  const limits = flagLimits(flags)
  return {
    groups,
    options: options.value,
    ...(fields['flags'] === undefined ? {} : { hasFlags: true }),
    ...(limits.length === 0 ? {} : { limits }),
  }
}

const groupFields = ['name', 'min', 'max', 'label', 'template', 'devices', 'boot', 'pricePerHour']

function nodeGroupAt(value: unknown, path: string, nodes: readonly Node[]): NodeGroup {
  const fields = objectAt(value, path, groupFields)
  const name = textAt(fields['name'], fieldOf(path, 'name'), 'pool-a')
  const min = fields['min'] === undefined ? 0 : integerAt(fields['min'], fieldOf(path, 'min'))
  const price = fields['pricePerHour']
  if (price !== undefined && (typeof price !== 'number' || price < 0))
    throw new WrongField(fieldOf(path, 'pricePerHour'), 'must be a number >= 0')
  const label = fields['label'] === undefined ? { key: groupLabel, value: name } : labelAt(fields['label'], path)
  const members = nodes.filter(({ metadata }) => metadata.labels?.[label.key] === label.value)
  return {
    name,
    min,
    max: integerAt(fields['max'], fieldOf(path, 'max'), { min }),
    template: templateAt(fields['template'], path, members),
    label,
    bootMs:
      fields['boot'] === undefined
        ? (bootTimesOf(members)?.medianMs ?? 0)
        : durationAt(fields['boot'], fieldOf(path, 'boot')),
    ...(price === undefined ? {} : { pricePerHour: price }),
    ...(fields['devices'] === undefined
      ? {}
      : { devices: devicesAt(fields['devices'], fieldOf(path, 'devices'), name) }),
  }
}

/** The ResourceSlices of a node of the group: their specs, without node and pool. */
function devicesAt(value: unknown, path: string, group: string): readonly ResourceSlice[] {
  const specs = listAt(value, path).map((item, at) => {
    const { driver, ...spec } = objectAt(item, `${path}[${at}]`, ['driver', 'devices', 'sharedCounters'])
    return { driver: textAt(driver, `${path}[${at}].driver`, 'gpu.example.com'), ...spec }
  })
  return specs.map((spec, at) => {
    const resourceSliceCount = specs.filter(({ driver }) => driver === spec.driver).length
    return {
      apiVersion: 'resource.k8s.io/v1',
      kind: 'ResourceSlice',
      metadata: { name: `${group}-${at}` },
      spec: { ...spec, nodeName: group, pool: { name: group, generation: 1, resourceSliceCount } },
    } as ResourceSlice
  })
}

function labelAt(value: unknown, path: string): NodeGroup['label'] {
  const text = textAt(value, fieldOf(path, 'label'), 'eks.amazonaws.com/nodegroup=web')
  const at = text.indexOf('=')
  if (at <= 0) throw new WrongField(fieldOf(path, 'label'), 'must be KEY=VALUE')
  return { key: text.slice(0, at), value: text.slice(at + 1) }
}

/** The given template, or the newest node of the group. */
function templateAt(value: unknown, path: string, members: readonly Node[]): Node {
  if (value !== undefined) return templateOf(jsonObjectAt(value, fieldOf(path, 'template')) as unknown as Partial<Node>)
  const template = templateOfMembers(members)
  if (template === undefined)
    throw new WrongField(fieldOf(path, 'template'), 'required: no node of the cluster has the label of the group')
  return template
}

/** A node like the newest of these nodes. */
export function templateOfMembers(members: readonly Node[]): Node | undefined {
  const age = ({ metadata }: Node) => parseTime(metadata.creationTimestamp) ?? 0
  const [newest] = members.toSorted((a, b) => age(b) - age(a))
  if (newest === undefined) return undefined
  const { metadata, spec, status } = newest
  const resources = { capacity: status?.capacity, allocatable: status?.allocatable } as NonNullable<Node['status']>
  return templateOf({
    metadata: { name: '', ...(metadata.labels === undefined ? {} : { labels: metadata.labels }) },
    spec: { taints: lastingTaints(spec?.taints) },
    status: resources,
  })
}

/** The times from creation to Ready of nodes that have been Ready ever since. */
export interface BootTimes {
  readonly count: number
  readonly medianMs: number
  readonly leastMs: number
  readonly mostMs: number
}

/** Undefined: no node has the necessary times. */
export function bootTimesOf(members: readonly Node[]): BootTimes | undefined {
  const times = members.flatMap(({ metadata, status }) => {
    const ready = findCondition(status?.conditions, 'Ready')
    const createdAt = parseTime(metadata.creationTimestamp)
    const readyAt = ready?.status === 'True' ? parseTime(ready.lastTransitionTime) : undefined
    const ms = createdAt === undefined || readyAt === undefined ? -1 : readyAt - createdAt
    return ms >= 0 && ms <= longestBootMs ? [ms] : []
  })
  times.sort((a, b) => a - b)
  const [leastMs] = times
  if (leastMs === undefined) return undefined
  return {
    count: times.length,
    medianMs: times[Math.floor(times.length / 2)] as number,
    leastMs,
    mostMs: times.at(-1) as number,
  }
}

// A node that took longer than this to become Ready became unready in between.
const longestBootMs = 30 * 60_000

function templateOf({ metadata, spec, status }: Partial<Node>): Node {
  const capacity = status?.capacity ?? status?.allocatable
  const allocatable = status?.allocatable ?? status?.capacity
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: '', ...metadata } as KubeObject['metadata'],
    spec: spec ?? {},
    status: {
      ...status,
      ...(capacity === undefined ? {} : { capacity }),
      ...(allocatable === undefined ? {} : { allocatable }),
    },
  } as Node
}
