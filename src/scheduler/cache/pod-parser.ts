import { compileLabelSelector } from '../../api/label-selector.ts'
import type { OwnerReference } from '../../api/objects/meta.ts'
import type { Container, Pod, PodAffinityTerm, WeightedPodAffinityTerm } from '../../api/objects/pod.ts'
import { controllerOf } from '../../api/owner-references.ts'
import { isSidecar, type StatusCounting } from '../../api/pod-resources.ts'
import { schedulingRequests } from '../../api/scheduling-requests.ts'
import type {
  AffinityTerm,
  HostPort,
  ParsedPod,
  PodParser,
  PodShape,
  WeightedAffinityTerm,
} from '../contract/parsed-pod.ts'
import {
  identitySignature,
  imagesSignature,
  isAlike,
  isRelabeled,
  resizeSignature,
  sameResources,
  sameSpec,
  specSignature,
} from './pod-similarity.ts'

const none: readonly never[] = []

/** All shapes are dropped when this number is reached; a later pod of a dropped shape gets a new id. */
const maxShapes = 20_000
/** A pod gets the zone and region labels of its node, so the pods of one controller have one shape per zone. */
const maxRecentShapes = 8

/** `counting`: how the release counts the requests of a pod during a resize. */
export function createPodParser(counting?: StatusCounting): PodParser {
  const shapes = new Map<string, PodShape>()
  const specs = new Interner()
  const identities = new Interner()
  const images = new Interner()
  /**
   * The most recent shapes by controller (pods without a controller share one entry). The next pod often has one of
   * them.
   */
  const recentOf = new Map<string, PodShape[]>()
  /** Pods of one controller often arrive in sequence and share the same owner references object. */
  let lastReferences: readonly OwnerReference[] | undefined
  let lastRecent: PodShape[] = []
  const terms = new Map<string, AffinityTerm>()
  let nextShape = 0

  const internTerm = (term: PodAffinityTerm, namespace: string): AffinityTerm => {
    const namespaces = namespacesOf(term, namespace)
    const key = JSON.stringify([term.topologyKey, term.labelSelector, term.namespaceSelector, namespaces])
    let known = terms.get(key)
    if (known === undefined) {
      known = parseTerm(terms.size, term, namespaces)
      terms.set(key, known)
    }
    return known
  }

  const recentShapes = (pod: Pod): PodShape[] => {
    const { ownerReferences } = pod.metadata
    if (ownerReferences !== undefined && ownerReferences === lastReferences) return lastRecent
    const owner = controllerOf(pod)?.uid ?? ''
    let recent = recentOf.get(owner)
    if (recent === undefined) {
      if (recentOf.size >= maxShapes) recentOf.clear()
      recent = []
      recentOf.set(owner, recent)
    }
    lastReferences = ownerReferences
    lastRecent = recent
    return recent
  }

  /** `like` is the shape of a pod with the same spec and the same allocated resources. */
  const shapeOf = (pod: Pod, like?: PodShape): PodShape => {
    const recent = recentShapes(pod)
    for (let i = 0; i < recent.length; i++) {
      const one = recent[i] as PodShape
      if (like === undefined ? isAlike(one, pod) : isRelabeled(one, like, pod)) return one
    }
    const shape = lookUp(pod, like)
    recent.unshift(shape)
    if (recent.length > maxRecentShapes) recent.pop()
    return shape
  }

  const lookUp = (pod: Pod, like: PodShape | undefined): PodShape => {
    const specId = like?.specId ?? specs.idOf(specSignature(pod))
    const identityId = identities.idOf(identitySignature(pod))
    const imagesId = like?.imagesId ?? images.idOf(imagesSignature(pod))
    const claims = like?.claims ?? claimsOf(pod)
    const signature = `${specId}:${identityId}:${imagesId}${claims.length === 0 ? '' : `:${claims.join()}`}`
    let shape = shapes.get(signature)
    if (shape === undefined) {
      if (shapes.size >= maxShapes) shapes.clear()
      const ids = { id: nextShape++, specId, identityId, imagesId }
      shape = createShape(ids, pod, like ?? parseSpec(pod, claims, internTerm, counting))
      shapes.set(signature, shape)
    }
    return shape
  }

  // Stores reuse the unchanged parts of an object, so identity is enough for most updates: a bind adds a node name and
  // labels, and most status updates concern other fields.
  const shapeAfter = ({ pod: before, shape }: ParsedPod, pod: Pod): PodShape => {
    if (!sameSpec(before.spec, pod.spec) || !sameResources(shape, before.status, pod.status)) return shapeOf(pod)
    const { labels, ownerReferences } = pod.metadata
    if (before.metadata.labels === labels && before.metadata.ownerReferences === ownerReferences) return shape
    return shapeOf(pod, shape)
  }

  return {
    parse(pod, previous) {
      if (previous?.pod === pod) return previous
      return {
        pod,
        shape: previous === undefined ? shapeOf(pod) : shapeAfter(previous, pod),
        key: previous?.key ?? `${pod.metadata.namespace ?? ''}/${pod.metadata.name}`,
        uid: pod.metadata.uid ?? '',
        priority: pod.spec.priority ?? 0,
        isTerminating: pod.metadata.deletionTimestamp !== undefined,
      }
    },
  }
}

