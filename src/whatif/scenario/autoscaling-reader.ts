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
import type { KubeObject } from '../../api/objects/meta.ts'
import type { Node } from '../../api/objects/node.ts'
import type { Autoscaling } from '../../autoscalers/autoscaling.ts'
import { groupLabel, type NodeGroup } from '../../autoscalers/cluster-autoscaler/node-group.ts'
import { readAutoscalerOptions } from '../../autoscalers/cluster-autoscaler/options.ts'

/** Reads `autoscaling` of a scenario or of the file of --autoscaler. */
export function readAutoscaling(value: unknown, path: string): Autoscaling {
  const fields = objectAt(value, path, ['clusterAutoscaler'])
  const clusterAutoscaler = fields['clusterAutoscaler']
  return clusterAutoscaler === undefined
    ? {}
    : { clusterAutoscaler: clusterAutoscalerAt(clusterAutoscaler, fieldOf(path, 'clusterAutoscaler')) }
}

function clusterAutoscalerAt(value: unknown, path: string): NonNullable<Autoscaling['clusterAutoscaler']> {
  const fields = objectAt(value, path, ['nodeGroups', 'flags'])
  const flags = fields['flags'] === undefined ? {} : objectAt(fields['flags'], fieldOf(path, 'flags'))
  const options = readAutoscalerOptions(flags)
  if (!options.ok) throw new WrongField(fieldOf(path, 'flags'), options.message)
  const groups = listAt(fields['nodeGroups'], fieldOf(path, 'nodeGroups')).map((item, at) =>
    nodeGroupAt(item, `${fieldOf(path, 'nodeGroups')}[${at}]`),
  )
  return { groups, options: options.value }
}

function nodeGroupAt(value: unknown, path: string): NodeGroup {
  const fields = objectAt(value, path, ['name', 'min', 'max', 'template', 'boot', 'pricePerHour'])
  const name = textAt(fields['name'], fieldOf(path, 'name'), 'pool-a')
  const min = fields['min'] === undefined ? 0 : integerAt(fields['min'], fieldOf(path, 'min'))
  const price = fields['pricePerHour']
  if (price !== undefined && (typeof price !== 'number' || price < 0))
    throw new WrongField(fieldOf(path, 'pricePerHour'), 'must be a number >= 0')
  const template = jsonObjectAt(fields['template'], fieldOf(path, 'template')) as unknown as Partial<Node>
  return {
    name,
    min,
    max: integerAt(fields['max'], fieldOf(path, 'max'), { min }),
    template: templateOf(template),
    label: { key: groupLabel, value: name },
    bootMs: fields['boot'] === undefined ? 0 : durationAt(fields['boot'], fieldOf(path, 'boot')),
    ...(price === undefined ? {} : { pricePerHour: price }),
  }
}

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
