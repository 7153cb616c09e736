import type { KubeObject } from '../../src/api/objects/meta.ts'
import type { Store, StoreWrite } from '../../src/store/contract.ts'

/**
 * The n-th write is a function of n and of the state before it, so the number of writes determines what
 * must be there.
 */
const keys = 150
const resource = 'configmaps'

export type State = Map<string, KubeObject>

/** The transaction that follows `revision`: one to seven writes. */
export function transactionAfter(revision: number, state: State): StoreWrite[] {
  const size = 1 + (mix(revision) % 7)
  const writes: StoreWrite[] = []
  const ahead: State = new Map(state)
  for (let number = revision + 1; number <= revision + size; number++) {
    const write = writeNumber(number, ahead)
    writes.push(write)
    apply(ahead, write, number)
  }
  return writes
}

export function apply(state: State, write: StoreWrite, revision: number): void {
  if (write.kind === 'delete') state.delete(write.key)
  else {
    state.set(write.key, {
      ...write.object,
      metadata: { ...write.object.metadata, resourceVersion: String(revision) },
    })
  }
}

/** Replays transactions until `revision` is reached; answers where the last of them ends. */
export function replay(state: State, from: number, revision: number): number {
  let reached = from
  while (reached < revision) {
    for (const write of transactionAfter(reached, state)) apply(state, write, ++reached)
  }
  return reached
}

export function stateOf(store: Store): State {
  return new Map(store.list(resource).map((object) => [`default/${object.metadata.name}`, object]))
}

function writeNumber(number: number, state: State): StoreWrite {
  const name = `m${mix(number * 31) % keys}`
  const key = `default/${name}`
  // Some objects take several pages of the journal, so that a group is more than one write to the file.
  const text = String.fromCharCode(97 + (number % 26)).repeat(mix(number * 7) % 10 === 0 ? 9000 : 200)
  const object = { kind: 'ConfigMap', metadata: { name, namespace: 'default' }, data: { text, number: `${number}` } }
  if (!state.has(key)) return { kind: 'create', resource, key, object }
  return mix(number * 13) % 4 === 0 ? { kind: 'delete', resource, key } : { kind: 'update', resource, key, object }
}

function mix(number: number): number {
  let hash = Math.imul(number ^ 0x9e3779b9, 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}
