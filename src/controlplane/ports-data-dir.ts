import { randomBytes, randomUUID } from 'node:crypto'
import { chmodSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { chmod, readFile, rename, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { createCredentials, type ServerCredentials } from '../apiserver/certificates.ts'
import { newSigningKey } from '../apiserver/tokens/signing-keys.ts'
import { makeFolder } from '../store/journal/folder.ts'
import type { EndedSession, EndedSessions } from './console/session.ts'

export const newAuditId = (): string => randomUUID()

/** A serial number of a certificate. The first bit is 0, because serial numbers are positive. */
export function newSerial(): Buffer {
  const bytes = randomBytes(16)
  bytes[0] = ((bytes[0] ?? 0) & 0x7f) | 0x40
  return bytes
}

/** An unpredictable seed, for uids and names of a cluster in real time. */
export const unpredictableSeed = (): string => randomBytes(16).toString('hex')

/**
 * The credentials of a data directory, created on the first start; certificates for `hosts` that a later start adds are
 * signed at that start. Without a directory, credentials last as long as the process.
 */
export async function loadCredentials(
  dir: string | undefined,
  hosts: readonly string[],
  now: number,
): Promise<ServerCredentials> {
  const make = () => createCredentials({ now, hosts, adminToken: randomBytes(24).toString('base64url') })
  if (dir === undefined) return make()
  const file = join(dir, 'credentials.json')
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  if (text !== undefined) {
    const kept = JSON.parse(text) as { readonly hosts: readonly string[]; readonly credentials: ServerCredentials }
    if (hosts.every((host) => kept.hosts.includes(host))) return kept.credentials
  }
  const credentials = make()
  await writePrivately(file, `${JSON.stringify({ hosts, credentials }, null, 2)}\n`)
  return credentials
}

/** The key that signs service account tokens, in PEM: `sa.key` of a data directory, created on the first start. */
export async function loadSigningKey(dir: string | undefined): Promise<string> {
  if (dir === undefined) return newSigningKey()
  const file = join(dir, 'sa.key')
  const kept = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  if (kept !== undefined) return kept
  const made = newSigningKey()
  await writePrivately(file, made)
  return made
}

/** Writes a file atomically, readable only by its owner. */
export async function writePrivately(file: string, text: string): Promise<void> {
  makeFolder(dirname(file))
  const temporary = `${file}.${process.pid}.tmp`
  await writeFile(temporary, text, { mode: 0o600 })
  await chmod(temporary, 0o600)
  await rename(temporary, file)
}

/** The ended console sessions, stored in a data directory. */
export function endedSessionsIn(dir: string): EndedSessions {
  const file = join(dir, 'sessions.json')
  return {
    read: () => {
      try {
        return (JSON.parse(readFileSync(file, 'utf8')) as { readonly ended: readonly EndedSession[] }).ended
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
        throw error
      }
    },
    write: (ended) => {
      const temporary = `${file}.${process.pid}.tmp`
      writeFileSync(temporary, `${JSON.stringify({ ended })}\n`, { mode: 0o600 })
      chmodSync(temporary, 0o600)
      renameSync(temporary, file)
    },
  }
}
