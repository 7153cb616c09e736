import { expect, test } from 'vitest'
import { types } from './builtin-schema.ts'

// Fields are read when they are asked for, so that a slip in a table would show itself only to whoever meets the type.
test('every type of the tables can be read, and says what it always writes', () => {
  const always: string[] = []
  let fields = 0
  for (const struct of types.values()) {
    fields += struct.fields.size
    for (const { name } of struct.always) expect(struct.fields.has(name), `${struct.id}.${name}`).toBe(true)
    always.push(...struct.always.map(({ name }) => `${struct.id}.${name}`))
  }
  expect(types.size).toBeGreaterThan(300)
  expect(fields).toBeGreaterThan(1500)
  expect(always).toContain('core.Container.name')
  expect(always).not.toContain('core.Container.image')
})
