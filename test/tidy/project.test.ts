import { describe, expect, test } from 'vitest'
import { parseSource } from './project.ts'

describe('reading a source file', () => {
  const imports = (text: string) =>
    parseSource('src/a/b.ts', text).imports.map((found) => [found.specifier, found.typeOnly])

  test.each([
    ['a value import', "import { a } from './x.ts'", [['./x.ts', false]]],
    ['a type import', "import type { A } from './x.ts'", [['./x.ts', true]]],
    ['a list of types', "import { type A, type B } from './x.ts'", [['./x.ts', true]]],
    ['a mixed list', "import { type A, b } from './x.ts'", [['./x.ts', false]]],
    ['a list over several lines', "import {\n  a,\n  b,\n} from './x.ts'", [['./x.ts', false]]],
    ['a bare import', "import './x.ts'", [['./x.ts', false]]],
    ['a lazy import', "const x = () => import('./x.ts')", [['./x.ts', false]]],
    [
      'a re-export',
      "export { a } from './x.ts'\nexport type { B } from './y.ts'",
      [
        ['./x.ts', false],
        ['./y.ts', true],
      ],
    ],
    ['an import in a comment', "// import { a } from './x.ts'\n/* import './y.ts' */", []],
    ['an import in a string', 'const s = "import \'./x.ts\'"', []],
    ['an import in a template', "const s = `import './x.ts' ${a ? `import './y.ts'` : '}'} import './z.ts'`", []],
  ])('%s', (_name, text, expected) => {
    expect(imports(text)).toEqual(expected)
  })

  test.each([
    ['comments', 'a() // Date.now()', 'a()'],
    ['strings', "a('Date.now()')", "a('          ')"],
    ['templates, but not what they embed', 'a(`x ${Date.now()} y`)', 'a(`  ${Date.now()}  `)'],
    ['regular expressions, also with a slash in a class', "a(/['/]Date/, b)", 'a(/        /, b)'],
    ['no division', 'a = b / Date.now() / c', 'a = b / Date.now() / c'],
  ])('it blanks %s', (_name, text, expected) => {
    expect(parseSource('src/a/b.ts', text).code.trimEnd()).toBe(expected)
  })
})
