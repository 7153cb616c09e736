// The small tables of the console: workloads, disruption budgets, pod groups, pools of nodes, prices and usage of
// nodes; and problems that need attention. The first cell of every row is its key.

import type { DevicePoolRow, DeviceRow } from '../api/device-report.ts'

export type WorkloadRow = readonly [
  /** `namespace/Kind/name`. */
  key: string,
  /** Desired replicas. */
  wanted: number,
  ready: number,
  /** Replicas of the current template. */
  updated: number,
  createdMs: number,
  /** Why its rollout does not proceed, or empty. */
  trouble: string,
  /** When the trouble started; 0 if unknown. */
  troubleSinceMs: number,
]

export type BudgetRow = readonly [
  /** `namespace/name`. */
  key: string,
  /** `minAvailable 4` or `maxUnavailable 25%`. */
  rule: string,
  /** As kubectl prints it; empty selects all pods of the namespace. */
  selector: string,
  healthy: number,
  desired: number,
  expected: number,
  /** The number of pods that may be evicted now. */
  allowed: number,
  createdMs: number,
]

export type GangRow = readonly [
  /** `namespace/name` of the PodGroup. */
  key: string,
  /** The number of pods that must be placed together; 0: pods are placed individually. */
  minCount: number,
  pods: number,
  placed: number,
  /** The topology key that all pods share, or empty. */
  topology: string,
  createdMs: number,
  /** The message of its condition PodGroupScheduled, if it is not True. */
  trouble: string,
]

export type PoolRow = readonly [
  /** `NodePool/name` or `Node group/name`. */
  key: string,
  /** Label of its nodes, as `key=value`; empty if the nodes are not known. */
  label: string,
  nodes: number,
  /** Minimum and maximum number of nodes; -1: no limit. */
  min: number,
  max: number,
  /** Limits that are nearly used, and why the autoscaler does not add nodes; empty if the autoscaler can add nodes. */
  trouble: string,
  /** Nodes that the autoscaler is adding or removing; empty if there are none. */
  plans: string,
]

/** Figures of a node that are not in its object. -1: not known. */
export type NodeFigureRow = readonly [
  name: string,
  pricePerHour: number,
  /** The usage in metrics.k8s.io. */
  cpuUsedMilli: number,
  memoryUsedBytes: number,
]

export interface SmallTables {
  readonly workloads: WorkloadRow
  readonly budgets: BudgetRow
  readonly gangs: GangRow
  readonly pools: PoolRow
  readonly figures: NodeFigureRow
}

export type SmallTableName = keyof SmallTables

/** One problem that needs attention. */
export interface AttentionItem {
  /** The id does not change while the problem lasts. */
  readonly id: string
  readonly tone: 'bad' | 'warn'
  /** 0 if unknown. */
  readonly sinceMs: number
  /** The object with the problem: `Deployment shop/web`, `node-7`. */
  readonly object: string
  readonly problem: string
  /** How to solve the problem. */
  readonly wayOut: string
  /** The page about it, below the root of the console: `/nodes/node-7`. */
  readonly path: string
}

export interface DeviceAnswer {
  readonly now: number
  readonly total: number
  readonly pools: readonly DevicePoolRow[]
  /** At most a limited number, devices in use first. */
  readonly devices: readonly DeviceRow[]
}
