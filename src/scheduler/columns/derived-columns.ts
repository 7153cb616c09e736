import type { AnyPlugin, NodeFacts, NodeState, ParsedPod } from '../contract/contract.ts'
import { memoFilter, memoNumber } from './memo.ts'
import type { ColumnSources, PluginColumn, PluginColumns, RowClass } from './plugin-columns.ts'
import { LabelClasses } from './table/label-classes.ts'
import type { NodeTable } from './table/node-table.ts'

/** Derives columns from the plain form of a plugin that declares what it reads of a node. */
export function deriveColumns(plugin: AnyPlugin): PluginColumns | undefined {
  const { reads } = plugin
  if (reads === undefined) return undefined
  return {
    open(pod, sources) {
      const classOf = classesOf(typeof reads === 'function' ? reads(pod) : reads, sources.table)
      const filter = deriveFilter(plugin, pod, sources, classOf)
      const score = deriveScore(plugin, pod, sources, classOf)
      if (filter === 'plain' || score === 'plain') return 'plain'
      return filter === undefined && score === undefined ? undefined : { ...filter, ...score }
    },
  }
}

/**
 * Columns of a plugin that reduces a pod to a requirement on nodes. Pods with equal requirements share a column.
 * `''`: no requirement. `live`: the requirement depends on the node.
 */
export function requirementColumns<R extends object>(
  requirementOf: (pod: ParsedPod, sources: ColumnSources) => '' | 'live' | R,
  open: (requirement: R, pod: ParsedPod, sources: ColumnSources) => PluginColumn,
): PluginColumns {
  return {
    keyOf(pod, sources) {
      const required = requirementOf(pod, sources)
      return typeof required === 'string' ? required : JSON.stringify(required)
    },
    open(pod, sources) {
      const required = requirementOf(pod, sources)
      if (required === '') return undefined
      return required === 'live' ? 'live' : open(required, pod, sources)
    },
  }
}

type ClassOf = (row: number) => number

function classesOf(facts: NodeFacts, table: NodeTable): ClassOf {
  switch (facts) {
    case 'taints':
      return (row) => table.taintIds[row] as number
    case 'declaredFeatures':
      return (row) => table.featureIds[row] as number
    case 'name':
      return classesByName(table)
    default: {
      const classes = new LabelClasses(table, facts.labels)
      return (row) => classes.of(row)
    }
  }
}

/** Rows are reused by other nodes, so the class depends on the name and the labels and not on the row. */
function classesByName(table: NodeTable): ClassOf {
  const ids = new Map<string, number>()
  return (row) => {
    const name = `${table.rows[row]?.name ?? ''}\n${JSON.stringify(table.rows[row]?.node.metadata.labels)}`
    let id = ids.get(name)
    if (id === undefined) {
      id = ids.size
      ids.set(name, id)
    }
    return id
  }
}

function deriveFilter(
  plugin: AnyPlugin,
  pod: ParsedPod,
  sources: ColumnSources,
  classOf: ClassOf,
): PluginColumn | undefined | 'plain' {
  if (plugin.filter === undefined) return undefined
  const prepared = plugin.preFilter?.(pod, sources.cluster())
  if (prepared === undefined) return { filterRow: memoFilter(plugin, pod, undefined, sources, classOf) }
  if ('code' in prepared) return prepared.code === 'Skip' ? undefined : 'plain'
  // A pod for few named nodes is cheaper to evaluate on those nodes.
  if (prepared.nodes !== undefined) return 'plain'
  return { filterRow: memoFilter(plugin, pod, prepared.state, sources, classOf) }
}

function deriveScore(
  plugin: AnyPlugin,
  pod: ParsedPod,
  sources: ColumnSources,
  classOf: ClassOf,
): PluginColumn | undefined | 'plain' {
  const { score, normalize } = plugin
  if (score === undefined) return undefined
  const prepared = plugin.preScore?.(pod, [], sources.cluster())
  if (prepared !== undefined && 'code' in prepared) return prepared.code === 'Skip' ? undefined : 'plain'
  const state = prepared?.state
  const { table } = sources
  const scoreOf = memoNumber(classOf, (row) => score(pod, table.rows[row] as NodeState, state))
  return {
    parts: 1,
    partsOf: (row, into, at) => {
      into[at] = scoreOf(row)
    },
    scoreClasses(feasible, at, scores) {
      for (let i = 0; i < feasible.length; i++) scores[i] = (feasible[i] as RowClass).parts[at] as number
      normalize?.(scores, [], pod, state)
    },
  }
}
