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
  /** While it is false nobody waits for the answer any more. */
  readonly goesOn: () => boolean
}

const firstWaitMs = 100
const maxWaitMs = 5000

/**
 * A client that finds out what became of a bind or a delete whose answer was lost, by reading the object until an answer
 * comes: a pod that may have been bound keeps its place on the node until it is known whether it was. Other writes have no
 * such question that is the same for everybody; whoever made them reads back.
 */
export function createReadBackClient(options: ReadBackOptions): Client {
  const { client } = options
  return {
    watch: (request, onEvents, onEnd) => client.watch(request, onEvents, onEnd),
    call: async (call) => {
      const outcome = await client.call(call)
      const question = outcome.ok || !(isUnknown(outcome) || isConflict(outcome)) ? undefined : questionAbout(call)
      if (question === undefined) return outcome
      const found = await readUntilAnswered(options, question)
      return found === undefined ? outcome : (question.answer(found) ?? outcome)
    },
  }
}

/** The answer was lost on the way, or a server gave up (an etcd that is late is a 500): the write may have happened. */
const isUnknown = (outcome: Failure) => (outcome.status.code ?? 500) >= 500

/** A second try after an answer that was lost conflicts with the first. */
const isConflict = (outcome: Failure) => outcome.status.code === 409

interface Question {
  readonly resource: string
  readonly namespace: string | undefined
  readonly name: string
  /** Undefined: it was not carried out. */
  readonly answer: (read: Outcome) => Outcome | undefined
}

function questionAbout(call: Call): Question | undefined {
  if (call.verb === 'create' && call.resource === 'pods' && call.subresource === 'binding') return wasBound(call)
  if (call.verb === 'delete' && call.subresource === undefined && call.dryRun !== true) return wasDeleted(call)
  return undefined
}

const isGone = (read: Outcome) => !read.ok && read.status.code === 404

function wasBound(call: CreateCall): Question {
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
        return failure('Conflict', `pods "${name}" is another pod of that name now`)
      const { nodeName } = pod.spec
      if (nodeName === undefined || nodeName === '') return undefined
      if (nodeName === target?.name) return { ok: true, kind: 'object', object: call.object, created: true }
      return failure('Conflict', `pod ${name} is already assigned to node "${nodeName}"`)
    },
  }
}

function wasDeleted(call: DeleteCall): Question {
  const uid = call.options?.preconditions?.uid
  return {
    resource: call.resource,
    namespace: call.namespace,
    name: call.name,
    answer: (read) => {
      // Whoever deleted it, it is gone, which is what was wanted; 404 says so as it would have for a second try.
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
  { client, clock, random, goesOn }: ReadBackOptions,
  { resource, namespace, name }: Question,
): Promise<Outcome | undefined> {
  for (let waitMs = firstWaitMs; goesOn(); waitMs = Math.min(waitMs * 2, maxWaitMs)) {
    const read = await client.call({ verb: 'get', resource, name, ...(namespace === undefined ? {} : { namespace }) })
    if (read.ok || (!isUnknown(read) && read.status.code !== 429)) return read
    await new Promise<void>((resolve) => {
      clock.at(clock.now() + waitMs * (1 + random.next()), resolve)
    })
  }
  return undefined
}
