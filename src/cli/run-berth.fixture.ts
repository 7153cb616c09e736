import type { Ports } from './command.ts'
import { main } from './main.ts'
import { realPorts } from './ports.ts'

const real = realPorts()

export interface FinishedRun {
  readonly code: number
  readonly out: string
  readonly err: string
}

/** Runs `berth` in this process, at time 0 and without a terminal; `ports` replaces ports. */
export async function runBerth(args: string | readonly string[], ports: Partial<Ports> = {}): Promise<FinishedRun> {
  const out: string[] = []
  const err: string[] = []
  const code = await main(typeof args === 'string' ? args.split(' ') : [...args], {
    ...real,
    stdout: { write: (text) => void out.push(text), isTTY: false, columns: undefined },
    stderr: { write: (text) => void err.push(text), isTTY: false, columns: undefined },
    env: {},
    now: () => 0,
    interruption: () => new AbortController().signal,
    ...ports,
  })
  return { code, out: out.join(''), err: err.join('') }
}
