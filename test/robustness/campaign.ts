import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createRandom, type RandomStream } from '../../src/base/random.ts'
import { checkHistory } from './check-history.ts'
import { ServerProcess } from './server-process.ts'
import { Traffic } from './traffic.ts'

export interface Counts {
  segments: number
  kills: number
  killsAroundACommit: number
  pauses: number
  delays: number
  failedWrites: number
  failedFlushes: number
  fullDisks: number
  fileLimits: number
  acknowledged: number
  unanswered: number
  reads: number
  watchEvents: number
  violations: number
}

export interface CampaignOptions {
  readonly seed: string
  readonly segments?: number
  readonly segmentMs: number
  readonly untilMs?: number
  readonly onProgress?: (counts: Counts) => void
}

type Disruption = 'pause' | 'delay' | 'failed write' | 'failed flush' | 'full disk' | 'file limit'

const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/**
 * Runs segments, each on a new data directory: clients work while the server is killed and paused and its disk fails
 * repeatedly; then the answers to the clients are checked.
 */
export async function runCampaign(options: CampaignOptions): Promise<{ counts: Counts; problems: readonly string[] }> {
  const problems: string[] = []
  const counts: Counts = {
    segments: 0,
    kills: 0,
    killsAroundACommit: 0,
    pauses: 0,
    delays: 0,
    failedWrites: 0,
    failedFlushes: 0,
    fullDisks: 0,
    fileLimits: 0,
    acknowledged: 0,
    unanswered: 0,
    reads: 0,
    watchEvents: 0,
    violations: 0,
  }
  const random = createRandom(options.seed)
  const isOver = () =>
    counts.segments >= (options.segments ?? Number.POSITIVE_INFINITY) ||
    Date.now() >= (options.untilMs ?? Number.POSITIVE_INFINITY)
  while (!isOver()) {
    const name = `segment-${counts.segments++}`
    const folder = mkdtempSync(join(tmpdir(), 'berth-robustness-'))
    const disk = mountDisk(join(folder, 'disk'))
    try {
      const found = await runSegment({ folder, disk, draws: random.stream(name), ms: options.segmentMs, counts })
      problems.push(...found.map((problem) => `seed ${options.seed}, ${name}: ${problem}`))
    } finally {
      disk.release()
      rmSync(folder, { recursive: true, force: true })
    }
    counts.violations = problems.length
    options.onProgress?.(counts)
  }
  return { counts, problems }
}

interface Disk {
  readonly dir: string
  /** Fills it to the last byte, where it is small enough for that. */
  readonly fill?: () => void
  readonly empty: () => void
  readonly release: () => void
}

/** A small disk in memory where that is allowed. */
function mountDisk(dir: string): Disk {
  mkdirSync(dir)
  const filler = join(dir, 'filler')
  const empty = () => rmSync(filler, { force: true })
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=96m', 'berth-robustness', dir], { stdio: 'ignore' })
  } catch {
    return { dir, empty, release: () => {} }
  }
  const fill = () => {
    try {
      writeFileSync(filler, Buffer.alloc(128 * 1024 * 1024))
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
    }
  }
  return { dir, fill, empty, release: () => execFileSync('umount', ['-l', dir]) }
}

interface Segment {
  readonly folder: string
  readonly disk: Disk
  readonly draws: RandomStream
  readonly ms: number
  readonly counts: Counts
}

async function runSegment({ folder, disk, draws, ms, counts }: Segment): Promise<readonly string[]> {
  const problems: string[] = []
  const server = new ServerProcess(join(disk.dir, 'data'), join(folder, 'faults'), (why) => problems.push(why))
  await server.start()
  const traffic = new Traffic(server, draws)
  const running = traffic.run()
  const endAt = Date.now() + ms
  try {
    while (Date.now() < endAt && problems.length === 0) {
      await underWay(traffic)
      await wait(draws.int(400))
      if (draws.int(5) < 3) await disrupt(server, disk, draws, counts)
      const how = draws.int(4)
      if (how < 2) await server.kill()
      else await server.killAt(how === 2 ? 'before' : 'after')
      counts.kills++
      if (how >= 2) counts.killsAroundACommit++
      for (; draws.int(2) === 0; counts.kills++) await server.startAndKill(draws.int(1200))
      await server.start()
    }
    traffic.stop()
    await running
    if (problems.length === 0) await traffic.readAll()
  } finally {
    traffic.stop()
    await server.kill()
  }
  const { history } = traffic
  counts.acknowledged += history.writes.filter(({ result }) => result === 'done').length
  counts.unanswered += history.writes.filter(({ result }) => result === 'unknown').length
  counts.reads += history.reads.length
  for (const { events } of history.watches) counts.watchEvents += events.length
  return [...problems, ...checkHistory(history)]
}

/** Waits for some writes, and not long: a server on a busy machine needs time to begin. */
async function underWay(traffic: Traffic): Promise<void> {
  const enough = traffic.acknowledged + 5
  const giveUpAt = Date.now() + 1500
  while (traffic.acknowledged < enough && Date.now() < giveUpAt) await wait(10)
}

async function disrupt(server: ServerProcess, disk: Disk, draws: RandomStream, counts: Counts): Promise<void> {
  const kinds: readonly Disruption[] = ['pause', 'delay', 'failed write', 'failed flush', 'full disk', 'file limit']
  switch (draws.pick(kinds)) {
    case 'pause':
      server.signal('SIGSTOP')
      await wait(50 + draws.int(400))
      server.signal('SIGCONT')
      counts.pauses++
      return
    case 'delay':
      server.setFault(`before delay ${20 + draws.int(200)}`)
      await wait(500)
      server.setFault(undefined)
      counts.delays++
      return
    case 'failed write':
      server.setFault('before fail')
      if (await becomes(server, 'read-only')) counts.failedWrites++
      server.setFault(undefined)
      break
    case 'failed flush':
      server.setFault('after fail')
      if (await becomes(server, 'read-only')) counts.failedFlushes++
      server.setFault(undefined)
      break
    case 'full disk':
      disk.fill?.()
      if (disk.fill !== undefined && (await becomes(server, 'read-only'))) counts.fullDisks++
      disk.empty()
      break
    case 'file limit':
      if (server.limitFile(16 * 1024) && (await becomes(server, 'read-only'))) counts.fileLimits++
      server.limitFile(undefined)
      break
  }
  // Half of the time it is killed before it has recovered.
  if (draws.int(2) === 0) await becomes(server, 'writable')
}

/** Waits until the server reports it; false if it does not within a few seconds. */
async function becomes(server: ServerProcess, state: 'read-only' | 'writable'): Promise<boolean> {
  const giveUpAt = Date.now() + 3000
  while (Date.now() < giveUpAt) {
    const answer = await server.request('GET', '/readyz/journal').catch(() => undefined)
    if (answer !== undefined && (answer.code === 200) === (state === 'writable')) return true
    await wait(25)
  }
  return false
}
