import type { KubeObject, StringMap } from '../../api/objects/meta.ts'
import type { Container, Pod, PodSpec } from '../../api/objects/pod.ts'
import type { PersistentVolumeClaim } from '../../api/objects/storage.ts'
import { podLimits, podRequests, type Quantities } from '../../api/pod-resources.ts'
import { formatQuantity, milliValue, quantity } from '../../api/quantity.ts'
import type { Store } from '../../store/contract.ts'

interface LimitItem {
  readonly type: string
  readonly max?: StringMap
  readonly min?: StringMap
  readonly default?: StringMap
  readonly defaultRequest?: StringMap
  readonly maxLimitRequestRatio?: StringMap
}

interface LimitRange extends KubeObject {
  readonly spec?: { readonly limits?: readonly LimitItem[] }
}

const none: readonly LimitRange[] = []

function rangesOf(store: Store, namespace: string | undefined): readonly LimitRange[] {
  if (namespace === undefined || store.count('limitranges') === 0) return none
  return store.list('limitranges', { namespace }) as readonly LimitRange[]
}

const annotation = 'kubernetes.io/limit-ranger'

/** Sets missing requests and limits from the limit ranges of the namespace (LimitRanger, on creation). */
export function withLimitDefaults(store: Store, pod: Pod): Pod {
  let result = pod
  if (!Array.isArray(pod.spec.containers)) return pod
  for (const range of rangesOf(store, pod.metadata.namespace)) result = applyRange(range, result)
  return result
}

function applyRange(range: LimitRange, pod: Pod): Pod {
  const limits: Record<string, string> = {}
  const requests: Record<string, string> = {}
  for (const item of range.spec?.limits ?? []) {
    if (item.type !== 'Container') continue
    Object.assign(requests, item.defaultRequest)
    Object.assign(limits, item.default)
  }
  const notes: string[] = []
  const merge = (what: string) => (container: Container) => mergeContainer(container, limits, requests, what, notes)
  // Go writes absent containers of a pod as null here. Validation rejects such a pod later.
  const given = (pod.spec.containers as PodSpec['containers'] | null | undefined) ?? []
  const containers = given.map(merge('container'))
  const initContainers = pod.spec.initContainers?.map(merge('init container'))
  if (notes.length === 0) return pod
  const annotations = { ...pod.metadata.annotations, [annotation]: `LimitRanger plugin set: ${notes.join('; ')}` }
  const spec: PodSpec = { ...pod.spec, containers, ...(initContainers === undefined ? {} : { initContainers }) }
  return { ...pod, metadata: { ...pod.metadata, annotations }, spec }
}

function mergeContainer(
  container: Container,
  limits: StringMap,
  requests: StringMap,
  what: string,
  notes: string[],
): Container {
  const resources = container.resources ?? {}
  const without = (defaults: StringMap, own: StringMap | undefined): string[] =>
    Object.keys(defaults)
      .filter((name) => own?.[name] === undefined)
      .sort()
  const newRequests = without(requests, resources.requests)
  const newLimits = without(limits, resources.limits)
  if (newRequests.length > 0) notes.push(`${newRequests.join(', ')} request for ${what} ${container.name}`)
  if (newLimits.length > 0) notes.push(`${newLimits.join(', ')} limit for ${what} ${container.name}`)
  if (newRequests.length + newLimits.length === 0) return container
  return {
    ...container,
    resources: {
      ...resources,
      limits: { ...limits, ...resources.limits },
      requests: { ...requests, ...resources.requests },
    },
  }
}

