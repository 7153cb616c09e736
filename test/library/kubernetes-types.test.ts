import { describe, expect, test } from 'vitest'
import { kubernetesTypes } from './kubernetes-types.ts'

describe('src/library/kubernetes-types.ts', () => {
  test('has the types of every served kind, as the tables of the releases have them', async () => {
    await expect(kubernetesTypes()).toMatchFileSnapshot('../../src/library/kubernetes-types.ts')
  })
})
