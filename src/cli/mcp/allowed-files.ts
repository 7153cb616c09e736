// The files that a model may make this server read: only cluster files below folders that the user allowed. Hostile text in a
// cluster can ask a model to open any path, so paths are checked here, and errors never quote the content of a file.
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { lstat, realpath } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join, parse, relative, resolve, sep } from 'node:path'
import { createGunzip } from 'node:zlib'
import { ToolError } from '../../mcp/answer.ts'
import type { ReadSource } from '../../mcp/workspace.ts'
import { nameHint } from '../../whatif/scenario/near-names.ts'
import { readFrom } from '../cluster-input.ts'
import { CommandError, type Files, type Ports } from '../command.ts'

const mostFiles = 10_000

export interface FileRules {
  /** Absolute paths of folders. */
  readonly allowed: readonly string[]
  readonly fileBytes: number
}

/** The working directory, unless it is the root or the home directory: desktop applications start servers there. */
export function defaultFolders(cwd: string): readonly string[] {
  return cwd === parse(cwd).root || cwd === homedir() ? [] : [cwd]
}

/** Reads a snapshot, a dump or a folder for a client. */
export async function readAllowed(
  file: string,
  rules: FileRules,
  ports: Pick<Ports, 'files' | 'cwd' | 'readStdin'>,
): Promise<ReadSource> {
  const path = await checkedPath(resolve(ports.cwd, file), file, rules, () => clusterFiles(ports, rules))
  try {
    return {
      ...(await readHashed(path, file, rules, { ...ports, files: checkedFiles(ports.files, rules) })),
      source: file,
    }
  } catch (error) {
    throw withoutContent(error, file)
  }
}

/** Reads a file that the user of the command line named. */
export async function readNamed(
  file: string,
  rules: FileRules,
  ports: Pick<Ports, 'files' | 'cwd' | 'readStdin'>,
): Promise<ReadSource> {
  const path = resolve(ports.cwd, file)
  return { ...(await readHashed(path, file, rules, ports)), source: file }
}

async function readHashed(
  path: string,
  file: string,
  { fileBytes }: FileRules,
  ports: Pick<Ports, 'files' | 'cwd' | 'readStdin'>,
): Promise<Omit<ReadSource, 'source'>> {
  const kind = await ports.files.kindOf(path)
  const hash = kind === 'folder' ? await folderHash(path, ports.files, fileBytes) : await fileHash(path, fileBytes)
  // The file is named in errors and warnings as the caller named it.
  const input = await readFrom(kind === 'absent' ? file : path, ports)
  return { hash, input, path }
}

/** The real path. Errors do not reveal which files exist outside of the allowed folders. `existing` has the files to suggest. */
async function checkedPath(
  path: string,
  file: string,
  { allowed }: FileRules,
  existing: () => Promise<readonly string[]> = async () => [],
): Promise<string> {
  const outside = new ToolError(
    `${file}: outside the directories that may be read${allowed.length === 0 ? ' (none)' : ''}; the user can allow a directory with --allow DIR`,
  )
  const isInside = (real: string, folder: string) => real === folder || real.startsWith(folder + sep)
  const near = allowed.filter((folder) => isInside(path, folder))
  if (path.includes('\0') || near.length === 0) throw outside
  const real = await realpath(path).catch(() => undefined)
  if (real === undefined) {
    const names = await existing()
    throw new ToolError(`${file}: no such file or directory${names.length === 0 ? '' : `; ${nameHint(file, names)}`}`)
  }
  const folders = await Promise.all(allowed.map((folder) => realpath(folder).catch(() => folder)))
  const home = folders.find((folder) => isInside(real, folder))
  if (home === undefined) throw outside
  // Hidden files contain credentials and settings, never a cluster.
  if (
    relative(home, real)
      .split(sep)
      .some((part) => part.startsWith('.') && part !== '..')
  )
    throw new ToolError(`${file}: hidden files and directories are not read`)
  const found = await lstat(real)
  if (!found.isFile() && !found.isDirectory()) throw new ToolError(`${file}: not a regular file or directory`)
  return real
}

