import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { makeFolder } from './folder.ts'

const root = mkdtempSync(join(tmpdir(), 'berth-folder-'))
afterAll(() => rmSync(root, { recursive: true }))

it('makes a folder with those above it, and leaves one that is there', () => {
  makeFolder(join(root, 'a/b/c'))
  makeFolder(join(root, 'a/b/c'))
  expect(existsSync(join(root, 'a/b/c'))).toBe(true)
})

it('says where it cannot', () => {
  writeFileSync(join(root, 'file'), '')
  expect(() => makeFolder(join(root, 'file/below'))).toThrow(/ENOTDIR/)
  expect(() => makeFolder(join(root, 'file'))).toThrow(/EEXIST/)
})

it.skipIf(!existsSync('/proc/self'))('ends where nothing can be made', () => {
  expect(() => makeFolder('/proc/nothing/below')).toThrow(/\/proc\/nothing/)
})
