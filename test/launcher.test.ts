import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, test } from 'vitest'

const launcher = fileURLToPath(new URL('../bin/berth', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'berth-launcher-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** The launcher in a package, with or without a build next to it. */
function install(name: string, cli?: string): string {
  const home = join(folder, name)
  mkdirSync(join(home, 'bin'), { recursive: true })
  writeFileSync(join(home, 'package.json'), '{"type":"module"}')
  copyFileSync(launcher, join(home, 'bin/berth'))
  if (cli !== undefined) {
    mkdirSync(join(home, 'dist'))
    writeFileSync(join(home, 'dist/cli.js'), cli)
  }
  return join(home, 'bin/berth')
}

const run = (path: string, ...args: readonly string[]) =>
  spawnSync(process.execPath, [path, ...args], { encoding: 'utf8' })

describe('bin/berth', () => {
  test('bin/berth prints one line with the build command if the build is missing', () => {
    const { status, stderr } = run(install('bare'))
    expect({ status, stderr }).toEqual({
      status: 2,
      stderr: 'berth: not built yet: run `npm run build` in the folder of the project\n',
    })
  })

  test('exits with the exit code of the CLI, also through a symbolic link as npx creates', () => {
    const real = install('built', 'export const main = async () => (console.log(process.argv[2]), 3)')
    const link = join(folder, 'berth')
    symlinkSync(real, link)
    for (const path of [real, link]) expect(run(path, 'hello')).toMatchObject({ status: 3, stdout: 'hello\n' })
  })
})
