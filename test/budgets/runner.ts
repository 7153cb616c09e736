import { createRandom } from '../../src/base/random.ts'
import type { Attack, AttackSource } from './attack.ts'
import { furniture, ordinaryAnswers } from './ordinary-requests.ts'
import { type AttackConnection, type AttackReply, ServerProcess } from './server-process.ts'
import { shrink } from './shrink.ts'
import { isUpstreamError } from './upstream-errors.ts'

/** The maximum cost of one request. CPU time is that of the thread that serves requests, so the load of the machine does not count. */
export interface Budget {
  /** CPU that a request on another connection waits for, whatever the attack. */
  readonly probeMs: number
  /** CPU of one attack, from its first byte to its answer. */
  readonly attackMs: number
  /** What each MiB of the attack's body adds to that: decoding, validating and encoding are linear in it. */
  readonly perMebibyteMs: number
  /** The same for a body in YAML, and therefore for server-side apply, which also computes the owner of each field. */
  readonly perYamlMebibyteMs: number
  /** The maximum growth of the memory in use after garbage collection, since before the attacks. */
  readonly memoryBytes: number
}

export const defaultBudget: Budget = {
  probeMs: 100,
  attackMs: 150,
  perMebibyteMs: 250,
  perYamlMebibyteMs: 1000,
  memoryBytes: 96 * 2 ** 20,
}

export interface Cost {
  /** What the length of the body adds to the CPU budget. */
  readonly allowanceMs: number
  readonly cpuMs: number
  readonly probeMs: number
  readonly reply: AttackReply
}

export interface Finding {
  readonly source: string
  /** The smallest attack that still has the finding. */
  readonly attack: Attack
  readonly why: string
}

export interface SourceSummary {
  readonly source: string
  attacks: number
  readonly codes: Record<string, number>
  worstCpuMs: number
  worstProbeMs: number
  worst: string
}

export interface RunSummary {
  readonly seed: string
  readonly budget: Budget
  readonly attacks: number
  readonly sources: readonly SourceSummary[]
  readonly findings: readonly Finding[]
  readonly baselineBytes: number
  readonly finalBytes: number
}

export interface RunOptions {
  readonly root: string
  readonly seed: string
  readonly sources: readonly AttackSource[]
  /** Continues with new streams until this instant. Undefined: runs each source once, with its quick count. */
  readonly until?: () => boolean
  readonly budget?: Budget
  readonly print?: (line: string) => void
  /** Look for the smallest attack that shows a finding. */
  readonly shrinks?: boolean
  /** Findings after which the run ends. */
  readonly maxFindings?: number
}

// Measures a cost above the budget again, because compilation and garbage collection do not belong to a single request.
const repeats = 4
const ordinaryEvery = 200
// If a request has used this multiple of its budget, the runner replaces the server instead of waiting.
const hopelessFactor = 15

/** Runs attacks one after the other against the real binary, with a probe on a second connection. */
export async function runBudgets(options: RunOptions): Promise<RunSummary> {
  const run = new Run(options)
  try {
    return await run.all()
  } finally {
    await run.close()
  }
}

class Run {
  private readonly options: RunOptions
  private readonly budget: Budget
  private readonly summaries = new Map<string, SourceSummary>()
  private readonly findings: Finding[] = []
  private server!: ServerProcess
  private attacker!: AttackConnection
  private prober!: AttackConnection
  private expected: readonly string[] = []
  private attacks = 0

  constructor(options: RunOptions) {
    this.options = options
    this.budget = options.budget ?? defaultBudget
  }

