import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { kubernetesTypes } from './kubernetes-types.ts'

const files = kubernetesTypes()

describe('src/library/kubernetes-types', () => {
  test.each([...files])(
    '%s has the types of its API group, as the tables of the releases have them',
    async (name, text) => {
      await expect(text).toMatchFileSnapshot(`../../src/library/kubernetes-types/${name}`)
    },
  )

  test('has a file for each API group, and no others', () => {
    const folder = join(import.meta.dirname, '../../src/library/kubernetes-types')
    expect(readdirSync(folder).sort()).toEqual([...files.keys()].sort())
  })
})
