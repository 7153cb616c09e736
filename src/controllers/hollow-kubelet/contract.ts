import type { Controller } from '../../runtime/controller.ts'
import type { AddressOptions } from './addresses.ts'
import type { NodeDefaults, NodeReport } from './node-status.ts'
import type { Pulses } from './pulses.ts'
import type { Stage } from './stage.ts'

export interface HollowKubeletOptions {
  /** Every node, or those with the label or annotation `berth.dev/hollow` or `kwok.x-k8s.io/node: fake`. Default: all. */
  readonly serves?: 'all' | 'labeled'
  /** Default: the pack `fast`. */
  readonly stages?: readonly Stage[]
  readonly leaseRenewIntervalMs?: number
  readonly statusUpdateIntervalMs?: number
  /** The longest graceful termination of a pod that would use its whole grace period. Limits waiting in real time. */
  readonly stopWithinMs?: number
  /**
   * `computed`: unchanged heartbeats are not written; readers call `lastHeartbeat`. With thousands of nodes, most of the cost of
   * virtual time would be heartbeats.
   */
  readonly heartbeats?: 'written' | 'computed'
  /** Spreads renewals over the interval instead of making those of all nodes at one instant. */
  readonly spread?: boolean
  /**
   * `as-found`: the kubelets report the state before the first step: an Unknown node is silent, and a pod that is not
   * ready stays not ready. Default: `healthy`.
   */
  readonly adopt?: 'healthy' | 'as-found'
  /** The kubelets continue the state of another cluster, of which this one is a fork. */
  readonly continues?: KubeletState
  /**
   * `complete`: the kubelets handle pods as a kubelet of v1.36 does: node capacity, ports and OS, observedGeneration,
   * readiness gates, active deadlines, preStop hooks, ephemeral containers. Default: the stages define what kubelets
   * do.
   */
  readonly reports?: 'stages' | 'complete'
  readonly defaults?: NodeDefaults
  /** The release that nodes report, for example 1.36.4. Default: the default release. */
  readonly version?: string
  readonly addresses?: AddressOptions
}

/** The state of the kubelets besides the objects. */
export interface KubeletState {
  readonly pulses: Pulses
  readonly reports: ReadonlyMap<string, NodeReport>
  readonly leftAlone: ReadonlySet<string>
}

/** One controller for the kubelets of all hollow nodes. */
export interface HollowKubelet extends Controller {
  /** Stops the kubelets of these nodes: no heartbeats, no reaction to pods. */
  silence(nodes: Iterable<string>, now: number): void
  /** As `silence`, but the containers of the pods restart when the machine is back. */
  fail(nodes: Iterable<string>, now: number): void
  /** Ends a silence or a failure. The caller must wake this controller through its driver. */
  revive(nodes: Iterable<string>, now: number): void
  /** Sets what the kubelets of these nodes report. */
  report(nodes: Iterable<string>, report: NodeReport): void
  isSilent(node: string): boolean
  /** The state for the kubelets of a fork, which copy it. */
  state(): KubeletState
  /** The last renewal of a node's Lease, written or not. */
  lastHeartbeat(node: string, now: number): number | undefined
}
