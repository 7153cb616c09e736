import { open, rm } from 'node:fs/promises'
import { join } from 'node:path'

const chunkBytes = 1024 * 1024

/** Writes some bytes beside the journal, flushes and removes them. Rejects while the disk does not take them. */
export async function proveDisk(dir: string): Promise<void> {
  const path = join(dir, 'journal.probe')
  try {
    const file = await open(path, 'w', 0o600)
    try {
      await file.writeFile(Buffer.alloc(chunkBytes))
      await file.sync()
    } finally {
      await file.close()
    }
  } finally {
    await rm(path, { force: true })
  }
}

/**
 * Writes every byte of a file again, as it is read, and flushes it. After a flush has failed, the kernel may hold pages
 * that it takes for written and that are not on disk; another flush would not write them. Written again, they are.
 * The contents stay the same, so an end at any point does no harm.
 */
export async function rewriteInPlace(path: string): Promise<void> {
  const file = await open(path, 'r+')
  try {
    const bytes = Buffer.allocUnsafe(chunkBytes)
    for (let at = 0; ; ) {
      const { bytesRead } = await file.read(bytes, 0, chunkBytes, at)
      if (bytesRead === 0) break
      await writeAll(file, bytes.subarray(0, bytesRead), at)
      at += bytesRead
    }
    await file.sync()
  } finally {
    await file.close()
  }
}

async function writeAll(file: Awaited<ReturnType<typeof open>>, bytes: Buffer, from: number): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    done += (await file.write(bytes, done, bytes.length - done, from + done)).bytesWritten
  }
}
