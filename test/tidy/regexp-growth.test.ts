import { join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { root, sourcesUnder } from './project.ts'
import { isAmbiguous } from './regexp-ambiguity.ts'

/** Literals after something that no division can follow. */
const literal =
  /(?<=[=(,:!&|?>[{}]\s*|^\s*|return )\/(?![/*])((?:[^/\\\n[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+)\/([dgimsuy]*)(?=[\s.,;)\]}])/gm

const modules = [
  'api',
  'apiserver',
  'base',
  'cel',
  'registry',
  'store',
  'runtime',
  'scheduler',
  'controllers',
  'controlplane',
]

const files = modules
  .flatMap((name) => sourcesUnder(`src/${name}`))
  .filter(({ isTest, path }) => !isTest && !/contract-suite/.test(path))

const literals = files.flatMap(({ path, text }) =>
  text
    .split('\n')
    .filter((line) => !/^\s*(\*|\/\/|\/\*)/.test(line))
    .flatMap((line) => [...line.matchAll(literal)])
    .map(([, source = '', flags = '']) => ({ path, source, flags })),
)

interface Expression {
  readonly path: string
  readonly source: string
  readonly flags: string
}

/** Regular expressions that are built at run time, each with its reason. */
const madeLater: Readonly<Record<string, string>> = {
  'src/apiserver/impersonation.ts': 'one loop, anchored',
  'src/base/regexp/named-class.ts': 'one loop over one class, on a table of this project',
}

const composing = files.filter(({ code, path }) => code.includes('new RegExp(') && !Object.hasOwn(madeLater, path))

/** The expressions that modules build with `new RegExp` when they are loaded. */
async function composed(): Promise<readonly Expression[]> {
  const made: Expression[] = []
  let path = ''
  vi.stubGlobal(
    'RegExp',
    new Proxy(RegExp, {
      construct(target, words: [string | RegExp, string?]) {
        const expression = new target(...words)
        made.push({ path, source: expression.source, flags: expression.flags })
        return expression
      },
    }),
  )
  vi.resetModules()
  for (const file of composing) {
    path = file.path
    await import(join(root, path))
  }
  vi.unstubAllGlobals()
  return made
}

/** Expressions that are applied to short texts, or to texts of our own, each with its reason. */
const bounded: Readonly<Record<string, string>> = {
  'src/api/field-selector.ts: ^(.*?)(!=|==|=)(.*)$': 'nothing after the operator can fail',
  'src/api/field-selector.ts: (?:\\\\.|[^\\\\,]|\\\\$)+': 'a match ends only where the next one begins',
  'src/api/go-duration.ts: 0+$': 'nine digits',
  'src/cel/library/conversions.ts: 0+$': 'nine digits',
  'src/cel/library/exact-digits.ts: 0*$': 'the digits of a double',
  'src/cel/library/format.ts: \\B(?=(\\d{3})+$)': 'the digits of a double before its point',
  'src/cel/library/kubernetes.ts: ^0+(?=\\d)': 'one loop, anchored',
  'src/scheduler/extenders/extender.ts: \\/+$': 'a URL of the scheduler configuration',
  'src/controllers/hollow-kubelet/field-path.ts: \\[([^\\]]*)\\]':
    'a path of a stage file, of a shape that is checked before',
}

describe('regular expressions of JavaScript', () => {
  test('finds the regular expressions of JavaScript in the code', async () => {
    expect(literals.length).toBeGreaterThan(80)
    expect((await composed()).length).toBeGreaterThanOrEqual(composing.length)
  })

  test('regular expressions of JavaScript read no text by two loops at once, so that they take linear time', {
    timeout: 60_000,
  }, async () => {
    const ambiguous = [...literals, ...(await composed())].filter(({ source, flags }) => {
      try {
        return isAmbiguous({ source, flags })
      } catch (error) {
        // Lookaround and backreferences, which RE2 does not have.
        if ((error as Error).name === 'PatternError') return /[*+]/.test(source)
        throw error
      }
    })
    const reasonless = ambiguous.filter(({ path, source }) => !Object.hasOwn(bounded, `${path}: ${source}`))
    expect(reasonless.map(({ path, source, flags }) => `${path}: /${source}/${flags}`)).toEqual([])
  })

  test.each([
    [/^(a+)+$/, true],
    [/a+$/, true],
    [/^a*a*b/, true],
    [/^a*b*c/, false],
    [/[A-Z]+/g, false],
    [/^[a-z]([-a-z]*[a-z])?$/, false],
    [/^(?:a|b)*c/, false],
  ])('%s is ambiguous: %s', (expression, expected) => {
    expect(isAmbiguous(expression)).toBe(expected)
  })
})
