import { type Cidr, cidrsOverlap, parseCidr } from '../../src/api/cidr.ts'
import { isNodeReady, isPodReady, isPodTerminal } from '../../src/api/conditions.ts'
import { deepEqual } from '../../src/api/equality.ts'
import { labelMatcher } from '../../src/api/label-selector.ts'
import type { KubeObject } from '../../src/api/objects/meta.ts'
import type { Node } from '../../src/api/objects/node.ts'
import type { Pod, PodDisruptionBudget } from '../../src/api/objects/pod.ts'
import type { Deployment } from '../../src/api/objects/workloads.ts'
import { controllerOf } from '../../src/api/owner-references.ts'
import { scaledValue } from '../../src/controllers/scaled-value.ts'
import type { VirtualCluster } from '../../src/controlplane/virtual.ts'
import type { Change } from '../../src/runtime/controller.ts'
import type { SchedulerInspection } from '../../src/scheduler/observe/inspection.ts'
import { checkGroupSize, GroupExample } from './autoscaler-invariants.ts'
import { hold } from './broken-invariant.ts'
import { GangInvariants } from './gang-invariants.ts'
import { checkCapacity, checkNeighbors } from './node-invariants.ts'
import { isAfterOutage, isBudgetLate, slowestReactionMs } from './reaction-times.ts'
import { RestInvariants } from './rest-invariants.ts'
import type { SwarmStory } from './story.ts'
import { SwarmCoverage } from './swarm-coverage.ts'

/** The tolerations that DefaultTolerationSeconds adds to pods. */
const healthTolerationMs = 300_000

/** Invariants of every cluster at every time, computed without the code that maintains them. */
export class Invariants {
  changes = 0
  readonly coverage = new SwarmCoverage()
  private readonly cluster: VirtualCluster
  private readonly story: SwarmStory
  /** The last version of every object, from the changes. */
  private readonly told = new Map<string, KubeObject>()
  private readonly bindings = new Map<string, string>()
  private revision: number
  private readonly startedAt: number
  private isChanged = true
  private readonly lateSince = new Map<string, number>()
  private readonly reactionMs: number
  private readonly gangs: GangInvariants
  /** The time of the last change of the taints of a node. */
  private readonly taintedAt = new Map<string, number>()
  /** Ready pods that were deleted in this instant, other than by an eviction. */
  private readonly lost = new Set<Pod>()
  private readonly groupExample = new GroupExample()
  private readonly serviceRanges: readonly Cidr[]
  /** The last time at which a node had a NoExecute taint of node lifecycle. */
  private readonly unhealthyMs = new Map<string, number>()

  constructor(cluster: VirtualCluster, story: SwarmStory) {
    this.cluster = cluster
    this.story = story
    const { store } = cluster
    this.revision = store.revision
    this.startedAt = cluster.clock.now()
    this.reactionMs = slowestReactionMs(story)
    this.gangs = new GangInvariants(store, this.reactionMs)
    const services = story.config['service-cluster-ip-range']
    this.serviceRanges = typeof services === 'string' ? [services].map(cidrOf) : []
    for (const resource of store.resources())
      for (const object of store.list(resource)) this.told.set(keyOf(resource, object), object)
    // A watch of the store itself: every change once, in order, without a gap.
    const subscription = store.watch((changes) => {
      for (const change of changes) this.follow(change)
    })
    if (subscription === 'compacted') throw new Error('the store does not accept a watch')
    cluster.driver.onChanges((changes, by) => {
      for (const change of changes) {
        this.coverage.takeChange(change, by)
        this.take(change, by)
      }
    })
  }

  private follow({
    resource,
    key,
    revision,
    before,
    after,
  }: {
    resource: string
    key: string
    revision: number
    before?: KubeObject
    after?: KubeObject
  }): void {
    this.changes++
    this.isChanged = true
    hold('history without gaps', revision === this.revision + 1, () => `revision ${revision} follows ${this.revision}`)
    this.revision = revision
    const full = `${resource} ${key}`
    hold(
      'history without gaps',
      this.told.get(full) === before,
      () => `${full} at ${revision} does not continue its last version`,
    )
    if (after === undefined) this.told.delete(full)
    else {
      this.told.set(full, after)
      hold(
        'revisions',
        after.metadata.resourceVersion === String(revision),
        () => `${full} has ${after.metadata.resourceVersion} at ${revision}`,
      )
      if (before !== undefined) this.compare(full, before, after)
    }
  }

