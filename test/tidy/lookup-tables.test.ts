import { expect, test } from 'vitest'
import { sourcesUnder } from './project.ts'

const table = /^(?:export )?const (\w+): (?:Readonly<)?Record<string,[^=]*?> = \{/gm

test('tables that are read by name are created with lookupTable, or are Maps', () => {
  const plain = [...sourcesUnder('src'), ...sourcesUnder('web')]
    .filter(({ isTest, path }) => !isTest && !path.endsWith('.fixture.ts'))
    .flatMap(({ path, code }) => [...code.matchAll(table)].map(([, name]) => `${path}: ${name}`))
  expect(
    plain.map((at) => `${at} is a plain object, which seems to have "constructor" and other names: use lookupTable`),
  ).toEqual([])
})

test('the operator `in` is used only with names that are constant in the code', () => {
  // Loops, mapped types, `#field in object` and `'name' in object` name what they look for.
  const asked = sourcesUnder('src')
    .filter(({ isTest, path }) => !isTest && !path.endsWith('.fixture.ts'))
    .flatMap(({ path, code }) =>
      code.split('\n').flatMap((line, index) => {
        const isNamed = /\bfor \((const|let) \w+ in |\[\w+ in /.test(line)
        const asks = /(?<!['"`#\w.])[a-zA-Z_][\w.]* in [a-zA-Z_]/.test(line)
        return !isNamed && asks ? [`${path}:${index + 1}: ${line.trim()}: use Object.hasOwn`] : []
      }),
    )
  expect(asked).toEqual([])
})
