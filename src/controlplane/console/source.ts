import type { KubeObject } from '../../api/objects/meta.ts'
import type { KnownResource, ObjectOf } from '../../api/objects/resources.ts'
import type { Clock } from '../../base/clock.ts'
import type { RunDriver, RunHealth } from '../../runtime/run-driver.ts'
import type { Store } from '../../store/contract.ts'
import type { ClusterKind } from '../../wire/console-wire.ts'
import { inspectionOf } from '../inspection.ts'

export interface ConsoleChange {
  readonly resource: string
  readonly key: string
  readonly before?: KubeObject
  readonly after?: KubeObject
}

/** The source of the console's data: a store, or the view of controllers on another cluster. */
export interface ConsoleSource {
  readonly cluster: ClusterKind
  list<R extends KnownResource>(resource: R): readonly ObjectOf<R>[]
  get<R extends KnownResource>(resource: R, key: string): ObjectOf<R> | undefined
  watch(take: (changes: readonly ConsoleChange[]) => void): () => void
  /** The state of a controller; undefined if it does not run. */
  inspect(controller: string): unknown
  health(): RunHealth | undefined
}

export function storeSource(store: Store, driver: () => RunDriver | undefined, clock: Clock): ConsoleSource {
  return {
    cluster: 'own',
    list: (resource) => store.list(resource) as never,
    get: (resource, key) => store.get(resource, key) as never,
    watch(take) {
      const watching = store.watch((changes) => take(changes))
      if (watching === 'compacted') throw new Error('a watch from the current revision cannot be compacted')
      return () => watching.cancel()
    },
    inspect: (name) => inspectionOf(driver()?.controller(name), clock),
    health: () => driver()?.health(),
  }
}

export function driverSource(driver: RunDriver, clock: Clock): ConsoleSource {
  return {
    cluster: 'remote',
    list: (resource) => driver.view.list(resource),
    get: (resource, key) => driver.view.get(resource, key),
    watch: (take) => driver.onChanges((changes) => take(changes)),
    inspect: (name) => inspectionOf(driver.controller(name), clock),
    health: () => driver.health(),
  }
}
