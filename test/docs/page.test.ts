import { describe, expect, test } from 'vitest'
import { missingFrom, readPage } from './page.ts'

const page = [
  '# A page',
  '```yaml file=a.yaml',
  'a: 1',
  '```',
  '```sh',
  'not run',
  '```',
  '```sh run 1',
  'berth diff a b',
  '```',
  '```text output',
  'one   two',
  '…',
  '```',
].join('\n')

describe('reading a page', () => {
  test('finds the files, commands, exit codes and outputs of a page', () => {
    const { files, runs } = readPage(page)
    expect([...files]).toEqual([['a.yaml', 'a: 1\n']])
    expect(runs).toEqual([{ script: 'berth diff a b\n', exitCode: 1, promised: ['one   two'], line: 8 }])
  })

  test.each([
    ['a line with other spaces', 'one two', ['one   two'], []],
    ['a part of a line', 'x one two y', ['one two'], []],
    ['a line with something left out', 'one and a half two', ['one … two'], []],
    ['a line that is not there', 'one', ['two'], ['two']],
    ['parts in the wrong order', 'two one', ['one … two'], ['one … two']],
  ])('compares the output with the page: %s', (_name, output, promised, missing) => {
    expect(missingFrom(output, promised)).toEqual(missing)
  })
})
