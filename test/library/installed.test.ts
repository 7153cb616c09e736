// The published package: its files, its types, and its use with three test runners.
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { root } from '../tidy/project.ts'

const folder = mkdtempSync(join(tmpdir(), 'berth-installed-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }), 300_000)

const samples = join(root, 'test/library/installed')
const home = join(folder, 'project')
const installed = join(home, 'node_modules/kubeberth')

interface PackedFile {
  readonly path: string
  readonly size: number
}
interface Packed {
  readonly filename: string
  readonly unpackedSize: number
  readonly files: readonly PackedFile[]
}
let packed: Packed

function run(command: string, args: readonly string[], cwd = home, env: Readonly<Record<string, string>> = {}) {
  const { status, stdout, stderr } = spawnSync(command, args, {
    cwd,
    encoding: 'utf8',
    env: { ...process.env, NO_COLOR: '1', npm_config_loglevel: 'error', ...env },
  })
  return { status, output: `${stdout}${stderr}`, stdout }
}

/** Packs a copy: `npm pack` in the project would build again, and other tests use what is built. */
beforeAll(() => {
  const copy = join(folder, 'copy')
  mkdirSync(join(home, 'node_modules'), { recursive: true })
  for (const name of ['bin', 'dist', 'package.json', 'LICENSE', 'README.md', 'CHANGELOG.md'])
    cpSync(join(root, name), join(copy, name), { recursive: true })
  rmSync(join(copy, 'dist/types'), { recursive: true, force: true })
  const types = run(process.execPath, ['scripts/bootstrap.mjs', 'declarations', join(copy, 'dist/types')], root)
  expect(types).toMatchObject({ status: 0 })
  const { status, stdout } = run('npm', ['pack', '--ignore-scripts', '--json', '--pack-destination', folder], copy)
  expect(status).toBe(0)
  const [first] = JSON.parse(stdout) as readonly Packed[]
  packed = first as Packed
  mkdirSync(installed, { recursive: true })
  const unpacked = run('tar', ['xzf', join(folder, packed.filename), '-C', installed, '--strip-components=1'])
  expect(unpacked.status).toBe(0)
  for (const name of readdirSync(join(root, 'node_modules')))
    symlinkSync(join(root, 'node_modules', name), join(home, 'node_modules', name))
  cpSync(samples, home, { recursive: true })
  writeFileSync(join(home, 'package.json'), '{"type":"module","private":true}')
}, 300_000)

describe('the packed package', () => {
  test('the packed package is smaller than 5.6 MB, has no install scripts, and no sources or maps', () => {
    expect(packed.unpackedSize).toBeLessThan(5_600_000)
    const manifest = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'))
    for (const script of ['preinstall', 'install', 'postinstall', 'prepare'])
      expect(manifest.scripts).not.toHaveProperty(script)
    expect(packed.files.filter(({ path }) => /\.map$|(?<!\.d)\.ts$/.test(path))).toEqual([])
    expect(packed.files.map(({ path }) => path)).toEqual(
      expect.arrayContaining(['bin/berth', 'bin/kubectl_complete-berth', 'dist/index.js', 'dist/types/index.d.ts']),
    )
  })

  test.each(['NodeNext', 'Bundler'])('has types that a strict project with %s resolution accepts', (resolution) => {
    const options = {
      target: 'ES2023',
      lib: ['ES2023'],
      module: resolution === 'NodeNext' ? 'NodeNext' : 'ESNext',
      moduleResolution: resolution,
      types: ['node'],
      strict: true,
      noEmit: true,
      skipLibCheck: false,
    }
    writeFileSync(join(home, 'tsconfig.json'), JSON.stringify({ compilerOptions: options, files: ['public-api.ts'] }))
    expect(run(process.execPath, ['node_modules/typescript/bin/tsc', '-p', '.'])).toEqual({
      status: 0,
      output: '',
      stdout: '',
    })
  })

  test('has types that the classes of the JavaScript client accept', () => {
    const options = {
      target: 'ES2023',
      module: 'NodeNext',
      types: ['node'],
      strict: true,
      noEmit: true,
      skipLibCheck: true,
    }
    writeFileSync(join(home, 'tsconfig.json'), JSON.stringify({ compilerOptions: options, files: ['client-api.ts'] }))
    expect(run(process.execPath, ['node_modules/typescript/bin/tsc', '-p', '.'])).toMatchObject({
      status: 0,
      output: '',
    })
  })

  test('works with node:test', () => {
    const { status, output } = run(process.execPath, ['--test', 'sample.node-test.mjs'])
    expect({ status, output }).toMatchObject({ status: 0, output: expect.stringMatching(/pass 1/) })
  })

  test('works with vitest', () => {
    const args = ['node_modules/vitest/vitest.mjs', 'run', '--root', '.', '--dir', '.', 'sample.vitest.mjs']
    writeFileSync(join(home, 'vitest.config.mjs'), "export default { test: { include: ['*.vitest.mjs'] } }")
    const { status, output } = run(process.execPath, args)
    expect({ status, output }).toMatchObject({ status: 0, output: expect.stringMatching(/1 passed/) })
  })

  test('prints help without the code of the command', () => {
    const help = (args: readonly string[]) => run(process.execPath, [join(installed, 'bin/berth'), ...args])
    expect(help(['whatif', 'drain', '--help'])).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(/^Usage: berth whatif drain \[NODE…\] \[flags\]\n/),
    })
    const loaded = run(process.execPath, [join(installed, 'bin/berth'), 'whatif', '--help'], home, {
      NODE_DEBUG: 'esm',
    })
    const chunks = new Set(loaded.output.match(/dist\/chunks\/[\w.-]+\.js/g))
    expect(chunks.size).toBeGreaterThan(0)
    expect(chunks.size).toBeLessThan(10)
  })

  test('starts as berth and as a plugin of kubectl', () => {
    const berth = run(process.execPath, [join(installed, 'bin/berth'), '--version'])
    expect(berth).toMatchObject({ status: 0, stdout: expect.stringMatching(/^berth \d/) })
    const complete = run(process.execPath, [join(installed, 'bin/kubectl_complete-berth'), 'wha'])
    expect(complete).toMatchObject({ status: 0, output: expect.stringMatching(/^whatif\t.*\n:4\n$/) })
  })
})

