import { expect, test } from 'vitest'
import { sourcesUnder } from './project.ts'

const earlier = /(\w+)\.indexOf\([^\n]*?\) (?:<|!==) \w+\) errors/g

// A list of 50,000 elements is a legal body.
test('checks of the registry do not search a list again for each of its elements', () => {
  const searches = sourcesUnder('src/registry')
    .filter(({ isTest }) => !isTest)
    .flatMap(({ path, code }) => [...code.matchAll(earlier)].map(([, name]) => `${path}: ${name}`))
    // At most a few templates are checked.
    .filter((at) => at !== 'src/registry/validation/composite-pod-groups.ts: names')
  expect(searches.map((at) => `${at}: use repeatedAt`)).toEqual([])
})
