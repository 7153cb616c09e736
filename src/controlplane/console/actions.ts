import type { Call } from '../../api/call.ts'
import type { JsonObject } from '../../api/objects/meta.ts'
import type { Node, Taint } from '../../api/objects/node.ts'
import type { Pod } from '../../api/objects/pod.ts'
import { controllerOf } from '../../api/owner-references.ts'
import { evictionCall, evictionRefusal } from '../../api/pod-eviction.ts'
import { withoutTaint, withTaint } from '../../api/taints.ts'
import { annotations } from '../../api/well-known.ts'
import type { Clock } from '../../base/clock.ts'
import { done, failed, type Result } from '../../base/result.ts'
import { hollowAnnotations, hollowLabel } from '../../controllers/hollow-kubelet/hollow-names.ts'
import type { Caller, Registry } from '../../registry/contract.ts'
import type { ConsoleAction, DrainState } from '../../wire/console-wire.ts'

export interface ActionOptions {
  readonly registry: Pick<Registry, 'store' | 'call'>
  readonly clock: Clock
}

const kinds: readonly ConsoleAction['kind'][] = ['taint', 'untaint', 'cordon', 'uncordon', 'drain', 'silence', 'revive']

const taintPattern =
  /^((?:[a-z0-9](?:[-a-z0-9.]*[a-z0-9])?\/)?[A-Za-z0-9](?:[-\w.]{0,61}[A-Za-z0-9])?)(?:=([A-Za-z0-9](?:[-\w.]{0,61}[A-Za-z0-9])?)?)?:(NoSchedule|PreferNoSchedule|NoExecute)$/

/** Validates the body of a browser's request. */
export function readAction(value: unknown): Result<ConsoleAction> {
  if (typeof value !== 'object' || value === null) return failed('must be an object with kind and nodes')
  const { kind, nodes, taint } = value as Readonly<Record<string, unknown>>
  if (!kinds.includes(kind as ConsoleAction['kind'])) return failed(`kind: must be one of ${kinds.join(', ')}`)
  if (!Array.isArray(nodes) || nodes.length === 0 || nodes.some((name) => typeof name !== 'string'))
    return failed('nodes: must be a list of names')
  const wantsTaint = kind === 'taint' || kind === 'untaint'
  if (wantsTaint && (typeof taint !== 'string' || parseTaint(taint) === undefined))
    return failed('taint: must be KEY=VALUE:EFFECT, with the effect NoSchedule, PreferNoSchedule or NoExecute')
  return done({
    kind: kind as ConsoleAction['kind'],
    nodes: nodes as string[],
    ...(wantsTaint ? { taint: taint as string } : {}),
  })
}

function parseTaint(text: string): Taint | undefined {
  const match = taintPattern.exec(text)
  if (match === null) return undefined
  const [, key = '', value, effect] = match
  return { key, ...(value === undefined ? {} : { value }), effect: effect as Taint['effect'] }
}

/** kubectl drain uses the same interval. */
const askAgainMs = 5_000
const drainsShown = 20

interface Drain {
  readonly node: string
  readonly since: number
  readonly caller: Caller
  left: number
  blocked: { readonly pod: string; readonly why: string }[]
  done: boolean
}

/** Executes actions that were confirmed in the console, as ordinary calls of the caller. */
export class ConsoleActions {
  private readonly options: ActionOptions
  private readonly drainList: Drain[] = []

  constructor(options: ActionOptions) {
    this.options = options
  }

  /** Drains in progress, and the drains that finished last. */
  drains(): readonly DrainState[] {
    return this.drainList.map(({ node, since, left, blocked, done: isDone }) => ({
      node,
      since,
      left,
      blocked,
      done: isDone,
    }))
  }

  /** Performs an action. The first rejected call ends it. Earlier changes stay and are reported. */
  perform(action: ConsoleAction, caller: Caller): Result<string> {
    const nodes = action.nodes.map((name) => ({ name, node: this.node(name) }))
    const missing = nodes.find(({ node }) => node === undefined)
    if (missing !== undefined) return failed(`node ${JSON.stringify(missing.name)} not found`)
    const onlyHollow = action.kind === 'silence' || action.kind === 'revive'
    const real = nodes.find(({ node }) => onlyHollow && node?.metadata.labels?.[hollowLabel] === undefined)
    if (real !== undefined) return failed(`node ${real.name} is not hollow; its kubelet cannot be silenced`)
    let count = 0
    for (const { name, node } of nodes) {
      const outcome = this.options.registry.call(this.patchOf(action, name, node as Node), caller)
      if (!outcome.ok)
        return failed(`${name}: ${outcome.status.message ?? 'rejected'}${count === 0 ? '' : ` (after ${count} nodes)`}`)
      count++
      if (action.kind === 'drain') this.begin(name, caller)
    }
    return done(`${pastOf(action)} ${count === 1 ? action.nodes[0] : `${count} nodes`}`)
  }

