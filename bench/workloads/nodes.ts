import type { KubeObject } from '../../src/api/objects/meta.ts'
import type { Node } from '../../src/api/objects/node.ts'
import { fromTemplate } from './template.ts'
import type { Operation } from './workload-file.ts'

const base: Node = {
  metadata: { name: '' },
  status: {
    capacity: { pods: '110', cpu: '4', memory: '32Gi' },
    conditions: [{ type: 'Ready', status: 'True' }],
    phase: 'Running',
  },
}

/** A node with the hostname label, changed by the strategy of the operation (upstream PrepareNodes). */
export function prepareNode(
  operation: Operation,
  folder: string,
  at: { readonly opIndex: number; readonly Index: number; readonly Count: number },
): { readonly node: Node; readonly csiNode?: KubeObject } {
  const { nodeTemplatePath, nodeAllocatableStrategy: strategy } = operation
  const template = nodeTemplatePath === undefined ? base : (fromTemplate(folder, nodeTemplatePath, at) as Node)
  const { generateName, name: given, labels, ...metadata } = template.metadata
  const name = given || `${generateName ?? `node-${at.opIndex}-`}${at.opIndex}-${at.Index}`
  const capacity = template.status?.capacity ?? {}
  const allocatable = { ...(template.status?.allocatable ?? capacity), ...strategy?.nodeAllocatable }
  const node: Node = {
    ...template,
    metadata: {
      ...metadata,
      name,
      labels: { ...labels, 'kubernetes.io/hostname': name, ...addedLabels(operation, at.Index) },
    },
    status: { ...template.status, allocatable },
  }
  if (strategy === undefined) return { node }
  const drivers = Object.entries(strategy.csiNodeAllocatable ?? {}).map(([driver, limits]) => ({
    name: driver,
    nodeID: name,
    allocatable: limits,
  }))
  const annotations = { 'storage.alpha.kubernetes.io/migrated-plugins': (strategy.migratedPlugins ?? []).join(',') }
  return { node, csiNode: { metadata: { name, annotations }, spec: { drivers } } as KubeObject }
}

function addedLabels(operation: Operation, index: number): Readonly<Record<string, string>> {
  const { labelNodePrepareStrategy: rotating, uniqueNodeLabelStrategy: unique } = operation
  if (rotating !== undefined) {
    return { [rotating.labelKey]: rotating.labelValues[index % rotating.labelValues.length] ?? '' }
  }
  return unique === undefined ? {} : { [unique.labelKey]: `value-${index}` }
}
