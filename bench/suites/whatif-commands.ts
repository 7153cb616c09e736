// Runs the built command as users do, including its start and the reading of the cluster.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { type BenchContext, formatNumber } from '../suite.ts'

const questions = [
  { name: 'berth whatif fail --each-zone', aim: 15 },
  { name: 'berth whatif fail --each-node', aim: 300 },
  { name: 'berth capacity removable', aim: 20 },
  { name: 'berth whatif upgrade nodes -l topology.kubernetes.io/zone=zone-a --max-surge 10%', aim: undefined },
]

export interface CommandRow {
  readonly name: string
  readonly value: number
  readonly unit: string
  readonly aim?: number
  readonly note: string
}

/** The CPU time of all threads of the command, printed when it ends. */
const measured = `data:text/javascript,${encodeURIComponent(
  "process.on('exit', () => process.stderr.write('\\nused ' + JSON.stringify(process.resourceUsage())))",
)}`

export async function askCommands(context: BenchContext, file: string): Promise<readonly CommandRow[]> {
  if (!existsSync('dist/cli.js')) {
    context.progress('the commands are not measured: not built, run npm run build')
    return []
  }
  const rows: CommandRow[] = []
  for (const { name, aim } of questions) {
    const { value, ms } = await context.time(() => run([...name.split(' ').slice(1), '--from', file]))
    const { userCPUTime, systemCPUTime, maxRSS, first } = value
    const cpu = formatNumber((userCPUTime + systemCPUTime) / 1e6)
    const note = `${cpu} s of CPU, ${formatNumber(maxRSS / 1024)} MiB at most, with start and load, ${first}`
    context.progress(`${name}: ${formatNumber(ms / 1000)} s, ${note}`)
    rows.push({ name, value: ms / 1000, unit: 's', ...(aim === undefined ? {} : { aim }), note })
  }
  return rows
}

interface Used {
  readonly userCPUTime: number
  readonly systemCPUTime: number
  readonly maxRSS: number
  /** The first line of the answer. */
  readonly first: string
}

function run(words: readonly string[]): Promise<Used> {
  const child = spawn(process.execPath, ['--import', measured, 'bin/berth', ...words], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [out, err]: [string[], string[]] = [[], []]
  child.stdout.on('data', (chunk) => out.push(String(chunk)))
  child.stderr.on('data', (chunk) => err.push(String(chunk)))
  return new Promise((resolve, reject) => {
    child.on('close', (code) => {
      const used = err.join('').split('\nused ')[1]
      if (code !== 0 || used === undefined) reject(new Error(`berth ${words.join(' ')}: ${err.join('')}`))
      else resolve({ ...(JSON.parse(used) as Omit<Used, 'first'>), first: out.join('').split('\n')[0] ?? '' })
    })
  })
}
