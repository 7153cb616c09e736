import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { knownMinors, releaseOf } from '../../src/api/releases/release-of.ts'
import { must } from '../../src/base/result.ts'

const folder = resolve('src/api/releases')
const go = (...args: readonly string[]) => spawnSync('go', args, { encoding: 'utf8', cwd: resolve('scripts/generate') })

/** The reason why the sources of a release cannot be read here, or undefined. */
function missing(version: string): string | undefined {
  const cache = go('env', 'GOMODCACHE')
  if (cache.status !== 0) return 'Go is not installed'
  const modules = [`api@v0.${version.slice(2)}`, `kubernetes@v${version}`]
  const absent = modules.filter((name) => !existsSync(join(cache.stdout.trim(), 'k8s.io', name)))
  return absent.length === 0 ? undefined : `the module cache has no k8s.io/${absent.join(', k8s.io/')}`
}

describe.each(knownMinors)('the tables of %s', (minor) => {
  const { version } = must(releaseOf(minor))
  const reason = missing(version)
  const why = reason === undefined ? '' : ` (skipped: ${reason})`
  it.skipIf(reason !== undefined)(
    `the tables are what npm run generate writes from the sources of v${version}${why}`,
    () => {
      const { status, stderr } = go('run', '.', '--check', '--into', folder, `v${version}`)
      expect(stderr).toBe('')
      expect(status).toBe(0)
    },
  )
})