/** The files directly in the allowed folders that may be a cluster, as a client would name them. */
async function clusterFiles(
  { files, cwd }: Pick<Ports, 'files' | 'cwd'>,
  rules: FileRules,
): Promise<readonly string[]> {
  const found = await Promise.all(
    rules.allowed.map(async (folder) => {
      const names = await files.list(folder).catch(() => [])
      return names.filter((name) => /^[^.].*\.(json|ya?ml|jsonl)(\.gz)?$/i.test(name)).map((name) => join(folder, name))
    }),
  )
  return found.flat().map((path) => (path.startsWith(cwd + sep) ? relative(cwd, path) : path))
}

/** The same checks for every file of a folder: a link in it may point elsewhere. Such files are skipped. */
function checkedFiles(files: Files, rules: FileRules): Files {
  const isAllowed = (path: string) =>
    checkedPath(path, path, rules).then(
      () => true,
      () => false,
    )
  return {
    ...files,
    kindOf: async (path) => ((await isAllowed(path)) ? files.kindOf(path) : 'absent'),
    list: async (path) => {
      const names = await files.list(path)
      const allowed = await Promise.all(names.map((name) => isAllowed(join(path, name))))
      return names.filter((_, at) => allowed[at])
    },
  }
}

async function fileHash(path: string, fileBytes: number): Promise<string> {
  const hash = createHash('sha256')
  let bytes = 0
  let isGzip = false
  for await (const piece of createReadStream(path)) {
    const chunk = piece as Buffer
    if (bytes === 0) isGzip = chunk[0] === 0x1f && chunk[1] === 0x8b
    bytes += chunk.length
    if (bytes > fileBytes) throw new ToolError(`the file has more than ${fileBytes} bytes`)
    hash.update(chunk)
  }
  if (isGzip) await checkUnpacked(path, fileBytes)
  return hash.digest('hex')
}

/** Limits the uncompressed size: a small file can expand to any size. */
async function checkUnpacked(path: string, fileBytes: number): Promise<void> {
  let bytes = 0
  for await (const piece of createReadStream(path).pipe(createGunzip({ chunkSize: 1 << 20 }))) {
    bytes += (piece as Buffer).length
    if (bytes > fileBytes) throw new ToolError(`the file unpacks to more than ${fileBytes} bytes`)
  }
}

async function folderHash(folder: string, files: Files, fileBytes: number): Promise<string> {
  const hash = createHash('sha256')
  const waiting = [folder]
  let count = 0
  for (let path = waiting.shift(); path !== undefined; path = waiting.shift()) {
    const kind = await files.kindOf(path)
    if (kind === 'folder') waiting.push(...(await files.list(path)).map((name) => join(path as string, name)))
    if (kind !== 'file' || !/\.(ya?ml|json)$/i.test(path)) continue
    count++
    if (count > mostFiles) throw new ToolError(`the directory has more than ${mostFiles} files`)
    hash.update(`${relative(folder, path)}\0${await fileHash(path, fileBytes)}\n`)
  }
  return hash.digest('hex')
}

const harmless =
  /^(no nodes found|no objects found|file is empty|snapshot is (empty|incomplete)|no such file|file is incomplete)/

/** The reason, without the content of the file that parsers quote in their errors. */
function withoutContent(error: unknown, file: string): unknown {
  if (error instanceof ToolError) return error
  if (!(error instanceof CommandError) && !isFileError(error)) return error
  const message = error instanceof Error ? error.message : ''
  const reason = message.slice(message.lastIndexOf(`${file}: `) + file.length + 2)
  const known = harmless.exec(reason)?.[0] ?? harmless.exec(message.replace(/^[^:]*: /, ''))?.[0]
  return new ToolError(
    known === undefined
      ? `${file}: not a snapshot of berth, nor objects in JSON or YAML`
      : `${file}: ${known.startsWith('no nodes') ? 'no nodes found: dump the cluster with its nodes' : known}`,
  )
}

const isFileError = (error: unknown): boolean => typeof (error as NodeJS.ErrnoException)?.code === 'string'
