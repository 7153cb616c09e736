// Shared by `berth queue` and `berth evictions`: the state of controllers, read from a running berth or estimated from objects.
import { formatTime } from '../api/time.ts'
import type { Estimated, EstimatedCluster } from '../whatif/run/estimated-inspections.ts'
import { StepError } from '../whatif/run/step-runner.ts'
import { type ClusterAccess, type ClusterChoice, clusterOptions as liveOptions, openCluster } from './cluster-access.ts'
import { type ClusterSource, clusterOptions, readCluster } from './cluster-input.ts'
import { type CommandContext, wrongQuestion } from './command.ts'
import type { SchedulerValues } from './control-plane-options.ts'
import { anyWidth, choosePalette, type OutputFormat, wrapLines } from './output.ts'
import type { ReleaseValues } from './release-options.ts'
import { readConfig } from './whatif-command.ts'

export function inspectedOptions() {
  return { ...clusterOptions(), dataDir: liveOptions.dataDir }
}

interface InspectedOptions extends ClusterSource, ClusterChoice, ReleaseValues, Partial<SchedulerValues> {
  readonly behavior?: 'upstream' | 'improved'
  readonly fix?: readonly string[]
  readonly output: OutputFormat
}

/** The codes of an API server other than berth: the path does not exist, or the user may not read it. */
export const notBerth = [403, 404]

export interface Inspected<T> {
  readonly value: T
  /** Durations are relative to this time. */
  readonly now: number
  /** Absent: the value is not estimated. */
  readonly notes?: readonly string[]
}

/** Reads from a running berth, or estimates from a file or the objects of another cluster. */
export async function inspectOrEstimate<T>(
  context: CommandContext<InspectedOptions>,
  how: {
    readonly read: (cluster: ClusterAccess) => Promise<T | undefined>
    readonly estimate: (cluster: EstimatedCluster) => Estimated<T>
  },
): Promise<Inspected<T>> {
  const { options } = context
  if (options.from === undefined) {
    const cluster = await openCluster(options, context)
    const value = await how.read(cluster).finally(() => cluster.close())
    if (value !== undefined) return { value, now: context.now() }
  }
  const found = await readCluster(context)
  const { schedulerConfig, plugin = [], behavior = 'upstream', fix = [], kubernetesVersion, featureGates } = options
  const given = { config: undefined, schedulerConfig, plugin, behavior, fix, kubernetesVersion, featureGates }
  const settings = await readConfig(given, context, found.kubernetes)
  const isFound = found.cluster.store.count('nodes') > 0
  try {
    const { value, atMs } = how.estimate({
      settings,
      create: found.manifests,
      without: found.without,
      ...(isFound ? { found: found.cluster } : { settleMs: 0 }),
    })
    return { value, now: atMs, notes: found.notes.map(({ text }) => text) }
  } catch (error) {
    if (error instanceof StepError) throw wrongQuestion(error.message)
    throw error
  }
}

/** A line below a table of estimates; -o wide adds the missing input. JSON and YAML have a field for it. */
export function printEstimate(
  { options, stdout, env }: Pick<CommandContext<InspectedOptions>, 'options' | 'stdout' | 'env'>,
  { now, notes }: Pick<Inspected<unknown>, 'now' | 'notes'>,
  limits: readonly string[],
): void {
  if (notes === undefined || options.output === 'json' || options.output === 'yaml') return
  const palette = choosePalette(stdout, env)
  const text = `\nEstimated from the objects as of ${formatTime(now)}: ${limits.join('; ')}.\n`
  stdout.write(wrapLines(text, options.output === 'wide' ? anyWidth(palette) : palette))
  if (options.output === 'wide') for (const note of notes) stdout.write(`note: ${note}\n`)
}
