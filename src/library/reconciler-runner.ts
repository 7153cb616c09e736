import type { KubeObject } from '../api/objects/meta.ts'
import { controllerOf } from '../api/owner-references.ts'
import type { Kind } from '../registry/kinds/kind.ts'
import type { Change, Controller, StepInput, StepOutput } from '../runtime/controller.ts'
import { createRetryLimiter, WorkQueue } from '../runtime/work-queue.ts'
import { checkMembers } from './argument-checks.ts'
import type { AsyncWork, WorkSource } from './async-work.ts'
import type { ReconcileContext, ReconcileRequest, ReconcilerDefinition } from './controller-definition.ts'

export interface ReconcilerHost {
  readonly work: AsyncWork
  readonly context: ReconcileContext
  /** The kind of a resource name. Undefined: a custom resource that is not defined yet. */
  readonly kindOf: (resource: string) => Kind | undefined
  readonly durationMs: (duration: string | number) => number
  readonly failed: (failure: ReconcileFailure) => void
}

/** A rejection of a reconciler. */
export interface ReconcileFailure {
  readonly controller: string
  readonly request: ReconcileRequest
  readonly atMs: number
  readonly error: unknown
}

/** A reconciler in virtual time: a controller that queues names, and a source of work that reconciles them. */
export class ReconcilerRunner implements Controller, WorkSource {
  readonly name: string
  readonly watches: readonly string[]
  private readonly definition: ReconcilerDefinition
  private readonly host: ReconcilerHost
  private readonly queue = new WorkQueue()
  private readonly retries = createRetryLimiter()
  /** The definition's name of each watched resource, by its full name. */
  private readonly given: ReadonlyMap<string, string>
  private running = 0

  constructor(definition: ReconcilerDefinition, host: ReconcilerHost) {
    this.name = definition.name
    this.definition = definition
    this.host = host
    const names = [definition.for, ...definition.owns, ...Object.keys(definition.watches)]
    this.given = new Map(names.map((name) => [host.kindOf(name)?.storage ?? name, name]))
    this.watches = [...this.given.keys()]
    host.work.add(this)
  }

  step({ changes, now }: StepInput): StepOutput {
    for (const change of changes) for (const key of this.keysOf(change)) this.queue.add(key)
    this.queue.advance(now)
    const wakeAt = this.queue.nextAt()
    return wakeAt === undefined ? {} : { wakeAt }
  }

  get isDue(): boolean {
    this.queue.advance(this.host.context.now())
    return this.running < this.definition.workers && this.queue.size > 0
  }

  begin(): void {
    while (this.running < this.definition.workers) {
      const key = this.queue.take()
      if (key === undefined) return
      this.running++
      this.host.work.start(`reconciler ${this.name}`, () => this.reconcile(key), key)
    }
  }

  private async reconcile(key: string): Promise<void> {
    const { definition, host, queue } = this
    const request = requestOf(key)
    try {
      const result = await definition.reconcile(request, host.context)
      if ((result ?? undefined) !== undefined) checkMembers(`the result of ${this.name}`, result, ['requeueAfter'])
      this.retries.forget(key)
      if (result?.requeueAfter !== undefined) this.addAt(key, host.context.now() + host.durationMs(result.requeueAfter))
    } catch (error) {
      const now = host.context.now()
      host.failed({ controller: this.name, request, atMs: now, error })
      definition.onError?.(error, request)
      this.addAt(key, now + this.retries.delayMs(key, now))
    } finally {
      this.running--
      queue.done(key)
    }
  }

  /** The driver gets wake-up times only from steps, so a time that is set between steps goes to the clock. */
  private addAt(key: string, atMs: number): void {
    this.queue.addAt(key, atMs)
    this.host.work.wakeAt(atMs)
  }

  private keysOf({ resource, before, after }: Change): readonly string[] {
    const object = (after ?? before) as KubeObject
    const { definition } = this
    const name = this.given.get(resource) ?? resource
    const keys: string[] = []
    if (name === definition.for) keys.push(keyOf(object.metadata))
    if (definition.owns.includes(name)) {
      const kind = this.host.kindOf(definition.for)
      for (const version of [before, after] as readonly (KubeObject | undefined)[]) {
        const owner = version === undefined ? undefined : controllerOf(version)
        if (owner === undefined || owner.kind !== kind?.kind) continue
        keys.push(keyOf({ name: owner.name, ...(kind.namespaced ? { namespace: object.metadata.namespace } : {}) }))
      }
    }
    const requests = definition.watches[name]?.(object) ?? []
    return [...keys, ...requests.map(keyOf)]
  }
}

function keyOf({ namespace, name }: { readonly namespace?: string | undefined; readonly name: string }): string {
  return namespace === undefined ? name : `${namespace}/${name}`
}

function requestOf(key: string): ReconcileRequest {
  const slash = key.indexOf('/')
  return slash < 0 ? { name: key } : { namespace: key.slice(0, slash), name: key.slice(slash + 1) }
}
