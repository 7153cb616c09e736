import type { Affinity, Pod, PodSpec, Toleration } from '../../../api/objects/pod.ts'

type Relaxation = (spec: PodSpec) => PodSpec | undefined

const toleratesPreferNoSchedule: Toleration = { operator: 'Exists', effect: 'PreferNoSchedule' }

/**
 * The pod without one of its preferences, or undefined if only required constraints are left. The order is that of
 * v1.14, scheduling.Preferences. `tolerates`: a pool has a taint with effect PreferNoSchedule.
 */
export function relax(pod: Pod, tolerates: boolean): Pod | undefined {
  for (const relaxation of tolerates ? [...relaxations, toleratePreferNoSchedule] : relaxations) {
    const spec = relaxation(pod.spec)
    if (spec !== undefined) return { ...pod, spec }
  }
  return undefined
}

/** Node selector terms are alternatives. The first is dropped as long as another one is left. */
export function withoutFirstRequiredTerm(spec: PodSpec): PodSpec | undefined {
  const required = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution
  const terms = required?.nodeSelectorTerms ?? []
  if (terms.length < 2) return undefined
  return withAffinity(spec, 'nodeAffinity', {
    requiredDuringSchedulingIgnoredDuringExecution: { ...required, nodeSelectorTerms: terms.slice(1) },
  })
}

/** Drops the preference with the highest weight. */
function withoutPreferred(part: keyof Affinity): Relaxation {
  return (spec) => {
    const preferred = spec.affinity?.[part]?.preferredDuringSchedulingIgnoredDuringExecution ?? []
    if (preferred.length === 0) return undefined
    const sorted = (preferred as readonly { readonly weight: number }[]).toSorted((a, b) => b.weight - a.weight)
    return withAffinity(spec, part, { preferredDuringSchedulingIgnoredDuringExecution: sorted.slice(1) })
  }
}

// The last constraint replaces the dropped one.
function withoutScheduleAnyway(spec: PodSpec): PodSpec | undefined {
  const constraints = [...(spec.topologySpreadConstraints ?? [])]
  const at = constraints.findIndex(({ whenUnsatisfiable }) => whenUnsatisfiable === 'ScheduleAnyway')
  if (at < 0) return undefined
  const last = constraints.pop()
  if (last !== undefined && at < constraints.length) constraints[at] = last
  return { ...spec, topologySpreadConstraints: constraints }
}

export function toleratePreferNoSchedule(spec: PodSpec): PodSpec | undefined {
  const tolerations = spec.tolerations ?? []
  const isTolerated = tolerations.some(
    ({ key = '', operator, effect, value = '' }) =>
      key === '' && value === '' && operator === 'Exists' && effect === 'PreferNoSchedule',
  )
  return isTolerated ? undefined : { ...spec, tolerations: [...tolerations, toleratesPreferNoSchedule] }
}

const relaxations: readonly Relaxation[] = [
  withoutFirstRequiredTerm,
  withoutPreferred('podAffinity'),
  withoutPreferred('podAntiAffinity'),
  withoutPreferred('nodeAffinity'),
  withoutScheduleAnyway,
]

function withAffinity(spec: PodSpec, part: keyof Affinity, change: object): PodSpec {
  return { ...spec, affinity: { ...spec.affinity, [part]: { ...spec.affinity?.[part], ...change } } } as PodSpec
}
