import { describe, expect, test } from 'vitest'
import { CommandError, type Files } from './command.ts'
import { describeSource, parseObjects, readObjects } from './yaml.ts'

const pod = (name: string) => `apiVersion: v1\nkind: Pod\nmetadata:\n  name: ${name}\n`

function mistake(action: () => unknown): string {
  try {
    action()
  } catch (error) {
    if (error instanceof CommandError) return `${error.message} [${error.exitCode}]`
    throw error
  }
  throw new Error('nothing was thrown')
}

const spec = (plain: string) => parseObjects(`apiVersion: v1\nkind: X\nvalue: ${plain}\n`, 'x.yaml')[0]!.object['value']

describe('plain scalars', () => {
  test.each([
    ['yes', true],
    ['On', true],
    ['n', false],
    ['"yes"', 'yes'],
    ['yEs', 'yEs'],
    ['0644', 420],
    ['0o17', 15],
    ['0x1F', 31],
    ['-0b11', -3],
    ['1_000', 1000],
    ['_1', '_1'],
    ['12:30', '12:30'],
    ['089', 89],
    ['1.5', 1.5],
    ['1e3', 1000],
    ['2026-01-02', '2026-01-02'],
    ['2026-01-02T03:04:05Z', '2026-01-02T03:04:05Z'],
    ['~', null],
    ['500m', '500m'],
  ])('reads the plain scalar %s as kubectl does', (plain, expected) => {
    expect(spec(plain)).toBe(expected)
  })

  test('applies YAML merge keys', () => {
    const text = 'apiVersion: v1\nkind: X\nbase: &base {a: 1, b: 2}\nuse:\n  <<: *base\n  b: 3\n'
    expect(parseObjects(text, 'x.yaml')[0]!.object['use']).toEqual({ a: 1, b: 3 })
  })

  test('reads __proto__ as an ordinary field', () => {
    const object = parseObjects('apiVersion: v1\nkind: X\n__proto__:\n  polluted: true\n', 'x.yaml')[0]!.object
    expect(Object.keys(object)).toContain('__proto__')
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined()
    expect(object['polluted']).toBeUndefined()
  })
})

describe('documents', () => {
  const places = (text: string, file = 'x.yaml') => parseObjects(text, file).map(({ source }) => describeSource(source))

  test('counts documents without empty ones, with their first line', () => {
    const text = `# a comment\n---\n${pod('a')}---\n# nothing here\n---\n\n${pod('b')}---\n`
    expect(places(text)).toEqual(['x.yaml:3: document 1', 'x.yaml:11: document 2'])
  })

  test('reads one or several JSON documents in a row', () => {
    const json = (name: string) => JSON.stringify({ apiVersion: 'v1', kind: 'Pod', metadata: { name } }, undefined, 1)
    expect(places(json('a'), 'x.json')).toEqual(['x.json:1: document 1'])
    expect(places(`${json('a')}\n${json('b')}\n`, 'x.json')).toEqual(['x.json:1: document 1', 'x.json:8: document 2'])
    expect(parseObjects(`${json('a')}${json('b')}`, '-').map(({ object }) => object['metadata'])).toEqual([
      { name: 'a' },
      { name: 'b' },
    ])
  })

  test('reads flow mappings that look like JSON', () => {
    expect(parseObjects('{apiVersion: v1, kind: Pod}', 'x.yaml')[0]!.object).toEqual({ apiVersion: 'v1', kind: 'Pod' })
  })

  test('accepts a byte order mark and Windows line ends', () => {
    expect(parseObjects(`\ufeff${pod('a').replaceAll('\n', '\r\n')}`, 'x.yaml')[0]!.object['metadata']).toEqual({
      name: 'a',
    })
    expect(places(`${pod('a')}---\n${pod('b')}`.replaceAll('\n', '\r\n'))).toHaveLength(2)
  })

  test('returns no objects for documents without content', () => {
    expect(parseObjects('', 'x.yaml')).toEqual([])
    expect(parseObjects('# nothing\n---\n---\n', 'x.yaml')).toEqual([])
  })
})

describe('lists', () => {
  test('flattens lists and nested lists', () => {
    const list = {
      apiVersion: 'v1',
      kind: 'List',
      items: [
        { apiVersion: 'v1', kind: 'Pod' },
        { apiVersion: 'v1', kind: 'List', items: [{ apiVersion: 'v1', kind: 'Node' }] },
      ],
    }
    const objects = parseObjects(JSON.stringify(list), 'dump.json')
    expect(objects.map(({ object }) => object.kind)).toEqual(['Pod', 'Node'])
    expect(describeSource(objects[0]!.source)).toBe('dump.json:1: document 1, item 0')
  })

  test('sets the kind of items of a typed list', () => {
    const list = { apiVersion: 'apps/v1', kind: 'DeploymentList', items: [{ metadata: { name: 'a' } }] }
    expect(parseObjects(JSON.stringify(list), 'dump.json')[0]!.object).toEqual({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'a' },
    })
  })
})

