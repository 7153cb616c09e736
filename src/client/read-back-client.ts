import type { Call, CreateCall, DeleteCall, Failure, Outcome } from '../api/call.ts'
import type { KubeObject } from '../api/objects/meta.ts'
import type { Pod } from '../api/objects/pod.ts'
import { failure } from '../api/status.ts'
import type { Clock } from '../base/clock.ts'
import type { RandomStream } from '../base/random.ts'
import type { Client } from './contract.ts'

export interface ReadBackOptions {
  readonly client: Client
  readonly clock: Clock
  readonly random: RandomStream
  /** Returns false when the result is no longer needed. */
  readonly isNeeded: () => boolean
}

const firstWaitMs = 100
const maxWaitMs = 5000

/**
 * A client that determines the result of a bind or a delete whose response was lost, by reading the object until it
 * gets an answer: a pod that may have been bound keeps its resources reserved on the node until the result is known.
 * The results of other writes cannot be determined in general; their callers read the objects.
 */
export function createReadBackClient(options: ReadBackOptions): Client {
  const { client } = options
  return {
    watch: (request, onEvents, onEnd) => client.watch(request, onEvents, onEnd),
    call: async (call) => {
      const outcome = await client.call(call)
      const readBack = outcome.ok || !(isUnknown(outcome) || isConflict(outcome)) ? undefined : readBackFor(call)
      if (readBack === undefined) return outcome
      const found = await readUntilAnswered(options, readBack)
      return found === undefined ? outcome : (readBack.answer(found) ?? outcome)
    },
  }
}

/** The response was lost, or the server failed (an etcd timeout is a 500): the write may have been executed. */
const isUnknown = (outcome: Failure) => (outcome.status.code ?? 500) >= 500

/** A retry after a lost response conflicts with the first attempt. */
const isConflict = (outcome: Failure) => outcome.status.code === 409

interface ReadBack {
  readonly resource: string
  readonly namespace: string | undefined
  readonly name: string
  /** Undefined: the write was not executed. */
  readonly answer: (read: Outcome) => Outcome | undefined
}

function readBackFor(call: Call): ReadBack | undefined {
  if (call.verb === 'create' && call.resource === 'pods' && call.subresource === 'binding') return wasBound(call)
  if (call.verb === 'delete' && call.subresource === undefined && call.dryRun !== true) return wasDeleted(call)
  return undefined
}

const isGone = (read: Outcome) => !read.ok && read.status.code === 404

function wasBound(call: CreateCall): ReadBack {
  const { metadata, target } = call.object as KubeObject & { readonly target?: { readonly name?: string } }
  const name = call.name ?? metadata.name
  return {
    resource: 'pods',
    namespace: call.namespace,
    name,
    answer: (read) => {
      if (isGone(read)) return read
      if (!read.ok || read.kind !== 'object') return undefined
      const pod = read.object as Pod
      if (metadata.uid !== undefined && metadata.uid !== '' && pod.metadata.uid !== metadata.uid)
        return failure('Conflict', `pods "${name}" was replaced by another pod of that name`)
      const { nodeName } = pod.spec
      if (nodeName === undefined || nodeName === '') return undefined
      if (nodeName === target?.name) return { ok: true, kind: 'object', object: call.object, created: true }
      return failure('Conflict', `pod ${name} is already assigned to node "${nodeName}"`)
    },
  }
}

function wasDeleted(call: DeleteCall): ReadBack {
  const uid = call.options?.preconditions?.uid
  return {
    resource: call.resource,
    namespace: call.namespace,
    name: call.name,
    answer: (read) => {
      // The object is deleted. A retry would get the same 404.
      if (isGone(read)) return read
      if (!read.ok || read.kind !== 'object') return undefined
      const { deletionTimestamp } = read.object.metadata
      if (uid !== undefined && read.object.metadata.uid !== uid)
        return failure('NotFound', `${call.resource} "${call.name}" not found`)
      return deletionTimestamp === undefined ? undefined : read
    },
  }
}

async function readUntilAnswered(
  { client, clock, random, isNeeded }: ReadBackOptions,
  { resource, namespace, name }: ReadBack,
): Promise<Outcome | undefined> {
  for (let waitMs = firstWaitMs; isNeeded(); waitMs = Math.min(waitMs * 2, maxWaitMs)) {
    const read = await client.call({ verb: 'get', resource, name, ...(namespace === undefined ? {} : { namespace }) })
    if (read.ok || (!isUnknown(read) && read.status.code !== 429)) return read
    await new Promise<void>((resolve) => {
      clock.at(clock.now() + waitMs * (1 + random.next()), resolve)
    })
  }
  return undefined
}
