import type { KubeObject } from '../../api/objects/meta.ts'
import { atLeast } from '../../api/releases/at-least.ts'
import type { KubernetesRelease } from '../../api/releases/kubernetes-release.ts'
import type { Fields } from '../../base/fields.ts'

/**
 * Fields behind a feature gate. A path is names with dots; `[]` after a name stands for every element of the list, `{}`
 * for every value of the map, and `*` at the end means that the struct that contains the field is also removed if it
 * becomes empty.
 */
export interface GatedFields {
  readonly gate: string
  readonly paths: readonly string[]
  /** Fields that are not removed. If the old object has one, the gate is in use, and the others may stay. */
  readonly counts?: readonly string[]
  /** The first release that removes the fields. */
  readonly since?: '1.35'
  /** The first release that does not remove the fields in this way. */
  readonly before?: '1.35'
}

interface GatedStep {
  readonly name: string
  readonly each: 'element' | 'value' | undefined
}

interface Path {
  readonly steps: readonly GatedStep[]
  readonly dropsEmpty: boolean
}

/** Removes the fields of a table that are behind a gate that is off. */
export interface GatedTable {
  /** Fields that the old value uses are kept. */
  remove<T>(value: T, old: unknown, release: KubernetesRelease): T
}

export function createGatedTable(table: readonly GatedFields[]): GatedTable {
  const parsed = table.map(({ paths, counts = [], ...one }) => ({
    ...one,
    paths: paths.map(parsePath),
    signs: [...paths, ...counts].map(parsePath),
  }))
  const disabled = new WeakMap<KubernetesRelease, typeof parsed>()
  const disabledIn = (release: KubernetesRelease) => {
    let found = disabled.get(release)
    if (found === undefined) {
      // If a release does not know a gate, it either does not have its fields, or always has them.
      const isOff = (gate: string) => release.featureGates[gate] !== undefined && !release.gates.has(gate)
      const isOf = ({ since, before }: Pick<GatedFields, 'since' | 'before'>) =>
        (since === undefined || atLeast(release, since)) && !(before !== undefined && atLeast(release, before))
      found = parsed.filter((one) => isOff(one.gate) && isOf(one))
      disabled.set(release, found)
    }
    return found
  }
  return {
    remove(value, old, release) {
      // Fields that the old value uses are kept.
      if (value === old) return value
      let out: unknown = value
      for (const { paths, signs } of disabledIn(release)) {
        if (!paths.some((path) => isUsed(out, path.steps, 0))) continue
        if (signs.some((path) => isUsed(old, path.steps, 0))) continue
        for (const path of paths) out = removed(out, path, 0)
      }
      return out as typeof value
    },
  }
}

/** The same for parts of an object: `spec`, `spec.template.spec`. */
export function withoutGatedAt<T extends KubeObject>(
  table: GatedTable,
  release: KubernetesRelease,
  object: T,
  path: readonly string[],
  old?: KubeObject,
): T {
  const value = valueAt(object as unknown as Fields, path)
  if (value === undefined) return object
  const cleaned = table.remove(value, valueAt(old as Fields | undefined, path), release)
  return cleaned === value ? object : (withValueAt(object as unknown as Fields, path, cleaned) as unknown as T)
}

function parsePath(text: string): Path {
  const dropsEmpty = text.endsWith('*')
  const steps = (dropsEmpty ? text.slice(0, -1) : text).split('.').map((step): GatedStep => {
    if (step.endsWith('[]')) return { name: step.slice(0, -2), each: 'element' }
    if (step.endsWith('{}')) return { name: step.slice(0, -2), each: 'value' }
    return { name: step, each: undefined }
  })
  return { steps, dropsEmpty }
}

const isObj = (value: unknown): value is Fields => typeof value === 'object' && value !== null

function isUsed(value: unknown, steps: readonly GatedStep[], at: number): boolean {
  if (!isObj(value)) return false
  const step = steps[at] as GatedStep
  const member = value[step.name]
  if (member === undefined || member === null) return false
  if (at === steps.length - 1) return !(Array.isArray(member) && member.length === 0)
  if (step.each === undefined) return isUsed(member, steps, at + 1)
  for (const one of Array.isArray(member) ? member : Object.values(member)) if (isUsed(one, steps, at + 1)) return true
  return false
}

function removed(value: unknown, path: Path, at: number): unknown {
  if (!isObj(value)) return value
  const step = path.steps[at] as GatedStep
  const member = value[step.name]
  if (member === undefined || member === null) return value
  if (at === path.steps.length - 1) {
    const { [step.name]: _, ...rest } = value
    return rest
  }
  const changed = removedWithin(member, step, path, at)
  if (changed === member) return value
  if (path.dropsEmpty && at === path.steps.length - 2 && Object.keys(changed as Fields).length === 0) {
    const { [step.name]: _, ...rest } = value
    return rest
  }
  return { ...value, [step.name]: changed }
}

function removedWithin(member: unknown, step: GatedStep, path: Path, at: number): unknown {
  if (step.each === undefined) return removed(member, path, at + 1)
  if (Array.isArray(member)) {
    const list = member.map((one) => removed(one, path, at + 1))
    return list.every((one, i) => one === member[i]) ? member : list
  }
  const entries = Object.entries(member as Fields).map(([key, one]) => [key, removed(one, path, at + 1)] as const)
  return entries.every(([key, one]) => one === (member as Fields)[key]) ? member : Object.fromEntries(entries)
}

function valueAt(from: Fields | undefined, path: readonly string[]): Fields | undefined {
  let value = from
  for (const field of path) value = (value?.[field] as Fields | null | undefined) ?? undefined
  return value
}

function withValueAt(from: Fields, [field = '', ...rest]: readonly string[], value: Fields): Fields {
  return { ...from, [field]: rest.length === 0 ? value : withValueAt(from[field] as Fields, rest, value) }
}