  /** Fields that never change, and fields that change only together. */
  private compare(key: string, before: KubeObject, after: KubeObject): void {
    hold('identity', before.metadata.uid === after.metadata.uid, () => `${key} changed its uid`)
    hold(
      'identity',
      before.metadata.creationTimestamp === after.metadata.creationTimestamp,
      () => `${key} changed its creation time`,
    )
    const [old = 0, young = 0] = [before.metadata.generation, after.metadata.generation]
    hold('generations', young >= old && young <= old + 1, () => `${key} went from generation ${old} to ${young}`)
    const wasMarked = before.metadata.deletionTimestamp !== undefined
    hold(
      'deletion',
      !wasMarked || after.metadata.deletionTimestamp !== undefined,
      () => `${key} is not deleted any more`,
    )
    for (const [manager, count] of managersOf(after))
      hold('apply ownership', count === 1, () => `${key} has ${count} entries of ${manager}`)
  }

  private take(change: Change, by: string | undefined): void {
    if (change.resource === 'nodes') this.takeNode(change as { before?: Node; after?: Node })
    if (change.resource !== 'pods') return
    const { before, after, key } = change as { before?: Pod; after?: Pod; key: string }
    this.gangs.take(before, after, this.cluster.clock.now())
    if (after !== undefined) this.takePod(key, before, after, by)
    else this.bindings.delete(before?.metadata.uid ?? '')
    if (after === undefined && before !== undefined && by !== 'drain' && isPodReady(before)) this.lost.add(before)
  }

  private takeNode({ before, after }: { before?: Node; after?: Node }): void {
    const name = after?.metadata.name ?? ''
    if (!deepEqual(before?.spec?.taints, after?.spec?.taints)) this.taintedAt.set(name, this.nowMs)
  }

  private takePod(key: string, before: Pod | undefined, after: Pod, by: string | undefined): void {
    const uid = after.metadata.uid ?? ''
    const node = after.spec.nodeName ?? ''
    const bound = this.bindings.get(uid)
    hold(
      'one node for a pod',
      bound === undefined || bound === node,
      () => `${key} was bound to ${bound} and then to ${node}`,
    )
    if (node !== '') this.bindings.set(uid, node)
    if (node !== '' && bound === undefined && by === 'scheduler') this.checkBinding(key, after, node)
    if (before !== undefined && by === 'drain') this.checkEviction(key, before, after)
  }

  /** Requests that wait for a rate limit or for the API server may be out of date when they are sent. */
  private checkBinding(key: string, pod: Pod, name: string): void {
    if (this.story.callRates === 'upstream' || isAfterOutage(this.story, this.nowMs)) return
    const node = this.cluster.store.get('nodes', name) as Node | undefined
    hold('placement', node !== undefined, () => `${key} is bound to ${name}, which does not exist`)
    for (const [label, value] of Object.entries(pod.spec.nodeSelector ?? {}))
      hold(
        'placement',
        node?.metadata.labels?.[label] === value,
        () => `${key} with ${label}=${value} is bound to ${name}`,
      )
    // A binding takes several requests, and the node may be tainted between them.
    const isNew = this.taintedAt.get(name) === this.nowMs
    for (const { key: taint, effect } of node?.spec?.taints ?? []) {
      if (effect === 'PreferNoSchedule' || isNew) continue
      const isTolerated = pod.spec.tolerations?.some((one) => {
        const isKey = one.key === taint || (one.key === undefined && one.operator === 'Exists')
        return isKey && (one.effect === undefined || one.effect === effect)
      })
      hold('placement', isTolerated === true, () => `${key} is bound to ${name}, which has ${taint}:${effect}`)
    }
  }

  /** An eviction leaves as many healthy pods as the budget desires. */
  private checkEviction(key: string, before: Pod, after: Pod): void {
    const isEvicted = before.metadata.deletionTimestamp === undefined && after.metadata.deletionTimestamp !== undefined
    if (!isEvicted || !isPodReady(before)) return
    const { store } = this.cluster
    for (const budget of store.list('poddisruptionbudgets.policy') as readonly PodDisruptionBudget[]) {
      if (!labelMatcher(budget.spec?.selector).matches(before.metadata.labels)) continue
      const selected = this.pods().filter(({ metadata }) =>
        labelMatcher(budget.spec?.selector).matches(metadata.labels),
      )
      // Upstream's evictions are decided by the status of the budget, which follows a deletion within milliseconds.
      const lost = [...this.lost].filter(({ metadata }) =>
        labelMatcher(budget.spec?.selector).matches(metadata.labels),
      ).length
      const healthy =
        lost + selected.filter((pod) => isPodReady(pod) && pod.metadata.deletionTimestamp === undefined).length
      const owner = controllerOf(before)
      const desired = this.desiredOf(budget, owner?.kind === 'StatefulSet' ? owner.name : undefined, before)
      if (desired === undefined) continue
      hold(
        'eviction budgets',
        healthy >= desired,
        () => `${key} is evicted, ${healthy} healthy pods are left, ${desired} desired`,
      )
    }
  }