  private node(name: string): Node | undefined {
    return this.options.registry.store.get('nodes', name) as Node | undefined
  }

  private patchOf(action: ConsoleAction, name: string, node: Node): Call {
    const patch = (value: JsonObject): Call => ({
      verb: 'patch',
      resource: 'nodes',
      name,
      patch: { kind: 'merge', patch: value },
    })
    switch (action.kind) {
      case 'taint':
      case 'untaint': {
        const taint = parseTaint(action.taint ?? '') as Taint
        const taints = node.spec?.taints ?? []
        const changed = action.kind === 'taint' ? withTaint(taints, taint) : withoutTaint(taints, taint)
        // The patch has the resourceVersion as a precondition, so that concurrent changes of the list are not lost.
        const resourceVersion = node.metadata.resourceVersion ?? ''
        return patch({ metadata: { resourceVersion }, spec: { taints: changed } } as unknown as JsonObject)
      }
      case 'cordon':
      case 'drain':
        return patch({ spec: { unschedulable: true } })
      case 'uncordon':
        return patch({ spec: { unschedulable: null } })
      case 'silence':
        return patch({ metadata: { annotations: { [hollowAnnotations.silent]: 'true' } } })
      case 'revive':
        return patch({ metadata: { annotations: { [hollowAnnotations.silent]: null } } })
    }
  }

  private begin(node: string, caller: Caller): void {
    const same = this.drainList.findIndex((one) => one.node === node)
    if (same >= 0) this.drainList.splice(same, 1)
    const drain: Drain = { node, since: this.options.clock.wall(), caller, left: 0, blocked: [], done: false }
    this.drainList.push(drain)
    if (this.drainList.length > drainsShown) this.drainList.shift()
    this.proceed(drain)
  }

  /** As with `kubectl drain --ignore-daemonsets`, evictions that a disruption budget blocks are retried. */
  private proceed(drain: Drain): void {
    const { registry, clock } = this.options
    if (!this.drainList.includes(drain) || this.node(drain.node)?.spec?.unschedulable !== true) {
      drain.done = true
      return
    }
    const pods = (registry.store.list('pods') as readonly Pod[]).filter((pod) => isToGo(pod, drain.node))
    drain.left = pods.length
    drain.blocked = []
    drain.done = pods.length === 0
    for (const { metadata } of pods) {
      if (metadata.deletionTimestamp !== undefined) continue
      const { name, namespace = 'default' } = metadata
      const outcome = registry.call(evictionCall(metadata), drain.caller)
      if (!outcome.ok && outcome.status.reason !== 'NotFound')
        drain.blocked.push({ pod: `${namespace}/${name}`, why: evictionRefusal(outcome) })
    }
    const wait = drain.blocked.length > 0 ? askAgainMs : 1_000
    if (!drain.done) clock.at(clock.now() + wait, () => this.proceed(drain))
  }
}

/**
 * Reports whether a drain evicts the pod. Pods of DaemonSets, mirror pods, finished pods and pods without a controller
 * stay.
 */
function isToGo(pod: Pod, node: string): boolean {
  if (pod.spec.nodeName !== node || pod.metadata.annotations?.[annotations.mirrorPod] !== undefined) return false
  if (pod.status?.phase === 'Succeeded' || pod.status?.phase === 'Failed') return false
  const owner = controllerOf(pod)
  return owner !== undefined && owner.kind !== 'DaemonSet'
}

function pastOf({ kind, taint }: ConsoleAction): string {
  switch (kind) {
    case 'taint':
      return `added ${taint} to`
    case 'untaint':
      return `removed ${taint} from`
    case 'cordon':
      return 'cordoned'
    case 'uncordon':
      return 'uncordoned'
    case 'drain':
      return 'started to drain'
    case 'silence':
      return 'silenced'
    case 'revive':
      return 'revived'
  }
}
