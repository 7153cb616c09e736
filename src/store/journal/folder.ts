import { existsSync, mkdirSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'

/** A folder and those above it, one by one: Node's own way never ends where nothing can be made, as below /proc. */
export function makeFolder(path: string): void {
  const missing: string[] = []
  for (let at = resolve(path); !existsSync(at); at = dirname(at)) missing.push(at)
  // A file is in the way: the attempt says so.
  if (missing.length === 0 && !statSync(path).isDirectory()) mkdirSync(path)
  for (const folder of missing.reverse()) {
    try {
      mkdirSync(folder)
    } catch (error) {
      // Somebody else was quicker.
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
  }
}
