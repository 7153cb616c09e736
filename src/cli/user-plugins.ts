import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { AnyPlugin, PluginFactory } from '../scheduler/contract/contract.ts'
import { wrongQuestion } from './command.ts'

/** Loads the scheduler plugins that files export: values of `definePlugin`, or functions that return one. */
export async function loadPlugins(
  files: readonly string[],
  cwd: string,
): Promise<Readonly<Record<string, PluginFactory>>> {
  const plugins: Record<string, PluginFactory> = {}
  for (const file of files) {
    const path = resolve(cwd, file)
    if (!existsSync(path)) throw wrongQuestion(`${file}: no such file`)
    const exported = Object.values(await load(path, file))
    const found = exported.map(asPlugin).filter((each) => each !== undefined)
    if (found.length === 0)
      throw wrongQuestion(`${file}: no plugin exported; add export const mine = definePlugin({ name: 'Mine', … })`)
    for (const { name, create } of found) {
      if (Object.hasOwn(plugins, name)) throw wrongQuestion(`${file}: duplicate plugin ${name}`)
      plugins[name] = create
    }
  }
  return plugins
}

function asPlugin(value: unknown): { readonly name: string; readonly create: PluginFactory } | undefined {
  const plugin = (typeof value === 'function' ? (value as () => unknown)() : value) as Partial<AnyPlugin> | undefined
  if (typeof plugin !== 'object' || plugin === null || typeof plugin.name !== 'string') return undefined
  return { name: plugin.name, create: () => plugin as AnyPlugin }
}

/** Compiles TypeScript to JavaScript, because Node 20 cannot run it. */
async function load(path: string, shown: string): Promise<Readonly<Record<string, unknown>>> {
  const folder = path.endsWith('.ts') ? mkdtempSync(join(tmpdir(), 'berth-plugin-')) : undefined
  try {
    const file = folder === undefined ? path : await compiled(path, folder)
    return (await import(pathToFileURL(file).href)) as Readonly<Record<string, unknown>>
  } catch (error) {
    throw wrongQuestion(
      `${shown}: cannot load the plugin: ${error instanceof Error ? error.message.split('\n')[0] : String(error)}`,
    )
  } finally {
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true })
  }
}

async function compiled(path: string, folder: string): Promise<string> {
  const { build } = await import('esbuild')
  const outfile = join(folder, 'plugin.mjs')
  const kubeberth = new URL('./index.js', import.meta.url).pathname
  // A plugin may import the package from any directory: the import resolves to the running berth.
  const alias = existsSync(kubeberth) ? { kubeberth } : {}
  await build({
    entryPoints: [path],
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    packages: 'bundle',
    alias,
    external: ['lmdb', 'pino', '@kubernetes/client-node', 'esbuild'],
    logLevel: 'silent',
  })
  return outfile
}
