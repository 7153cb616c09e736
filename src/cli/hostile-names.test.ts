import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { runBerth } from './run-berth.fixture.ts'

const folder = mkdtempSync(join(tmpdir(), 'berth-hostile-names-'))
afterAll(() => rmSync(folder, { recursive: true }))

const berth = (args: readonly string[]) => runBerth(args, { cwd: folder, interruption: () => AbortSignal.abort() })

const places: readonly (readonly [what: string, args: (name: string) => readonly string[]])[] = [
  ['a command', (name) => [name]],
  ['a flag', (name) => ['up', `--${name}`]],
  ['a flag with a value', (name) => ['whatif', `--${name}`, 'x']],
  ['a controller', (name) => ['run', '--controllers', name]],
  ['a pack', (name) => ['up', '--pack', name]],
  ['a fix', (name) => ['up', '--fix', name]],
  ['a shell', (name) => ['completion', name]],
  ['an output format', (name) => ['explain', 'pod', '-o', name]],
  ['a level', (name) => ['up', '--log-level', name]],
  ['a flag of a configuration file', (name) => ['up', '--config', `flags-${name}.yaml`]],
  ['a plugin of a scheduler configuration', (name) => ['up', '--scheduler-config', `scheduler-${name}.yaml`]],
  ['a step of a scenario', (name) => ['simulate', `scenario-${name}.yaml`]],
]

describe.each(['constructor', '__proto__', 'toString', 'hasOwnProperty', 'valueOf'])('the name %s', (name) => {
  writeFileSync(join(folder, `flags-${name}.yaml`), `${name}: x\n`)
  writeFileSync(
    join(folder, `scheduler-${name}.yaml`),
    `apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\nprofiles:\n- plugins: {multiPoint: {enabled: [{name: ${name}}]}}\n  pluginConfig: [{name: ${name}, args: {${name}: 1}}]\n`,
  )
  writeFileSync(join(folder, `scenario-${name}.yaml`), `steps:\n- ${name}: {}\nexpect:\n- ${name}: {}\n`)

  it.each(places)('a hostile name is refused as %s with an error message', async (_, args) => {
    const { code, err } = await berth([...args(name)])
    expect(err).toMatch(/^(berth|error): /)
    expect(err).not.toMatch(/TypeError|is not a function|\n\s+at /)
    expect(code).toBe(2)
  })
})
