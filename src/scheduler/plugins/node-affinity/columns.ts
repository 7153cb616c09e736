import { compilePreferredTerms, RequiredNodeAffinity } from '../../../api/node-selector.ts'
import type { NodeSelectorTerm } from '../../../api/objects/node.ts'
import type { NodeAffinity, Pod } from '../../../api/objects/pod.ts'
import { memoFilter, memoNumber } from '../../columns/memo.ts'
import type { ColumnSources, PluginColumn, RowClass } from '../../columns/plugin-columns.ts'
import { LabelClasses } from '../../columns/table/label-classes.ts'
import type { AnyPlugin, ParsedPod } from '../../contract/contract.ts'
import { higherIsBetter } from '../../framework/normalize.ts'
import { namedNodes, preferenceProblem, sumPreferences } from './named-nodes.ts'

type Preferred = NonNullable<NodeAffinity['preferredDuringSchedulingIgnoredDuringExecution']>

export function openNodeAffinity(
  plugin: AnyPlugin,
  pod: ParsedPod,
  added: NodeAffinity | undefined,
  sources: ColumnSources,
): PluginColumn | undefined | 'plain' {
  const own = pod.pod.spec.affinity?.nodeAffinity
  const ownRequired = own?.requiredDuringSchedulingIgnoredDuringExecution
  // A pod for a few nodes by name is quicker to try on those.
  if (namedNodes(ownRequired?.nodeSelectorTerms ?? []) !== undefined) return 'plain'
  const addedRequired = added?.requiredDuringSchedulingIgnoredDuringExecution
  const required = [...(ownRequired?.nodeSelectorTerms ?? []), ...(addedRequired?.nodeSelectorTerms ?? [])]
  const filters = ownRequired !== undefined || addedRequired !== undefined || pod.pod.spec.nodeSelector !== undefined
  const ownPreferred = own?.preferredDuringSchedulingIgnoredDuringExecution
  const addedPreferred = added?.preferredDuringSchedulingIgnoredDuringExecution ?? []
  const scores = ownPreferred !== undefined || addedPreferred.length > 0
  if (!filters && !scores) return undefined
  if (preferenceProblem(compilePreferredTerms(ownPreferred)) !== undefined) return 'plain'
  return {
    ...(filters ? { filterRow: openFilter(plugin, pod, required, sources) } : {}),
    ...(scores ? openScore([...addedPreferred, ...(ownPreferred ?? [])], sources) : {}),
  }
}

function openFilter(
  plugin: AnyPlugin,
  pod: ParsedPod,
  terms: readonly NodeSelectorTerm[],
  sources: ColumnSources,
): (row: number) => number {
  const state = new RequiredNodeAffinity(pod.pod)
  return memoFilter(plugin, pod, state, sources, classesOf(terms, pod.pod, sources))
}

/** Nodes that agree in all labels the terms name; each its own when a term goes by name. */
function classesOf(
  terms: readonly NodeSelectorTerm[],
  pod: Pod | undefined,
  { table }: ColumnSources,
): (row: number) => number {
  const names = Object.keys(pod?.spec.nodeSelector ?? {})
  const keys = terms.flatMap(({ matchExpressions }) => (matchExpressions ?? []).map(({ key }) => key))
  const byName = terms.some(({ matchFields }) => (matchFields ?? []).length > 0)
  const classes = new LabelClasses(table, byName ? [] : [...names, ...keys])
  return byName ? rowByMembership(table) : (row) => classes.of(row)
}

/** Rows are reused by other nodes, so a row stands for one node only as long as no node comes or goes. */
function rowByMembership(table: ColumnSources['table']): (row: number) => number {
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

function openScore(preferred: Preferred, sources: ColumnSources): PluginColumn {
  const { table } = sources
  const terms = compilePreferredTerms(preferred)
  const classOf = classesOf(
    preferred.map(({ preference }) => preference),
    undefined,
    sources,
  )
  const preferenceOf = memoNumber(classOf, (row) => {
    const node = table.rows[row]?.node
    return node === undefined ? 0 : sumPreferences(node, terms)
  })
  return {
    parts: 1,
    partsOf: (row, into, at) => {
      into[at] = preferenceOf(row)
    },
    scoreClasses(feasible, at, scores) {
      for (let i = 0; i < feasible.length; i++) scores[i] = (feasible[i] as RowClass).parts[at] as number
      higherIsBetter(scores)
    },
  }
}
