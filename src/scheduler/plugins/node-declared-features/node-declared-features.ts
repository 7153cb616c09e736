import type { KubernetesRelease } from '../../../api/releases/kubernetes-release.ts'
import { definePlugin, ok, type Plugin, type PluginStatus, skip, unresolvable } from '../../contract/contract.ts'
import { requiredFeatures } from './required-features.ts'
import { nodeDeclaredFeaturesWake } from './wake.ts'

const missing = unresolvable("node(s) didn't match Pod's required features")

export function createNodeDeclaredFeatures(release: KubernetesRelease): Plugin<readonly string[], undefined> {
  const requiredBy = requiredFeatures(release)
  const rejection = release.changes.has('FeatureMessageWithoutNames') ? () => missing : namingFeatures
  return definePlugin<readonly string[]>({
    name: 'NodeDeclaredFeatures',
    reads: 'declaredFeatures',
    withoutPreFilter: 'error reading "PreFilterNodeDeclaredFeatures" from cycle-state: not found',
    preFilter({ pod }) {
      const required = requiredBy(pod)
      return required.length === 0 ? skip : { state: required }
    },
    filter(_pod, { node }, required) {
      const declared = node.status?.declaredFeatures ?? []
      const absent = required.filter((feature) => !declared.includes(feature))
      return absent.length === 0 ? ok : rejection(absent)
    },
    wakeOn: nodeDeclaredFeaturesWake(release),
  })
}

/** The rejection of v1.35. */
function namingFeatures(absent: readonly string[]): PluginStatus {
  return unresolvable(`node declared features check failed - unsatisfied requirements: ${absent.join(', ')}`)
}
