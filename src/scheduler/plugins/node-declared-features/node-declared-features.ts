import { definePlugin, ok, skip, unresolvable } from '../../contract/contract.ts'
import { requiredFeatures } from './required-features.ts'
import { nodeDeclaredFeaturesWake } from './wake.ts'

const missing = unresolvable("node(s) didn't match Pod's required features")

export const nodeDeclaredFeatures = definePlugin<readonly string[]>({
  name: 'NodeDeclaredFeatures',
  reads: 'declaredFeatures',
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
})