// Downloads about 100 MB, so that it runs only on request: BERTH_TEST_INSTALL=1.
describe.skipIf(process.env['BERTH_TEST_INSTALL'] !== '1')('npm install in an empty folder', () => {
  const empty = join(folder, 'empty')
  test('works with vitest, jest and node:test', { timeout: 600_000 }, () => {
    mkdirSync(empty, { recursive: true })
    cpSync(samples, empty, { recursive: true })
    writeFileSync(
      join(empty, 'package.json'),
      JSON.stringify({
        type: 'module',
        private: true,
        jest: { testMatch: ['**/*.jest.mjs'], moduleFileExtensions: ['mjs', 'js'] },
      }),
    )
    const packages = [join(folder, packed.filename), 'vitest@4', 'jest@30']
    const installation = run('npm', ['install', '--no-audit', '--no-fund', ...packages], empty)
    expect(installation).toMatchObject({ status: 0 })
    const jest = run(process.execPath, ['--experimental-vm-modules', 'node_modules/jest/bin/jest.js'], empty)
    expect(jest).toMatchObject({ status: 0, output: expect.stringMatching(/1 passed/) })
    writeFileSync(join(empty, 'vitest.config.mjs'), "export default { test: { include: ['*.vitest.mjs'] } }")
    const vitest = run(process.execPath, ['node_modules/vitest/vitest.mjs', 'run'], empty)
    expect(vitest).toMatchObject({ status: 0, output: expect.stringMatching(/1 passed/) })
    expect(run(process.execPath, ['--test', 'sample.node-test.mjs'], empty)).toMatchObject({ status: 0 })
    expect(run('npx', ['--no-install', 'kubectl-berth', '--version'], empty)).toMatchObject({ status: 0 })
  })
})
