import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { exists, foldersIn, read, root } from './project.ts'

const examples = foldersIn('examples')

describe('examples', () => {
  test('each example has a page with a command to copy', () => {
    const silent = examples.filter((name) => {
      const page = `examples/${name}/README.md`
      return !exists(page) || !/^```sh\n[^`]+^```/m.test(read(page))
    })
    expect(silent).toEqual([])
  })

  test('each example with a script has an expected output, and vice versa', () => {
    const half = examples.filter(
      (name) => exists(`examples/${name}/run.sh`) !== exists(`examples/${name}/expected.txt`),
    )
    expect(half).toEqual([])
  })

  const runnable = examples.filter((name) => exists(`examples/${name}/run.sh`))
  test.each(runnable)('examples/%s prints its expected output', { timeout: 60_000 }, (name) => {
    const env = { ...process.env, PATH: `${join(root, 'bin')}:${process.env['PATH']}`, NO_COLOR: '1' }
    const run = spawnSync('bash', [`examples/${name}/run.sh`], { cwd: root, env, encoding: 'utf8', input: '' })
    expect(run.stdout + run.stderr).toBe(read(`examples/${name}/expected.txt`))
  })
})
