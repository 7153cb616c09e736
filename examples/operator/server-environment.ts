import { setTimeout as delay } from 'node:timers/promises'
import {
  CustomObjectsApi,
  type Informer,
  type KubeConfig,
  type KubernetesListObject,
  type KubernetesObject,
  KubernetesObjectApi,
  makeInformer,
  type ObjectCache,
  type V1Secret,
} from '@kubernetes/client-node'
import { definition, type Environment } from './environment.ts'
import { managedLabel, type Rotation, RotationOperator, rotationsPath, secretsPath } from './rotation-operator.ts'

const startMs = Date.UTC(2026, 0, 1)

/** The operator on an API server, with a clock that the test advances. */
export async function serverEnvironment(config: KubeConfig): Promise<Environment> {
  const objects = KubernetesObjectApi.makeApiClient(config)
  await define(objects)
  const selector = `${managedLabel}=true`
  const list = {
    rotations: () => objects.list<Rotation>('example.com/v1', 'Rotation'),
    secrets: () =>
      objects.list<V1Secret>('v1', 'Secret', undefined, undefined, undefined, undefined, undefined, selector),
  }
  const rotations = makeInformer<Rotation>(config, rotationsPath, list.rotations)
  const secrets = makeInformer<V1Secret>(config, secretsPath, list.secrets, selector)
  const clock = new TestClock()
  const calls = new OpenCalls()
  const operator = new RotationOperator({
    objects: calls.count(objects),
    custom: calls.count(config.makeApiClient(CustomObjectsApi)),
    rotations,
    secrets,
    now: () => clock.now,
    sleep: (ms) => clock.sleep(ms),
  })
  await operator.start()
  const settle = async (): Promise<void> => {
    for (;;) {
      await calls.ended()
      const before = calls.started
      if ((await isCurrent(rotations, list.rotations)) && (await isCurrent(secrets, list.secrets))) {
        await calls.ended()
        if (calls.started === before) return
      } else await delay(5)
    }
  }
  return {
    objects,
    now: () => clock.now,
    settle,
    advance: async (hours) => {
      await settle()
      const end = clock.now + hours * 3_600_000
      while (clock.wakeNext(end)) await settle()
    },
    close: () => operator.stop(),
  }
}

/** Creates the definition, and waits until the server serves it. */
async function define(objects: KubernetesObjectApi): Promise<void> {
  await objects.create(definition as KubernetesObject).catch((error: { readonly code?: number }) => {
    if (error.code !== 409) throw error
  })
  for (let attempt = 0; ; attempt++) {
    const items = await objects.list('example.com/v1', 'Rotation').then(
      () => true,
      () => false,
    )
    if (items) return
    if (attempt > 200) throw new Error('rotations.example.com is not served')
    await delay(50)
  }
}

/** Whether the informer has the current state of the server. */
async function isCurrent<T extends KubernetesObject>(
  informer: Informer<T> & ObjectCache<T>,
  list: () => Promise<KubernetesListObject<T>>,
): Promise<boolean> {
  const versions = (items: readonly T[]) =>
    items.map(({ metadata }) => `${metadata?.uid} ${metadata?.resourceVersion}`).sort()
  const there = versions((await list()).items)
  const seen = versions(informer.list())
  return there.length === seen.length && there.every((version, at) => version === seen[at])
}

/** A clock that only the test advances. */
class TestClock {
  now = startMs
  private sleepers: { readonly atMs: number; readonly wake: () => void }[] = []

  sleep(ms: number): Promise<void> {
    return new Promise((wake) => {
      this.sleepers.push({ atMs: this.now + ms, wake })
    })
  }

  /** Advances to the next sleeper, or to the end. Returns whether a sleeper woke up. */
  wakeNext(endMs: number): boolean {
    const nextMs = Math.min(...this.sleepers.map(({ atMs }) => atMs))
    this.now = Math.max(this.now, Math.min(nextMs, endMs))
    const due = this.sleepers.filter(({ atMs }) => atMs <= this.now)
    this.sleepers = this.sleepers.filter(({ atMs }) => atMs > this.now)
    for (const { wake } of due) wake()
    return due.length > 0
  }
}

/** The calls of the operator that have no answer yet. */
class OpenCalls {
  started = 0
  private open = 0

  /** The same client, with its calls counted. */
  count<T extends object>(client: T): T {
    return new Proxy(client, {
      get: (target, name) => {
        const member = Reflect.get(target, name) as unknown
        if (typeof member !== 'function') return member
        return (...args: readonly unknown[]) => {
          this.started++
          this.open++
          const answer = member.apply(target, args) as Promise<unknown>
          return answer.finally(() => this.open--)
        }
      },
    })
  }

  /** Resolves when the operator has continued after its last answer without another call. */
  async ended(): Promise<void> {
    do await delay(1)
    while (this.open > 0)
  }
}
