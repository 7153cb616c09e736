import { setFlagsFromString } from 'node:v8'
import { Script } from 'node:vm'
import { expect, it } from 'vitest'
import type { KubeObject } from '../../src/api/objects/meta.ts'
import { createStore } from '../../src/store/memory-store.ts'
import { serving } from './serving.ts'

setFlagsFromString('--allow-natives-syntax')
const haveSameClass = new Script('(a, b) => %HaveSameMap(a, b)').runInThisContext() as (a: object, b: object) => boolean

const pods = '/api/v1/namespaces/default/pods'
const headers = { 'content-type': 'application/json', 'user-agent': 'kubectl/v1.36' }
const patched = { ...headers, 'content-type': 'application/merge-patch+json' }

const pod = (name: string, image: string) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'default', labels: { app: 'web' } },
  spec: { containers: [{ name: 'c', image }] },
})

// V8 reads objects of one hidden class quickly. A class for each object costs more than the object itself.
it('pods that were created or patched in the same way have one hidden class', async () => {
  const store = createStore()
  const { ask } = serving({ store, registryOptions: { managedFields: 'named' } })
  const stored = (name: string) => store.get('pods', `default/${name}`) as KubeObject
  // Classes differ only when V8 has seen the same code many times.
  const names = Array.from({ length: 200 }, (_, number) => `pod-${number}`)
  const all = () => names.slice(100).map(stored)
  const expectOneClass = (objects: readonly object[]) => {
    for (const one of objects) expect(haveSameClass(one, objects[0] as object)).toBe(true)
  }
  const expectAlike = () => {
    expectOneClass(all())
    expectOneClass(all().map(({ metadata }) => metadata))
    expectOneClass(all().map(({ metadata }) => metadata.labels as object))
    expectOneClass(all().flatMap(({ metadata }) => metadata.managedFields ?? []))
    expectOneClass(all().map((one) => (one as unknown as { readonly spec: object }).spec))
    expectOneClass(all().map((one) => (one as unknown as { readonly status: object }).status))
  }
  for (const name of names) {
    expect((await ask('POST', pods, pod(name, `image:${name}`), headers)).code).toBe(201)
  }
  expectAlike()
  for (const name of names) {
    const patch = { metadata: { labels: { tier: name } } }
    expect((await ask('PATCH', `${pods}/${name}`, patch, patched)).code).toBe(200)
  }
  expectAlike()
})
