import type { LabelMatcher } from '../../../api/label-matcher.ts'
import type { ParsedPod, PodShape } from '../../contract/parsed-pod.ts'
import type { NodeRow } from './node-row.ts'

const maxSelections = 20_000
const minLogLength = 32

/** Where the pods of a shape are. */
export interface Place {
  readonly shape: PodShape
  /** By row: pods of the shape. */
  readonly pods: ReadonlyMap<number, number>
  /** By row: those of them that are not being deleted. */
  readonly staying: ReadonlyMap<number, number>
}

interface OpenPlace extends Place {
  readonly pods: Map<number, number>
  readonly staying: Map<number, number>
}

interface Selection {
  /** By the log they were read from: with another log, selections are made anew. */
  readonly log: Population['log']
  readonly places: Set<Place>
  /** How much of the log is in it. */
  read: number
}

/** The shapes of a namespace, or those of them with a certain label, and which came or went since the log was begun. */
interface Population {
  readonly places: Set<Place>
  log: { readonly place: Place; readonly isNew: boolean }[]
}

interface Namespace {
  readonly all: Population
  /** By key, by value. Most selectors ask for a label that few shapes have. */
  readonly labelled: Map<string, Map<string, Population>>
}

const emptyPopulation: Population = { places: new Set(), log: [] }

/**
 * On which rows there are pods of which shape, so that the pods a selector means are found without looking at all of them.
 * Made when first asked for: clusters in which nothing is spread do without.
 */
export class PlacedShapes {
  private readonly places = new Map<PodShape, OpenPlace>()
  private readonly namespaces = new Map<string, Namespace>()
  private readonly selections = new Map<string, Selection>()

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

  /** All shapes of which there is a pod. */
  shapes(): Iterable<PodShape> {
    return this.places.keys()
  }

  rowsOf(shape: PodShape): Iterable<number> {
    return this.places.get(shape)?.pods.keys() ?? []
  }

  /** Where the pods of a namespace are that a selector means. `key` is the two as a text. */
  selectedBy(namespace: string, selector: LabelMatcher, key: string): ReadonlySet<Place> {
    const { log, places } = this.narrowest(namespace, selector)
    let found = this.selections.get(key)
    if (found?.log !== log) {
      const meant = new Set<Place>()
      for (const place of places) if (selector.matches(place.shape.labels)) meant.add(place)
      if (this.selections.size >= maxSelections) this.selections.clear()
      found = { log, read: log.length, places: meant }
      this.selections.set(key, found)
    }
    for (; found.read < log.length; found.read++) {
      const { place, isNew } = log[found.read] as Population['log'][number]
      if (!isNew) found.places.delete(place)
      else if (selector.matches(place.shape.labels)) found.places.add(place)
    }
    return found.places
  }

  /** The fewest shapes among which all that the selector means are. */
  private narrowest(namespace: string, { requirements }: LabelMatcher): Population {
    const there = this.namespaces.get(namespace)
    if (there === undefined) return emptyPopulation
    let narrowest = there.all
    for (const { key, operator, values } of requirements) {
      if (values.length !== 1 || (operator !== '=' && operator !== '==' && operator !== 'in')) continue
      const labelled = there.labelled.get(key)?.get(values[0] as string) ?? emptyPopulation
      if (labelled.places.size < narrowest.places.size) narrowest = labelled
    }
    return narrowest
  }

  private enter(place: Place): void {
    const { namespace, labels } = place.shape
    let there = this.namespaces.get(namespace)
    if (there === undefined) {
      there = { all: population(), labelled: new Map() }
      this.namespaces.set(namespace, there)
    }
    write(there.all, place, true)
    for (const key in labels) {
      let values = there.labelled.get(key)
      if (values === undefined) {
        values = new Map()
        there.labelled.set(key, values)
      }
      const value = labels[key] as string
      let labelled = values.get(value)
      if (labelled === undefined) {
        labelled = population()
        values.set(value, labelled)
      }
      write(labelled, place, true)
    }
  }

  private leave(place: Place): void {
    const { namespace, labels } = place.shape
    const there = this.namespaces.get(namespace)
    if (there === undefined) return
    write(there.all, place, false)
    for (const key in labels) {
      const values = there.labelled.get(key)
      const value = labels[key] as string
      const labelled = values?.get(value)
      if (values === undefined || labelled === undefined) continue
      write(labelled, place, false)
      if (labelled.places.size > 0) continue
      // There is no end of values: every Job has a label of its own.
      values.delete(value)
      if (values.size === 0) there.labelled.delete(key)
    }
  }
}

/** On how many rows such pods are, at most. */
export function countRows(places: ReadonlySet<Place>): number {
  let rows = 0
  for (const { pods } of places) rows += pods.size
  return rows
}

function population(): Population {
  return { places: new Set(), log: [] }
}

function write(population: Population, place: Place, isNew: boolean): void {
  if (isNew) population.places.add(place)
  else population.places.delete(place)
  // To read a log that is longer than the list of shapes takes longer than to go through that list.
  if (population.log.length > population.places.size + minLogLength) population.log = []
  else population.log.push({ place, isNew })
}

function count(rows: Map<number, number>, row: number, by: 1 | -1): void {
  const pods = (rows.get(row) ?? 0) + by
  if (pods === 0) rows.delete(row)
  else rows.set(row, pods)
}
