import type { KubernetesRelease } from './kubernetes-release.ts'

/**
 * True for this minor and later ones, for changes without a feature gate. Minors have two digits, so their texts can be
 * compared.
 */
export function atLeast({ minor }: KubernetesRelease, first: '1.35' | '1.36' | '1.37'): boolean {
  return minor >= first
}
