import type { SchedulerInspection } from '../../scheduler/observe/inspection.ts'
import { listed } from '../../whatif/report/phrases.ts'
import { estimateQueue } from '../../whatif/run/estimated-inspections.ts'
import { defineCommand, exitCodes } from '../command.ts'
import { schedulerOptions } from '../control-plane-options.ts'
import { ageText, untilText } from '../durations.ts'
import { inspectedOptions, inspectOrEstimate, notBerth, printEstimate } from '../inspected-cluster.ts'
import { choosePalette, type OutputColumn, outputOption, printAnswer } from '../output.ts'

const places = ['inFlight', 'active', 'backoff', 'unschedulable', 'gated']

export const command = defineCommand({
  name: 'queue',
  summary: 'List pending pods with their queue, the reason and the events that requeue them',
  description:
    'Shows the scheduling queue of a running berth: pods in flight, active, in backoff, unschedulable and gated. For a snapshot, a ' +
    'dump, or a cluster that berth does not run, the queue is estimated: the scheduler tries every pending pod once, on a copy. ' +
    'Nothing is written. The options of the scheduler apply to estimates.',
  args: [],
  options: { ...inspectedOptions(), ...schedulerOptions, output: outputOption() },
  examples: [
    { command: 'berth queue', summary: 'Use the cluster of berth up' },
    { command: 'berth queue --from dump.json', summary: 'Estimate the queue from a snapshot or a dump' },
    { command: 'berth queue -o wide', summary: 'Include the events that requeue each pod' },
  ],
  run: async (context) => {
    const { options, stdout, env } = context
    const inspected = await inspectOrEstimate<SchedulerInspection & { readonly placed?: readonly string[] }>(context, {
      read: async (cluster) => (await cluster.read('/debug/queue', notBerth)) as SchedulerInspection | undefined,
      estimate: estimateQueue,
    })
    const { value, now } = inspected
    printAnswer(stdout, {
      format: options.output,
      columns: [
        { header: 'POD', cell: (row) => row.pod },
        { header: 'QUEUE', cell: (row) => row.place },
        { header: 'FOR', cell: (row) => ageText(now - row.since) },
        ...(value.queue.some(({ priority }) => priority !== 0) ? [priorityColumn] : []),
        { header: 'ATTEMPTS', cell: (row) => row.attempts, align: 'right', optional: true },
        {
          header: 'REJECTED BY',
          least: namesWidth,
          cell: (row) => namesText(row.rejectedBy, options.output) || row.gatedBy,
        },
        { header: 'NEXT RETRY', cell: (row) => nextRetry(row, now) },
        {
          header: 'REQUEUED BY',
          cell: (row) => [...new Set(Object.values(row.wakesOn).flat())].join(', '),
          wide: true,
        },
      ],
      rows: [...value.queue].sort(
        (a, b) =>
          places.indexOf(a.place) - places.indexOf(b.place) || b.priority - a.priority || a.queuedAt - b.queuedAt,
      ),
      value,
      palette: choosePalette(stdout, env),
      empty: 'no pending pods',
    })
    printEstimate(context, inspected, [
      'attempts and retries are those of a scheduler that starts then',
      ...placedText(value.placed ?? []),
    ])
    return exitCodes.done
  },
})

// Hidden if no pod has a priority, because the pod names need the space.
const priorityColumn: OutputColumn<{ readonly priority: number }> = {
  header: 'PRIORITY',
  cell: ({ priority }) => priority,
  align: 'right',
  optional: true,
}

// Fits the longest plugin name and the number of the others.
const namesWidth = 30

/** Complete plugin names, as many as fit, then the number of the others. */
function namesText(names: readonly string[], format: string): string {
  if (format === 'wide') return names.join(', ')
  for (let shown = names.length; shown > 1; shown--) {
    const others = names.length - shown
    const text = names.slice(0, shown).join(', ') + (others === 0 ? '' : ` and ${others} more`)
    if (text.length <= namesWidth) return text
  }
  return names.length <= 1 ? (names[0] ?? '') : `${names[0]} and ${names.length - 1} more`
}

function placedText(placed: readonly string[]): readonly string[] {
  return placed.length === 0
    ? []
    : [`pending pods that the scheduler places immediately are not listed (${listed(placed)})`]
}

function nextRetry(row: SchedulerInspection['queue'][number], now: number): string | undefined {
  const at = row.place === 'backoff' ? row.backoffUntil : row.retriedAt
  return at === undefined ? undefined : untilText(at - now)
}
