import type { Call, Outcome } from '../../api/call.ts'
import { parseLabelSelector } from '../../api/label-selector.ts'
import type { NodeClaim } from '../../api/objects/karpenter.ts'
import type { KubeObject, Status } from '../../api/objects/meta.ts'
import type { Node, Taint } from '../../api/objects/node.ts'
import { formatTime } from '../../api/time.ts'
import { nodeClaims } from '../../autoscalers/karpenter/names.ts'
import { must } from '../../base/result.ts'
import type { VirtualCluster } from '../../controlplane/virtual.ts'
import type { Kind } from '../../registry/kinds/kind.ts'
import { findKindByName, kindOfObject } from '../scenario/kind-names.ts'
import { notFoundText, unmatchedLabelText } from '../scenario/near-names.ts'
import type { NodeTarget, ObjectTarget, Step, TaintPattern } from '../scenario/step.ts'

/** A step failed: its target does not exist, or the API server rejects the request. */
export class StepError extends Error {
  override readonly name = 'StepError'
  /** The answer of the API server, if it rejected the request. */
  readonly status: Status | undefined

  constructor(message: string, status?: Status) {
    super(message)
    this.status = status
  }
}

/** The actors of steps that take time. */
export interface StepActors {
  readonly drain?: (nodes: readonly string[], options: Extract<Step, { kind: 'drain' }>['options']) => void
  readonly upgrade?: (nodes: readonly Node[], strategy: Extract<Step, { kind: 'upgrade' }>['strategy']) => void
}

/** Runs steps on a cluster: requests that kubectl can send, and failures of kubelets. */
export class StepRunner {
  /** Named nodes that earlier steps have used. */
  private readonly found = new Set<string>()
  private readonly cluster: VirtualCluster
  private readonly actors: StepActors

  constructor(cluster: VirtualCluster, actors: StepActors = {}) {
    this.cluster = cluster
    this.actors = actors
  }

  take(step: Step): void {
    const { kubelet, clock } = this.cluster
    switch (step.kind) {
      case 'silence':
      case 'fail':
        this.stop(this.resolve(step.nodes), step)
        return
      case 'revive':
      case 'recover':
        this.cluster.revive(this.resolve(step.nodes))
        return
      case 'pressure':
        kubelet?.report(this.resolve(step.nodes), { pressures: new Set(step.pressures) })
        this.cluster.driver.wake('hollow-kubelet')
        return
      case 'cordon':
      case 'uncordon':
        for (const name of this.resolve(step.nodes)) this.cordon(name, step.kind === 'cordon')
        return
      case 'taint':
        for (const name of this.resolve(step.nodes))
          this.setTaints(name, (taints) => withTaint(taints, step.taint, clock.wall()))
        return
      case 'untaint':
        for (const name of this.resolve(step.nodes)) this.untaint(name, step.taint)
        return
      case 'drain':
        this.actors.drain?.(this.resolve(step.nodes), step.options)
        return
      case 'upgrade':
        this.actors.upgrade?.(this.nodesOf(this.resolve(step.nodes)), step.strategy)
        return
      case 'apply':
        for (const object of step.objects) this.apply(object)
        return
      case 'delete':
        for (const target of step.targets) this.remove(target, step.graceSeconds)
        return
      case 'patch':
        this.patch(step)
        return
      case 'scale':
        this.scale(step.target, step.replicas)
        return
      case 'remove':
        for (const name of this.resolve(step.nodes)) this.must({ verb: 'delete', resource: 'nodes', name })
        return
      case 'restart':
        this.control(() => this.cluster.restart(step.controller))
        return
      case 'pause':
        this.control(() => this.cluster.pause(step.controller, step.forMs))
        return
      case 'outage':
        this.cluster.interruptApi(step.forMs)
        return
      case 'clock':
        clock.setWall(step.byMs)
        return
      case 'stockOut':
        this.stockOut(step)
        return
      case 'interrupt':
        for (const name of this.resolve(step.nodes)) this.interrupt(name, step.noticeMs)
    }
  }

  /** Stops kubelets or machines, once or repeatedly. */
  private stop(nodes: readonly string[], { kind, pulse }: Extract<Step, { kind: 'silence' | 'fail' }>): void {
    const { kubelet, clock, driver } = this.cluster
    const begin = () => (kind === 'fail' ? kubelet?.fail(nodes, clock.now()) : kubelet?.silence(nodes, clock.now()))
    begin()
    if (pulse === undefined) return
    const { forMs, everyMs = 0, times = 1 } = pulse
    const startMs = clock.now()
    for (let time = 0; time < times; time++) {
      if (time > 0) driver.at(startMs + time * everyMs, begin)
      driver.at(startMs + time * everyMs + forMs, () => this.cluster.revive(nodes))
    }
  }

