import type { PodSpec, Toleration } from '../../api/objects/pod.ts'
import { taintKeys } from '../../api/well-known.ts'
import { extended } from '../../base/extended.ts'
import { Recent } from '../../base/recent.ts'

const tolerationSeconds = 300

const added = [taintKeys.notReady, taintKeys.unreachable].map(
  (key): Toleration => ({ key, operator: 'Exists', effect: 'NoExecute', tolerationSeconds }),
)

const recent = new Recent<PodSpec, PodSpec>()

function covers(toleration: Toleration, key: string | undefined): boolean {
  const { key: own = '', effect = '' } = toleration
  return (own === key || own === '') && (effect === 'NoExecute' || (effect as string) === '')
}

/**
 * Pods tolerate not-ready and unreachable nodes for five minutes, unless they have these tolerations
 * (DefaultTolerationSeconds).
 */
export function withDefaultTolerations(spec: PodSpec): PodSpec {
  const known = recent.get(spec)
  if (known !== undefined) return known
  const own = spec.tolerations ?? []
  const missing = added.filter(({ key }) => !own.some((toleration) => covers(toleration, key)))
  const result = missing.length === 0 ? spec : extended(spec, { tolerations: [...own, ...missing] })
  recent.set(spec, result)
  return result
}
