// An operator as it runs in production: it knows only the classes of @kubernetes/client-node, and a clock.
import { createHash } from 'node:crypto'
import type {
  CustomObjectsApi,
  Informer,
  KubernetesObject,
  KubernetesObjectApi,
  V1Secret,
} from '@kubernetes/client-node'

export const group = 'example.com'
export const version = 'v1'
export const plural = 'rotations'
export const rotationsPath = `/apis/${group}/${version}/${plural}`
export const secretsPath = '/api/v1/secrets'
export const managedLabel = 'example.com/rotated'

/** Keeps a secret that changes every few hours. */
export interface Rotation extends KubernetesObject {
  spec: { everyHours: number }
  status?: { rotations: number; lastRotatedAt: string }
}

/** The dependencies of the operator. In production: the client, `makeInformer`, `Date.now` and `setTimeout`. */
export interface OperatorHost {
  readonly objects: Pick<KubernetesObjectApi, 'create' | 'read' | 'patch'>
  readonly custom: Pick<CustomObjectsApi, 'patchNamespacedCustomObjectStatus'>
  readonly rotations: Informer<Rotation>
  /** Secrets with the label of the operator. */
  readonly secrets: Informer<V1Secret>
  now(): number
  sleep(ms: number): Promise<void>
}

const hourMs = 3_600_000

/** Writes a Secret for each Rotation, changes it when it is due, and restores it when it was deleted. */
export class RotationOperator {
  private readonly host: OperatorHost
  /** Names in work; `again`: something changed in the meantime. */
  private readonly busy = new Map<string, 'once' | 'again'>()
  private isStopped = false

  constructor(host: OperatorHost) {
    this.host = host
  }

  async start(): Promise<void> {
    const { rotations, secrets } = this.host
    rotations.on('add', (object) => this.enqueue(object))
    rotations.on('update', (object) => this.enqueue(object))
    secrets.on('delete', (object) => this.enqueue(object))
    await rotations.start()
    await secrets.start()
  }

  async stop(): Promise<void> {
    this.isStopped = true
    await this.host.rotations.stop()
    await this.host.secrets.stop()
  }

  private enqueue({ metadata }: KubernetesObject): void {
    void this.work(metadata?.namespace ?? 'default', metadata?.name ?? '')
  }

  private async work(namespace: string, name: string): Promise<void> {
    const key = `${namespace}/${name}`
    if (this.isStopped || this.busy.has(key)) {
      if (this.busy.has(key)) this.busy.set(key, 'again')
      return
    }
    this.busy.set(key, 'once')
    let waitMs: number | undefined
    try {
      waitMs = await this.reconcile(namespace, name)
    } catch {
      waitMs = 1000
    }
    const isAgain = this.busy.get(key) === 'again'
    this.busy.delete(key)
    if (isAgain) return this.work(namespace, name)
    if (waitMs === undefined) return
    await this.host.sleep(waitMs)
    return this.work(namespace, name)
  }

  /** Returns after how long there is something to do again. */
  private async reconcile(namespace: string, name: string): Promise<number | undefined> {
    const { objects, custom } = this.host
    const header = { apiVersion: `${group}/${version}`, kind: 'Rotation', metadata: { name, namespace } }
    const rotation = await found(objects.read<Rotation>(header))
    if (rotation === undefined) return undefined
    const everyMs = rotation.spec.everyHours * hourMs
    const { rotations = 0, lastRotatedAt } = rotation.status ?? {}
    const dueAt = lastRotatedAt === undefined ? 0 : Date.parse(lastRotatedAt) + everyMs
    const now = this.host.now()
    const isDue = now >= dueAt
    const count = isDue ? rotations + 1 : rotations
    const secret = secretOf(rotation, count)
    const existing = await found(objects.read<V1Secret>({ ...secret, metadata: { name, namespace } }))
    if (existing === undefined) await objects.create(secret)
    else if (isDue) await objects.patch(secret)
    if (!isDue) return dueAt - now
    const status = { rotations: count, lastRotatedAt: new Date(now).toISOString() }
    const body = [{ op: 'add', path: '/status', value: status }]
    await custom.patchNamespacedCustomObjectStatus({ group, version, namespace, plural, name, body })
    return everyMs
  }
}

function secretOf({ metadata }: Rotation, count: number): V1Secret {
  const { name = '', namespace = 'default', uid = '' } = metadata ?? {}
  const token = createHash('sha256').update(`${uid}/${count}`).digest('hex')
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name,
      namespace,
      labels: { [managedLabel]: 'true' },
      annotations: { 'example.com/rotation': String(count) },
      ownerReferences: [{ apiVersion: `${group}/${version}`, kind: 'Rotation', name, uid, controller: true }],
    },
    data: { token: Buffer.from(token).toString('base64') },
  }
}

/** Undefined for 404. */
async function found<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer
  } catch (error) {
    if ((error as { readonly code?: number }).code === 404) return undefined
    throw error
  }
}
