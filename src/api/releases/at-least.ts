import type { KubernetesRelease } from './kubernetes-release.ts'

/** True for this minor and the ones after it: a change without a feature gate. Minors have two digits, so texts compare. */
export function atLeast({ minor }: KubernetesRelease, first: '1.35' | '1.36' | '1.37'): boolean {
  return minor >= first
}
