import { describe, expect, test } from 'vitest'
import { version } from '../../src/base/version.ts'
import { exists, read, sourcesUnder } from './project.ts'

interface Manifest {
  readonly version: string
  readonly scripts: Readonly<Record<string, string>>
  readonly dependencies: Readonly<Record<string, string>>
  readonly devDependencies: Readonly<Record<string, string>>
  readonly peerDependencies: Readonly<Record<string, string>>
}

const manifest = JSON.parse(read('package.json')) as Manifest
const lockText = read('package-lock.json')
const lock = JSON.parse(lockText) as { readonly version: string; readonly packages: Readonly<Record<string, Manifest>> }

describe('the package', () => {
  test('the version of the package is in one place', () => {
    expect(version).toBe(manifest.version)
    expect(lock.version).toBe(manifest.version)
    expect(read('CHANGELOG.md')).toContain(`## ${manifest.version}`)
  })

  test('the lockfile names no download hosts', () => {
    expect(lockText).not.toMatch(/"resolved"/)
    expect(lockText.match(/https?:\/\/[^"]*\.tgz/)).toBeNull()
  })

  test('the lockfile belongs to package.json', () => {
    expect(lock.packages['']?.dependencies).toEqual(manifest.dependencies)
    expect(lock.packages['']?.devDependencies).toEqual(manifest.devDependencies)
  })

  test('src imports at run time only dependencies of the package', () => {
    const used = sourcesUnder('src')
      .filter((file) => !file.isTest && !/(contract-suite|\.fixture)\.ts$/.test(file.path))
      .flatMap((file) => file.imports)
      .filter(({ specifier, typeOnly }) => !typeOnly && !/^(\.|node:)/.test(specifier))
      .map(({ specifier }) =>
        specifier
          .split('/')
          .slice(0, specifier.startsWith('@') ? 2 : 1)
          .join('/'),
      )
    const allowed = { ...manifest.dependencies, ...manifest.peerDependencies }
    expect([...new Set(used)].filter((name) => !Object.hasOwn(allowed, name))).toEqual([])
  })

  test('every script of the repository exists', () => {
    const missing = Object.values(manifest.scripts)
      .map((script) => /^node (\S+)/.exec(script)?.[1])
      .filter((path) => path === undefined || !exists(path))
    expect(missing).toEqual([])
  })
})
