import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { makeFolder, narrowDataDirectory } from './folder.ts'
import { openStore } from './open-store.ts'

const root = mkdtempSync(join(tmpdir(), 'berth-folder-'))
afterAll(() => rmSync(root, { recursive: true }))

it('creates a directory with its parents, and does not change an existing one', () => {
  makeFolder(join(root, 'a/b/c'))
  makeFolder(join(root, 'a/b/c'))
  expect(existsSync(join(root, 'a/b/c'))).toBe(true)
})

it('reports the path of a data directory that cannot be created', () => {
  writeFileSync(join(root, 'file'), '')
  expect(() => makeFolder(join(root, 'file/below'))).toThrow(/ENOTDIR/)
  expect(() => makeFolder(join(root, 'file'))).toThrow(/EEXIST/)
})

it.skipIf(!existsSync('/proc/self'))('fails below a path where no directory can be created', () => {
  expect(() => makeFolder('/proc/nothing/below')).toThrow(/\/proc\/nothing/)
})

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8)

it('creates directories that only their owner can access', () => {
  makeFolder(join(root, 'mine/below'))
  expect([modeOf(join(root, 'mine')), modeOf(join(root, 'mine/below'))]).toEqual(['700', '700'])
})

it('keeps the journal and its lock files readable by their owner only', async () => {
  const dir = join(root, 'data')
  const store = await openStore({ dir })
  expect(modeOf(dir)).toBe('700')
  expect(readdirSync(dir).map((name) => `${name} ${modeOf(join(dir, name))}`)).toEqual([
    'journal.lock 600',
    'journal.mdb 600',
    'journal.mdb-lock 600',
    'lock 600',
  ])
  await store.close()
})

it('restricts a data directory that an earlier release made accessible to other users, and reports it', () => {
  const dir = join(root, 'wide')
  mkdirSync(dir)
  for (const name of ['journal.mdb', 'credentials.json', 'kubeconfig']) writeFileSync(join(dir, name), '')
  for (const name of ['journal.mdb', 'kubeconfig']) chmodSync(join(dir, name), 0o644)
  chmodSync(join(dir, 'credentials.json'), 0o600)
  chmodSync(dir, 0o755)
  expect(narrowDataDirectory(dir)).toEqual([
    `${dir} was accessible to other users (mode 0755); changed to 0700`,
    `${join(dir, 'journal.mdb')} was accessible to other users (mode 0644); changed to 0600`,
    `${join(dir, 'kubeconfig')} was accessible to other users (mode 0644); changed to 0600`,
  ])
  expect([dir, join(dir, 'journal.mdb'), join(dir, 'kubeconfig')].map(modeOf)).toEqual(['700', '600', '600'])
  expect(narrowDataDirectory(dir)).toEqual([])
})

it('does not change other files in a data directory, nor the permissions of a directory that contains them', () => {
  const dir = join(root, 'shared')
  mkdirSync(dir)
  for (const name of ['journal.mdb', 'notes.txt']) {
    writeFileSync(join(dir, name), '')
    chmodSync(join(dir, name), 0o644)
  }
  chmodSync(dir, 0o755)
  expect(narrowDataDirectory(dir)).toEqual([
    `${dir} is accessible to other users and holds files that berth did not write; its mode is left unchanged`,
    `${join(dir, 'journal.mdb')} was accessible to other users (mode 0644); changed to 0600`,
  ])
  expect([dir, join(dir, 'journal.mdb'), join(dir, 'notes.txt')].map(modeOf)).toEqual(['755', '600', '644'])
})
