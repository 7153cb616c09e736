import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'

/** A release of another project. */
export interface GoModule {
  readonly name: string
  readonly module: string
  readonly version: string
}

/** The path of a writable copy of the module. */
export const folderOf = ({ name, version }: GoModule): string =>
  join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'berth-cluster', `${name}-${version}`)

/** The module itself is read-only, and its suites write files. */
export function unpack(source: GoModule): void {
  const folder = folderOf(source)
  if (existsSync(join(folder, 'go.mod'))) return
  const wanted = `${source.module}@${source.version}`
  const listed = spawnSync('go', ['mod', 'download', '-json', wanted], { encoding: 'utf8' })
  if (listed.status !== 0) throw new Error(`go mod download ${wanted}: ${listed.stderr}`)
  const { Dir } = JSON.parse(listed.stdout) as { readonly Dir: string }
  mkdirSync(folder, { recursive: true })
  cpSync(Dir, folder, { recursive: true })
  spawnSync('chmod', ['-R', 'u+w', folder])
  // The module does not say which of its files are programs.
  spawnSync('find', [folder, '-name', '*.sh', '-exec', 'chmod', '+x', '{}', '+'])
}

/** The output of `kubectl kustomize` for a folder of the module. */
export function kustomized(source: GoModule, from: string): string {
  const made = spawnSync('kubectl', ['kustomize', join(folderOf(source), from)], {
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
  })
  if (made.status !== 0) throw new Error(`kubectl kustomize ${from}: ${made.stderr}`)
  return made.stdout
}
