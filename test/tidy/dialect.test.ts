import { describe, expect, it } from 'vitest'
import { sourcesUnder } from './project.ts'

const files = [...sourcesUnder('src'), ...sourcesUnder('web')]

describe('the dialect', () => {
  it('writes constants in camelCase', () => {
    const capitals = files.flatMap(({ path, code }) =>
      [...code.matchAll(/\bconst ([A-Z][A-Z0-9_]+)\b/g)].map((match) => `${path}: ${match[1]}`),
    )
    expect(capitals).toEqual([])
  })

  it('writes private members with `private`, not with `#`', () => {
    const hashed = files.filter(({ code }) => /\bthis\.#\w/.test(code)).map(({ path }) => path)
    expect(hashed).toEqual([])
  })
})
