import { memoFilter } from '../../columns/memo.ts'
import { definePlugin, ok, type Plugin, skip, unresolvable } from '../../contract/contract.ts'
import { requiredFeatures } from './required-features.ts'
import { nodeDeclaredFeaturesWake } from './wake.ts'

const missing = unresolvable("node(s) didn't match Pod's required features")

export const nodeDeclaredFeatures: Plugin<readonly string[], undefined> = definePlugin<readonly string[]>({
  name: 'NodeDeclaredFeatures',
  withoutPreFilter: 'error reading "PreFilterNodeDeclaredFeatures" from cycle-state: not found',
  preFilter({ pod }) {
    const required = requiredFeatures(pod)
    return required.length === 0 ? skip : { state: required }
  },
  filter(_pod, { node }, required) {
    const declared = node.status?.declaredFeatures ?? []
    return required.every((feature) => declared.includes(feature)) ? ok : missing
  },
  wakeOn: nodeDeclaredFeaturesWake,
  columns: {
    open(pod, sources) {
      const required = requiredFeatures(pod.pod)
      if (required.length === 0) return undefined
      const featuresOf = (row: number): number => sources.table.featureIds[row] as number
      return { filterRow: memoFilter(nodeDeclaredFeatures, pod, required, sources, featuresOf) }
    },
  },
})
