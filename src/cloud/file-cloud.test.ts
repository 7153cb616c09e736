import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { createFileCloud } from './file-cloud.ts'

const folder = mkdtempSync(join(tmpdir(), 'berth-cloud-'))
afterAll(() => rmSync(folder, { recursive: true }))

function fileWith(name: string, value: unknown): string {
  const path = join(folder, name)
  writeFileSync(path, typeof value === 'string' ? value : JSON.stringify(value))
  return path
}

it('reads the aliases of instances from a file, and writes added aliases to it', async () => {
  const path = fileWith('a.json', { instances: { 'gce://p/z/a': { aliasRanges: ['10.9.0.0/24'] }, 'gce://p/z/b': {} } })
  const cloud = createFileCloud(path)
  expect(await cloud.aliasRanges('gce://p/z/a')).toEqual({ ok: true, value: ['10.9.0.0/24'] })
  expect(await cloud.aliasRanges('gce://p/z/b')).toEqual({ ok: true, value: [] })
  expect(await cloud.addAlias('gce://p/z/b', '10.9.1.0/24')).toEqual({ ok: true, value: undefined })
  expect(JSON.parse(readFileSync(path, 'utf8')).instances['gce://p/z/b']).toEqual({ aliasRanges: ['10.9.1.0/24'] })
})

it('a cloud in a file assigns one free range to each instance, for any number of concurrent requests', async () => {
  const names = ['a', 'b', 'c', 'd']
  const instances = Object.fromEntries(names.map((name) => [name, {}]))
  const taken = { x: { aliasRanges: ['10.9.1.0/25'] } }
  const path = fileWith('b.json', {
    instances: { ...instances, ...taken },
    assign: { range: '10.9.0.0/22', maskSize: 24 },
  })
  const cloud = createFileCloud(path)
  const answers = await Promise.all(names.map((name) => cloud.aliasRanges(name)))
  expect(answers.map((answer) => (answer.ok ? answer.value[0] : answer.trouble))).toEqual([
    '10.9.0.0/24',
    '10.9.2.0/24',
    '10.9.3.0/24',
    'exhausted',
  ])
})

it.each([
  ['nothing.json', undefined, 'unavailable'],
  ['bad.json', '{', 'unavailable'],
  ['odd.json', '{}', 'unavailable'],
  ['other.json', { instances: {} }, 'not-found'],
])('a cloud in a file reports a failure for %s', async (name, content, trouble) => {
  const path = content === undefined ? join(folder, name) : fileWith(name, content)
  const cloud = createFileCloud(path)
  expect(await cloud.aliasRanges('a')).toMatchObject({ ok: false, trouble })
  expect(await cloud.addAlias('a', '10.0.0.0/24')).toMatchObject({ ok: false, trouble })
})