  private stockOut({ kind: _, forMs, nodeGroup, ...what }: Extract<Step, { kind: 'stockOut' }>): void {
    const { stockedOut, karpenterCloud, clock, driver } = this.cluster
    const groups = [
      ...(nodeGroup === undefined ? [] : [nodeGroup]),
      ...(Object.keys(what).length === 0 ? [] : this.cluster.nodeGroupsOf(what)),
    ]
    for (const group of groups) stockedOut.add(group)
    if (nodeGroup === undefined) karpenterCloud?.addStockout(what)
    if (forMs === undefined) return
    driver.at(clock.now() + forMs, () => {
      for (const group of groups) stockedOut.delete(group)
      if (nodeGroup === undefined) karpenterCloud?.removeStockout(what)
    })
  }

  /** Karpenter drains and replaces the node within the notice. After the notice, the machine stops. */
  private interrupt(name: string, noticeMs: number): void {
    const { store, clock, driver, kubelet, karpenterCloud } = this.cluster
    const providerID = (store.get('nodes', name) as Node | undefined)?.spec?.providerID
    const claims = store.list(nodeClaims) as readonly NodeClaim[]
    const claim = claims.find(({ status }) => status?.providerID !== undefined && status.providerID === providerID)
    if (claim !== undefined) this.must({ verb: 'delete', resource: nodeClaims, name: claim.metadata.name })
    driver.at(clock.now() + noticeMs, () => {
      if (store.get('nodes', name) === undefined) return
      kubelet?.fail([name], clock.now())
      if (providerID !== undefined) karpenterCloud?.takeBack(providerID)
    })
  }

  /** The names of the selected nodes, in the given order or sorted by name. */
  resolve(target: NodeTarget): readonly string[] {
    const { store } = this.cluster
    if (target.kind === 'names') {
      return target.names.filter((name) => {
        if (store.get('nodes', name) !== undefined) {
          this.found.add(name)
          return true
        }
        // An autoscaler may remove a node between two steps.
        if (this.found.has(name)) return false
        const known = store.list('nodes').map(({ metadata }) => metadata.name)
        throw new StepError(notFoundText('nodes', name, known))
      })
    }
    const matches =
      target.kind === 'label'
        ? (node: KubeObject) => node.metadata.labels?.[target.key] === target.value
        : selecting(target.selector)
    const names = store
      .list('nodes')
      .filter(matches)
      .map((node) => node.metadata.name)
    if (names.length === 0) {
      if (target.kind === 'label') throw new StepError(unmatchedLabelText(target, store.list('nodes')))
      throw new StepError(`no node matches ${target.selector}`)
    }
    return names
  }

  private nodesOf(names: readonly string[]): readonly Node[] {
    return names.map((name) => this.cluster.store.get('nodes', name) as Node)
  }

  /** Creates the object, or applies the manifest to the existing one. */
  apply(given: KubeObject): void {
    const kind = kindOfObject(this.cluster.registry.kinds, given)
    if (kind === undefined) throw new StepError(`no matches for kind "${given.kind}" in version "${given.apiVersion}"`)
    const object = asManifest(given)
    const { name } = object.metadata
    const where = this.placeOf(kind, object.metadata.namespace)
    if (name !== undefined && this.cluster.store.get(kind.storage, keyIn(where.namespace, name)) !== undefined) {
      const manifest = object as unknown as Extract<Call, { verb: 'patch' }>['patch'] & { kind: 'apply' }
      this.must({
        verb: 'patch',
        ...where,
        name,
        fieldManager: 'berth-scenario',
        patch: { kind: 'apply', object: manifest as never, force: true },
      })
      return
    }
    this.ensureNamespace(where.namespace)
    // As with kubectl, a field that the release does not know is an error.
    this.must({
      verb: 'create',
      ...where,
      fieldValidation: 'Strict',
      object: withNamespace(object, where.namespace),
    })
  }

  private cordon(name: string, unschedulable: boolean): void {
    const patch = { spec: { unschedulable: unschedulable ? true : null } }
    this.must({ verb: 'patch', resource: 'nodes', name, patch: { kind: 'merge', patch } })
  }

  private untaint(name: string, pattern: TaintPattern): void {
    this.setTaints(name, (taints) => {
      const kept = taints.filter((taint) => !matchesPattern(taint, pattern))
      if (kept.length === taints.length)
        throw new StepError(
          `node ${JSON.stringify(name)} has no taint ${pattern.key}${pattern.effect ? `:${pattern.effect}` : ''}`,
        )
      return kept
    })
  }

