import { describe, expect, test } from 'vitest'
import { filesUnder, read } from './project.ts'
import { idioms, quotations } from './wording.ts'

const checked = [
  ...['src', 'web', 'test', 'bench', 'examples', 'scripts'].flatMap((folder) =>
    filesUnder(folder, /\.(tsx?|mjs|md|html|css)$/),
  ),
  ...filesUnder('docs', /\.md$/),
  ...['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'SECURITY.md'].flatMap((name) =>
    filesUnder('.', new RegExp(`^${name}$`)),
  ),
].filter((path) => !path.startsWith('test/tidy/wording'))

function idiomsIn(path: string, text: string): readonly string[] {
  const quoted = quotations.filter((quotation) => quotation.path === path)
  return text.split('\n').flatMap((line, at) => {
    const own = quoted.reduce((rest, quotation) => rest.replaceAll(quotation.text, ''), line)
    return idioms.flatMap(({ pattern, instead }) => {
      const match = pattern.exec(own)
      return match === null ? [] : [`${path}:${at + 1} says "${match[0]}"; write ${instead}`]
    })
  })
}

describe('wording', () => {
  test('avoids idioms that a reader of Kubernetes documentation does not expect', () => {
    expect(checked.flatMap((path) => idiomsIn(path, read(path)))).toEqual([])
  })

  test.each([
    ['the list is made anew'],
    ['nobody reads it'],
    ['whoever waits is told'],
    ['also tries so many seeds'],
    ['no node will do.'],
    ['mends one fault'],
    ['this is no pod'],
    ['a file of its own'],
    ['what lots are drawn with: lots are drawn'],
    ['collected, its node being gone'],
    ['the drain is retried without end'],
    ['nodes on their way out'],
    ['pods that find no place'],
    ['deleted in spite of their budgets'],
    ['upstream behaviour'],
    ['refuses it in the words of upstream'],
    ['a token that is none'],
    ['nodes come and go'],
    ['however many there are'],
  ])('finds the idiom in "%s"', (line) => {
    expect(idiomsIn('src/example.ts', line)).toHaveLength(1)
  })

  test.each([
    ['what the cluster will do to the pod'],
    ['the pod is no longer pending'],
    ['its own folder'],
    ['retries at most 5 times'],
    ['upstream behavior'],
    ['the parser is not a validator'],
    ['a service without endpoints'],
    ['the pod fits on no node'],
    ['for good reason'],
  ])('accepts "%s"', (line) => {
    expect(idiomsIn('src/example.ts', line)).toEqual([])
  })

  test('has no quotation that is not in its file', () => {
    expect(quotations.filter(({ path, text }) => !read(path).includes(text))).toEqual([])
  })
})
