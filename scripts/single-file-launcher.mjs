#!/usr/bin/env node
// berth in one file. The archive in the comment at its end is extracted once, to a folder in the cache of the user.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import module from 'node:module'
import { homedir, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { gunzipSync } from 'node:zlib'

const hash = 'HASH'

// Newer versions of Node keep compiled code, which shortens the start.
module.enableCompileCache?.()

function unpackInto(folder) {
  const text = readFileSync(new URL(import.meta.url), 'utf8')
  const archive = gunzipSync(Buffer.from(text.slice(text.lastIndexOf('\n//') + 3), 'base64'))
  let at = archive.indexOf('\n') + 1
  for (const [path, length] of JSON.parse(archive.toString('utf8', 0, at))) {
    mkdirSync(dirname(join(folder, path)), { recursive: true, mode: 0o700 })
    writeFileSync(join(folder, path), archive.subarray(at, at + length))
    at += length
  }
  return folder
}

/** The folder with the unpacked files. It appears complete or not at all. */
function unpacked() {
  const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'berth')
  const folder = join(cache, hash)
  if (existsSync(folder)) return folder
  try {
    mkdirSync(cache, { recursive: true, mode: 0o700 })
    const draft = unpackInto(mkdtempSync(join(cache, 'draft-')))
    try {
      renameSync(draft, folder)
    } catch (error) {
      // Another process was faster.
      rmSync(draft, { recursive: true, force: true })
      if (!existsSync(folder)) throw error
    }
    return folder
  } catch {
    // Without a writable cache, for this run only: others could write to a folder with a known name.
    const own = unpackInto(mkdtempSync(join(tmpdir(), 'berth-')))
    process.on('exit', () => rmSync(own, { recursive: true, force: true }))
    return own
  }
}

const { main } = await import(pathToFileURL(join(unpacked(), 'cli.js')).href)
const code = await main()
process.stdout.write('', () => process.stderr.write('', () => process.exit(code)))
