import type { WatchEvent } from '../api/call.ts'
import type { KubeObject } from '../api/objects/meta.ts'
import type { DirectClient, WatchHandle } from '../client/contract.ts'
import type { AsyncWork, WorkSource } from './async-work.ts'
import { ClusterError } from './cluster-error.ts'

export interface WatchOptions {
  readonly namespace?: string
  readonly labelSelector?: string
  readonly fieldSelector?: string
  /** Only changes after this version. Default: the existing objects first, as ADDED. */
  readonly resourceVersion?: string
}

/** One change of a watched resource. */
export type ObjectEvent<T extends KubeObject = KubeObject> = Extract<WatchEvent<T>, { readonly object: T }>

/** A watch: an iterator over changes. `return()`, or the end of a `for await` loop, ends it. */
export interface ObjectWatch<T extends KubeObject = KubeObject> extends AsyncIterableIterator<ObjectEvent<T>> {
  return(): Promise<IteratorResult<ObjectEvent<T>>>
}

/** Forwards the events of a watch in the turn after the change, never within it. */
export class BufferedWatch implements WorkSource {
  private readonly handle: WatchHandle
  private readonly remove: () => void
  private events: WatchEvent[] = []
  private readonly deliver: (events: readonly WatchEvent[]) => void

  constructor(
    work: AsyncWork,
    client: DirectClient,
    request: Parameters<DirectClient['watch']>[0],
    deliver: (events: readonly WatchEvent[]) => void,
  ) {
    this.deliver = deliver
    this.remove = work.add(this)
    this.handle = client.watch(
      request,
      (events) => this.events.push(...events),
      () => {},
    )
  }

  get isDue(): boolean {
    return this.events.length > 0
  }

  begin(): void {
    const { events } = this
    this.events = []
    this.deliver(events)
  }

  cancel(): void {
    this.events = []
    this.remove()
    this.handle.cancel()
  }
}

/** A watch as an iterator. It buffers events until they are read. */
export function createObjectWatch<T extends KubeObject>(
  work: AsyncWork,
  client: DirectClient,
  request: Parameters<DirectClient['watch']>[0],
): ObjectWatch<T> {
  const ready: ObjectEvent<T>[] = []
  const readers: ((result: IteratorResult<ObjectEvent<T>> | Error) => void)[] = []
  let failure: Error | undefined
  let hasEnded = false
  const end = (): IteratorResult<ObjectEvent<T>> => {
    hasEnded = true
    watch.cancel()
    for (const read of readers.splice(0)) read(failure ?? { done: true, value: undefined })
    return { done: true, value: undefined }
  }
  const watch = new BufferedWatch(work, client, request, (events) => {
    for (const event of events) {
      if (event.type === 'BOOKMARK') continue
      if (event.type === 'ERROR') {
        failure = new ClusterError(event.status)
        end()
        return
      }
      const read = readers.shift()
      if (read === undefined) ready.push(event as ObjectEvent<T>)
      else read({ done: false, value: event as ObjectEvent<T> })
    }
  })
  return {
    [Symbol.asyncIterator]() {
      return this
    },
    async next() {
      const event = ready.shift()
      if (event !== undefined) return { done: false, value: event }
      if (failure !== undefined) throw failure
      if (hasEnded) return { done: true, value: undefined }
      // Code outside of the cluster gets the events of this instant without advancing the time.
      work.stir()
      const result = await work.wait<IteratorResult<ObjectEvent<T>> | Error>((resolve) => readers.push(resolve))
      if (result instanceof Error) throw result
      return result
    },
    async return() {
      return end()
    },
  }
}
