import type { LabelMatcher } from '../../../api/label-matcher.ts'
import type { ParsedPod, PodShape } from '../../contract/parsed-pod.ts'
import type { NodeRow } from './node-row.ts'

const maxSelections = 20_000
const minLogLength = 32

/** The rows with pods of a shape. */
export interface ShapePlacement {
  readonly shape: PodShape
  /** By row: the number of pods of the shape. */
  readonly pods: ReadonlyMap<number, number>
  /** By row: the number of pods that are not terminating. */
  readonly staying: ReadonlyMap<number, number>
}

interface MutablePlacement extends ShapePlacement {
  readonly pods: Map<number, number>
  readonly staying: Map<number, number>
}

interface ShapeSelection {
  /** The log from which the selection was read. A new log invalidates the selection. */
  readonly log: ShapePopulation['log']
  readonly places: Set<ShapePlacement>
  /** The number of log entries that are applied. */
  read: number
}

/** The shapes of a namespace, or those with a certain label, and a log of additions and removals. */
interface ShapePopulation {
  readonly places: Set<ShapePlacement>
  log: { readonly place: ShapePlacement; readonly isNew: boolean }[]
}

interface NamespaceShapes {
  readonly all: ShapePopulation
  /** By label key and value. Most selectors require a label that few shapes have. */
  readonly labeled: Map<string, Map<string, ShapePopulation>>
}

const emptyPopulation: ShapePopulation = { places: new Set(), log: [] }

/**
 * The rows by shape of their pods, so that a selector finds its pods without iterating over all pods. Created on first
 * use.
 */
export class PlacedShapes {
  private readonly places = new Map<PodShape, MutablePlacement>()
  private readonly namespaces = new Map<string, NamespaceShapes>()
  private readonly selections = new Map<string, ShapeSelection>()

  constructor(table: readonly (NodeRow | undefined)[]) {
    for (const row of table) if (row !== undefined) for (const pod of row.pods) this.add(pod, row.row)
  }

  add({ shape, isTerminating }: ParsedPod, row: number): void {
    let place = this.places.get(shape)
    if (place === undefined) {
      place = { shape, pods: new Map(), staying: new Map() }
      this.places.set(shape, place)
      this.enter(place)
    }
    count(place.pods, row, 1)
    if (!isTerminating) count(place.staying, row, 1)
  }

  remove({ shape, isTerminating }: ParsedPod, row: number): void {
    const place = this.places.get(shape)
    if (place === undefined) return
    count(place.pods, row, -1)
    if (!isTerminating) count(place.staying, row, -1)
    if (place.pods.size > 0) return
    this.places.delete(shape)
    this.leave(place)
  }

  /** All shapes with at least one pod. */
  shapes(): Iterable<PodShape> {
    return this.places.keys()
  }

  rowsOf(shape: PodShape): Iterable<number> {
    return this.places.get(shape)?.pods.keys() ?? []
  }

  /** The shapes of a namespace that a selector matches. `key` identifies the namespace and the selector. */
  selectedBy(namespace: string, selector: LabelMatcher, key: string): ReadonlySet<ShapePlacement> {
    const { log, places } = this.narrowest(namespace, selector)
    let found = this.selections.get(key)
    if (found?.log !== log) {
      const matching = new Set<ShapePlacement>()
      for (const place of places) if (selector.matches(place.shape.labels)) matching.add(place)
      if (this.selections.size >= maxSelections) this.selections.clear()
      found = { log, read: log.length, places: matching }
      this.selections.set(key, found)
    }
    for (; found.read < log.length; found.read++) {
      const { place, isNew } = log[found.read] as ShapePopulation['log'][number]
      if (!isNew) found.places.delete(place)
      else if (selector.matches(place.shape.labels)) found.places.add(place)
    }
    return found.places
  }

  /** The smallest population that contains all shapes that the selector matches. */
  private narrowest(namespace: string, { requirements }: LabelMatcher): ShapePopulation {
    const there = this.namespaces.get(namespace)
    if (there === undefined) return emptyPopulation
    let narrowest = there.all
    for (const { key, operator, values } of requirements) {
      if (values.length !== 1 || (operator !== '=' && operator !== '==' && operator !== 'in')) continue
      const labeled = there.labeled.get(key)?.get(values[0] as string) ?? emptyPopulation
      if (labeled.places.size < narrowest.places.size) narrowest = labeled
    }
    return narrowest
  }

  private enter(place: ShapePlacement): void {
    const { namespace, labels } = place.shape
    let there = this.namespaces.get(namespace)
    if (there === undefined) {
      there = { all: population(), labeled: new Map() }
      this.namespaces.set(namespace, there)
    }
    write(there.all, place, true)
    for (const key in labels) {
      let values = there.labeled.get(key)
      if (values === undefined) {
        values = new Map()
        there.labeled.set(key, values)
      }
      const value = labels[key] as string
      let labeled = values.get(value)
      if (labeled === undefined) {
        labeled = population()
        values.set(value, labeled)
      }
      write(labeled, place, true)
    }
  }

  private leave(place: ShapePlacement): void {
    const { namespace, labels } = place.shape
    const there = this.namespaces.get(namespace)
    if (there === undefined) return
    write(there.all, place, false)
    for (const key in labels) {
      const values = there.labeled.get(key)
      const value = labels[key] as string
      const labeled = values?.get(value)
      if (values === undefined || labeled === undefined) continue
      write(labeled, place, false)
      if (labeled.places.size > 0) continue
      // The number of label values is unbounded: every Job has its own.
      values.delete(value)
      if (values.size === 0) there.labeled.delete(key)
    }
  }
}

/** An upper bound of the number of rows with such pods. */
export function countRows(places: ReadonlySet<ShapePlacement>): number {
  let rows = 0
  for (const { pods } of places) rows += pods.size
  return rows
}

function population(): ShapePopulation {
  return { places: new Set(), log: [] }
}

function write(population: ShapePopulation, place: ShapePlacement, isNew: boolean): void {
  if (isNew) population.places.add(place)
  else population.places.delete(place)
  // A log that is longer than the list of shapes is slower to read than the list.
  if (population.log.length > population.places.size + minLogLength) population.log = []
  else population.log.push({ place, isNew })
}

function count(rows: Map<number, number>, row: number, by: 1 | -1): void {
  const pods = (rows.get(row) ?? 0) + by
  if (pods === 0) rows.delete(row)
  else rows.set(row, pods)
}
