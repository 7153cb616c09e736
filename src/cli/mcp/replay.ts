import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { parseGoDurationMs } from '../../api/go-duration.ts'
import { readSettings } from '../../controlplane/settings.ts'
import { ToolError } from '../../mcp/answer.ts'
import { forkPlan, plannedStepOf } from '../../mcp/fork.ts'
import { readTranscript } from '../../mcp/transcript.ts'
import type { ForecastNote } from '../../whatif/report/forecast.ts'
import type { ForecastPlan } from '../../whatif/scenario/forecast-plan.ts'
import { clusterFlags } from '../../whatif/snapshot/assumed-flags.ts'
import { readFrom } from '../cluster-input.ts'
import { type Ports, wrongQuestion } from '../command.ts'

export interface Replay {
  readonly plan: ForecastPlan
  readonly notes: readonly ForecastNote[]
  readonly seed: string
}

/** The plan that repeats a fork of a session of `berth mcp`. */
export async function replayOf(
  file: string,
  content: string,
  { fork, flags }: { readonly fork: string | undefined; readonly flags: Readonly<Record<string, unknown>> },
  ports: Pick<Ports, 'files' | 'readStdin' | 'cwd'>,
): Promise<Replay> {
  const read = readTranscript(content, fork)
  if (!read.ok) throw wrongQuestion(`${file}: ${read.message}`)
  const history = read.value
  const path = resolve(dirname(resolve(ports.cwd, file)), history.path)
  if ((await ports.files.kindOf(path)) === 'absent')
    throw wrongQuestion(`${file}: the snapshot ${history.path} of the session does not exist`)
  const input = await readFrom(path, ports)
  const given: Readonly<Record<string, unknown>> = { ...history.flags, ...flags }
  const settings = readSettings(clusterFlags(input.kubernetes, given))
  if (!settings.ok) throw wrongQuestion(`${file}: ${settings.message}`)
  const until = parseGoDurationMs(history.until)
  if (!until.ok) throw wrongQuestion(`${file}: ${until.message}`)
  try {
    const steps = await Promise.all(history.steps.map((step) => plannedStepOf(step, '')))
    const plan = forkPlan(input, settings.value, `fork ${history.fork} of ${file}`)
    return {
      plan: { ...plan, steps, untilMs: until.value },
      notes: [...input.notes, ...(await changedNotes(path, history.path, history.sha256, ports))],
      seed: history.seed,
    }
  } catch (error) {
    if (error instanceof ToolError) throw wrongQuestion(`${file}: ${error.message}`)
    throw error
  }
}

/** A folder does not have a single hash to compare with. */
async function changedNotes(
  path: string,
  name: string,
  sha256: string,
  { files }: Pick<Ports, 'files'>,
): Promise<readonly ForecastNote[]> {
  if ((await files.kindOf(path)) !== 'file') return []
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer)
  if (hash.digest('hex') === sha256) return []
  return [{ kind: 'uncertain', text: `${name} has changed since the session: the replay may differ` }]
}
