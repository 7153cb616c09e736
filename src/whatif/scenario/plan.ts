import type { KubeObject } from '../../api/objects/meta.ts'
import type { Settings } from '../../controlplane/settings.ts'
import type { Store } from '../../store/contract.ts'
import type { Expectation } from './expectation.ts'
import type { HollowSettings } from './scenario.ts'
import type { PlannedStep } from './step.ts'

/** A cluster as it was found at some instant, with controllers and kubelets at work. */
export interface FoundCluster {
  /** Stays as it is: a rehearsal works on a fork. */
  readonly store: Store
  readonly takenAtMs: number
}

/** What is to be played: a cluster, what happens to it, and for how long to look. */
export interface Plan {
  /** The question in words. */
  readonly title: string
  readonly settings: Settings
  readonly hollow: HollowSettings
  /** Absent: nothing but what `create` makes. */
  readonly found?: FoundCluster
  /** Nodes are there, Ready and untainted before time begins; everything else is created when it begins. */
  readonly create: readonly KubeObject[]
  /** How long what was created is left alone before time begins. Absent: time begins with the creation. */
  readonly settleMs?: number
  readonly steps: readonly PlannedStep[]
  readonly untilMs: number
  readonly expect: readonly Expectation[]
  /** Controllers that must not run because what they need to know is missing. */
  readonly without?: readonly string[]
}
