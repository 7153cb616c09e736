import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { gunzipSync, gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { createRandom } from '../../src/base/random.ts'
import { RegularExpression } from '../../src/base/regexp/regular-expression.ts'
import { PatternError } from '../../src/base/regexp/syntax.ts'
import { randomPattern, randomText } from './random-pattern.ts'

interface Vector {
  readonly pattern: string
  readonly text: string
  readonly error?: string
  readonly groups?: readonly number[]
  readonly all?: readonly string[]
}

const vectorFile = fileURLToPath(new URL('vectors.jsonl.gz', import.meta.url))
const reference = fileURLToPath(new URL('reference', import.meta.url))
// BERTH_GO_CASES=20000 compares with the Go toolchain; BERTH_GO_RECORD=1 writes the recorded vectors as well.
const cases = Number(process.env['BERTH_GO_CASES'] ?? 0)
const seed = process.env['BERTH_SEED'] ?? 'go-regexp'
const reason =
  cases === 0
    ? 'BERTH_GO_CASES is not set'
    : spawnSync('go', ['version']).status === 0
      ? undefined
      : 'Go is not installed'

function answerOf({ pattern, text }: Vector): Vector {
  try {
    const expression = new RegularExpression(pattern)
    const groups = expression.findIndexes(text)
    const all = expression.findAll(text)
    // The automaton is another implementation of the same question.
    expect(expression.test(text), `${pattern} on ${text}`).toBe(groups !== undefined)
    return { pattern, text, ...(groups === undefined ? {} : { groups }), ...(all.length === 0 ? {} : { all }) }
  } catch (error) {
    if (!(error instanceof PatternError)) throw error
    return { pattern, text, error: error.message }
  }
}

function differences(vectors: readonly Vector[]): readonly unknown[] {
  return vectors.flatMap((expected) => {
    const received = answerOf(expected)
    return JSON.stringify(sorted(received)) === JSON.stringify(sorted(expected)) ? [] : [{ expected, received }]
  })
}

const sorted = ({ pattern, text, error, groups, all }: Vector) => ({ pattern, text, error, groups, all })

function askGo(given: readonly Pick<Vector, 'pattern' | 'text'>[]): readonly Vector[] {
  const input = given.map((one) => `${JSON.stringify(one)}\n`).join('')
  const { status, stdout, stderr } = spawnSync('go', ['run', '.'], {
    cwd: reference,
    input,
    encoding: 'utf8',
    maxBuffer: 1 << 30,
    env: { ...process.env, GOFLAGS: '-mod=mod' },
  })
  if (status !== 0) throw new Error(stderr)
  return readLines(stdout)
}

const readLines = (text: string): readonly Vector[] =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Vector)

describe("regular expressions of Go's regexp package", () => {
  it('rejects, matches and captures as recorded from Go', () => {
    const vectors = readLines(gunzipSync(readFileSync(vectorFile)).toString())
    expect(vectors.length).toBeGreaterThan(1_000)
    expect(differences(vectors)).toEqual([])
  })

  it.skipIf(reason !== undefined)(`agrees with Go on ${cases} random cases (skipped: ${reason ?? 'no'})`, () => {
    const random = createRandom(seed).stream('patterns')
    const given = Array.from({ length: cases }, () => ({ pattern: randomPattern(random), text: randomText(random) }))
    const vectors = askGo(given)
    if (process.env['BERTH_GO_RECORD'] === '1') {
      const lines = vectors.slice(0, 3_000).map((vector) => `${JSON.stringify(vector)}\n`)
      writeFileSync(vectorFile, gzipSync(lines.join(''), { level: 9 }))
    }
    expect(differences(vectors).slice(0, 20)).toEqual([])
  })
})
