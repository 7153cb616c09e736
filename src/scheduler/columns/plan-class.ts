import type { RowClass } from './plugin-columns.ts'
import { RowBuckets } from './row-buckets.ts'

/** A class with its rows. `late` is the status of its rows from a row filter that runs after the class filters. */
export class PlanClass implements RowClass {
  readonly parts: readonly number[]
  readonly rows: RowBuckets
  readonly late: number
  readonly lateAt: number
  /** 0 when feasible, else the status of all its rows. Each evaluation sets it. */
  status = 0
  /** The score that the class adds to each of its rows. */
  score = 0

  constructor(parts: readonly number[], positions: Int32Array, late: number, lateAt: number) {
    this.parts = parts
    this.rows = new RowBuckets(positions)
    this.late = late
    this.lateAt = lateAt
  }

  get size(): number {
    return this.rows.size
  }
}

const noClass = -1

/** A tree of classes with one level per part, which finds a class without building a string key. */
interface ClassBranch {
  readonly next: Map<number, ClassBranch>
  /** The class id at the last level. */
  readonly id: number
}

/** The classes of a plan. Empty classes are kept, because rows often return to them. */
export class ClassIndex {
  readonly classes: PlanClass[] = []
  private readonly root: ClassBranch = { next: new Map(), id: noClass }

  /** The id of the class with these parts. The last part is the late status. */
  idOf(parts: readonly number[], positions: Int32Array, late: number, lateAt: number): number {
    const last = parts.length - 1
    let branch = this.root
    for (let i = 0; i <= last; i++) {
      const part = parts[i] as number
      let next = branch.next.get(part)
      if (next === undefined) {
        next = { next: new Map(), id: i === last ? this.classes.length : noClass }
        branch.next.set(part, next)
      }
      branch = next
    }
    if (branch.id === this.classes.length) this.classes.push(new PlanClass(parts.slice(), positions, late, lateAt))
    return branch.id
  }
}