/** Violations of the limit ranges of the namespace. */
export function podLimitProblems(store: Store, pod: Pod): readonly string[] {
  const problems: string[] = []
  for (const range of rangesOf(store, pod.metadata.namespace)) {
    for (const item of range.spec?.limits ?? []) {
      if (item.type === 'Container') {
        for (const container of [...pod.spec.containers, ...(pod.spec.initContainers ?? [])]) {
          checkItem(problems, item, container.resources?.requests ?? {}, container.resources?.limits ?? {})
        }
      } else if (item.type === 'Pod') {
        const { overhead: _, ...spec } = pod.spec
        const bare: Pod = { ...pod, spec }
        checkItem(problems, item, written(podRequests(bare)), written(podLimits(bare)))
      }
    }
    if (problems.length > 0) return problems
  }
  return problems
}

export function claimLimitProblems(store: Store, claim: PersistentVolumeClaim): readonly string[] {
  const problems: string[] = []
  const requests = claim.spec.resources?.requests ?? {}
  for (const range of rangesOf(store, claim.metadata.namespace)) {
    for (const item of range.spec?.limits ?? []) {
      if (item.type !== 'PersistentVolumeClaim') continue
      for (const [name, bound] of Object.entries(item.min ?? {}))
        checkMin(problems, item.type, name, bound, requests, {})
      for (const [name, bound] of Object.entries(item.max ?? {})) {
        const asked = requests[name]
        const base = `maximum ${name} usage per ${item.type} is ${shown(bound)}`
        if (asked === undefined) problems.push(`${base}.  No request is specified`)
        else if (milliValue(asked) > milliValue(bound)) problems.push(`${base}, but request is ${shown(asked)}`)
      }
    }
  }
  return problems
}

const shown = (text: string): string => formatQuantity(quantity(text))

function written(amounts: Quantities): StringMap {
  return Object.fromEntries([...amounts].map(([name, amount]) => [name, formatQuantity(amount)]))
}

function checkItem(problems: string[], item: LimitItem, requests: StringMap, limits: StringMap): void {
  for (const [name, bound] of Object.entries(item.min ?? {}))
    checkMin(problems, item.type, name, bound, requests, limits)
  for (const [name, bound] of Object.entries(item.max ?? {})) {
    const request = requests[name]
    const limit = limits[name]
    const base = `maximum ${name} usage per ${item.type} is ${shown(bound)}`
    if (limit === undefined) problems.push(`${base}.  No limit is specified`)
    else if (milliValue(limit) > milliValue(bound)) problems.push(`${base}, but limit is ${shown(limit)}`)
    else if (request !== undefined && milliValue(request) > milliValue(bound)) {
      problems.push(`${base}, but request is ${shown(request)}`)
    }
  }
  for (const [name, ratio] of Object.entries(item.maxLimitRequestRatio ?? {})) {
    checkRatio(problems, item.type, name, ratio, requests[name], limits[name])
  }
}

function checkMin(
  problems: string[],
  type: string,
  name: string,
  bound: string,
  requests: StringMap,
  limits: StringMap,
): void {
  const request = requests[name]
  const limit = limits[name]
  const base = `minimum ${name} usage per ${type} is ${shown(bound)}`
  if (request === undefined) problems.push(`${base}.  No request is specified`)
  else if (milliValue(request) < milliValue(bound)) problems.push(`${base}, but request is ${shown(request)}`)
  else if (limit !== undefined && milliValue(limit) < milliValue(bound)) {
    problems.push(`${base}, but limit is ${shown(limit)}`)
  }
}

function checkRatio(
  problems: string[],
  type: string,
  name: string,
  ratio: string,
  request: string | undefined,
  limit: string | undefined,
): void {
  const base = `${name} max limit to request ratio per ${type} is ${shown(ratio)}`
  if (request === undefined || milliValue(request) === 0) {
    problems.push(`${base}, but no request is specified or request is 0`)
  } else if (limit === undefined || milliValue(limit) === 0) {
    problems.push(`${base}, but no limit is specified or limit is 0`)
  } else {
    const observed = milliValue(limit) / milliValue(request)
    if (observed * 1000 > milliValue(ratio)) problems.push(`${base}, but provided ratio is ${observed.toFixed(6)}`)
  }
}
