import type { Pod, PodSpec, PriorityClass } from '../../api/objects/pod.ts'
import { extended } from '../../base/extended.ts'
import { Recent } from '../../base/recent.ts'
import type { Store } from '../../store/contract.ts'

const resource = 'priorityclasses.scheduling.k8s.io'

interface PodPriority {
  readonly className: string
  readonly value: number
  readonly policy?: PodSpec['preemptionPolicy']
}

const noClass: PodPriority = { className: '', value: 0, policy: 'PreemptLowerPriority' }

/** The priority class of pods without a class: of the classes marked as default, the one with the lowest value. */
export function defaultClass(store: Store): PriorityClass | undefined {
  if (store.count(resource) === 0) return undefined
  let found: PriorityClass | undefined
  for (const one of store.list(resource) as readonly PriorityClass[]) {
    if (one.globalDefault === true && (found === undefined || one.value < found.value)) found = one
  }
  return found
}

export function priorityOf(store: Store, name: string): PodPriority | string {
  if (name === '') {
    const fallback = defaultClass(store)
    return fallback === undefined ? noClass : fromClass(fallback)
  }
  const named = store.get(resource, name) as PriorityClass | undefined
  return named === undefined ? `no PriorityClass with name ${name} was found` : fromClass(named)
}

function fromClass({ metadata, value, preemptionPolicy }: PriorityClass): PodPriority {
  return {
    className: metadata.name,
    value,
    ...(preemptionPolicy === undefined ? {} : { policy: preemptionPolicy }),
  }
}

interface ResolvedPriority {
  readonly priority: PodPriority
  readonly spec: PodSpec
}

const recent = new Recent<PodSpec, ResolvedPriority>()

const same = (a: PodPriority, b: PodPriority): boolean =>
  a.value === b.value && a.policy === b.policy && a.className === b.className

/**
 * The priority of a new pod comes from its class; the pod may not set another one. A string is the reason of a
 * rejection.
 */
export function settlePriority(store: Store, spec: PodSpec): PodSpec | string {
  const priority = priorityOf(store, spec.priorityClassName ?? '')
  if (typeof priority === 'string') return priority
  const known = recent.get(spec)
  if (known !== undefined && same(known.priority, priority)) return known.spec
  const { className, value, policy } = priority
  if (spec.priority !== undefined && spec.priority !== value) {
    return `the integer value of priority (${spec.priority}) must not be provided in pod spec; priority admission controller computed ${value} from the given PriorityClass name`
  }
  if (policy !== undefined && spec.preemptionPolicy !== undefined && spec.preemptionPolicy !== policy) {
    return `the string value of PreemptionPolicy (${spec.preemptionPolicy}) must not be provided in pod spec; priority admission controller computed ${policy} from the given PriorityClass name`
  }
  const settled: PodSpec = extended(spec, {
    ...(className === '' ? {} : { priorityClassName: className }),
    priority: value,
    ...(policy === undefined ? {} : { preemptionPolicy: policy }),
  })
  recent.set(spec, { priority, spec: settled })
  return settled
}

/** An update that omits the computed fields keeps them. */
export function keepPriority(spec: PodSpec, old: Pod['spec']): PodSpec {
  const priority = spec.priority === undefined ? old.priority : undefined
  const policy = spec.preemptionPolicy === undefined ? old.preemptionPolicy : undefined
  if (priority === undefined && policy === undefined) return spec
  return {
    ...spec,
    ...(priority === undefined ? {} : { priority }),
    ...(policy === undefined ? {} : { preemptionPolicy: policy }),
  }
}
