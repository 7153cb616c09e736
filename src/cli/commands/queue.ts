import type { SchedulerInspection } from '../../scheduler/observe/inspection.ts'
import { clusterOptions, openCluster } from '../cluster-access.ts'
import { defineCommand, exitCodes, wrongQuestion } from '../command.ts'
import { ageText, untilText } from '../durations.ts'
import { choosePalette, outputOption, printAnswer } from '../output.ts'

const places = ['inFlight', 'active', 'backoff', 'unschedulable', 'gated']

export const command = defineCommand({
  name: 'queue',
  summary: 'List pending pods with their queue, the reason and the events that requeue them',
  description:
    'Shows the scheduling queue of a running berth: pods in flight, active, in backoff, unschedulable and gated.',
  args: [],
  options: { ...clusterOptions, output: outputOption() },
  examples: [
    { command: 'berth queue', summary: 'Use the cluster of berth up' },
    { command: 'berth queue -o wide', summary: 'Include the events that requeue each pod' },
  ],
  run: async ({ options, stdout, env, ...ports }) => {
    const cluster = await openCluster(options, { ...ports, env })
    const value = (await cluster.read('/debug/queue')) as SchedulerInspection | undefined
    cluster.close()
    if (value === undefined) throw wrongQuestion(`${cluster.server} is not served by berth (no /debug endpoint)`)
    const now = ports.now()
    printAnswer(stdout, {
      format: options.output,
      columns: [
        { header: 'POD', cell: (row) => row.pod },
        { header: 'QUEUE', cell: (row) => row.place },
        { header: 'FOR', cell: (row) => ageText(now - row.since) },
        { header: 'PRIORITY', cell: (row) => row.priority, align: 'right' },
        { header: 'ATTEMPTS', cell: (row) => row.attempts, align: 'right' },
        { header: 'REJECTED BY', cell: (row) => row.rejectedBy.join(', ') || row.gatedBy },
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
    return exitCodes.done
  },
})

function nextRetry(row: SchedulerInspection['queue'][number], now: number): string | undefined {
  const at = row.place === 'backoff' ? row.backoffUntil : row.retriedAt
  return at === undefined ? undefined : untilText(at - now)
}
