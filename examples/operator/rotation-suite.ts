// The tests of the operator. They are the same in virtual time, on `berth apiserver` and on kube-apiserver.
import type { KubernetesObject, V1Secret } from '@kubernetes/client-node'
import { afterEach, expect, test } from 'vitest'
import type { Environment } from './environment.ts'
import type { Rotation } from './rotation-operator.ts'

const header = (name: string) => ({
  apiVersion: 'example.com/v1',
  kind: 'Rotation',
  metadata: { name, namespace: 'default' },
})
const rotation = (name: string, everyHours: number): Rotation => ({ ...header(name), spec: { everyHours } })
const secret = (name: string) => ({ apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace: 'default' } })

export function rotationTests(start: () => Promise<Environment>): void {
  let environment: Environment
  const begin = async () => {
    environment = await start()
    return environment
  }
  afterEach(async () => {
    const { objects } = environment
    const remove = (object: KubernetesObject) => objects.delete(object).catch(() => undefined)
    for (const name of ['daily', 'weekly', 'broken']) await remove(header(name))
    await environment.settle()
    for (const name of ['daily', 'weekly', 'broken']) await remove(secret(name))
    await environment.close()
  })

  const tokenOf = async (name: string) =>
    (await environment.objects.read<V1Secret>(secret(name))).data?.['token'] as string
  const statusOf = async (name: string) => (await environment.objects.read<Rotation>(header(name))).status

  test('writes a secret at once, and keeps it until it is due', async () => {
    const { objects, advance, settle } = await begin()
    await objects.create(rotation('daily', 24))
    await settle()
    const token = await tokenOf('daily')
    await advance(23)
    expect(await tokenOf('daily')).toBe(token)
    await advance(2)
    expect(await tokenOf('daily')).not.toBe(token)
    expect(await statusOf('daily')).toMatchObject({ rotations: 2 })
  })

  test('restores a deleted secret with the same content', async () => {
    const { objects, settle } = await begin()
    await objects.create(rotation('daily', 24))
    await settle()
    const token = await tokenOf('daily')
    await objects.delete(secret('daily'))
    await settle()
    expect(await tokenOf('daily')).toBe(token)
    expect(await statusOf('daily')).toMatchObject({ rotations: 1 })
  })

  test('rotates on time for 1,000 hours', { timeout: 240_000 }, async () => {
    const { objects, advance, settle, now } = await begin()
    const startedAt = now()
    await objects.create(rotation('daily', 24))
    await objects.create(rotation('weekly', 168))
    await settle()
    await advance(1000)
    expect(now() - startedAt).toBe(3_600_000_000)
    expect(await statusOf('weekly')).toMatchObject({ rotations: 6 })
    expect(await statusOf('daily')).toMatchObject({
      rotations: 42,
      lastRotatedAt: new Date(startedAt + 41 * 24 * 3_600_000).toISOString(),
    })
  })

  test('follows a changed schedule, and stops when the object is deleted', async () => {
    const { objects, advance, settle } = await begin()
    await objects.create(rotation('daily', 24))
    await settle()
    await advance(5)
    const change = { ...header('daily'), spec: { everyHours: 1 } }
    await objects.patch(change, undefined, undefined, undefined, undefined, 'application/merge-patch+json' as never)
    await settle()
    expect(await statusOf('daily')).toMatchObject({ rotations: 2 })
    await objects.delete(header('daily'))
    await settle()
    await advance(48)
    await expect(objects.read(header('daily'))).rejects.toMatchObject({ code: 404 })
  })

  test('is protected by the schema of its resource', async () => {
    const { objects } = await begin()
    await expect(objects.create(rotation('broken', 0))).rejects.toMatchObject({ code: 422 })
  })
}