describe('errors with file, line and document', () => {
  test.each([
    [
      'bad indentation in the second document',
      `${pod('a')}---\napiVersion: v1\nkind: Pod\n bad: 1\n`,
      'x.yaml',
      /^x\.yaml:8: document 2 is not valid YAML: .+ \[2\]$/,
    ],
    [
      'a key given twice',
      `${pod('a')}kind: Pod\n`,
      'x.yaml',
      /^x\.yaml:5: document 1 is not valid YAML: duplicated .+ \[2\]$/,
    ],
    [
      'truncated JSON',
      '{"apiVersion": "v1",\n "kind": "Po',
      'x.json',
      /^x\.json:2: document 1 is not valid JSON: .+ \[2\]$/,
    ],
    [
      'a missing comma',
      '{"apiVersion": "v1"\n "kind": "Pod"}',
      'x.json',
      /^x\.json:2: document 1 is not valid JSON: .+ \[2\]$/,
    ],
    [
      'no kind',
      'apiVersion: v1\n',
      'x.yaml',
      'x.yaml:1: document 1: kind is missing; a Kubernetes object has apiVersion and kind [2]',
    ],
    ['a list', '- a\n', 'x.yaml', 'x.yaml:1: document 1 is a list, not a Kubernetes object [2]'],
    ['prose', 'hello world\n', 'x.yaml', 'x.yaml:1: document 1 is a string, not a Kubernetes object [2]'],
    [
      'an item that is not an object',
      '{"apiVersion":"v1","kind":"List","items":[3]}',
      'x.json',
      'x.json:1: document 1, item 0 is a number, not a Kubernetes object [2]',
    ],
  ])('reports %s with file, line and document', (_name, text, file, expected) => {
    const message = mistake(() => parseObjects(text, file))
    expect(message).not.toContain('\n')
    if (typeof expected === 'string') expect(message).toBe(expected)
    else expect(message).toMatch(expected)
  })
})

describe('paths', () => {
  const tree: Readonly<Record<string, string>> = {
    'one.yaml': pod('one'),
    'all/b.yaml': pod('b'),
    'all/a.json': JSON.stringify({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' } }),
    'all/notes.txt': 'not a manifest',
    'all/deep/c.yml': pod('c'),
    'docs/readme.txt': 'none',
  }
  const files: Files = {
    kindOf: async (path) =>
      path in tree ? 'file' : Object.keys(tree).some((name) => name.startsWith(`${path}/`)) ? 'folder' : 'absent',
    list: async (path) => {
      const inside = Object.keys(tree).filter((name) => name.startsWith(`${path}/`))
      return [...new Set(inside.map((name) => name.slice(path.length + 1).split('/')[0]!))].sort()
    },
    readText: async (path) => tree[path]!,
    writeText: async () => {},
  }
  const ports = { files, readStdin: async () => pod('stdin') }
  const names = async (paths: readonly string[], recursive: boolean) =>
    (await readObjects(paths, ports, { recursive })).map(({ object }) => (object['metadata'] as { name: string }).name)

  test('reads files, folders in name order, and - for standard input', async () => {
    expect(await names(['one.yaml', 'all', '-'], false)).toEqual(['one', 'a', 'b', 'stdin'])
    expect(await names(['all'], true)).toEqual(['a', 'b', 'c'])
  })

  test.each([
    ['nowhere.yaml', 'nowhere.yaml: no such file or directory'],
    ['docs', 'docs: no .yaml, .yml or .json file in this directory'],
  ])('rejects the path %s', async (path, message) => {
    await expect(readObjects([path], ports)).rejects.toThrow(message)
  })
})

describe('a manifest with excessive aliases or invalid numbers', () => {
  test.each([
    ['a: .inf', 'json: unsupported value: +Inf'],
    ['a: &a [*a]', "anchor 'a' value contains itself"],
    [`a: &a ${'x'.repeat(1_000_000)}\nb: [${'*a,'.repeat(100)}]`, 'document contains excessive aliasing'],
  ])('rejects a manifest with excessive aliases or invalid numbers', (text, why) => {
    expect(() => parseObjects(text, 'web.yaml')).toThrow(`web.yaml:1: document 1 is not valid YAML: ${why}`)
  })

  test.each(['{"apiVersion":"v1","kind":"A","a":9007199254740993}', 'apiVersion: v1\nkind: A\na: 9007199254740993'])(
    'keeps the digits of integers beyond 2^53',
    (text) => expect(parseObjects(text, 'web.yaml')[0]?.object['a']).toBe(9007199254740993n),
  )
})
