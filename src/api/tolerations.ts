import { parseInt64 } from './int64.ts'
import type { Taint } from './objects/node.ts'
import type { TaintEffect, Toleration } from './objects/pod.ts'
import type { KubernetesRelease } from './releases/kubernetes-release.ts'

export interface TolerationOptions {
  /** Whether `Gt` and `Lt` are enabled (upstream gate TaintTolerationComparisonOperators). */
  readonly comparisonOperators?: boolean
}

export function tolerationOptions({ gates }: Pick<KubernetesRelease, 'gates'>): TolerationOptions {
  return { comparisonOperators: gates.has('TaintTolerationComparisonOperators') }
}

/** Whether one toleration covers one taint. An empty effect covers all effects, an empty key all keys. */
export function tolerates(toleration: Toleration, taint: Taint, options?: TolerationOptions): boolean {
  const { effect, key, operator } = toleration
  if (effect !== undefined && effect !== taint.effect && (effect as string) !== '') return false
  if (key !== undefined && key !== taint.key && key !== '') return false
  switch (operator) {
    case undefined:
    case 'Equal':
      return (toleration.value ?? '') === (taint.value ?? '')
    case 'Exists':
      return true
    case 'Gt':
    case 'Lt':
      return options?.comparisonOperators === true && compares(operator, toleration.value ?? '', taint.value ?? '')
    default:
      return operator === '' && (toleration.value ?? '') === (taint.value ?? '')
  }
}

// No plus sign and no leading zeros, so that no program reads 010 as eight.
const decimalInteger = /^(0|-?[1-9][0-9]*)$/

function compares(operator: 'Gt' | 'Lt', tolerationValue: string, taintValue: string): boolean {
  if (!decimalInteger.test(tolerationValue) || !decimalInteger.test(taintValue)) return false
  const limit = parseInt64(tolerationValue)
  const value = parseInt64(taintValue)
  if (limit === undefined || value === undefined) return false
  return operator === 'Gt' ? value > limit : value < limit
}

const none: readonly never[] = []

export function isTolerated(
  taint: Taint,
  tolerations: readonly Toleration[] | undefined,
  options?: TolerationOptions,
): boolean {
  if (tolerations === undefined) return false
  for (let i = 0; i < tolerations.length; i++) {
    if (tolerates(tolerations[i] as Toleration, taint, options)) return true
  }
  return false
}

/** The first taint with one of these effects that no toleration covers. */
export function findUntoleratedTaint(
  taints: readonly Taint[] | undefined,
  tolerations: readonly Toleration[] | undefined,
  effects: readonly TaintEffect[],
  options?: TolerationOptions,
): Taint | undefined {
  if (taints === undefined) return undefined
  for (let i = 0; i < taints.length; i++) {
    const taint = taints[i] as Taint
    if (effects.includes(taint.effect) && !isTolerated(taint, tolerations, options)) return taint
  }
  return undefined
}

/**
 * For each taint the first toleration that covers it, in the order of the taints; undefined when some taint is not
 * covered (v1.36, pkg/apis/core/v1/helper GetMatchingTolerations).
 */
export function getMatchingTolerations(
  taints: readonly Taint[],
  tolerations: readonly Toleration[] | undefined,
  options?: TolerationOptions,
): readonly Toleration[] | undefined {
  const used: Toleration[] = []
  for (const taint of taints) {
    const first = (tolerations ?? none).find((toleration) => tolerates(toleration, taint, options))
    if (first === undefined) return undefined
    used.push(first)
  }
  return used
}

/** How long a pod may stay on a node with taints: not at all, forever, or for a time, which may be zero. */
export type ToleratedFor = 'never' | 'forever' | { readonly ms: number }

// time.Duration holds 292 years; beyond it upstream's countdown overflows into "no limit".
const maxCountdownSeconds = 9_223_372_036

/**
 * How long a pod with these tolerations may stay on a node with these taints. Only NoExecute taints evict; of several
 * matching tolerations, the shortest time applies (v1.36, tainteviction getMinTolerationTime).
 */
export function toleratedFor(
  taints: readonly Taint[] | undefined,
  tolerations: readonly Toleration[] | undefined,
  options?: TolerationOptions,
): ToleratedFor {
  const evicting = taints?.filter((taint) => taint.effect === 'NoExecute') ?? none
  if (evicting.length === 0) return 'forever'
  const used = getMatchingTolerations(evicting, tolerations, options)
  if (used === undefined) return 'never'
  let shortestSeconds = Number.POSITIVE_INFINITY
  for (const { tolerationSeconds } of used) {
    if (tolerationSeconds !== undefined && tolerationSeconds < shortestSeconds)
      shortestSeconds = Number(tolerationSeconds)
  }
  if (shortestSeconds > maxCountdownSeconds) return 'forever'
  return { ms: Math.max(shortestSeconds, 0) * 1000 }
}
