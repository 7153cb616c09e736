// Reads a cluster from the file system: a snapshot, a dump of kubectl, or a directory of manifests.
import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import type { KubeObject } from '../api/objects/meta.ts'
import { parseManifests } from '../controlplane/manifests.ts'
import { type ReadSnapshot, SnapshotReader } from '../whatif/snapshot/snapshot-lines.ts'

/** A larger file does not fit into one string. A file of `berth snapshot` is read line by line. */
const mostBytes = 512 * 2 ** 20 - 2 ** 16
const mostUnpackedBytes = 2 ** 32 - 1
const newline = 10

const unzip = promisify(gunzip)

export async function readClusterFile(from: string | URL): Promise<ReadSnapshot | readonly KubeObject[]> {
  const path = typeof from === 'string' ? from : fileURLToPath(from)
  const found = await stat(path).catch(() => undefined)
  if (found === undefined) throw new Error(`from: ${path}: no such file or directory`)
  try {
    return found.isDirectory() ? await readFolder(path) : await readOne(path)
  } catch (error) {
    throw new Error(`from: ${path}: ${(error as Error).message}`, { cause: error })
  }
}

async function readFolder(folder: string): Promise<readonly KubeObject[]> {
  const objects: KubeObject[] = []
  for (const entry of (await readdir(folder, { withFileTypes: true })).sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) objects.push(...(await readFolder(path)))
    else if (/\.(ya?ml|json)$/i.test(entry.name)) objects.push(...parseManifests(await readFile(path, 'utf8')))
  }
  return objects
}

async function readOne(path: string): Promise<ReadSnapshot | readonly KubeObject[]> {
  const raw = await readFile(path)
  const isGzip = raw.length >= 2 && raw[0] === 0x1f && raw[1] === 0x8b
  const bytes = isGzip ? await unzip(raw, { maxOutputLength: mostUnpackedBytes }) : raw
  if (/^\s*\{"apiVersion":"berth\.dev\//.test(bytes.toString('latin1', 0, 64))) return readSnapshot(bytes)
  if (bytes.length > mostBytes) throw new Error('file is too large; take a snapshot with: berth snapshot')
  return parseManifests(bytes.toString('utf8'))
}

function readSnapshot(bytes: Buffer): ReadSnapshot {
  const reader = new SnapshotReader()
  let from = 0
  for (let at = bytes.indexOf(newline); at >= 0; at = bytes.indexOf(newline, from)) {
    reader.line(bytes.toString('utf8', from, at))
    from = at + 1
  }
  if (from < bytes.length) reader.line(bytes.toString('utf8', from))
  return reader.finish()
}
