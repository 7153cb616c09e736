import type { PodTemplateSpec } from '../../src/api/objects/pod.ts'
import type { KubernetesRelease } from '../../src/api/releases/kubernetes-release.ts'
import { templateHash } from '../../src/api/template-hash/template-hash.ts'
import { expectEqual, type Verdict } from './verdict.ts'

interface Given {
  readonly template: PodTemplateSpec
  readonly collisionCount?: number
}

export function run(
  { template, collisionCount }: Given,
  want: { readonly hash: string },
  release: KubernetesRelease,
): Verdict {
  return expectEqual({ hash: templateHash(template, collisionCount, release) }, want)
}
