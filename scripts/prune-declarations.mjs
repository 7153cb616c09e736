// Removes the type declarations that no entry point of the package reaches.
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'

const imported = /(?:from|import)\s*\(?\s*['"](\.[^'"]+)['"]/g

/** `entries`: paths in the folder. Returns how many files are left. */
export function pruneDeclarations(folder, entries) {
  const reached = new Set()
  const pending = entries.map((entry) => join(folder, entry))
  for (let file = pending.pop(); file !== undefined; file = pending.pop()) {
    if (reached.has(file)) continue
    if (!existsSync(file)) throw new Error(`${file} is missing`)
    reached.add(file)
    for (const [, specifier] of readFileSync(file, 'utf8').matchAll(imported)) {
      pending.push(join(dirname(file), specifier.replace(/\.ts$/, '.d.ts')))
    }
  }
  for (const name of readdirSync(folder, { recursive: true })) {
    const path = join(folder, name)
    if (path.endsWith('.d.ts') && !reached.has(path)) rmSync(path)
  }
  return reached.size
}
