import type { KubeObject } from '../../api/objects/meta.ts'
import { must } from '../../base/result.ts'
import { admitsPoint, type CompiledStage, compileStage } from './compiled-stage.ts'
import type { Stage } from './stage.ts'

/** An object in a stage. */
export interface StageEntry {
  readonly stage: CompiledStage
  readonly uid: string
  readonly dueAt: number
  /** The stage was applied. The object must leave the stage before it is applied again. */
  readonly isDone: boolean
}

/** The stage of each object, the time at which the object entered it, and its random draws. */
export class StageBook {
  private readonly stages: readonly Stage[]
  /** Few objects reach most stages of a pack, so a stage is compiled for the first object that does. */
  private readonly compiled = new Map<Stage, CompiledStage>()
  private readonly entries = new Map<string, StageEntry>()
  private readonly lots = new Map<string, Map<CompiledStage, boolean>>()
  private readonly hasLots: boolean
  /** By phase. */
  private readonly ofLiving = new Map<string | undefined, readonly CompiledStage[]>()
  private readonly ofTerminating = new Map<string | undefined, readonly CompiledStage[]>()

  constructor(stages: readonly Stage[]) {
    this.stages = stages
    this.hasLots = stages.some((stage) => stage.probability !== undefined)
  }

  get isEmpty(): boolean {
    return this.stages.length === 0
  }

  /** The current stage of an object. `delayOf` is called when the object enters it. */
  enter(
    key: string,
    object: KubeObject,
    {
      now,
      rebooted,
      draw,
      delayOf,
    }: {
      readonly now: number
      readonly rebooted: boolean
      readonly draw: () => number
      readonly delayOf: (stage: CompiledStage) => number
    },
  ): StageEntry | undefined {
    const uid = object.metadata.uid ?? ''
    const stage = this.candidates(object).find(
      (candidate) =>
        (candidate.stage.on === undefined || rebooted) &&
        candidate.selects(object) &&
        this.isDrawn(candidate, uid, draw),
    )
    if (stage === undefined) {
      this.entries.delete(key)
      return undefined
    }
    const known = this.entries.get(key)
    if (known?.stage === stage && known.uid === uid) return known
    const entry: StageEntry = { stage, uid, dueAt: now + delayOf(stage), isDone: false }
    this.entries.set(key, entry)
    return entry
  }

  /** Reports whether any stage may select the object, or selected it before. Otherwise there is nothing to do. */
  concerns(key: string, object: KubeObject, rebooted: boolean): boolean {
    if (this.entries.size > 0 && this.entries.has(key)) return true
    for (const candidate of this.candidates(object)) {
      if ((candidate.stage.on === undefined || rebooted) && candidate.selects(object)) return true
    }
    return false
  }

  private candidates(object: KubeObject): readonly CompiledStage[] {
    const phase = (object as { readonly status?: { readonly phase?: string } }).status?.phase
    const isTerminating = object.metadata.deletionTimestamp !== undefined
    const byPhase = isTerminating ? this.ofTerminating : this.ofLiving
    let found = byPhase.get(phase)
    if (found === undefined) {
      found = this.stages
        .filter((stage) => admitsPoint(stage, { phase, isTerminating }))
        .map((stage) => this.compiledOf(stage))
      byPhase.set(phase, found)
    }
    return found
  }

  private compiledOf(stage: Stage): CompiledStage {
    const known = this.compiled.get(stage)
    if (known !== undefined) return known
    const made = must(compileStage(stage))
    this.compiled.set(stage, made)
    return made
  }

  markDone(key: string, isDone: boolean): void {
    const entry = this.entries.get(key)
    if (entry !== undefined) this.entries.set(key, { ...entry, isDone })
  }

  leave(key: string): void {
    this.entries.delete(key)
  }

  forget(key: string, uid: string | undefined): void {
    this.entries.delete(key)
    if (uid !== undefined) this.lots.delete(uid)
  }

  private isDrawn(stage: CompiledStage, uid: string, draw: () => number): boolean {
    const { probability } = stage.stage
    if (!this.hasLots || probability === undefined) return true
    let lots = this.lots.get(uid)
    if (lots === undefined) {
      lots = new Map()
      this.lots.set(uid, lots)
    }
    let lot = lots.get(stage)
    if (lot === undefined) {
      lot = draw() < probability
      lots.set(stage, lot)
    }
    return lot
  }
}
