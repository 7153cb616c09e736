import type { Pod } from '../../api/objects/pod.ts'
import type { ExpectedPods } from '../scenario/expectation.ts'

export function selectsPod({ selector, namespace }: ExpectedPods, { metadata }: Pod): boolean {
  if (namespace !== undefined && namespace !== metadata.namespace) return false
  return selector === undefined || selector.matches(metadata.labels)
}
