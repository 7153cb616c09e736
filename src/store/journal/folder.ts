import {
  chmodSync,
  closeSync,
  existsSync,
  fchmodSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  statSync,
} from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'

const privateFolder = 0o700
const privateFile = 0o600

/**
 * Creates a directory and its parents, accessible by their owner only. Existing directories keep their permissions.
 * They are created one by one, because Node's recursive form never returns where no directory can be created, such as
 * below /proc.
 */
export function makeFolder(path: string): void {
  const missing: string[] = []
  for (let at = resolve(path); !existsSync(at); at = dirname(at)) missing.push(at)
  // The path is a file: mkdir reports the error.
  if (missing.length === 0 && !statSync(path).isDirectory()) mkdirSync(path)
  for (const folder of missing.reverse()) {
    try {
      mkdirSync(folder, { mode: privateFolder })
      chmodSync(folder, privateFolder)
    } catch (error) {
      // Another process was faster.
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
  }
}

/**
 * Makes sure that a file exists and that only its owner can read it; lmdb alone would create it with the umask's mode.
 */
export function makePrivateFile(path: string): void {
  const descriptor = openSync(path, 'a', privateFile)
  try {
    if ((lstatSync(path).mode & 0o777) !== privateFile) fchmodSync(descriptor, privateFile)
  } finally {
    closeSync(descriptor)
  }
}

/** The files that berth writes into a data directory, and their temporary files. */
const ownFile =
  /^(journal\.mdb(-lock)?|data\.mdb|lock(\.(stale\.)?\d+)?|(credentials\.json|process\.json|kubeconfig|sessions\.json)(\.\d+\.tmp)?|berth\.log)$/

/**
 * Removes the permissions of group and others from a data directory and berth's files in it, and returns one sentence
 * for each correction. A directory that also holds other files, or that has another owner, keeps its permissions.
 */
export function narrowDataDirectory(dir: string): readonly string[] {
  if (!existsSync(dir) || !statSync(dir).isDirectory()) return []
  const names = readdirSync(dir).sort()
  const own = names.filter((name) => ownFile.test(name))
  const told: string[] = []
  const narrow = (path: string, mode: number) => {
    const found = lstatSync(path, { throwIfNoEntry: false })
    if (found === undefined || found.isSymbolicLink() || (found.mode & 0o077) === 0) return
    const was = (found.mode & 0o777).toString(8).padStart(4, '0')
    const wanted = mode.toString(8).padStart(4, '0')
    try {
      chmodSync(path, mode)
      told.push(`${path} was accessible to other users (mode ${was}); changed to ${wanted}`)
    } catch (error) {
      const why = (error as NodeJS.ErrnoException).code ?? String(error)
      told.push(`${path} is accessible to other users (mode ${was}) and cannot be changed to ${wanted}: ${why}`)
    }
  }
  if (own.length === names.length && basename(dir) !== '') narrow(dir, privateFolder)
  else if ((statSync(dir).mode & 0o077) !== 0)
    told.push(
      `${dir} is accessible to other users and holds files that berth did not write; its mode is left unchanged`,
    )
  for (const name of own) if (statSync(join(dir, name)).isFile()) narrow(join(dir, name), privateFile)
  return told
}
