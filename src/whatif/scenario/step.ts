import type { JsonObject, KubeObject } from '../../api/objects/meta.ts'
import type { Taint } from '../../api/objects/node.ts'
import type { TaintEffect } from '../../api/objects/pod.ts'
import type { Stockout } from '../../autoscalers/karpenter/cloud/karpenter-cloud.ts'
import type { Pressure } from '../../controllers/hollow-kubelet/node-status.ts'
import type { UpgradeStrategy } from './upgrade-strategy.ts'

/** The nodes of a step. Selectors are evaluated when the step runs. */
export type NodeTarget =
  | { readonly kind: 'names'; readonly names: readonly string[] }
  | { readonly kind: 'label'; readonly key: string; readonly value: string }
  | { readonly kind: 'selector'; readonly selector: string }

/** `pod/default/web-0`, `node/a1`, `deployment/web`. */
export interface ObjectTarget {
  /** The kind as written: a kind, its plural or a short name. */
  readonly kind: string
  readonly namespace?: string
  readonly name: string
}

export interface TaintPattern {
  readonly key: string
  /** Absent: any value. */
  readonly value?: string
  readonly effect?: TaintEffect
}

/** One action on the cluster from outside. */
export type Step =
  | { readonly kind: 'revive' | 'recover' | 'cordon' | 'uncordon'; readonly nodes: NodeTarget }
  | { readonly kind: 'silence' | 'fail'; readonly nodes: NodeTarget; readonly pulse?: Pulse }
  | { readonly kind: 'taint'; readonly nodes: NodeTarget; readonly taint: Taint }
  | { readonly kind: 'untaint'; readonly nodes: NodeTarget; readonly taint: TaintPattern }
  | { readonly kind: 'pressure'; readonly nodes: NodeTarget; readonly pressures: readonly Pressure[] }
  | { readonly kind: 'drain'; readonly nodes: NodeTarget; readonly options: DrainOptions }
  /** Replaces or upgrades the nodes, pool by pool. */
  | { readonly kind: 'upgrade'; readonly nodes: NodeTarget; readonly strategy: UpgradeStrategy }
  | { readonly kind: 'apply'; readonly objects: readonly KubeObject[] }
  | { readonly kind: 'delete'; readonly targets: readonly ObjectTarget[]; readonly graceSeconds?: number }
  | {
      readonly kind: 'patch'
      readonly target: ObjectTarget
      readonly patch: JsonObject
      readonly type: 'strategic' | 'merge'
    }
  | { readonly kind: 'scale'; readonly target: ObjectTarget; readonly replicas: number }
  | { readonly kind: 'restart'; readonly controller: string }
  | { readonly kind: 'pause'; readonly controller: string; readonly forMs: number }
  /** The API server does not answer. */
  | { readonly kind: 'outage'; readonly forMs: number }
  /** Sets the clock of the control plane. */
  | { readonly kind: 'clock'; readonly byMs: number }
  /** The cloud has no machines for a node group, or of a type, zone or capacity type. */
  | ({ readonly kind: 'stockOut'; readonly nodeGroup?: string; readonly forMs?: number } & Stockout)
  /** The cloud takes machines back after a notice. */
  | { readonly kind: 'interrupt'; readonly nodes: NodeTarget; readonly noticeMs: number }
  /** Deletes the Node objects, as a cloud provider does when it removes a machine. */
  | { readonly kind: 'remove'; readonly nodes: NodeTarget }

/** The duration of a failure, and its repetitions. */
export interface Pulse {
  readonly forMs: number
  /** The time from the start of one failure to the start of the next one. */
  readonly everyMs?: number
  readonly times?: number
}

export interface DrainOptions {
  /** Drains nodes one after the other; absent: all at once. */
  readonly oneByOne?: boolean
  /** As `kubectl drain --force`: also evicts pods without a controller. */
  readonly force?: boolean
}

/** Names of the controllers that execute steps that take time. */
export const drainActor = 'drain'
export const upgradeActor = 'node-upgrade'

export type StepKind = Step['kind']

/** A step and its time. */
export interface PlannedStep {
  /** Time since the start. */
  readonly atMs: number
  readonly step: Step
  /** Path and content of the step in the scenario file; traces contain the content. */
  readonly path: string
  readonly source: JsonObject
}
