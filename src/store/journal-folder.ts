import { existsSync, mkdirSync } from 'node:fs'
import { dirname, resolve } from 'node:path'

/** A folder and those above it, one by one: Node's own way never ends where nothing can be made, as below /proc. */
export function makeFolder(path: string): void {
  const missing: string[] = []
  for (let at = resolve(path); !existsSync(at); at = dirname(at)) missing.push(at)
  for (const folder of missing.reverse()) {
    try {
      mkdirSync(folder)
    } catch (error) {
      // Somebody else was quicker.
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
  }
}
