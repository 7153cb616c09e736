// Runs the cases of a search on several threads.
import { existsSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { setImmediate } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import type { JsonObject } from '../api/objects/meta.ts'
import { type CaseResult, runCase } from '../search/run-case.ts'
import type { CaseEvaluator } from '../search/search.ts'
import { createSearchBase, type SearchBase, type SearchInput } from '../search/search-base.ts'
import type { SearchMessage } from './search-worker.ts'

/** The threads of a command. */
export interface SearchThreads {
  /** Sends a new cluster to the threads. */
  readonly open: (input: SearchInput) => Promise<CaseEvaluator>
  readonly close: () => Promise<void>
}

/** Without a build, or with one thread, cases run in the thread of the caller. */
export function startThreads(threads = availableParallelism()): SearchThreads {
  const file = threads < 2 ? undefined : workerFile()
  if (file === undefined)
    return { open: async (input) => sameThread(await createSearchBase(input)), close: async () => {} }
  const pool = new SearchPool(file, threads)
  return {
    open: async (input) => {
      pool.open(input)
      return pool
    },
    close: () => pool.close(),
  }
}

function sameThread(base: SearchBase): CaseEvaluator {
  return {
    async evaluate(cases) {
      const results: CaseResult[] = []
      for (const steps of cases) {
        results.push(await runCase(base, steps))
        // Ctrl-C takes effect between cases.
        await setImmediate()
      }
      return results
    },
  }
}

/** The program that the build creates from search-worker.ts. */
function workerFile(): string | undefined {
  const files = ['./search-worker.js', '../search-worker.js'].map((place) =>
    fileURLToPath(new URL(place, import.meta.url)),
  )
  return files.find((file) => existsSync(file))
}

interface Job {
  readonly steps: readonly JsonObject[]
  readonly done: (result: CaseResult) => void
  readonly failed: (error: Error) => void
}

// A thread gets the next case before it finishes the current one.
const ahead = 2

class SearchPool implements CaseEvaluator {
  private readonly workers: { readonly worker: Worker; readonly running: Map<number, Job> }[] = []
  private readonly waiting: Job[] = []
  private nextId = 0

  constructor(file: string, threads: number) {
    for (let at = 0; at < threads; at++) {
      const worker = new Worker(file)
      const running = new Map<number, Job>()
      this.workers.push({ worker, running })
      worker.on('message', ({ id, result }: { id: number; result: CaseResult }) => {
        const job = running.get(id)
        running.delete(id)
        this.feed()
        job?.done(result)
      })
      worker.on('error', (error) => {
        for (const job of [...running.values(), ...this.waiting.splice(0)]) job.failed(error as Error)
      })
    }
  }

  open(input: SearchInput): void {
    for (const { worker } of this.workers) worker.postMessage({ kind: 'input', input } satisfies SearchMessage)
  }

  evaluate(cases: readonly (readonly JsonObject[])[]): Promise<readonly CaseResult[]> {
    const jobs = cases.map(
      (steps) => new Promise<CaseResult>((done, failed) => this.waiting.push({ steps, done, failed })),
    )
    this.feed()
    return Promise.all(jobs)
  }

  async close(): Promise<void> {
    await Promise.all(this.workers.map(({ worker }) => worker.terminate()))
  }

  private feed(): void {
    for (;;) {
      const [idlest] = this.workers.toSorted((a, b) => a.running.size - b.running.size)
      if (idlest === undefined || idlest.running.size >= ahead) return
      const job = this.waiting.shift()
      if (job === undefined) return
      const id = this.nextId++
      idlest.running.set(id, job)
      idlest.worker.postMessage({ kind: 'case', id, steps: job.steps } satisfies SearchMessage)
    }
  }
}