  private setTaints(name: string, change: (taints: readonly Taint[]) => readonly Taint[]): void {
    const node = this.cluster.store.get('nodes', name) as Node | undefined
    const taints = change(node?.spec?.taints ?? [])
    const patch = { spec: { taints: taints.length === 0 ? null : (taints as never) } }
    this.must({ verb: 'patch', resource: 'nodes', name, patch: { kind: 'merge', patch } })
  }

  /** Custom resources do not support strategic merge patches, so a merge patch is used. */
  private patch({ target, type, patch }: Extract<Step, { kind: 'patch' }>): void {
    const isCustom = findKindByName(this.cluster.registry.kinds, target.kind)?.custom !== undefined
    this.must({ verb: 'patch', ...this.locate(target), patch: { kind: isCustom ? 'merge' : type, patch } })
  }

  private remove(target: ObjectTarget, graceSeconds: number | undefined): void {
    const options = graceSeconds === undefined ? {} : { options: { gracePeriodSeconds: graceSeconds } }
    this.must({ verb: 'delete', ...this.locate(target), ...options })
  }

  private scale(target: ObjectTarget, replicas: number): void {
    const place = this.locate(target)
    const patch = { kind: 'merge', patch: { spec: { replicas } } } as const
    this.must({ verb: 'patch', ...place, subresource: 'scale', patch })
  }

  private control(act: () => void): void {
    try {
      act()
    } catch (error) {
      throw new StepError(error instanceof Error ? error.message : String(error))
    }
  }

  private locate(target: ObjectTarget): {
    readonly resource: string
    readonly namespace?: string
    readonly name: string
  } {
    const kind = findKindByName(this.cluster.registry.kinds, target.kind)
    if (kind === undefined) throw new StepError(`unknown resource type ${JSON.stringify(target.kind)}`)
    return { ...this.placeOf(kind, target.namespace), name: target.name }
  }

  private placeOf(
    kind: Kind,
    namespace: string | undefined,
  ): { readonly resource: string; readonly namespace?: string } {
    return kind.namespaced
      ? { resource: kind.resource, namespace: namespace ?? 'default' }
      : { resource: kind.resource }
  }

  private ensureNamespace(name: string | undefined): void {
    if (name === undefined || this.cluster.store.get('namespaces', name) !== undefined) return
    this.must({
      verb: 'create',
      resource: 'namespaces',
      object: { apiVersion: 'v1', kind: 'Namespace', metadata: { name } },
    })
  }

  private must(call: Call): Outcome & { readonly ok: true } {
    const outcome = this.cluster.client.callNow(call)
    if (!outcome.ok) throw new StepError(outcome.status.message ?? 'rejected by the API server', outcome.status)
    return outcome
  }
}

// Only the API server sets these fields.
const serverFields: ReadonlySet<string> = new Set([
  'uid',
  'resourceVersion',
  'creationTimestamp',
  'generation',
  'managedFields',
  'selfLink',
])

/** A manifest without the fields of the API server. A manifest that was read from a cluster has these fields. */
function asManifest(object: KubeObject): KubeObject {
  const metadata = Object.entries(object.metadata).filter(([field]) => !serverFields.has(field))
  return { ...object, metadata: Object.fromEntries(metadata) as unknown as KubeObject['metadata'] }
}

function selecting(selector: string): (object: KubeObject) => boolean {
  const matcher = must(parseLabelSelector(selector))
  return (object) => matcher.matches(object.metadata.labels)
}

function keyIn(namespace: string | undefined, name: string): string {
  return namespace === undefined ? name : `${namespace}/${name}`
}

function withNamespace(object: KubeObject, namespace: string | undefined): KubeObject {
  return namespace === undefined ? object : { ...object, metadata: { ...object.metadata, namespace } }
}

/** As with kubectl taint, a node has one taint per key and effect. Only NoExecute taints have timeAdded. */
function withTaint(taints: readonly Taint[], taint: Taint, now: number): readonly Taint[] {
  const others = taints.filter(({ key, effect }) => key !== taint.key || effect !== taint.effect)
  return [...others, taint.effect === 'NoExecute' ? { ...taint, timeAdded: formatTime(now) } : taint]
}

function matchesPattern(taint: Taint, { key, value, effect }: TaintPattern): boolean {
  return (
    taint.key === key &&
    (effect === undefined || taint.effect === effect) &&
    (value === undefined || (taint.value ?? '') === value)
  )
}