/** Assigns ids to strings. Ids are never reused, even after the strings were dropped. */
class Interner {
  private readonly ids = new Map<string, number>()
  private next = 0

  idOf(text: string): number {
    let id = this.ids.get(text)
    if (id === undefined) {
      if (this.ids.size >= maxShapes) this.ids.clear()
      id = this.next++
      this.ids.set(text, id)
    }
    return id
  }
}

type ShapeIds = Pick<PodShape, 'id' | 'specId' | 'identityId' | 'imagesId'>
type ParsedSpec = Omit<PodShape, keyof ShapeIds | 'example' | 'namespace' | 'labels'>

// All shapes have the same hidden class, because they are read often.
function createShape({ id, specId, identityId, imagesId }: ShapeIds, pod: Pod, spec: ParsedSpec): PodShape {
  return {
    id,
    specId,
    identityId,
    imagesId,
    example: pod,
    namespace: pod.metadata.namespace ?? '',
    labels: pod.metadata.labels,
    requests: spec.requests,
    nonZeroCpuMilli: spec.nonZeroCpuMilli,
    nonZeroMemoryBytes: spec.nonZeroMemoryBytes,
    hostPorts: spec.hostPorts,
    requiredAffinity: spec.requiredAffinity,
    requiredAntiAffinity: spec.requiredAntiAffinity,
    preferredAffinity: spec.preferredAffinity,
    preferredAntiAffinity: spec.preferredAntiAffinity,
    hasAffinity: spec.hasAffinity,
    claims: spec.claims,
    isResized: spec.isResized,
    termProblem: spec.termProblem,
  }
}

function parseSpec(
  pod: Pod,
  claims: readonly string[],
  intern: (term: PodAffinityTerm, namespace: string) => AffinityTerm,
  counting: StatusCounting | undefined,
): ParsedSpec {
  const namespace = pod.metadata.namespace ?? ''
  const { podAffinity, podAntiAffinity } = pod.spec.affinity ?? {}
  const requests = schedulingRequests(pod, counting)
  const required = (list: readonly PodAffinityTerm[] | undefined): readonly AffinityTerm[] =>
    list === undefined || list.length === 0 ? none : list.map((term) => intern(term, namespace))
  const preferred = (list: readonly WeightedPodAffinityTerm[] | undefined): readonly WeightedAffinityTerm[] =>
    list === undefined || list.length === 0
      ? none
      : list.map(({ weight, podAffinityTerm }) => ({ weight, term: intern(podAffinityTerm, namespace) }))
  return {
    requests,
    nonZeroCpuMilli: requests.nonZeroCpuMilli,
    nonZeroMemoryBytes: requests.nonZeroMemoryBytes,
    hostPorts: hostPortsOf(pod),
    requiredAffinity: required(podAffinity?.requiredDuringSchedulingIgnoredDuringExecution),
    requiredAntiAffinity: required(podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution),
    preferredAffinity: preferred(podAffinity?.preferredDuringSchedulingIgnoredDuringExecution),
    preferredAntiAffinity: preferred(podAntiAffinity?.preferredDuringSchedulingIgnoredDuringExecution),
    hasAffinity: podAffinity !== undefined || podAntiAffinity !== undefined,
    claims,
    isResized: resizeSignature(pod.status) !== undefined,
    termProblem: termProblem(pod),
  }
}

