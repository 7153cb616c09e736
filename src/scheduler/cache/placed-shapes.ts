import type { LabelMatcher } from '../../api/label-matcher.ts'
import type { ParsedPod, PodShape } from '../framework/parsed-pod.ts'
import type { NodeRow } from './node-row.ts'

const SELECTIONS_KEPT = 20_000
const SHORT_LOG = 32
const NOWHERE: ReadonlyMap<number, number> = new Map()

interface Place {
  /** By row: pods of the shape. */
  readonly pods: Map<number, number>
  /** By row: those of them that are not being deleted. */
  readonly staying: Map<number, number>
}

interface Selection {
  readonly shapes: Set<PodShape>
  /** How much of the namespace's log is in it. */
  read: number
}

/** The shapes of a namespace, and which of them came or went since the log was begun. */
interface Population {
  readonly shapes: Set<PodShape>
  log: { readonly shape: PodShape; readonly isNew: boolean }[]
}

/**
 * On which rows there are pods of which shape, so that the pods a selector means are found without looking at all of them.
 * Made when first asked for: clusters in which nothing is spread do without.
 */
export class PlacedShapes {
  private readonly places = new Map<PodShape, Place>()
  private readonly byNamespace = new Map<string, Population>()
  /** By the log they were read from: with a new log, selections are made anew. */
  private selections = new Map<string, Selection & { readonly log: Population['log'] }>()

  constructor(table: readonly (NodeRow | undefined)[]) {
    for (const row of table) if (row !== undefined) for (const pod of row.pods) this.add(pod, row.row)
  }

  add({ shape, pod }: ParsedPod, row: number): void {
    let place = this.places.get(shape)
    if (place === undefined) {
      place = { pods: new Map(), staying: new Map() }
      this.places.set(shape, place)
      const there = this.namespace(shape.namespace)
      there.shapes.add(shape)
      write(there, shape, true)
    }
    count(place.pods, row, 1)
    if (pod.metadata.deletionTimestamp === undefined) count(place.staying, row, 1)
  }

  remove({ shape, pod }: ParsedPod, row: number): void {
    const place = this.places.get(shape)
    if (place === undefined) return
    count(place.pods, row, -1)
    if (pod.metadata.deletionTimestamp === undefined) count(place.staying, row, -1)
    if (place.pods.size > 0) return
    this.places.delete(shape)
    const there = this.namespace(shape.namespace)
    there.shapes.delete(shape)
    write(there, shape, false)
  }

  /** All shapes of which there is a pod. */
  shapes(): Iterable<PodShape> {
    return this.places.keys()
  }

  rowsOf(shape: PodShape): Iterable<number> {
    return this.places.get(shape)?.pods.keys() ?? []
  }

  /** Pods of the shape by row, without those that are being deleted. */
  stayingOf(shape: PodShape): ReadonlyMap<number, number> {
    return this.places.get(shape)?.staying ?? NOWHERE
  }

  /** The shapes of a namespace that a selector means. `key` is the two as a text. */
  selectedBy(namespace: string, selector: LabelMatcher, key: string): ReadonlySet<PodShape> {
    const { log, shapes } = this.namespace(namespace)
    let found = this.selections.get(key)
    if (found?.log !== log) {
      const meant = new Set<PodShape>()
      for (const shape of shapes) if (selector.matches(shape.labels)) meant.add(shape)
      if (this.selections.size >= SELECTIONS_KEPT) this.selections.clear()
      found = { log, read: log.length, shapes: meant }
      this.selections.set(key, found)
    }
    for (; found.read < log.length; found.read++) {
      const { shape, isNew } = log[found.read] as Population['log'][number]
      if (!isNew) found.shapes.delete(shape)
      else if (selector.matches(shape.labels)) found.shapes.add(shape)
    }
    return found.shapes
  }

  /** On how many rows such pods are, at most. */
  countRows(shapes: ReadonlySet<PodShape>): number {
    let rows = 0
    for (const shape of shapes) rows += this.places.get(shape)?.pods.size ?? 0
    return rows
  }

  private namespace(name: string): Population {
    let known = this.byNamespace.get(name)
    if (known === undefined) {
      known = { shapes: new Set(), log: [] }
      this.byNamespace.set(name, known)
    }
    return known
  }
}

function write(population: Population, shape: PodShape, isNew: boolean): void {
  // To read a log that is longer than the list of shapes takes longer than to go through that list.
  if (population.log.length > population.shapes.size + SHORT_LOG) population.log = []
  else population.log.push({ shape, isNew })
}

function count(rows: Map<number, number>, row: number, by: 1 | -1): void {
  const pods = (rows.get(row) ?? 0) + by
  if (pods === 0) rows.delete(row)
  else rows.set(row, pods)
}
