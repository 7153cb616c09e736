import { open, rm } from 'node:fs/promises'
import { join } from 'node:path'

const chunkBytes = 1024 * 1024

/** Writes, flushes and removes a small file next to the journal. Rejects if the disk does not accept it. */
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
 * Rewrites a file with its own content and flushes it. After a failed flush, the kernel may treat pages as written that
 * are not on disk, and another flush would not write them; rewriting does. The content stays the same, so an
 * interruption at any point is harmless.
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