/** Ports of sidecars and containers. Other init containers hold no ports while the pod runs. */
export function hostPortsOf(pod: Pod): readonly HostPort[] {
  let found: HostPort[] | undefined
  const collect = (container: Container): void => {
    for (const { hostPort, hostIP, protocol } of container.ports ?? none) {
      if (hostPort === undefined || hostPort <= 0) continue
      found ??= []
      found.push({
        protocol: protocol ?? 'TCP',
        ip: hostIP === undefined || hostIP === '' ? '0.0.0.0' : hostIP,
        port: hostPort,
      })
    }
  }
  for (const container of pod.spec.initContainers ?? none) if (isSidecar(container)) collect(container)
  for (const container of pod.spec.containers) collect(container)
  return found ?? none
}

function claimsOf(pod: Pod): readonly string[] {
  let claims: string[] | undefined
  for (const { persistentVolumeClaim } of pod.spec.volumes ?? none) {
    if (persistentVolumeClaim === undefined) continue
    claims ??= []
    claims.push(`${pod.metadata.namespace ?? ''}/${persistentVolumeClaim.claimName}`)
  }
  return claims ?? none
}

function namespacesOf(term: PodAffinityTerm, namespace: string): readonly string[] {
  const named = term.namespaces ?? none
  if (named.length === 0 && term.namespaceSelector === undefined) return [namespace]
  return [...new Set(named)].sort()
}

function parseTerm(id: number, term: PodAffinityTerm, namespaces: readonly string[]): AffinityTerm {
  const selector = compileLabelSelector(term.labelSelector)
  const namespaceSelector = compileLabelSelector(term.namespaceSelector)
  if (!selector.ok || !namespaceSelector.ok) return brokenTerm(id, term)
  return {
    id,
    topologyKey: term.topologyKey,
    namespaces: new Set(namespaces),
    namespaceSelector: namespaceSelector.value,
    selector: selector.value,
  }
}

function brokenTerm(id: number, term: PodAffinityTerm): AffinityTerm {
  const nothing = compileLabelSelector(undefined)
  if (!nothing.ok) throw new Error(nothing.message)
  return {
    id,
    topologyKey: term.topologyKey,
    namespaces: new Set(),
    namespaceSelector: nothing.value,
    selector: nothing.value,
  }
}

function termProblem(pod: Pod): string | undefined {
  const { podAffinity, podAntiAffinity } = pod.spec.affinity ?? {}
  if (podAffinity === undefined && podAntiAffinity === undefined) return undefined
  const groups: readonly (readonly [string, readonly PodAffinityTerm[]])[] = [
    ['requiredAffinityTerms', podAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? none],
    ['requiredAntiAffinityTerms', podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? none],
    ['preferredAffinityTerms', unweighted(podAffinity?.preferredDuringSchedulingIgnoredDuringExecution)],
    ['preferredAntiAffinityTerms', unweighted(podAntiAffinity?.preferredDuringSchedulingIgnoredDuringExecution)],
  ]
  const problems: string[] = []
  for (const [name, list] of groups) {
    for (const { labelSelector, namespaceSelector } of list) {
      const broken = [compileLabelSelector(labelSelector), compileLabelSelector(namespaceSelector)].find(
        ({ ok }) => !ok,
      )
      if (broken === undefined || broken.ok) continue
      problems.push(`${name}: ${broken.message}`)
      break
    }
  }
  if (problems.length === 0) return undefined
  return problems.length === 1 ? problems[0] : `[${problems.join(', ')}]`
}

function unweighted(list: readonly WeightedPodAffinityTerm[] | undefined): readonly PodAffinityTerm[] {
  return (list ?? none).map(({ podAffinityTerm }) => podAffinityTerm)
}
