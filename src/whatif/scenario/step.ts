import type { JsonObject, KubeObject } from '../../api/objects/meta.ts'
import type { Taint } from '../../api/objects/node.ts'
import type { TaintEffect } from '../../api/objects/pod.ts'
import type { Pressure } from '../../controllers/hollow-kubelet/node-status.ts'

/** Which nodes a step is about. Selectors are resolved when the step is taken. */
export type NodeTarget =
  | { readonly kind: 'names'; readonly names: readonly string[] }
  | { readonly kind: 'label'; readonly key: string; readonly value: string }
  | { readonly kind: 'selector'; readonly selector: string }

/** `pod/default/web-0`, `node/a1`, `deployment/web`. */
export interface ObjectTarget {
  /** As written: a kind, its plural or a short name. */
  readonly kind: string
  readonly namespace?: string
  readonly name: string
}

export interface TaintPattern {
  readonly key: string
  /** Absent: every value, every effect. */
  readonly value?: string
  readonly effect?: TaintEffect
}

/** One thing that happens to the cluster from outside. */
export type Step =
  | {
      readonly kind: 'silence' | 'revive' | 'fail' | 'recover' | 'cordon' | 'uncordon'
      readonly nodes: NodeTarget
    }
  | { readonly kind: 'taint'; readonly nodes: NodeTarget; readonly taint: Taint }
  | { readonly kind: 'untaint'; readonly nodes: NodeTarget; readonly taint: TaintPattern }
  | { readonly kind: 'pressure'; readonly nodes: NodeTarget; readonly pressures: readonly Pressure[] }
  | { readonly kind: 'drain'; readonly nodes: NodeTarget; readonly options: DrainOptions }
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
  /** The Node objects go, as a cloud takes them away with the machine. */
  | { readonly kind: 'remove'; readonly nodes: NodeTarget }

export interface DrainOptions {
  /** Several nodes are drained one after the other; absent: all at once. */
  readonly oneByOne?: boolean
  /** `kubectl drain --force`: pods that no controller would bring back go too. */
  readonly force?: boolean
  /** What is done to a node once it is empty. */
  readonly afterwards?: 'leave' | 'remove' | 'replace'
}

export type StepKind = Step['kind']

/** A step at its time. */
export interface PlannedStep {
  /** Since the beginning. */
  readonly atMs: number
  readonly step: Step
  /** Where it is written, and as it is written there: traces repeat it. */
  readonly path: string
  readonly source: JsonObject
}