  private desiredOf({ spec }: PodDisruptionBudget, statefulSet: string | undefined, pod: Pod): number | undefined {
    const { store } = this.cluster
    const name = pod.metadata.labels?.['app'] ?? ''
    const owner = (
      statefulSet === undefined
        ? store.get('deployments.apps', `default/${name}`)
        : store.get('statefulsets.apps', `default/${statefulSet}`)
    ) as Deployment | undefined
    const replicas = owner?.spec?.replicas
    if (replicas === undefined) return undefined
    if (isBudgetLate(this.story, name, this.nowMs)) return undefined
    if (spec?.maxUnavailable !== undefined)
      return Math.max(0, replicas - scaledValue(spec.maxUnavailable, replicas, 'up'))
    return scaledValue(spec?.minAvailable ?? 0, replicas, 'up')
  }

  /** After every instant. */
  check(): void {
    this.lost.clear()
    // A kubelet that recovers after a short silence changes nothing.
    if (!this.isChanged && this.lateSince.size > 0) this.checkReactions()
    if (!this.isChanged) return
    this.isChanged = false
    this.checkNodes()
    this.checkDevices()
    this.checkView()
    this.checkQueue()
    this.checkReactions()
    this.gangs.check(this.cluster.clock.now())
    checkGroupSize(this.cluster.store, this.story)
    this.groupExample.take(this.cluster.store)
  }

  /** At the end of the story. */
  checkRest(): void {
    this.isChanged = true
    this.check()
    new RestInvariants(this.cluster, this.story, this.groupExample).check()
    this.coverage.add('gangs started', this.gangs.started)
  }

  private checkNodes(): void {
    const byNode = new Map<string, Pod[]>()
    for (const pod of this.pods()) {
      const { nodeName = '' } = pod.spec
      if (nodeName === '' || isPodTerminal(pod)) continue
      const known = byNode.get(nodeName)
      if (known === undefined) byNode.set(nodeName, [pod])
      else known.push(pod)
    }
    const blocks: { readonly cidr: Cidr; readonly holder: string }[] = this.serviceRanges.map((cidr) => ({
      cidr,
      holder: 'services',
    }))
    for (const { metadata, spec, status } of this.cluster.store.list('nodes') as readonly Node[]) {
      const pods = byNode.get(metadata.name) ?? []
      checkCapacity(metadata.name, status?.allocatable ?? {}, pods)
      checkNeighbors(metadata.name, pods)
      for (const text of (spec?.podCIDRs ?? (spec?.podCIDR === undefined ? [] : [spec.podCIDR])) as readonly string[]) {
        const cidr = cidrOf(text)
        const other = blocks.find((one) => cidrsOverlap(one.cidr, cidr))
        hold('pod CIDRs', other === undefined, () => `${text} belongs to ${other?.holder} and ${metadata.name}`)
        blocks.push({ cidr, holder: metadata.name })
      }
    }
  }

  private checkDevices(): void {
    const { store } = this.cluster
    const holders = new Map<string, string>()
    for (const claim of store.list('resourceclaims.resource.k8s.io') as readonly ClaimWithDevices[]) {
      for (const { driver, pool, device } of claim.status?.allocation?.devices?.results ?? []) {
        const id = `${driver}/${pool}/${device}`
        hold('devices', !holders.has(id), () => `${id} is allocated to ${holders.get(id)} and ${claim.metadata.name}`)
        holders.set(id, claim.metadata.name)
      }
    }
  }

  /** The read model that controllers see is the store. */
  private checkView(): void {
    const { store, driver } = this.cluster
    for (const resource of ['pods', 'nodes'] as const) {
      const seen = driver.view.list(resource)
      const real = store.list(resource)
      hold('read model', seen.length === real.length, () => `${seen.length} ${resource} seen, ${real.length} stored`)
      for (const object of real) {
        const key =
          object.metadata.namespace === undefined
            ? object.metadata.name
            : `${object.metadata.namespace}/${object.metadata.name}`
        hold('read model', driver.view.get(resource, key) === object, () => `${resource} ${key} differs`)
      }
    }
  }