  async all(): Promise<RunSummary> {
    const { sources, seed, until } = this.options
    await this.startServer()
    await this.warmUp()
    const baselineBytes = await this.server.memoryBytes()
    const random = createRandom(seed)
    for (let round = 0; round === 0 || (until !== undefined && !until()); round++) {
      for (const source of sources) {
        const { quickCount = 20 } = source
        let left = until === undefined ? quickCount : quickCount * 25
        for (const attack of source.attacks(random.stream(`${source.name}/${round}`))) {
          if (left-- <= 0 || this.isOver()) break
          await this.one(source, attack)
        }
      }
      if (this.isOver()) break
      this.options.print?.(`round ${round + 1}: ${this.attacks} attacks, ${this.findings.length} findings`)
    }
    await this.compareOrdinary('the end of the run')
    const finalBytes = await this.server.memoryBytes()
    if (finalBytes - baselineBytes > this.budget.memoryBytes) {
      const grown = Math.round((finalBytes - baselineBytes) / 2 ** 20)
      this.report('memory', { name: 'the whole run', method: '', path: '' }, `${grown} MiB more in use after the run`)
    }
    return {
      seed,
      budget: this.budget,
      attacks: this.attacks,
      sources: [...this.summaries.values()],
      findings: this.findings,
      baselineBytes,
      finalBytes,
    }
  }

  async close(): Promise<void> {
    this.attacker?.close()
    this.prober?.close()
    await this.server?.stop()
  }

  private isOver(): boolean {
    return this.findings.length >= (this.options.maxFindings ?? 20) || this.options.until?.() === true
  }

  private async startServer(): Promise<void> {
    this.server = await ServerProcess.start(this.options.root)
    this.attacker = this.server.connection()
    this.prober = this.server.connection()
    const setup = this.options.sources.flatMap((source) => source.setup ?? [])
    for (const request of [...furniture, ...setup]) {
      const { code, text, error } = await this.attacker.send(request)
      if (code < 200 || code > 299) throw new Error(`setup ${request.name}: ${code} ${error ?? text}`)
    }
  }

  /** Compiles the code of the attacks and fills caches before the measurement. */
  private async warmUp(): Promise<void> {
    for (const source of this.options.sources) {
      let left = 3
      for (const attack of source.attacks(createRandom('warm-up').stream(source.name))) {
        if (left-- <= 0) break
        await this.send(attack)
      }
    }
    for (let i = 0; i < 3; i++) this.expected = await ordinaryAnswers(this.attacker)
  }

  private async one(source: AttackSource, attack: Attack): Promise<void> {
    const cost = await this.lowest(attack)
    this.count(source, attack, cost)
    this.attacks++
    const why = this.problem(cost)
    if (why !== undefined) await this.found(source, attack, why)
    if (this.attacks % ordinaryEvery === 0) await this.compareOrdinary(attack.name)
  }

  private async found(source: AttackSource, attack: Attack, why: string): Promise<void> {
    if (!this.server.isAlive) {
      this.report(source.name, attack, `${why}: ${this.server.output}`)
      await this.close()
      await this.startServer()
      return
    }
    if (this.options.shrinks !== true) {
      this.report(source.name, attack, why)
      return
    }
    const smallest = await shrink(attack, async (smaller) => this.problem(await this.lowest(smaller)) !== undefined)
    this.report(source.name, smallest, this.problem(await this.lowest(smallest)) ?? why)
  }

  /** The lowest cost of a few runs when the first is above the budget. */
  private async lowest(attack: Attack): Promise<Cost> {
    let best = await this.send(attack)
    for (let i = 1; i < repeats && this.isOverBudget(best) && !this.isHopeless(best) && this.server.isAlive; i++) {
      const next = await this.send(attack)
      best = {
        allowanceMs: best.allowanceMs,
        cpuMs: Math.min(best.cpuMs, next.cpuMs),
        probeMs: Math.min(best.probeMs, next.probeMs),
        reply: next.reply,
      }
    }
    return best
  }

  private isOverBudget({ allowanceMs, cpuMs, probeMs }: Cost): boolean {
    return cpuMs > this.budget.attackMs + allowanceMs || probeMs > this.budget.probeMs
  }

  private allowanceMs({ headers = {}, body = '' }: Attack): number {
    const isYaml = headers['content-type']?.endsWith('yaml') === true
    const { perMebibyteMs, perYamlMebibyteMs } = this.budget
    return (Buffer.byteLength(body) / 2 ** 20) * (isYaml ? perYamlMebibyteMs : perMebibyteMs)
  }

