import { compileLabelSelector } from '../../api/label-selector.ts'
import type { LabelSelector } from '../../api/objects/meta.ts'
import type { PodSpec } from '../../api/objects/pod.ts'

export const size = (map: object | undefined | null) =>
  map === undefined || map === null ? 0 : Object.keys(map).length

/** Sorted `a=b,c=d`, or `<none>`. */
export function labelsText(labels: Readonly<Record<string, string>> | undefined): string {
  const pairs = Object.entries(labels ?? {}).map(([key, value]) => `${key}=${value}`)
  return pairs.length === 0 ? '<none>' : pairs.sort().join(',')
}

export function selectorText(selector: LabelSelector | undefined): string {
  const compiled = compileLabelSelector(selector)
  return compiled.ok ? compiled.value.toString() : '<invalid>'
}

export const formattedSelector = (selector: LabelSelector | undefined) =>
  selector === undefined ? '<none>' : selectorText(selector) || '<none>'

export function containers(spec: PodSpec | undefined): readonly [string, string] {
  const all = spec?.containers ?? []
  return [all.map(({ name }) => name).join(','), all.map(({ image }) => image ?? '').join(',')]
}

/** At most three, and the number of the others. */
export function someOf(items: readonly (string | number)[]): string {
  const shown = items.slice(0, 3).join(',')
  return items.length > 3 ? `${shown} + ${items.length - 3} more...` : shown
}