  /** A pod without a node is in the queue of the scheduler once, or is being bound. */
  private checkQueue(): void {
    const { driver } = this.cluster
    const scheduler = driver.controller('scheduler') as { inspect?: () => unknown } | undefined
    const inspection = scheduler?.inspect?.() as SchedulerInspection | undefined
    const queue = inspection?.queue ?? []
    // A binding may wait for the limit of requests.
    const binding = new Set(inspection?.bindings.map(({ pod }) => pod))
    const known = new Map<string, number>()
    for (const { uid } of queue) known.set(uid, (known.get(uid) ?? 0) + 1)
    for (const [uid, count] of known) hold('scheduling queue', count === 1, () => `${uid} is queued ${count} times`)
    if (driver.isHeld('scheduler')) return
    for (const pod of this.pods()) {
      const { nodeName = '' } = pod.spec
      if (nodeName !== '' || isPodTerminal(pod) || pod.metadata.deletionTimestamp !== undefined) continue
      const { uid = '', name, namespace } = pod.metadata
      const isKnown = known.has(uid) || binding.has(`${namespace}/${name}`)
      hold('scheduling queue', isKnown, () => `pending pod ${name} is not queued`)
    }
  }

  /** Controllers react within a time that is longer than any pause of a story. */
  private checkReactions(): void {
    const { store, kubelet, clock } = this.cluster
    const now = clock.now()
    const nodes = store.list('nodes') as readonly Node[]
    const late = new Set<string>()
    for (const node of nodes) {
      const { name } = node.metadata
      const isIgnored = kubelet?.isSilent(name) === true && isNodeReady(node)
      if (isIgnored) late.add(`silent node ${name} is Ready`)
      const hasTaint = node.spec?.taints?.some(({ key, effect }) => key === 'swarm' && effect === 'NoExecute') === true
      const isUnhealthy = node.spec?.taints?.some(
        ({ key, effect }) => key.startsWith('node.kubernetes.io/') && effect === 'NoExecute',
      )
      if (isUnhealthy === true) this.unhealthyMs.set(name, now)
      // Upstream keeps an eviction that an earlier taint scheduled, also if the new taint is tolerated for a shorter time.
      const isScheduled = now <= (this.unhealthyMs.get(name) ?? Number.NEGATIVE_INFINITY) + healthTolerationMs
      if (!hasTaint || isScheduled || kubelet?.isSilent(name) === true) continue
      for (const { metadata, spec } of this.pods()) {
        const isForever = spec.tolerations?.some(
          ({ key, tolerationSeconds }) => key === undefined && tolerationSeconds === undefined,
        )
        if (spec.nodeName === name && metadata.deletionTimestamp === undefined && isForever !== true)
          late.add(`${metadata.name} (${metadata.uid}) stays on ${name} despite a NoExecute taint`)
      }
    }
    const names = new Set(nodes.map(({ metadata }) => metadata.name))
    for (const { metadata, spec } of this.pods()) {
      const { nodeName = '' } = spec
      if (nodeName !== '' && !names.has(nodeName))
        late.add(`${metadata.name} (${metadata.uid}) is on ${nodeName}, which is gone,`)
    }
    for (const what of [...this.lateSince.keys()]) if (!late.has(what)) this.lateSince.delete(what)
    for (const what of late) {
      const since = this.lateSince.get(what) ?? now
      this.lateSince.set(what, since)
      hold('reactions', now - since < this.reactionMs, () => `${what} for ${(now - since) / 1000}s`)
    }
  }

  /** Since the start of the story. */
  private get nowMs(): number {
    return this.cluster.clock.now() - this.startedAt
  }

  private pods(): readonly Pod[] {
    return this.cluster.store.list('pods') as readonly Pod[]
  }
}

interface ClaimWithDevices extends KubeObject {
  readonly status?: {
    readonly allocation?: {
      readonly devices?: { readonly results?: readonly { driver: string; pool: string; device: string }[] }
    }
  }
}

function cidrOf(text: string): Cidr {
  const cidr = parseCidr(text)
  if (cidr === undefined) throw new Error(`${text} is not a CIDR`)
  return cidr
}

function keyOf(resource: string, { metadata }: KubeObject): string {
  return metadata.namespace === undefined
    ? `${resource} ${metadata.name}`
    : `${resource} ${metadata.namespace}/${metadata.name}`
}

function managersOf({ metadata }: KubeObject): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const { manager, operation, subresource, apiVersion } of metadata.managedFields ?? []) {
    const key = `${manager} ${operation} ${subresource ?? ''} ${apiVersion}`
    counts.set(key, (counts.get(key) ?? 0) + 1)
  }
  return counts
}