  private isHopeless({ cpuMs }: Cost): boolean {
    return cpuMs >= this.budget.attackMs * hopelessFactor
  }

  private problem({ allowanceMs, cpuMs, probeMs, reply }: Cost): string | undefined {
    if (!this.server.isAlive) return 'the server ended'
    if (reply.code === 500 && !isUpstreamError(reply.text)) return `answered 500: ${reply.text.slice(0, 300)}`
    if (reply.code === 0) return `no answer: ${reply.error}`
    if (cpuMs > this.budget.attackMs + allowanceMs) return `${cpuMs.toFixed(0)} ms of CPU`
    if (probeMs > this.budget.probeMs) return `a request on another connection waited ${probeMs.toFixed(0)} ms of CPU`
    return undefined
  }

  private async send(attack: Attack): Promise<Cost> {
    const { server } = this
    const allowanceMs = this.allowanceMs(attack)
    const begin = server.cpuMs()
    let isAnswered = false
    const answer = this.attacker.send(attack).then((reply) => {
      isAnswered = true
      return reply
    })
    const guard = setInterval(() => {
      if (server.isAlive && server.cpuMs() - begin > this.budget.attackMs * hopelessFactor) server.kill()
    }, 100)
    let probeMs = 0
    while (!isAnswered && server.isAlive) {
      const before = server.cpuMs()
      await this.prober.send({ method: 'GET', path: '/readyz' })
      if (server.isAlive) probeMs = Math.max(probeMs, server.cpuMs() - before)
    }
    const reply = await answer
    clearInterval(guard)
    if (server.wasKilled) {
      await this.close()
      await this.startServer()
      return { allowanceMs, cpuMs: this.budget.attackMs * hopelessFactor, probeMs, reply }
    }
    const cpuMs = server.isAlive ? server.cpuMs() - begin : 0
    if (reply.code === 201) await this.remove(attack, reply)
    return { allowanceMs, cpuMs, probeMs, reply }
  }

  /** Objects that an attack created are deleted, so that a run of any length keeps its size. */
  private async remove({ path }: Attack, { text }: AttackReply): Promise<void> {
    const [collection = '', query = ''] = path.split('?')
    const name = /"name":\s*"([^"]*)"/.exec(text)?.[1]
    if (query.includes('dryRun') || name === undefined) return
    const gone = `${collection}/${encodeURIComponent(name)}?gracePeriodSeconds=0`
    await this.attacker.send({ method: 'DELETE', path: gone })
  }

  private count({ name }: AttackSource, attack: Attack, { cpuMs, probeMs, reply }: Cost): void {
    let summary = this.summaries.get(name)
    if (summary === undefined) {
      summary = { source: name, attacks: 0, codes: {}, worstCpuMs: 0, worstProbeMs: 0, worst: '' }
      this.summaries.set(name, summary)
    }
    summary.attacks++
    const code = reply.code > 0 ? String(reply.code) : reply.code === 0 ? 'none' : 'not sent'
    summary.codes[code] = (summary.codes[code] ?? 0) + 1
    summary.worstProbeMs = Math.max(summary.worstProbeMs, probeMs)
    if (cpuMs > summary.worstCpuMs) {
      summary.worstCpuMs = cpuMs
      summary.worst = attack.name
    }
  }

  private async compareOrdinary(after: string): Promise<void> {
    const answers = await ordinaryAnswers(this.attacker)
    answers.forEach((answer, i) => {
      if (answer === this.expected[i]) return
      const attack: Attack = { name: `ordinary request after ${after}`, method: 'GET', path: '' }
      this.report('ordinary', attack, `expected ${this.expected[i]}\n  received ${answer}`)
    })
    this.expected = answers
  }

  private report(source: string, attack: Attack, why: string): void {
    this.findings.push({ source, attack, why })
    this.options.print?.(`FOUND ${source}: ${attack.name}: ${why}`)
  }
}
